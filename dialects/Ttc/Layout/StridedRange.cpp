// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Layout/StridedRange.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

StridedRange StridedRange::slice(ArrayRef<int64_t> shape, int64_t dim, int64_t start,
                                 int64_t size) {
  int64_t inner = llvm::product_of(shape.drop_front(dim + 1));
  int64_t outer = llvm::product_of(shape.take_front(dim));
  StridedRange rows{start * inner, outer * size * inner, size * inner, shape[dim] * inner};
  if (outer == 1)
    rows.pitch = rows.row;
  return rows;
}

std::optional<StridedRange> StridedRange::in(const StridedRange &whole) const {
  if (whole.isContiguous())
    return StridedRange{whole.offset + offset, count, row, pitch};
  int64_t begin = offset % whole.row;
  StridedRange result{whole.offset + offset / whole.row * whole.pitch + begin, count, row, pitch};
  // Each row is within a row of the whole, at the same offset.
  if (begin + row <= whole.row && (isContiguous() || pitch % whole.row == 0)) {
    if (!isContiguous())
      result.pitch = pitch / whole.row * whole.pitch;
    return result;
  }
  // Complete rows of the whole.
  if (isContiguous() && begin == 0 && count % whole.row == 0) {
    result.row = whole.row;
    result.pitch = whole.pitch;
    return result;
  }
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> mlir::ttc::getRowStrides(ArrayRef<int64_t> shape, int64_t row,
                                                             int64_t pitch) {
  SmallVector<int64_t> strides(shape.size(), 1);
  int64_t inside = 1; // elements of the dimensions after this one
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    if (inside < row) {
      strides[i] = inside;
      inside *= shape[i];
      if (inside > row && shape[i] != 1)
        return std::nullopt;
      continue;
    }
    strides[i] = inside / row * pitch;
    inside *= shape[i];
  }
  return strides;
}

//===--- operands of kernels ----------------------------------------------------------===//

/// Null for a part of one row, which is contiguous (but less aligned than a whole tensor).
static StridedAttr getNonContiguous(ProgramOp program, unsigned index) {
  StridedAttr rows = program.getStrided(index);
  auto type = cast<RankedTensorType>(program.getOperandType(index));
  return rows && rows.getRow() < type.getNumElements() ? rows : StridedAttr();
}

StridedAttr mlir::ttc::getOperandStrided(Value operand) {
  auto argument = dyn_cast<BlockArgument>(operand);
  auto program = argument ? dyn_cast<ProgramOp>(argument.getOwner()->getParentOp()) : ProgramOp();
  return program ? getNonContiguous(program, argument.getArgNumber()) : StridedAttr();
}

StridedAttr mlir::ttc::getResultStrided(Operation *kernel, unsigned result) {
  auto program = dyn_cast<ProgramOp>(kernel->getParentOp());
  return program ? getNonContiguous(program, program.getNumArguments() + result) : StridedAttr();
}

//===--- concat, slice, split ---------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<StridedRange> ConcatOp::getOperandInResult(unsigned index) {
  const int64_t axis = getAxis();
  int64_t start = 0;
  for (Value before : getInputs().take_front(index))
    start += shapeOf(before)[axis];
  return StridedRange::slice(shapeOf(getY()), axis, start, shapeOf(getInputs()[index])[axis]);
}

std::optional<SmallVector<StridedRange>> ConcatOp::getOperandsInResult() {
  const int64_t axis = getAxis();
  SmallVector<StridedRange> ranges;
  int64_t start = 0;
  for (Value input : getInputs()) {
    const int64_t size = shapeOf(input)[axis];
    ranges.push_back(StridedRange::slice(shapeOf(getY()), axis, start, size));
    start += size;
  }
  return ranges;
}

std::optional<StridedRange> SliceOp::getResultInOperand(unsigned) {
  SmallVector<int64_t> shape(shapeOf(getX()));
  std::optional<StridedRange> result = StridedRange::all(llvm::product_of(shape));
  for (auto [dim, start] : llvm::enumerate(getStarts())) {
    int64_t size = getSizes()[dim];
    if (getSteps()[dim] != 1 && size != 1)
      return std::nullopt;
    if (size == shape[dim])
      continue;
    // A slice of the result of the preceding dimensions' slices.
    result = StridedRange::slice(shape, dim, start, size).in(*result);
    if (!result)
      return std::nullopt;
    shape[dim] = size;
  }
  return result;
}

std::optional<StridedRange> SplitOp::getResultInOperand(unsigned index) {
  int64_t start = 0;
  for (int64_t size : getSizes().take_front(index))
    start += size;
  return StridedRange::slice(shapeOf(getX()), getAxis(), start, getSizes()[index]);
}
