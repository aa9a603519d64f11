// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided ranges: parts of tensors within the whole.
#ifndef TTC_DIALECTS_TTC_LAYOUT_STRIDEDRANGE_H
#define TTC_DIALECTS_TTC_LAYOUT_STRIDEDRANGE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::ttc {

/// Element `i` of a part, in row-major order, is element `offset + i / row * pitch + i % row` of
/// the whole. A part has `count` elements in complete rows; a part of one row is contiguous.
struct StridedRange {
  int64_t offset = 0;
  int64_t count = 0;
  int64_t row = 0;
  int64_t pitch = 0;

  /// The whole itself.
  static StridedRange all(int64_t count) { return {0, count, count, count}; }
  /// The slice of a tensor of `shape` that has `size` elements from `start` on in dimension `dim`.
  static StridedRange slice(ArrayRef<int64_t> shape, int64_t dim, int64_t start, int64_t size);

  bool isContiguous() const { return row == count; }
  /// Elements from the first to the last, both included, with the gaps between rows.
  int64_t getSpan() const { return count == 0 ? 0 : (count / row - 1) * pitch + row; }
  /// The range of this part if its whole is itself the part `whole` of a larger tensor. Nothing if
  /// that is not a strided range.
  std::optional<StridedRange> in(const StridedRange &whole) const;
  bool operator==(const StridedRange &other) const {
    return offset == other.offset && count == other.count && row == other.row &&
           pitch == other.pitch;
  }
};

/// The strides of a tensor of `shape` stored in rows of `row` elements, `pitch` apart. Nothing if a
/// row ends inside a dimension.
std::optional<SmallVector<int64_t>> getRowStrides(ArrayRef<int64_t> shape, int64_t row,
                                                  int64_t pitch);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_LAYOUT_STRIDEDRANGE_H
