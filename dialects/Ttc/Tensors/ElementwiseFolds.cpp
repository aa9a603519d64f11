// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders and canonicalisations of the elementwise ops. Constant operands are folded for all ops
// of the dialect together, by evaluation.
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/EmptyTensors.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// The value of a splat constant.
static std::optional<double> getSplat(Attribute constant) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble();
  APInt integer = dense.getSplatValue<APInt>();
  bool isUnsigned = dense.getElementType().isUnsignedInteger() || integer.getBitWidth() == 1;
  return isUnsigned ? static_cast<double>(integer.getZExtValue())
                    : static_cast<double>(integer.getSExtValue());
}

static std::optional<double> getSplat(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) ? getSplat(constant) : std::nullopt;
}

/// `operand`, if the op `operand <op> neutral` does not broadcast it and `constant` is the neutral
/// element.
template <typename OpTy>
static OpFoldResult foldNeutral(OpTy op, Value operand, Attribute constant, double neutral) {
  std::optional<double> number = getSplat(constant);
  if (operand.getType() == op.getType() && number == neutral &&
      std::signbit(*number) == std::signbit(neutral))
    return operand;
  return {};
}

/// A splat constant of the type of `value`.
static Value createSplat(PatternRewriter &rewriter, Location loc, Value value, double number) {
  auto type = tensorType(value);
  TypedAttr element =
      isa<FloatType>(type.getElementType())
          ? TypedAttr(rewriter.getFloatAttr(type.getElementType(), number))
          : TypedAttr(rewriter.getIntegerAttr(type.getElementType(), static_cast<int64_t>(number)));
  return ConstantOp::create(rewriter, loc,
                            DenseElementsAttr::get(type.clone(ArrayRef<int64_t>{}), element));
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// Folds an idempotent op: f(f(x)) = f(x).
template <typename OpTy> static OpFoldResult foldIdempotent(OpTy op) {
  return op.getX().template getDefiningOp<OpTy>() ? OpFoldResult(op.getX()) : OpFoldResult();
}
/// Folds an involution: f(f(x)) = x.
template <typename OpTy> static OpFoldResult foldInvolution(OpTy op) {
  auto inner = op.getX().template getDefiningOp<OpTy>();
  return inner ? OpFoldResult(inner.getX()) : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult AbsOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult NegOp::fold(FoldAdaptor) { return foldInvolution(*this); }
OpFoldResult NotOp::fold(FoldAdaptor) { return foldInvolution(*this); }

OpFoldResult ClampOp::fold(FoldAdaptor) {
  bool isOpen = getMin().isInfinity() && getMin().isNegative() && getMax().isInfinity() &&
                !getMax().isNegative();
  return isOpen ? OpFoldResult(getX()) : OpFoldResult();
}

OpFoldResult ReducePrecisionOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<ReducePrecisionOp>();
  return inner && inner.getTo() == getTo() ? OpFoldResult(getX()) : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

// -0 + 0 is 0, not -0.
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  const bool isFloat = isa<FloatType>(tensorType(getA()).getElementType());
  return foldNeutral(*this, getA(), adaptor.getB(), isFloat ? -0.0 : 0.0);
}
OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, getA(), adaptor.getB(), 0);
}
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, getA(), adaptor.getB(), 1);
}
OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, getA(), adaptor.getB(), 1);
}
OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  return foldNeutral(*this, getA(), adaptor.getB(), 1);
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  std::optional<double> condition = getSplat(adaptor.getCond());
  if (getA() == getB() && getA().getType() == getType())
    return getA();
  if (!condition)
    return {};
  Value chosen = *condition != 0 ? getA() : getB();
  return chosen.getType() == getType() ? OpFoldResult(chosen) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Canonicalisations
//===----------------------------------------------------------------------===//

/// The bounds of an op of the clamp family.
static std::optional<std::pair<APFloat, APFloat>> getBounds(Operation *op) {
  if (auto clamp = dyn_cast_or_null<ClampOp>(op))
    return std::pair(clamp.getMin(), clamp.getMax());
  if (isa_and_nonnull<ReluOp>(op))
    return std::pair(APFloat(0.0f), APFloat(std::numeric_limits<float>::infinity()));
  return std::nullopt;
}

/// A clamp or relu of a clamp or relu is one clamp. If the two ranges are disjoint, the outer one
/// decides.
static LogicalResult mergeBounds(Operation *op, PatternRewriter &rewriter) {
  auto outer = getBounds(op), inner = getBounds(op->getOperand(0).getDefiningOp());
  if (!outer || !inner)
    return failure();
  auto limit = [&](const APFloat &bound) {
    return minnum(maxnum(bound, outer->first), outer->second);
  };
  rewriter.replaceOpWithNewOp<ClampOp>(op, op->getResult(0).getType(),
                                       op->getOperand(0).getDefiningOp()->getOperand(0),
                                       limit(inner->first), limit(inner->second));
  return success();
}

