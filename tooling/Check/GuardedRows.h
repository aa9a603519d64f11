// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for an operand, or for scratch, between pages that cannot be accessed.

#ifndef TTC_TOOLING_CHECK_GUARDEDROWS_H
#define TTC_TOOLING_CHECK_GUARDEDROWS_H

#include <cstdint>
#include <optional>
#include <vector>

namespace ttrun {

/// Rows of `row` bytes, `pitch` apart; `bytes` from the start of the first one to the end of the
/// last one. Contiguous bytes are a single row.
struct Rows {
  uint64_t bytes;
  uint64_t row = bytes;
  uint64_t pitch = bytes;
  uint64_t alignment = 64; ///< a power of two, at most a page

  bool operator==(const Rows &) const = default;
  uint64_t count() const { return bytes ? (bytes - row) / pitch + 1 : 0; }
  /// The bytes of all rows without those between them.
  uint64_t packed() const { return count() * row; }
  /// Where byte `i` of the packed rows is stored.
  uint64_t offset(uint64_t i) const { return i / row * pitch + i % row; }
};

/// What the rows touch in memory.
enum class Edge {
  Front, ///< they begin right after a page that cannot be accessed
  Back,  ///< such a page follows after less than `alignment` bytes
};

/// Owns a mapping. Pages without a byte of the rows cannot be accessed where `pitch` is a multiple
/// of the page; otherwise bytes between rows are in accessible pages.
class GuardedRows {
public:
  /// Throws std::bad_alloc. Nothing can be accessed until place() is called.
  explicit GuardedRows(const Rows &rows);
  ~GuardedRows();
  GuardedRows(const GuardedRows &) = delete;
  GuardedRows &operator=(const GuardedRows &) = delete;

  const Rows &rows() const { return rows_; }
  /// The address of the first row.
  uint8_t *address() const { return address_; }
  /// The mapping, including the pages that cannot be accessed.
  uint8_t *begin() const { return begin_; }
  bool contains(const uint8_t *address) const {
    return address >= begin_ && address < begin_ + size_;
  }
  /// Whether other rows have pages of their own.
  bool rowsHaveOwnPages() const;

  /// Moves the rows and makes their pages readable and writable.
  void place(Edge edge);
  /// Changes the protection (PROT_...) of the pages of all rows, or of one row that has its own.
  void protect(int protection);
  void protectRow(uint64_t row, int protection);

  // These need access to the pages of all rows.

  /// Sets every byte of the pages.
  void fill(uint8_t byte);
  void store(const std::vector<uint8_t> &packed);
  std::vector<uint8_t> load() const;
  /// The offset, from address(), of a byte outside the rows that is not `byte`.
  std::optional<int64_t> findChangeOutside(uint8_t byte) const;

private:
  template <typename Function> void forEachRange(Function function) const;

  Rows rows_;
  uint8_t *begin_ = nullptr;
  uint64_t size_ = 0;
  uint64_t guard_ = 0; ///< bytes before and after the pages of the rows
  uint8_t *address_ = nullptr;
};

/// The index of the first byte that differs from `byte`, or `size`.
uint64_t findOther(const uint8_t *data, uint64_t size, uint8_t byte);

} // namespace ttrun

#endif // TTC_TOOLING_CHECK_GUARDEDROWS_H
