// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of every byte of the device that was written: who wrote it last, and who has read it since.

#ifndef TTRT_LIB_SHADOWMEMORY_H
#define TTRT_LIB_SHADOWMEMORY_H

#include <cstdint>
#include <map>
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
  int64_t inference; ///< of the written data
  uint32_t readers;  ///< list in ShadowMemory
  /// Not all that the bytes have in common, but all that may have happened to some of them: the
  /// touches may have been writes or reads, and what the bytes hold is unknown.
  bool conservative = false;
};

/// Bytes, contiguous or in rows ("Rows" in docs/bundle-format.md).
struct Span {
  uint64_t address;
  uint64_t bytes; ///< up to the end of the last row
  uint64_t row;   ///< bytes of a row; `bytes` where there is only one
  uint64_t pitch; ///< from row to row
  uint64_t
      phase; ///< rows of the whole tensor begin at addresses that are equal to this, modulo pitch

  bool isContiguous() const { return row >= bytes; }
  uint64_t rows() const { return isContiguous() ? 1 : (bytes - row) / pitch + 1; }
};

/// What is done with the bytes of a span; of a band's rows, the addresses are the first one's.
class ByteVisitor {
public:
  virtual void written(uint64_t begin, uint64_t end, History &history) = 0;
  virtual void unwritten(uint64_t begin, uint64_t end) = 0;

protected:
  ~ByteVisitor() = default;
};

/// What the map has to know of the order of touches.
class TouchOrder {
public:
  /// Drops those of `touches` that another of them comes behind, so that whatever comes behind the
  /// ones that are left comes behind all.
  virtual void keepLast(std::vector<Touch> &touches) const = 0;

protected:
  ~TouchOrder() = default;
};

/// Bytes that were never written are not in the map. It holds bands: some rows of one pitch whose
/// columns have a history each. A contiguous range is a band of one row with one column. Bands are
/// cut where an access begins or ends, and overwriting them makes them one again; so the work grows
/// with the number of accesses and neither with bytes nor, where the rows of a tensor line up, with
/// rows.
///
/// Rows may not line up with those of the tensor whose bytes they take over. A map that was given
/// an order then takes them together with what lies between them: they are visited as one range,
/// and written as one band, whose other columns are conservative. It so visits more than the span,
/// and says of some bytes less than could be known; never the other way round. A map without an
/// order takes such rows one by one.
class ShadowMemory {
public:
  static constexpr uint32_t kNoReaders = ~0u;
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
    std::vector<Column> columns; ///< in order; what is between them was never written
  };
  using Bands = std::map<uint64_t, Band>;

  /// `order` outlives the map and its copies.
  explicit ShadowMemory(const TouchOrder *order = nullptr) : order(order) {}

  /// Visits the bytes of a span in order.
  void forEach(const Span &span, ByteVisitor &visitor);

  /// The bytes now come from `writer`, and nobody has read them. forEach() must have gone over
  /// them.
  void write(const Span &span, Touch writer, int64_t inference);

  /// Lists are shared between bytes that were one range; so they are never changed, only replaced.
  uint32_t addReader(Touch reader, uint32_t next) {
    readers.push_back({reader, next});
    return static_cast<uint32_t>(readers.size() - 1);
  }
  const Reader &reader(uint32_t index) const { return readers[index]; }
  const Bands &all() const { return bands; }
  /// Whether rows have been taken together: some visits may have been of bytes outside the span.
  bool isConservative() const { return conservative; }

private:
  void forEachContiguous(uint64_t begin, uint64_t end, ByteVisitor &visitor);
  static bool isOneRow(uint64_t begin, const Band &band) { return band.end - begin <= band.pitch; }
  static void cutColumns(Band &band, uint64_t column);
  static void setColumns(Band &band, uint64_t begin, uint64_t end, const History &history);
  void cut(uint64_t address);
  void cutRows(Bands::iterator band, uint64_t rows);
  void flatten(Bands::iterator band);
  Bands::iterator containing(uint64_t address);
  uint64_t linesUp(const Span &span, uint64_t row, Bands::iterator &found);
  uint64_t align(const Span &span, uint64_t row, Bands::iterator &found);
  uint64_t rowsTogether(const Span &span, uint64_t row);
  History mergeHistories(Bands::iterator first, Bands::iterator last);
  uint64_t writeTogether(const Span &span, uint64_t row, const History &history);
  uint64_t addBand(const Span &span, uint64_t row, const History &history);
  void writeContiguous(uint64_t begin, uint64_t end, const History &history);
  void spend();

  const TouchOrder *order;
  Bands bands; ///< begin -> the rest
  std::vector<Reader> readers;
  uint64_t spent = 0; ///< rows that were taken one by one
  bool conservative = false;
};

} // namespace ttrt

#endif // TTRT_LIB_SHADOWMEMORY_H
