// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements: what computes them is a constant, and what reads them does not read.
// After these canonicalisations, only constants have results without elements. What would compute
// elements from none in any other way, such as a convolution of no channels, is left for lowering
// to reject.
#include "dialects/Ttc/Tensors/EmptyTensors.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
}

Value createEmpty(OpBuilder &builder, Location loc, Type type) {
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::getFromRawBuffer(cast<RankedTensorType>(type), {}));
}

/// An op on tensors: neither a constant nor a part of programs and traces.
bool isTensorOp(Operation *op) {
  return isa_and_nonnull<TtcDialect>(op->getDialect()) && op->getNumRegions() == 0 &&
         op->getNumResults() > 0 && op->getNumOperands() > 0 && isMemoryEffectFree(op) &&
         !isa<HostWorkOpInterface, DeviceWorkOpInterface>(op);
}

/// Results without elements are constants, and so are operands of ops that can be evaluated, which
/// reduces nothing to the identity of the reduction.
struct FoldEmpty : RewritePattern {
  explicit FoldEmpty(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isTensorOp(op))
      return failure();
    if (llvm::all_of(op->getResultTypes(), isEmpty)) {
      rewriter.replaceOp(op, llvm::map_to_vector(op->getResultTypes(), [&](Type type) {
                           return createEmpty(rewriter, op->getLoc(), type);
                         }));
      return success();
    }
    if (!isConstantEvaluable(op))
      return failure();
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isEmpty(operand.get().getType()) || operand.get().getDefiningOp<ConstantOp>())
        continue;
      Value empty = createEmpty(rewriter, op->getLoc(), operand.get().getType());
      rewriter.modifyOpInPlace(op, [&] { operand.set(empty); });
      changed = true;
    }
    return success(changed);
  }
};

/// An empty part of a concatenation adds nothing.
struct DropEmptyParts : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> parts =
        llvm::filter_to_vector(op.getInputs(), [](Value part) { return !isEmpty(part.getType()); });
    if (parts.empty() || parts.size() == op.getInputs().size())
      return failure();
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), parts, op.getAxisAttr());
    return success();
  }
};

/// An empty part of a split is a constant.
struct SplitWithoutEmptyParts : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<int64_t> sizes;
    for (auto [type, size] : llvm::zip_equal(op.getResultTypes(), op.getSizes()))
      if (!isEmpty(type)) {
        types.push_back(type);
        sizes.push_back(size);
      }
    if (types.empty() || types.size() == op.getNumResults())
      return failure();
    auto rest = SplitOp::create(rewriter, op.getLoc(), types, op.getX(), op.getAxisAttr(),
                                rewriter.getDenseI64ArrayAttr(sizes));
    SmallVector<Value> results;
    size_t next = 0;
    for (Type type : op.getResultTypes())
      results.push_back(isEmpty(type) ? createEmpty(rewriter, op.getLoc(), type)
                                      : rest.getResult(next++));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A constant of zeros in the place of the op's result.
void replaceWithZeros(PatternRewriter &rewriter, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  rewriter.replaceOpWithNewOp<ConstantOp>(
      op, DenseElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType())));
}

/// Sums of no products are zero, or the bias.
struct FoldEmptyMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    if (isEmpty(op.getType()) || !isEmpty(op.getA().getType()))
      return failure();
    if (op.getBias())
      rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), op.getBias());
    else
      replaceWithZeros(rewriter, op);
    return success();
  }
};

struct FoldEmptyIntMatmul : OpRewritePattern<IntMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IntMatmulOp op, PatternRewriter &rewriter) const override {
    if (isEmpty(op.getType()) || !isEmpty(op.getA().getType()))
      return failure();
    replaceWithZeros(rewriter, op);
    return success();
  }
};

} // namespace

void mlir::ttc::populateEmptyTensorPatterns(RewritePatternSet &patterns) {
  patterns
      .add<FoldEmpty, DropEmptyParts, SplitWithoutEmptyParts, FoldEmptyMatmul, FoldEmptyIntMatmul>(
          patterns.getContext());
}
