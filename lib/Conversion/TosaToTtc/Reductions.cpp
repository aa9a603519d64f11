// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::tosa_to_ttc;

namespace {

/// TOSA reduces one axis and keeps it, as 1.
template <typename TosaOp, typename TtcOp> struct Reduce : OpConversionPattern<TosaOp> {
  using OpConversionPattern<TosaOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(TosaOp op, typename TosaOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if constexpr (requires { op.getNanMode(); })
      if (failed(checkNanMode(op.getNanMode(), rewriter, op)))
        return failure();
    rewriter.replaceOp(
        op, make<TtcOp>(rewriter, op.getLoc(), op.getType(), adaptor.getInput(),
                        {i64s(rewriter, "axes", op.getAxis()), flag(rewriter, "keepdims")}));
    return success();
  }
};

/// All is the minimum, any the maximum, of 0 and 1.
template <typename TosaOp, typename TtcOp> struct ReduceBool : OpConversionPattern<TosaOp> {
  using OpConversionPattern<TosaOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(TosaOp op, typename TosaOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i8 = rewriter.getI8Type();
    Value x = castTo(rewriter, loc, adaptor.getInput(), i8);
    Value y = make<TtcOp>(rewriter, loc, cast<ShapedType>(op.getType()).clone(i8), x,
                          {i64s(rewriter, "axes", op.getAxis()), flag(rewriter, "keepdims")});
    rewriter.replaceOp(op, castTo(rewriter, loc, y, rewriter.getI1Type()));
    return success();
  }
};

struct ArgMax : OpConversionPattern<tosa::ArgMaxOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ArgMaxOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkNanMode(op.getNanMode(), rewriter, op)))
      return failure();
    auto type = cast<ShapedType>(op.getType());
    Value index = make<ArgmaxOp>(rewriter, op.getLoc(), type.clone(rewriter.getI64Type()),
                                 adaptor.getInput(), i64(rewriter, "axis", op.getAxis()));
    rewriter.replaceOp(op, castTo(rewriter, op.getLoc(), index, type.getElementType()));
    return success();
  }
};

} // namespace

void mlir::ttc::populateTosaReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<Reduce<tosa::ReduceSumOp, mlir::ttc::ReduceSumOp>,
               Reduce<tosa::ReduceMaxOp, mlir::ttc::ReduceMaxOp>,
               Reduce<tosa::ReduceMinOp, mlir::ttc::ReduceMinOp>,
               Reduce<tosa::ReduceProductOp, mlir::ttc::ReduceProdOp>,
               ReduceBool<tosa::ReduceAllOp, mlir::ttc::ReduceMinOp>,
               ReduceBool<tosa::ReduceAnyOp, mlir::ttc::ReduceMaxOp>, ArgMax>(
      patterns.getContext());
}
