// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Proof/ShadowMemory.h"

#include <algorithm>
#include <cstddef>

namespace ttrt {

/// Limits the time that a malicious bundle can take. False if the limit is reached.
bool ShadowMemory::spend() {
  if (spent >= kMostRows)
    exhausted = true;
  else
    ++spent;
  return !exhausted;
}

/// The first column that ends after an address of the row.
static ShadowMemory::Column *columnAfter(ShadowMemory::Band &band, uint64_t column) {
  return std::partition_point(
      band.columns.data(), band.columns.data() + band.columns.size(),
      [&](const ShadowMemory::Column &candidate) { return candidate.end <= column; });
}

void ShadowMemory::splitColumns(Band &band, uint64_t column) {
  Column *found = columnAfter(band, column);
  if (found == band.columns.data() + band.columns.size() || column <= found->begin)
    return;
  Column rest = *found;
  rest.begin = found->end = column;
  band.columns.insert(band.columns.begin() + (found - band.columns.data()) + 1, rest);
}

static void visit(uint64_t begin, ShadowMemory::Band &band, uint64_t column, uint64_t end,
                  bool exact, ByteVisitor &visitor) {
  const uint64_t rows = std::max<uint64_t>((band.end - begin) / band.pitch, 1);
  const ShadowMemory::Column *const last = band.columns.data() + band.columns.size();
  for (ShadowMemory::Column *found = columnAfter(band, column); found != last && found->begin < end;
       ++found) {
    if (column < found->begin)
      visitor.unwritten(begin + column, begin + found->begin);
    const uint64_t from = std::max(column, found->begin), to = std::min(end, found->end);
    visitor.written({begin + from, begin + to, rows, band.pitch, exact}, found->history);
    column = found->end;
  }
  if (column < end)
    visitor.unwritten(begin + column, begin + end);
}

void ShadowMemory::forEachContiguous(uint64_t begin, uint64_t end, bool exact,
                                     ByteVisitor &visitor) {
  if (History *history = find(begin, end))
    return visitor.written({begin, end, 1, end - begin, exact}, *history);
  split(begin);
  split(end);
  uint64_t position = begin;
  for (auto it = bands.lower_bound(begin); it != bands.end() && it->first < end; ++it) {
    if (position < it->first)
      visitor.unwritten(position, it->first);
    visit(it->first, it->second, 0, it->second.pitch, exact, visitor);
    position = it->second.end;
  }
  if (position < end)
    visitor.unwritten(position, end);
}

void ShadowMemory::forEach(const Span &span, ByteVisitor &visitor) {
  if (span.isContiguous())
    return forEachContiguous(span.address, span.address + span.bytes, /*exact=*/true, visitor);
  const uint64_t rows = span.rows();
  for (uint64_t i = 0; i < rows;) {
    const uint64_t begin = span.address + i * span.pitch;
    Bands::iterator band;
    if (const uint64_t aligned = align(span, i, band)) {
      const uint64_t column = begin - band->first;
      visit(band->first, band->second, column, column + span.row, /*exact=*/true, visitor);
      i += aligned;
    } else {
      const bool isAlone = visitor.needsExact && spent < kMostRowsOfReads;
      const uint64_t together = isAlone ? 1 : rowsTogether(span, i);
      if (together == 1 && !spend())
        return;
      // Else the end of this row might split a row off the next one's band, and so on.
      align(span, i + together, band);
      forEachContiguous(begin, begin + (together - 1) * span.pitch + span.row,
                        /*exact=*/together == 1, visitor);
      i += together;
    }
  }
}

/// The columns have been split at both ends before.
void ShadowMemory::setColumns(Band &band, uint64_t begin, uint64_t end, const History &history) {
  const auto first = band.columns.begin() + (columnAfter(band, begin) - band.columns.data());
  auto last = first;
  while (last != band.columns.end() && last->end <= end)
    ++last;
  if (first == last) {
    band.columns.insert(first, {begin, end, history});
    return;
  }
  *first = {begin, end, history};
  band.columns.erase(first + 1, last);
}

/// Most accesses are to all bytes of an earlier one.
History *ShadowMemory::find(uint64_t begin, uint64_t end) {
  Bands::value_type *&known = recent[begin];
  if (!known || known->first != begin) {
    auto found = bands.find(begin);
    if (found == bands.end())
      return nullptr;
    known = &*found;
  }
  Band &band = known->second;
  return band.end == end && isOneRow(begin, band) ? &band.columns[0].history : nullptr;
}

ShadowMemory::Bands::iterator ShadowMemory::erase(Bands::iterator first, Bands::iterator last) {
  for (auto erased = first; erased != last; ++erased)
    recent[erased->first] = nullptr;
  return bands.erase(first, last);
}

void ShadowMemory::addRange(Bands::iterator next, uint64_t begin, uint64_t end,
                            const History &history) {
  const uint64_t bytes = end - begin;
  bands.emplace_hint(next, begin, Band{end, bytes, {{0, bytes, history}}});
}

/// Turns a band of one row into contiguous ranges.
void ShadowMemory::flatten(Bands::iterator band) {
  const uint64_t begin = band->first;
  Band row = std::move(band->second);
  auto next = erase(band, std::next(band));
  for (const Column &column : row.columns)
    addRange(next, begin + column.begin, begin + column.end, column.history);
}

/// Separates the first `rows` rows from the others. A part of one row becomes contiguous.
void ShadowMemory::splitRows(Bands::iterator band, uint64_t rows) {
  const uint64_t begin = band->first, middle = begin + rows * band->second.pitch;
  if (middle <= begin || middle >= band->second.end)
    return;
  Band rest = band->second;
  band->second.end = middle;
  auto second = bands.emplace_hint(std::next(band), middle, std::move(rest));
  if (isOneRow(middle, second->second))
    flatten(second);
  if (isOneRow(begin, band->second))
    flatten(band);
}

/// Makes `address` a boundary if it is inside a band.
void ShadowMemory::split(uint64_t address) {
  for (;;) {
    auto found = bands.lower_bound(address);
    if (found == bands.begin())
      return;
    --found;
    auto &[begin, band] = *found;
    if (band.end <= address)
      return;
    if (isOneRow(begin, band)) { // and one column
      const History history = band.columns[0].history;
      const uint64_t end = band.end;
      band = {address, address - begin, {{0, address - begin, history}}};
      addRange(std::next(found), address, end, history);
      return;
    }
    const uint64_t row = (address - begin) / band.pitch;
    if ((address - begin) % band.pitch == 0)
      return splitRows(found, row);
    // Alone, the row becomes contiguous.
    if (row > 0)
      splitRows(found, row);
    else
      splitRows(found, 1);
  }
}

ShadowMemory::Bands::iterator ShadowMemory::containing(uint64_t address) {
  auto band = bands.upper_bound(address);
  return band != bands.begin() && std::prev(band)->second.end > address ? std::prev(band)
                                                                        : bands.end();
}

/// The column at which a row of the span begins.
static uint64_t columnOf(const Span &span, uint64_t begin, uint64_t phase) {
  return (begin % span.pitch + span.pitch - phase % span.pitch) % span.pitch;
}

/// How many of the span's rows, from `row` on, are aligned with the rows of one band or could
/// become rows of it, beginning at `first`; 0 if the first one is not. Those of a contiguous band
/// could, and those of one with the span's pitch whose rows begin at other addresses than the
/// tensor's.
uint64_t ShadowMemory::alignedRows(const Span &span, uint64_t row, Bands::iterator &found,
                                   uint64_t &first) {
  const uint64_t begin = span.address + row * span.pitch;
  found = containing(begin);
  if (found == bands.end())
    return 0;
  const bool oneRow = isOneRow(found->first, found->second);
  if (!oneRow && found->second.pitch != span.pitch)
    return 0;
  uint64_t column = columnOf(span, begin, oneRow ? span.phase : found->first);
  if (column + span.row > span.pitch)
    column = columnOf(span, begin, span.phase);
  if (column > begin || begin - column < found->first || column + span.row > span.pitch)
    return 0;
  first = begin - column;
  const uint64_t rows = std::min((found->second.end - first) / span.pitch, span.rows() - row);
  return rows < 2 ? 0 : rows;
}

/// Lets the rows of a band begin `shift` bytes later. What is then before the first row and after
/// the last one becomes contiguous.
void ShadowMemory::shiftRows(Bands::iterator band, uint64_t shift) {
  Band old = std::move(band->second);
  const uint64_t begin = band->first, last = old.end - old.pitch;
  const auto next = erase(band, std::next(band));
  splitColumns(old, shift);
  Band shifted{last + shift, old.pitch, {}};
  for (bool isBefore : {false, true})
    for (Column column : old.columns) {
      if ((column.begin < shift) != isBefore)
        continue;
      const uint64_t row = isBefore ? begin : last;
      addRange(next, row + column.begin, row + column.end, column.history);
      const uint64_t distance = isBefore ? old.pitch - shift : -shift;
      column.begin += distance;
      column.end += distance;
      shifted.columns.push_back(std::move(column));
    }
  bands.emplace_hint(next, begin + shift, std::move(shifted));
}

/// Splits the band that contains the span's rows from `row` on where they begin and end. Returns
/// how many of them it contains; 0 if they are aligned with no band.
uint64_t ShadowMemory::align(const Span &span, uint64_t row, Bands::iterator &found) {
  uint64_t first;
  const uint64_t rows = alignedRows(span, row, found, first);
  if (!rows)
    return 0;
  const bool oneRow = isOneRow(found->first, found->second);
  if (const uint64_t shift = (first - found->first) % span.pitch; !oneRow && shift)
    shiftRows(found, shift);
  split(first);
  split(first + rows * span.pitch);
  found = containing(first);
  if (oneRow) {
    Band &band = found->second;
    band.pitch = span.pitch;
    band.columns[0].end = span.pitch;
  }
  const uint64_t column = span.address + row * span.pitch - first;
  splitColumns(found->second, column);
  splitColumns(found->second, column + span.row);
  return rows;
}

/// How many rows, from one that is not aligned on, are taken together: those up to the next aligned
/// one if they are more than a few, else 1.
uint64_t ShadowMemory::rowsTogether(const Span &span, uint64_t row) {
  if (!order)
    return 1;
  constexpr uint64_t kFew = 4;
  const uint64_t begin = span.address + row * span.pitch, rows = span.rows();
  auto mayBeAligned = [&](uint64_t candidate) {
    Bands::iterator band;
    uint64_t first;
    return candidate >= rows || alignedRows(span, candidate, band, first);
  };
  // Alignment changes only with the first or second row in a band.
  uint64_t next = row + 1;
  for (auto band = bands.upper_bound(begin); !mayBeAligned(next); ++band) {
    if (band == bands.end()) {
      next = rows;
      break;
    }
    next = std::max(next, row + (band->first - begin + span.pitch - 1) / span.pitch);
    if (mayBeAligned(next + 1) && !mayBeAligned(next))
      ++next;
  }
  next = std::min(next, rows);
  if (next - row <= kFew)
    return 1;
  conservative = true;
  return next - row;
}

/// Adds a band where nothing was written yet. Returns the number of its rows, or 0.
uint64_t ShadowMemory::addBand(const Span &span, uint64_t row, const History &history) {
  const uint64_t begin = span.address + row * span.pitch;
  const uint64_t column = columnOf(span, begin, span.phase);
  if (column > begin || column + span.row > span.pitch)
    return 0;
  const uint64_t first = begin - column;
  uint64_t rows = span.rows() - row;
  auto next = bands.lower_bound(first);
  if (next != bands.begin() && std::prev(next)->second.end > first)
    return 0;
  if (next != bands.end())
    rows = std::min(rows, (next->first - first) / span.pitch);
  if (rows < 2)
    return 0;
  bands.emplace_hint(
      next, first,
      Band{first + rows * span.pitch, span.pitch, {{column, column + span.row, history}}});
  return rows;
}

void ShadowMemory::writeContiguous(uint64_t begin, uint64_t end, const History &history) {
  if (begin == end) // a port without elements
    return;
  if (History *found = find(begin, end)) {
    *found = history;
    return;
  }
  split(begin);
  split(end);
  auto first = bands.lower_bound(begin), last = first;
  while (last != bands.end() && last->first < end)
    ++last;
  addRange(erase(first, last), begin, end, history);
}

/// One conservative history of all bytes of some bands.
History ShadowMemory::mergeHistories(Bands::iterator first, Bands::iterator last) {
  std::vector<Touch> touches;
  for (auto band = first; band != last; ++band)
    for (const Column &column : band->second.columns) {
      touches.push_back(column.history.writer);
      for (uint32_t i = column.history.readers; i != kNoReaders; i = readers[i].next)
        touches.push_back(readers[i].touch);
    }
  order->keepLast(touches);
  History all{touches.front(), 0, 0, kNoReaders, /*conservative=*/true};
  for (size_t i = 1; i < touches.size(); ++i)
    all.readers = addReader(touches[i], all.readers);
  return all;
}

/// Makes a band of rows that are not aligned with the bands there. Returns the number of rows, or
/// 0. Leaves out the span's last row if it ends before its pitch does: the bytes after it may
/// belong to another tensor.
uint64_t ShadowMemory::writeTogether(const Span &span, uint64_t row, const History &history) {
  uint64_t rows = rowsTogether(span, row);
  const uint64_t begin = span.address + row * span.pitch;
  const uint64_t column = columnOf(span, begin, span.phase), end = column + span.row;
  rows -= end < span.pitch && row + rows == span.rows();
  if (rows < 2 || column > begin || end > span.pitch)
    return 0;
  const uint64_t from = begin - column, to = from + rows * span.pitch;
  split(from);
  split(to);
  auto first = bands.lower_bound(from), last = bands.lower_bound(to);
  Band band{to, span.pitch, {{column, end, history}}};
  if (first != last) {
    const History others = mergeHistories(first, last);
    if (column > 0)
      band.columns.insert(band.columns.begin(), {0, column, others});
    if (end < span.pitch)
      band.columns.push_back({end, span.pitch, others});
  }
  bands.emplace_hint(erase(first, last), from, std::move(band));
  return rows;
}

void ShadowMemory::write(const Span &span, Touch writer, int64_t inference, uint64_t digest) {
  const History history{writer, inference, digest, kNoReaders};
  if (span.isContiguous())
    return writeContiguous(span.address, span.address + span.bytes, history);
  const uint64_t rows = span.rows();
  for (uint64_t i = 0; i < rows;) {
    Bands::iterator band;
    if (const uint64_t aligned = align(span, i, band)) {
      const uint64_t column = span.address + i * span.pitch - band->first;
      setColumns(band->second, column, column + span.row, history);
      i += aligned;
    } else if (const uint64_t added = addBand(span, i, history)) {
      i += added;
    } else if (const uint64_t together = writeTogether(span, i, history)) {
      i += together;
    } else if (!spend()) {
      return;
    } else {
      const uint64_t begin = span.address + i * span.pitch;
      writeContiguous(begin, begin + span.row, history);
      ++i;
    }
  }
}

} // namespace ttrt
