// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of constants: ops that move data.
#include "dialects/Ttc/ConstantEvaluation/SeparableCopy.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

namespace {

using Bytes = ArrayRef<char>;
using MutableBytes = MutableArrayRef<char>;

size_t getElementSize(Value value) {
  return llvm::divideCeil(tensorType(value).getElementTypeBitWidth(), 8);
}

/// The offsets `(start + i * step) * stride` for 0 <= i < `size`.
SmallVector<int64_t> getOffsets(int64_t size, int64_t start, int64_t step, int64_t stride) {
  SmallVector<int64_t> offsets;
  offsets.reserve(size);
  for (int64_t i = 0; i < size; ++i)
    offsets.push_back((start + i * step) * stride);
  return offsets;
}

void copyMapped(Operation *op, const SeparableMap &map, ArrayRef<Bytes> operands, Bytes fill,
                MutableBytes result) {
  copySeparable(op->getContext(), map, getElementSize(op->getResult(0)), operands[0], fill, result);
}

/// Element `index` of an i32 or i64 tensor, made non-negative by adding `size`. Fails if it is
/// out of range.
FailureOr<int64_t> readIndex(Bytes bytes, Type elementType, int64_t index, int64_t size) {
  int64_t value = elementType.isInteger(64)
                      ? reinterpret_cast<const int64_t *>(bytes.data())[index]
                      : reinterpret_cast<const int32_t *>(bytes.data())[index];
  if (value < 0)
    value += size;
  if (value < 0 || value >= size)
    return failure();
  return value;
}

} // namespace

LogicalResult ReshapeOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  llvm::copy(operands[0], result.begin());
  return success();
}

LogicalResult TransposeOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  SmallVector<int64_t> strides = getRowMajorStrides(tensorType(getX()).getShape());
  SeparableMap map;
  for (auto [dim, size] : llvm::zip_equal(getPermutation(), tensorType(getY()).getShape()))
    map.dims.push_back(getOffsets(size, 0, 1, strides[dim]));
  copyMapped(*this, map, operands, {}, result);
  return success();
}

LogicalResult SliceOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  SmallVector<int64_t> strides = getRowMajorStrides(tensorType(getX()).getShape());
  SeparableMap map;
  for (auto [start, size, step, stride] :
       llvm::zip_equal(getStarts(), getSizes(), getSteps(), strides))
    map.dims.push_back(getOffsets(size, start, step, stride));
  copyMapped(*this, map, operands, {}, result);
  return success();
}

LogicalResult ExpandOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto x = tensorType(getX()), y = tensorType(getY());
  SmallVector<int64_t> strides = getRowMajorStrides(x.getShape());
  int64_t missing = y.getRank() - x.getRank();
  SeparableMap map;
  for (auto [i, size] : llvm::enumerate(y.getShape())) {
    int64_t dim = static_cast<int64_t>(i) - missing;
    bool repeated = dim < 0 || x.getDimSize(dim) == 1;
    map.dims.push_back(getOffsets(size, 0, 1, repeated ? 0 : strides[dim]));
  }
  copyMapped(*this, map, operands, {}, result);
  return success();
}

LogicalResult TileOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto x = tensorType(getX());
  SmallVector<int64_t> strides = getRowMajorStrides(x.getShape());
  SeparableMap map;
  for (auto [size, repeats, stride] : llvm::zip_equal(x.getShape(), getRepeats(), strides)) {
    auto &dim = map.dims.emplace_back();
    for (int64_t i = 0; i < repeats; ++i)
      llvm::append_range(dim, getOffsets(size, 0, 1, stride));
  }
  copyMapped(*this, map, operands, {}, result);
  return success();
}

