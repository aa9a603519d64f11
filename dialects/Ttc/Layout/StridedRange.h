// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a part of a tensor lies within the whole.
#ifndef TTC_DIALECTS_TTC_LAYOUT_STRIDEDRANGE_H
#define TTC_DIALECTS_TTC_LAYOUT_STRIDEDRANGE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::ttc {

/// Element `i` of a part, in row-major order, is element `offset + i / row * pitch + i % row` of
/// the whole. A part has `count` elements, in whole rows; in one row it is contiguous.
struct StridedRange {
  int64_t offset = 0;
  int64_t count = 0;
  int64_t row = 0;
  int64_t pitch = 0;

  /// The whole itself.
  static StridedRange all(int64_t count) { return {0, count, count, count}; }
  /// Of a tensor of `shape` what lies from `start` on in dimension `dim`, `size` of it.
  static StridedRange slice(ArrayRef<int64_t> shape, int64_t dim, int64_t start, int64_t size);

  bool isContiguous() const { return row == count; }
  /// From the first element to behind the last one.
  int64_t getSpan() const { return count == 0 ? 0 : (count / row - 1) * pitch + row; }
  /// Where this part lies if its whole is itself the part `whole` of something larger; nothing if
  /// no rows say it.
  std::optional<StridedRange> in(const StridedRange &whole) const;
  bool operator==(const StridedRange &other) const {
    return offset == other.offset && count == other.count && row == other.row &&
           pitch == other.pitch;
  }
};

/// Strides of a tensor of `shape` that lies in such rows; nothing where a row ends inside of a
/// dimension.
std::optional<SmallVector<int64_t>> getRowStrides(ArrayRef<int64_t> shape, int64_t row,
                                                  int64_t pitch);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_LAYOUT_STRIDEDRANGE_H
