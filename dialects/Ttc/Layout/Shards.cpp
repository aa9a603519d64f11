// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/TtcAttributes.h"

using namespace mlir;
using namespace mlir::ttc;

std::optional<SmallVector<int64_t>> mlir::ttc::getShardParts(ArrayRef<int64_t> shape, int64_t rows,
                                                             int64_t cols) {
  if (shape.empty() || rows < 1 || cols < 1 || shape.back() % cols != 0)
    return std::nullopt;
  SmallVector<int64_t> parts(shape.size(), 1);
  parts.back() = cols;
  // Outer dimensions element by element, then one in parts.
  for (size_t i = 0; i + 1 < shape.size() && rows != 1; ++i) {
    if (shape[i] != 0 && rows % shape[i] == 0)
      parts[i] = shape[i];
    else if (shape[i] % rows == 0)
      parts[i] = rows;
    else
      return std::nullopt;
    rows /= parts[i];
  }
  if (rows != 1)
    return std::nullopt;
  return parts;
}

std::optional<SmallVector<int64_t>> mlir::ttc::getShardParts(RankedTensorType type) {
  LayoutAttr layout = getShardedLayout(type);
  if (!layout)
    return SmallVector<int64_t>(type.getRank(), 1);
  return getShardParts(type.getShape(), layout.getGrid()[0], layout.getGrid()[1]);
}

LayoutAttr mlir::ttc::getShardedLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto layout = tensor ? dyn_cast_if_present<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
  return layout && layout.isSharded() && layout.getMemory() == MemorySpace::L1 ? layout
                                                                               : LayoutAttr();
}

RankedTensorType mlir::ttc::getShardType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, parts] : llvm::zip_equal(shape, *getShardParts(type)))
    size /= parts;
  return RankedTensorType::get(shape, type.getElementType());
}

RankedTensorType mlir::ttc::dropLayout(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

std::optional<StridedRange> mlir::ttc::getBoxRange(ArrayRef<int64_t> shape,
                                                   ArrayRef<int64_t> parts) {
  SmallVector<int64_t> box;
  for (auto [size, count] : llvm::zip_equal(shape, parts))
    box.push_back(size / count);
  int64_t count = llvm::product_of(box);
  // The innermost partitioned dimension: all dimensions after it belong to one row.
  size_t cut = shape.size();
  while (cut > 0 && box[cut - 1] == shape[cut - 1])
    --cut;
  if (cut == 0)
    return StridedRange::all(count);
  int64_t inner = llvm::product_of(shape.drop_front(cut));
  int64_t row = box[cut - 1] * inner, pitch = shape[cut - 1] * inner;
  if (row == count)
    return StridedRange::all(count);
  // Rows must be equidistant: of the outer dimensions only the first of size > 1 may be
  // partitioned.
  size_t first = 0;
  while (box[first] == 1)
    ++first;
  for (size_t i = first + 1; i + 1 < cut; ++i)
    if (box[i] != shape[i])
      return std::nullopt;
  return StridedRange{0, count, row, pitch};
}
