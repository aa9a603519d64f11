// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow memory: for every byte of the device that was written, its last writer and the readers
// since then.

#ifndef TTRT_LIB_PROOF_SHADOWMEMORY_H
#define TTRT_LIB_PROOF_SHADOWMEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ttrt {

/// An access of an executed command or step.
struct Touch {
  uint32_t node;   ///< the execution
  uint32_t access; ///< index into the list of its accesses
  bool operator==(const Touch &) const = default;
};

/// What has happened to some bytes.
struct History {
  Touch writer;
  int64_t inference; ///< that the written data belongs to
  uint64_t digest;   ///< of the write (ttrt/format/dataflow.h)
  uint32_t readers;  ///< list in ShadowMemory
  /// The history covers all that may have happened to any of the bytes, instead of what happened to
  /// each of them: every touch may have been a write or a read, and the data is unknown.
  bool conservative = false;
  /// Some iteration of a loop that has begun another one, or ended, was the last to write the
  /// bytes, and the loop does not carry them.
  bool isForgotten = false;
};

/// Bytes, contiguous or strided ("Strided operands" in docs/bundle-format.md).
struct Span {
  uint64_t address;
  uint64_t bytes; ///< up to the end of the last row
  uint64_t row;   ///< bytes of a row; `bytes` if there is only one
  uint64_t pitch; ///< from row to row
  uint64_t phase; ///< rows of the whole tensor begin at addresses that equal this modulo pitch

  bool isContiguous() const { return row >= bytes; }
  uint64_t rows() const { return isContiguous() ? 1 : (bytes - row) / pitch + 1; }
};

/// A part of a span with one history: columns of consecutive rows.
struct VisitedBytes {
  uint64_t begin, end; ///< in the first row
  uint64_t rows;
  uint64_t pitch;
  bool exact; ///< false if some of these bytes may be outside the span
};

/// Called for the parts of a span. For the rows of a band, the addresses are those of its first
/// row.
class ByteVisitor {
public:
  /// Whether a visit of bytes outside the span is of no use. A conservative map then takes rows one
  /// by one, up to kMostRowsOfReads in all.
  bool needsExact = false;

  virtual void written(const VisitedBytes &bytes, History &history) = 0;
  virtual void unwritten(uint64_t begin, uint64_t end) = 0;

protected:
  ~ByteVisitor() = default;
};

/// The part of the order of touches that shadow memory needs.
class TouchOrder {
public:
  /// Removes touches that happen before another one of the list: what happens after all that remain
  /// happens after all that were removed.
  virtual void keepLast(std::vector<Touch> &touches) const = 0;

protected:
  ~TouchOrder() = default;
};

/// A map from bytes to histories; bytes that were never written are not in it. The map consists of
/// bands: consecutive rows of one pitch, with a history per range of columns. A contiguous range is
/// a band of one row and one column. An access splits bands where it begins and ends, and
/// overwriting joins them again. So work grows with the number of accesses, not with bytes, and not
/// with rows as long as the rows of a tensor are aligned with those of the band.
///
/// Where a tensor reuses bytes of another one of the same pitch, its rows may begin at other
/// columns. The band's rows then begin there, too, as soon as a row of an access does not fit into
/// one of them.
///
/// They are not aligned where a tensor reuses bytes of another one with a different pitch. An exact
/// map then takes such rows one by one, as for some time a conservative map does for reads, whose
/// rows may be whole rows of a band. A conservative map, one that was given an order, takes others
/// together with the bytes between them: it visits them as one range, and writes them as one band
/// whose other columns have conservative histories. So it may visit more bytes than the span has,
/// and have less information about some bytes than an exact map, but never the reverse.
///
/// Not thread-safe. Throws std::bad_alloc only.
class ShadowMemory {
public:
  static constexpr uint32_t kNoReaders = ~0u;
  /// Rows that are taken one by one before the map gives up.
  static constexpr uint64_t kMostRows = 4'000'000;
  /// Those that a conservative map takes for visitors that need exact parts.
  static constexpr uint64_t kMostRowsOfReads = 4'096;
  struct Reader {
    Touch touch;
    uint32_t next;
  };
  struct Column {
    uint64_t begin, end; ///< in the row
    History history;
  };
  struct Band {
    uint64_t end;
    uint64_t pitch;
    std::vector<Column> columns; ///< in order; bytes between them were never written
  };
  using Bands = std::map<uint64_t, Band>;