LogicalResult ReluOp::canonicalize(ReluOp op, PatternRewriter &rewriter) {
  return mergeBounds(op, rewriter);
}

LogicalResult ClampOp::canonicalize(ClampOp op, PatternRewriter &rewriter) {
  if (op.getMin().isZero() && op.getMax().isInfinity()) {
    rewriter.replaceOpWithNewOp<ReluOp>(op, op.getX());
    return success();
  }
  return mergeBounds(op, rewriter);
}

/// min and max with a splat are a clamp, which needs no second operand.
template <typename OpTy>
static LogicalResult boundToClamp(OpTy op, PatternRewriter &rewriter, bool isMax) {
  std::optional<double> bound = getSplat(op.getB());
  if (!bound || op.getA().getType() != op.getType() ||
      static_cast<double>(static_cast<float>(*bound)) != *bound)
    return failure();
  APFloat value(static_cast<float>(*bound)), infinity(std::numeric_limits<float>::infinity());
  rewriter.replaceOpWithNewOp<ClampOp>(op, op.getType(), op.getA(), isMax ? value : -infinity,
                                       isMax ? infinity : value);
  return success();
}

LogicalResult MinOp::canonicalize(MinOp op, PatternRewriter &rewriter) {
  return boundToClamp(op, rewriter, /*isMax=*/false);
}
LogicalResult MaxOp::canonicalize(MaxOp op, PatternRewriter &rewriter) {
  return boundToClamp(op, rewriter, /*isMax=*/true);
}

/// A division by a power of two is a multiplication, with the same bits in the result.
LogicalResult DivOp::canonicalize(DivOp op, PatternRewriter &rewriter) {
  std::optional<double> divisor = getSplat(op.getB());
  int exponent;
  if (!divisor || !isa<FloatType>(tensorType(op.getB()).getElementType()) ||
      std::abs(std::frexp(*divisor, &exponent)) != 0.5 || std::abs(exponent) > 10 ||
      op.getA().getType() != op.getType())
    return failure();
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getA(),
                                     createSplat(rewriter, op.getLoc(), op.getB(), 1 / *divisor));
  return success();
}

/// The powers that are common in networks have ops of their own.
LogicalResult PowOp::canonicalize(PowOp op, PatternRewriter &rewriter) {
  std::optional<double> exponent = getSplat(op.getB());
  Value x = op.getA();
  if (!exponent || x.getType() != op.getType())
    return failure();
  if (*exponent == 2 || *exponent == 3) {
    Value power = rewriter.createOrFold<MulOp>(op.getLoc(), x, x);
    if (*exponent == 3)
      power = rewriter.createOrFold<MulOp>(op.getLoc(), power, x);
    rewriter.replaceOp(op, power);
    return success();
  }
  if (!isa<FloatType>(tensorType(x).getElementType()))
    return failure();
  if (*exponent == -1) {
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, x);
    return success();
  }
  if (std::abs(*exponent) != 0.5)
    return failure();
  // A root, but for -0, whose power is 0 or infinity, and -infinity, whose power is infinity or 0.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto splat = [&](double number) { return createSplat(rewriter, op.getLoc(), x, number); };
  Value unsignedZero = AddOp::create(rewriter, op.getLoc(), x, splat(0));
  Value root = *exponent > 0 ? SqrtOp::create(rewriter, op.getLoc(), unsignedZero).getResult()
                             : RsqrtOp::create(rewriter, op.getLoc(), unsignedZero).getResult();
  Value isLeast =
      CompareOp::create(rewriter, op.getLoc(), ComparePredicate::EQ, x, splat(-infinity));
  rewriter.replaceOpWithNewOp<WhereOp>(op, isLeast, splat(*exponent > 0 ? infinity : 0), root);
  return success();
}

namespace {

/// Drops an expand before an elementwise op, which broadcasts its operands itself.
struct DropExpand : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() < 2 || op->getNumResults() != 1)
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (OpOperand &operand : op->getOpOperands()) {
      auto expand = operand.get().getDefiningOp<ExpandOp>();
      if (!expand)
        continue;
      SmallVector<int64_t> shape(tensorType(expand.getX()).getShape());
      for (OpOperand &other : op->getOpOperands())
        if (&other != &operand && failed(broadcastShape(shape, tensorType(other.get()).getShape())))
          return failure();
      // The other operands must give the result its shape.
      if (ArrayRef(shape) != type.getShape())
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(expand.getX()); });
      return success();
    }
    return failure();
  }
};

} // namespace

void TtcDialect::getCanonicalizationPatterns(RewritePatternSet &results) const {
  results.add<DropExpand>(getContext());
  populateEmptyTensorPatterns(results);
}
