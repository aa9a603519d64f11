// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::tosa_to_ttc;

namespace {

/// Ops that mean the same, operand by operand.
template <typename TosaOp, typename TtcOp> struct Rename : OpConversionPattern<TosaOp> {
  using OpConversionPattern<TosaOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(TosaOp op, typename TosaOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, make<TtcOp>(rewriter, op.getLoc(), op.getType(), adaptor.getOperands()));
    return success();
  }
};

/// The same, for ops that say what to do with NaN.
template <typename TosaOp, typename TtcOp> struct RenameNan : OpConversionPattern<TosaOp> {
  using OpConversionPattern<TosaOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(TosaOp op, typename TosaOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkNanMode(op.getNanMode(), rewriter, op)))
      return failure();
    rewriter.replaceOp(op, make<TtcOp>(rewriter, op.getLoc(), op.getType(), adaptor.getOperands()));
    return success();
  }
};

template <typename TosaOp, ComparePredicate predicate>
struct Compare : OpConversionPattern<TosaOp> {
  using OpConversionPattern<TosaOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(TosaOp op, typename TosaOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op,
        make<CompareOp>(rewriter, op.getLoc(), op.getType(), adaptor.getOperands(),
                        rewriter.getNamedAttr("predicate", ComparePredicateAttr::get(
                                                               rewriter.getContext(), predicate))));
    return success();
  }
};

struct Mul : OpConversionPattern<tosa::MulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::MulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<double> shift = getConstScalar(adaptor.getShift(), rewriter, op, "the shift");
    if (failed(shift))
      return failure();
    if (*shift != 0)
      return op->emitOpError("the shift must be 0, found " + std::to_string(*shift));
    // The product of narrow integers is wide.
    Location loc = op.getLoc();
    Type elementType = op.getType().getElementType();
    Value a = castTo(rewriter, loc, adaptor.getInput1(), elementType);
    Value b = castTo(rewriter, loc, adaptor.getInput2(), elementType);
    rewriter.replaceOp(op, make<mlir::ttc::MulOp>(rewriter, loc, op.getType(), {a, b}));
    return success();
  }
};

struct Negate : OpConversionPattern<tosa::NegateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::NegateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkZeroPoints({adaptor.getInput1Zp(), adaptor.getOutputZp()}, rewriter, op)))
      return failure();
    rewriter.replaceOp(op, make<NegOp>(rewriter, op.getLoc(), op.getType(), adaptor.getInput1()));
    return success();
  }
};

struct Clamp : OpConversionPattern<tosa::ClampOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ClampOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkNanMode(op.getNanMode(), rewriter, op)))
      return failure();
    SmallVector<NamedAttribute> attrs;
    for (auto [name, bound] :
         {std::pair("min", op.getMinValAttr()), std::pair("max", op.getMaxValAttr())}) {
      double value = isa<FloatAttr>(bound) ? cast<FloatAttr>(bound).getValueAsDouble()
                                           : static_cast<double>(cast<IntegerAttr>(bound).getInt());
      if (isa<IntegerAttr>(bound) && static_cast<double>(static_cast<float>(value)) != value)
        return op->emitOpError("a bound is not exact as a float");
      attrs.push_back(f32(rewriter, name, value));
    }
    rewriter.replaceOp(op, make<mlir::ttc::ClampOp>(rewriter, op.getLoc(), op.getType(),
                                                    adaptor.getInput(), attrs));
    return success();
  }
};

/// From floats to integers TOSA rounds to the nearest, ttc (as ONNX) towards zero.
struct Cast : OpConversionPattern<tosa::CastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::CastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getInput();
    Type to = cast<ShapedType>(op.getType()).getElementType();
    if (isa<FloatType>(tensorType(x).getElementType()) && isa<IntegerType>(to) && !to.isInteger(1))
      x = make<RoundOp>(rewriter, op.getLoc(), x.getType(), x);
    rewriter.replaceOp(op, castTo(rewriter, op.getLoc(), x, to));
    return success();
  }
};

} // namespace

void mlir::ttc::populateTosaElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<
      Rename<tosa::AbsOp, mlir::ttc::AbsOp>, Rename<tosa::CeilOp, mlir::ttc::CeilOp>,
      Rename<tosa::CosOp, mlir::ttc::CosOp>, Rename<tosa::ErfOp, mlir::ttc::ErfOp>,
      Rename<tosa::ExpOp, mlir::ttc::ExpOp>, Rename<tosa::FloorOp, mlir::ttc::FloorOp>,
      Rename<tosa::LogOp, mlir::ttc::LogOp>, Rename<tosa::LogicalNotOp, mlir::ttc::NotOp>,
      Rename<tosa::ReciprocalOp, mlir::ttc::ReciprocalOp>,
      Rename<tosa::RsqrtOp, mlir::ttc::RsqrtOp>, Rename<tosa::SigmoidOp, mlir::ttc::SigmoidOp>,
      Rename<tosa::SinOp, mlir::ttc::SinOp>, Rename<tosa::TanhOp, mlir::ttc::TanhOp>,
      Rename<tosa::AddOp, mlir::ttc::AddOp>, Rename<tosa::SubOp, mlir::ttc::SubOp>,
      Rename<tosa::PowOp, mlir::ttc::PowOp>, Rename<tosa::IntDivOp, mlir::ttc::DivOp>,
      Rename<tosa::LogicalAndOp, mlir::ttc::AndOp>, Rename<tosa::LogicalOrOp, mlir::ttc::OrOp>,
      Rename<tosa::LogicalXorOp, mlir::ttc::XorOp>, Rename<tosa::SelectOp, mlir::ttc::WhereOp>,
      RenameNan<tosa::MaximumOp, mlir::ttc::MaxOp>, RenameNan<tosa::MinimumOp, mlir::ttc::MinOp>,
      Compare<tosa::EqualOp, ComparePredicate::EQ>, Compare<tosa::GreaterOp, ComparePredicate::GT>,
      Compare<tosa::GreaterEqualOp, ComparePredicate::GE>, Mul, Negate, Clamp, Cast>(
      patterns.getContext());
}
