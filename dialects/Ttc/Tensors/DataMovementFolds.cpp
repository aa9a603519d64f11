// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders and canonicalisations of the ops that move elements. Constant operands are folded for
// all ops of the dialect together, by evaluation.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// `x`, if the op does not change it.
template <typename OpTy> static OpFoldResult foldIdentity(OpTy op, bool isIdentity = true) {
  return isIdentity && op.getX().getType() == op.getType() ? OpFoldResult(op.getX())
                                                           : OpFoldResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) { return foldIdentity(*this); }
OpFoldResult ExpandOp::fold(FoldAdaptor) { return foldIdentity(*this); }

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  return foldIdentity(*this, llvm::is_sorted(getPermutation()));
}
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs()[0]) : OpFoldResult();
}
OpFoldResult SliceOp::fold(FoldAdaptor) {
  // The step of a dimension with one element is irrelevant.
  bool isForward = llvm::all_of(llvm::zip_equal(getSizes(), getSteps()), [](auto dim) {
    return std::get<0>(dim) <= 1 || std::get<1>(dim) == 1;
  });
  return foldIdentity(*this, isForward);
}
OpFoldResult PadOp::fold(FoldAdaptor) { return foldIdentity(*this); }
OpFoldResult TileOp::fold(FoldAdaptor) { return foldIdentity(*this); }
OpFoldResult ResizeOp::fold(FoldAdaptor) {
  return foldIdentity(*this, llvm::all_of(getScales(), [](float scale) { return scale == 1; }));
}
OpFoldResult DepthToSpaceOp::fold(FoldAdaptor) {
  return foldIdentity(*this, llvm::all_of(getBlock(), [](int64_t size) { return size == 1; }));
}
OpFoldResult SpaceToDepthOp::fold(FoldAdaptor) { return foldIdentity(*this, getBlock() == 1); }

//===----------------------------------------------------------------------===//
// Reshapes: they are free, so every op that only changes the shape becomes one
//===----------------------------------------------------------------------===//

/// A reshape of a reshape is one reshape.
LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getX());
  return success();
}

/// A transpose of a transpose is one transpose, and one that moves no dimension of more than one
/// element past another is a reshape.
LogicalResult TransposeOp::canonicalize(TransposeOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (auto inner = op.getX().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation)
      composed.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getX(), composed);
    return success();
  }
  auto x = tensorType(op.getX());
  SmallVector<int64_t> moved;
  llvm::copy_if(permutation, std::back_inserter(moved),
                [&](int64_t dim) { return x.getDimSize(dim) != 1; });
  if (!llvm::is_sorted(moved))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
  return success();
}

/// An expand that only adds dimensions of size 1 is a reshape. An expand of an expand is one
/// expand.
LogicalResult ExpandOp::canonicalize(ExpandOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getX().getDefiningOp<ExpandOp>()) {
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), inner.getX());
    return success();
  }
  if (tensorType(op.getX()).getNumElements() != tensorType(op.getY()).getNumElements())
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
  return success();
}

/// A tile of dimensions of size 1 is an expand.
LogicalResult TileOp::canonicalize(TileOp op, PatternRewriter &rewriter) {
  auto x = tensorType(op.getX());
  for (auto [size, repeat] : llvm::zip_equal(x.getShape(), op.getRepeats()))
    if (size != 1 && repeat != 1)
      return failure();
  rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), op.getX());
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

/// Drops empty operands, and inlines the operands of a concat along the same axis.
LogicalResult ConcatOp::canonicalize(ConcatOp op, PatternRewriter &rewriter) {
  int64_t axis = op.getAxis();
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    auto inner = input.getDefiningOp<ConcatOp>();
    if (inner && inner.getAxis() == axis && inner->hasOneUse())
      llvm::append_range(inputs, inner.getInputs());
    else if (tensorType(input).getDimSize(axis) != 0)
      inputs.push_back(input);
  }
  if (inputs.empty() || ValueRange(inputs) == op.getInputs())
    return failure();
  rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), inputs, axis);
  return success();
}