  /// Conservative if there is an `order`, which must outlive the map and its copies; else exact.
  explicit ShadowMemory(const TouchOrder *order = nullptr) : order(order) {}
  ShadowMemory(const ShadowMemory &) = default;

  /// The history of the bytes [begin, end) if they are one range by themselves, as after a write of
  /// just these; else null. Valid until the next call of forEach() or write().
  History *find(uint64_t begin, uint64_t end);
  /// Visits the bytes of a span in order.
  void forEach(const Span &span, ByteVisitor &visitor);

  /// Records that `writer` has written the bytes, and that nothing has read them since. forEach()
  /// must have visited the span before.
  void write(const Span &span, Touch writer, int64_t inference, uint64_t digest);

  /// Lists are shared by all bytes that were one range once; so a list is replaced, never changed.
  uint32_t addReader(Touch reader, uint32_t next) {
    readers.push_back({reader, next});
    return static_cast<uint32_t>(readers.size() - 1);
  }
  const Reader &reader(uint32_t index) const { return readers[index]; }
  const Bands &all() const { return bands; }
  /// Whether rows have been taken together: some visits may have been of bytes outside the span.
  bool isConservative() const { return conservative; }
  /// Whether more than kMostRows rows had to be taken one by one. Visits and writes have been
  /// incomplete since then.
  bool isExhausted() const { return exhausted; }

private:
  void forEachContiguous(uint64_t begin, uint64_t end, bool exact, ByteVisitor &visitor);
  static bool isOneRow(uint64_t begin, const Band &band) { return band.end - begin <= band.pitch; }
  static void splitColumns(Band &band, uint64_t column);
  static void setColumns(Band &band, uint64_t begin, uint64_t end, const History &history);
  void split(uint64_t address);
  void splitRows(Bands::iterator band, uint64_t rows);
  void addRange(Bands::iterator next, uint64_t begin, uint64_t end, const History &history);
  void flatten(Bands::iterator band);
  Bands::iterator containing(uint64_t address);
  uint64_t alignedRows(const Span &span, uint64_t row, Bands::iterator &found, uint64_t &first);
  void shiftRows(Bands::iterator band, uint64_t shift);
  uint64_t align(const Span &span, uint64_t row, Bands::iterator &found);
  uint64_t rowsTogether(const Span &span, uint64_t row);
  History mergeHistories(Bands::iterator first, Bands::iterator last);
  uint64_t writeTogether(const Span &span, uint64_t row, const History &history);
  uint64_t addBand(const Span &span, uint64_t row, const History &history);
  void writeContiguous(uint64_t begin, uint64_t end, const History &history);
  bool spend();

  /// Some of the bands, by their addresses; none after the map was copied.
  struct Recent {
    std::unique_ptr<Bands::value_type *[]> bands;
    Recent() = default;
    Recent(const Recent &) {}
    Bands::value_type *&operator[](uint64_t begin) {
      if (!bands)
        bands.reset(new Bands::value_type *[1024]());
      return bands[begin / 64 * 0x9e3779b97f4a7c15 >> 54];
    }
  };
  Bands::iterator erase(Bands::iterator first, Bands::iterator last);

  const TouchOrder *order;
  Bands bands; ///< begin -> the rest
  Recent recent;
  std::vector<Reader> readers;
  uint64_t spent = 0; ///< rows taken one by one so far
  bool conservative = false;
  bool exhausted = false;
};

} // namespace ttrt

#endif // TTRT_LIB_PROOF_SHADOWMEMORY_H
