// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Check/GuardedRows.h"

#include "ttrt/format/bundle_format.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>

using ttrt::alignUp;
using ttrt::kPageSize;

namespace ttrun {

uint64_t findOther(const uint8_t *data, uint64_t size, uint8_t byte) {
  // Comparing a range with itself, shifted by one byte, is faster than a loop over bytes.
  if (size == 0 || (data[0] == byte && memcmp(data, data + 1, size - 1) == 0))
    return size;
  return static_cast<uint64_t>(
      std::find_if(data, data + size, [&](uint8_t other) { return other != byte; }) - data);
}

static uint8_t *pageOf(uint8_t *address) {
  return address - reinterpret_cast<uintptr_t>(address) % kPageSize;
}

GuardedRows::GuardedRows(const Rows &rows) : rows_(rows) {
  constexpr uint64_t kLeastGuard = uint64_t(1) << 20;
  const uint64_t pages = alignUp(rows.bytes, kPageSize);
  // As wide as the rows, so that a wrong row or column is in it.
  guard_ = std::max(pages, kLeastGuard);
  size_ = pages + 2 * guard_;
  void *address =
      mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  begin_ = static_cast<uint8_t *>(address);
  address_ = begin_ + guard_;
}

GuardedRows::~GuardedRows() { munmap(begin_, size_); }

bool GuardedRows::rowsHaveOwnPages() const {
  return rows_.count() > 1 && rows_.pitch % kPageSize == 0 &&
         alignUp(rows_.row, kPageSize) + kPageSize <= rows_.pitch;
}

/// Calls function(first page, end, first byte of the rows, end of the rows).
template <typename Function> void GuardedRows::forEachRange(Function function) const {
  if (rows_.bytes == 0)
    return;
  const bool own = rowsHaveOwnPages();
  const uint64_t bytes = own ? rows_.row : rows_.bytes;
  for (uint64_t i = 0; i < (own ? rows_.count() : 1); ++i) {
    uint8_t *row = address_ + i * rows_.pitch;
    function(pageOf(row), pageOf(row + bytes + kPageSize - 1), row, row + bytes);
  }
}

void GuardedRows::place(Edge edge) {
  const uint64_t pages = alignUp(rows_.bytes, kPageSize);
  mprotect(begin_ + guard_, pages, PROT_NONE);
  address_ = begin_ + guard_;
  if (edge == Edge::Back)
    address_ += (pages - rows_.bytes) / rows_.alignment * rows_.alignment;
  protect(PROT_READ | PROT_WRITE);
}

void GuardedRows::protect(int protection) {
  forEachRange([&](uint8_t *page, uint8_t *end, uint8_t *, uint8_t *) {
    if (mprotect(page, end - page, protection) != 0)
      throw std::bad_alloc();
  });
}

void GuardedRows::protectRow(uint64_t row, int protection) {
  uint8_t *begin = address_ + row * rows_.pitch;
  uint8_t *page = pageOf(begin), *end = pageOf(begin + rows_.row + kPageSize - 1);
  if (mprotect(page, end - page, protection) != 0)
    throw std::bad_alloc();
}

void GuardedRows::fill(uint8_t byte) {
  forEachRange(
      [&](uint8_t *page, uint8_t *end, uint8_t *, uint8_t *) { memset(page, byte, end - page); });
}

void GuardedRows::store(const std::vector<uint8_t> &packed) {
  for (uint64_t i = 0; i < rows_.count(); ++i)
    memcpy(address_ + i * rows_.pitch, packed.data() + i * rows_.row, rows_.row);
}

std::vector<uint8_t> GuardedRows::load() const {
  std::vector<uint8_t> packed(rows_.packed());
  for (uint64_t i = 0; i < rows_.count(); ++i)
    memcpy(packed.data() + i * rows_.row, address_ + i * rows_.pitch, rows_.row);
  return packed;
}

std::optional<int64_t> GuardedRows::findChangeOutside(uint8_t byte) const {
  std::optional<int64_t> found;
  auto check = [&](const uint8_t *begin, const uint8_t *end) {
    const auto size = static_cast<uint64_t>(end - begin);
    const uint64_t at = found ? size : findOther(begin, size, byte);
    if (at < size)
      found = begin + at - address_;
  };
  const uint64_t gap = rows_.pitch - rows_.row;
  forEachRange([&](uint8_t *page, uint8_t *end, uint8_t *first, uint8_t *last) {
    check(last, end);
    check(page, first);
    for (uint8_t *row = first + rows_.row; gap && row < last && !found; row += rows_.pitch)
      check(row, row + gap);
  });
  return found;
}

} // namespace ttrun