LogicalResult PadOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto x = tensorType(getX());
  SmallVector<char, 8> fill(getElementSize(getY()), 0);
  if (getMode() == PadMode::Constant && !getValue().isPosZero()) {
    // The bits of the element type.
    Type type = x.getElementType();
    APFloat value = getValue();
    bool inexact;
    uint64_t bits;
    if (auto floating = dyn_cast<FloatType>(type)) {
      value.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
      bits = value.bitcastToAPInt().getZExtValue();
    } else {
      APSInt integer(64, /*isUnsigned=*/false);
      value.convertToInteger(integer, APFloat::rmTowardZero, &inexact);
      bits = type.isInteger(1) ? !value.isZero() : integer.getExtValue();
    }
    std::memcpy(fill.data(), &bits, fill.size());
  }
  SmallVector<int64_t> strides = getRowMajorStrides(x.getShape());
  SeparableMap map;
  for (auto [size, low, high, stride] :
       llvm::zip_equal(x.getShape(), getLow(), getHigh(), strides)) {
    auto &dim = map.dims.emplace_back();
    for (int64_t i = -low; i < size + high; ++i) {
      int64_t source = i;
      if (getMode() == PadMode::Reflect)
        source = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
      else if (getMode() == PadMode::Edge)
        source = std::clamp<int64_t>(i, 0, size - 1);
      else if (getMode() == PadMode::Wrap)
        source = (i % size + size) % size;
      bool inside = source >= 0 && source < size;
      dim.push_back(inside ? source * stride : -1);
    }
  }
  copyMapped(*this, map, operands, fill, result);
  return success();
}

LogicalResult ConcatOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto shape = tensorType(getY()).getShape();
  int64_t outer = llvm::product_of(shape.take_front(getAxis()));
  char *out = result.data();
  for (int64_t i = 0; i < outer; ++i)
    for (Bytes operand : operands) {
      size_t chunk = operand.size() / outer;
      out = llvm::copy(operand.slice(i * chunk, chunk), out);
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto data = tensorType(getData()), indices = tensorType(getIndices());
  int64_t axis = getAxis(), size = data.getDimSize(axis);
  size_t chunk = llvm::product_of(data.getShape().drop_front(axis + 1)) * getElementSize(getY());
  int64_t outer = llvm::product_of(data.getShape().take_front(axis));
  char *out = result.data();
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < indices.getNumElements(); ++j, out += chunk) {
      FailureOr<int64_t> index = readIndex(operands[1], indices.getElementType(), j, size);
      if (failed(index))
        return failure();
      std::memcpy(out, operands[0].data() + (i * size + *index) * chunk, chunk);
    }
  return success();
}

LogicalResult GatherElementsOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto data = tensorType(getData()), indices = tensorType(getIndices());
  size_t size = getElementSize(getY());
  SmallVector<int64_t> strides = getRowMajorStrides(data.getShape());
  for (int64_t i = 0; i < indices.getNumElements(); ++i) {
    int64_t rest = i, offset = 0;
    for (int64_t dim = indices.getRank(); dim-- > 0;) {
      int64_t at = rest % indices.getDimSize(dim);
      rest /= indices.getDimSize(dim);
      if (dim == static_cast<int64_t>(getAxis())) {
        FailureOr<int64_t> index =
            readIndex(operands[1], indices.getElementType(), i, data.getDimSize(dim));
        if (failed(index))
          return failure();
        at = *index;
      }
      offset += at * strides[dim];
    }
    std::memcpy(result.data() + i * size, operands[0].data() + offset * size, size);
  }
  return success();
}

LogicalResult GatherNdOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  auto data = tensorType(getData()), indices = tensorType(getIndices());
  int64_t batch = getBatchDims(), depth = indices.getShape().back();
  SmallVector<int64_t> strides = getRowMajorStrides(data.getShape());
  int64_t batches = llvm::product_of(data.getShape().take_front(batch));
  int64_t tuples = depth ? indices.getNumElements() / depth : 0;
  int64_t perBatch = batches ? tuples / batches : 0;
  size_t elementSize = getElementSize(getY());
  size_t chunk = llvm::product_of(data.getShape().drop_front(batch + depth)) * elementSize;
  int64_t batchElements = batches ? data.getNumElements() / batches : 0;
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t offset = i / perBatch * batchElements;
    for (int64_t j = 0; j < depth; ++j) {
      FailureOr<int64_t> index = readIndex(operands[1], indices.getElementType(), i * depth + j,
                                           data.getDimSize(batch + j));
      if (failed(index))
        return failure();
      offset += *index * strides[batch + j];
    }
    std::memcpy(result.data() + i * chunk, operands[0].data() + offset * elementSize, chunk);
  }
  return success();
}
