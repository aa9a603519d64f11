// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of ops on weights in blocks: a part of --ttc-choose-kernels.
#include "ChooseBlockKernels.h"
#include "ChooseIntKernels.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/BlockKernelOps.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "kernels/BlockFormats.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct BlockMatmulToKernel : OpRewritePattern<BlockMatmulOp> {
  BlockMatmulToKernel(MLIRContext *context, ByteDot dot) : OpRewritePattern(context), dot(dot) {}

  LogicalResult matchAndRewrite(BlockMatmulOp op, PatternRewriter &rewriter) const override {
    if (!isConstantExpression(op.getW()))
      return failure();
    Value packed = PackBlocksOp::create(rewriter, op.getLoc(), op.getW(), op.getFormat(),
                                        tensorType(op.getX()).getDimSize(1), op.getGated());
    rewriter.replaceOpWithNewOp<KernelBlockMatmulOp>(
        op, tensorType(op.getY()), op.getX(), packed, op.getNorm(), op.getBias(), op.getResidual(),
        op.getCount(), op.getFormat(), dot, op.getEpsilon(), op.getActivations(), op.getGated());
    return success();
  }

  ByteDot dot;
};

struct ExpertMatmulToKernel : OpRewritePattern<ExpertMatmulOp> {
  ExpertMatmulToKernel(MLIRContext *context, ByteDot dot) : OpRewritePattern(context), dot(dot) {}

  LogicalResult matchAndRewrite(ExpertMatmulOp op, PatternRewriter &rewriter) const override {
    if (!isConstantExpression(op.getW()))
      return failure();
    // Experts have whole groups: those of an expert follow each other, with gates and factors in
    // turns, though the file has the gates of all experts first.
    Value packed = PackBlocksOp::create(rewriter, op.getLoc(), op.getW(), op.getFormat(),
                                        tensorType(op.getX()).getDimSize(1), op.getGated());
    rewriter.replaceOpWithNewOp<KernelExpertMatmulOp>(
        op, tensorType(op.getY()), op.getX(), packed, op.getExperts(), op.getBias(), op.getCount(),
        op.getFormat(), dot, op.getExpertCount(), op.getActivations(), op.getGated());
    return success();
  }

  ByteDot dot;
};

struct BlockGatherToKernel : OpRewritePattern<BlockGatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockGatherOp op, PatternRewriter &rewriter) const override {
    if (!isConstantExpression(op.getW()))
      return failure();
    // As products pack them, because an embedding may be the weights of one, too.
    Value packed = PackBlocksOp::create(rewriter, op.getLoc(), op.getW(), op.getFormat(),
                                        op.getColumns(), /*gated=*/false);
    const int64_t rowBytes =
        ::ttc::kernels::getFileRowBytes(static_cast<int64_t>(op.getFormat()), op.getColumns());
    rewriter.replaceOpWithNewOp<KernelBlockGatherOp>(
        op, tensorType(op.getY()), packed, op.getTokens(), op.getFormat(),
        tensorType(op.getW()).getNumElements() / rowBytes);
    return success();
  }
};

} // namespace

void mlir::ttc::populateBlockKernelPatterns(RewritePatternSet &patterns, const CpuTarget &target) {
  patterns.add<BlockMatmulToKernel, ExpertMatmulToKernel>(patterns.getContext(),
                                                          chooseByteDot(target));
  patterns.add<BlockGatherToKernel>(patterns.getContext());
}

LogicalResult mlir::ttc::verifyBlockKernels(Operation *root) {
  auto checked = root->walk([](Operation *op) -> WalkResult {
    auto weights = llvm::TypeSwitch<Operation *, Value>(op)
                       .Case<BlockMatmulOp, ExpertMatmulOp, BlockGatherOp>(
                           [](auto block) -> Value { return block.getW(); })
                       .Default(Value());
    if (!weights)
      return WalkResult::advance();
    return op->emitOpError("expected weights that are known while compiling, found ")
           << weights.getType() << " that is computed";
  });
  return failure(checked.wasInterrupted());
}
