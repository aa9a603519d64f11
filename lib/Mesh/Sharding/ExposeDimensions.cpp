// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_EXPOSEDIMENSIONS
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A transpose that leaves leading dimensions where they are, which a reshape has merged: the merge
/// comes after it.
struct TransposeBeforeMerge : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto merge = op.getX().getDefiningOp<ReshapeOp>();
    if (!merge || op.getPermutation().empty() || op.getPermutation().front() != 0)
      return failure();
    ArrayRef<int64_t> from = tensorType(merge.getX()).getShape(),
                      to = tensorType(merge.getY()).getShape();
    const int64_t merged = static_cast<int64_t>(from.size()) - static_cast<int64_t>(to.size());
    if (merged < 1 || from.drop_front(merged + 1) != to.drop_front())
      return failure();
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, merged + 1));
    for (int64_t source : op.getPermutation().drop_front())
      permutation.push_back(source + merged);
    Value transpose = TransposeOp::create(rewriter, op.getLoc(), merge.getX(), permutation);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, transpose, op.getType().getShape());
    return success();
  }
};

/// Whether constant indices, as numbers or as vectors along the last dimension, are the positions
/// of all elements of `shape`, in order.
bool areAllPositions(Value indices, ArrayRef<int64_t> shape, bool areVectors) {
  auto constant = indices.getDefiningOp<ConstantOp>();
  if (!constant || isa<ShardsAttr>(constant.getValue()))
    return false;
  ConstantTensor numbers = ConstantTensor::get(constant.getValue()).expanded();
  const int64_t width = areVectors ? numbers.getShape().back() : 1;
  const int64_t count = llvm::product_of(shape);
  if (numbers.getNumElements() != count * width || width != static_cast<int64_t>(shape.size()))
    return false;
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0;
    for (int64_t k = 0; k < width; ++k) {
      int64_t number = numbers.getInteger(i * width + k);
      if (number < 0 || number >= shape[k])
        return false;
      position = position * shape[k] + number;
    }
    if (position != i)
      return false;
  }
  return true;
}

/// A gather that takes every element of its dimensions in order moves nothing.
struct GatherInOrder : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    if (!areAllPositions(op.getIndices(), tensorType(op.getData()).getDimSize(op.getAxis()), false))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getData(), op.getType().getShape());
    return success();
  }
};

struct GatherNdInOrder : OpRewritePattern<GatherNdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherNdOp op, PatternRewriter &rewriter) const override {
    const size_t width = tensorType(op.getIndices()).getShape().back();
    ArrayRef<int64_t> shape = tensorType(op.getData()).getShape();
    if (op.getBatchDims() != 0 || !areAllPositions(op.getIndices(), shape.take_front(width), true))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getData(), op.getType().getShape());
    return success();
  }
};

struct ExposeDimensions : mlir::ttc::impl::ExposeDimensionsBase<ExposeDimensions> {
  void runOnOperation() override {
    if (!getMesh(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<TransposeBeforeMerge, GatherInOrder, GatherNdInOrder>(&getContext());
    ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