/// A slice of a slice is one slice.
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<SliceOp>();
  if (!inner || llvm::is_contained(op.getSizes(), 0))
    return failure();
  SmallVector<int64_t> starts, steps;
  for (size_t i = 0; i < op.getSizes().size(); ++i) {
    starts.push_back(inner.getStarts()[i] + op.getStarts()[i] * inner.getSteps()[i]);
    // With one element, the step may be too large to multiply.
    steps.push_back(op.getSizes()[i] == 1 ? 1 : op.getSteps()[i] * inner.getSteps()[i]);
  }
  rewriter.replaceOpWithNewOp<SliceOp>(op, inner.getX(), starts, op.getSizes(), steps);
  return success();
}

/// A split into one part is its operand.
LogicalResult SplitOp::canonicalize(SplitOp op, PatternRewriter &rewriter) {
  if (op.getNumResults() != 1)
    return failure();
  rewriter.replaceOp(op, op.getX());
  return success();
}

/// A gather with one constant index is a slice.
LogicalResult GatherOp::canonicalize(GatherOp op, PatternRewriter &rewriter) {
  auto data = tensorType(op.getData());
  DenseElementsAttr indices;
  if (!matchPattern(op.getIndices(), m_Constant(&indices)) || indices.getNumElements() != 1)
    return failure();
  int64_t axis = op.getAxis(), size = data.getDimSize(axis);
  int64_t index = indices.getSplatValue<APInt>().getSExtValue();
  if (index < -size || index >= size)
    return failure();
  SmallVector<int64_t> starts(data.getRank(), 0), steps(data.getRank(), 1);
  SmallVector<int64_t> sizes(data.getShape());
  starts[axis] = index < 0 ? index + size : index;
  sizes[axis] = 1;
  Value slice = rewriter.createOrFold<SliceOp>(op.getLoc(), op.getData(), starts, sizes, steps);
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
  return success();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// A zero padding before a convolution becomes the convolution's own.
LogicalResult ConvOp::canonicalize(ConvOp op, PatternRewriter &rewriter) {
  auto pad = op.getX().getDefiningOp<PadOp>();
  if (!pad || pad.getMode() != PadMode::Constant || !pad.getValue().isZero())
    return failure();
  ImageDims dims(tensorType(op.getX()), op.getChannelsLast());
  ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
  SmallVector<int64_t> pads(op.getPads());
  for (int64_t i = 0; i < static_cast<int64_t>(low.size()); ++i) {
    int64_t spatial = i - dims.firstSpatial;
    if (spatial >= 0 && spatial < dims.numSpatial) {
      pads[spatial] += low[i];
      pads[dims.numSpatial + spatial] += high[i];
    } else if (low[i] != 0 || high[i] != 0) {
      return failure();
    }
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(pad.getX());
    op.setPads(pads);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A reduction of dimensions of size 1 is a reshape.
template <typename OpTy> static LogicalResult reduceToReshape(OpTy op, PatternRewriter &rewriter) {
  auto x = tensorType(op.getX());
  SmallVector<int64_t> axes;
  for (int64_t axis : op.getAxes())
    if (x.getDimSize(axis) != 1)
      axes.push_back(axis);
  if (axes.empty()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
  if (axes.size() == op.getAxes().size() || !op.getKeepdims())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setAxes(axes); });
  return success();
}

LogicalResult ReduceSumOp::canonicalize(ReduceSumOp op, PatternRewriter &rewriter) {
  return reduceToReshape(op, rewriter);
}
LogicalResult ReduceMeanOp::canonicalize(ReduceMeanOp op, PatternRewriter &rewriter) {
  return reduceToReshape(op, rewriter);
}
LogicalResult ReduceMaxOp::canonicalize(ReduceMaxOp op, PatternRewriter &rewriter) {
  return reduceToReshape(op, rewriter);
}
LogicalResult ReduceMinOp::canonicalize(ReduceMinOp op, PatternRewriter &rewriter) {
  return reduceToReshape(op, rewriter);
}
LogicalResult ReduceProdOp::canonicalize(ReduceProdOp op, PatternRewriter &rewriter) {
  return reduceToReshape(op, rewriter);
}
