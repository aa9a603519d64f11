// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which write stored each byte of a buffer.
#ifndef TTC_LIB_BUNDLE_STOREDBYTES_H
#define TTC_LIB_BUNDLE_STOREDBYTES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace mlir::ttc {

/// `rows` rows of `row` bytes; row k begins at address + k * pitch.
struct ByteRows {
  int64_t address, row, rows, pitch;
  bool operator==(const ByteRows &) const = default;
};

/// One write: what it stored, and what it is called by those who ask.
struct StoredWrite {
  llvm::SmallVector<ByteRows, 1> bytes;
  uint64_t digest;
  int64_t base;        ///< address of the operand that was written
  bool isGone = false; ///< the bytes have no value any more: they were an iteration's of a loop
};

/// All writes to a buffer, of which later ones hide earlier ones.
class StoredBytes {
public:
  void write(StoredWrite write);
  /// Calls `found` for the parts of `bytes`, each with the last write that stored it. Returns
  /// whether all bytes have been written.
  bool read(const ByteRows &bytes,
            llvm::function_ref<void(const ByteRows &, const StoredWrite &)> found) const;

private:
  std::vector<StoredWrite> writes;
};

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_STOREDBYTES_H
