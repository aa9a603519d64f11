// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and the positions of extremes.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

/// How an op combines elements, from which value it begins, and what it does with the result.
template <typename Op> struct Fold;

template <> struct Fold<ReduceSumOp> {
  static TypedAttr init(Type type, bool) { return numberAttr(type, 0); }
  static Value combine(OpBuilder &b, Location loc, Value x, Value sum, bool) {
    return addOf(b, loc, x, sum);
  }
};
template <> struct Fold<ReduceMeanOp> : Fold<ReduceSumOp> {};
template <> struct Fold<ReduceProdOp> {
  static TypedAttr init(Type type, bool) { return numberAttr(type, 1); }
  static Value combine(OpBuilder &b, Location loc, Value x, Value product, bool) {
    return mulOf(b, loc, x, product);
  }
};
template <> struct Fold<ReduceMaxOp> {
  static TypedAttr init(Type type, bool isUnsigned) { return lowestAttr(type, isUnsigned); }
  static Value combine(OpBuilder &b, Location loc, Value x, Value best, bool isUnsigned) {
    return maxOf(b, loc, x, best, isUnsigned);
  }
};
template <> struct Fold<ReduceMinOp> {
  static TypedAttr init(Type type, bool isUnsigned) { return highestAttr(type, isUnsigned); }
  static Value combine(OpBuilder &b, Location loc, Value x, Value best, bool isUnsigned) {
    return minOf(b, loc, x, best, isUnsigned);
  }
};

/// sum / count; integers round towards zero.
Value divideBy(OpBuilder &b, Location loc, Value sum, int64_t count, bool isUnsigned) {
  Value divisor = number(b, loc, sum.getType(), static_cast<double>(count));
  if (isa<FloatType>(sum.getType()))
    return arith::DivFOp::create(b, loc, sum, divisor);
  return isUnsigned ? arith::DivUIOp::create(b, loc, sum, divisor).getResult()
                    : arith::DivSIOp::create(b, loc, sum, divisor).getResult();
}

template <typename Op> struct ConvertReduce : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    auto resultType = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    bool isUnsigned = hasUnsignedElements(op.getX());
    Type element = resultType.getElementType(), sumType = accumulationType(element);
    // Sums of narrow integers are made in 64 bits where a mean needs them.
    bool isIntegerMean = isa<ReduceMeanOp>(op) && isa<IntegerType>(element);
    if (isIntegerMean)
      sumType = b.getI64Type();
    else if (isa<ReduceSumOp, ReduceMeanOp>(op) && isa<FloatType>(element))
      sumType = accumulationType(tensorType(x), op.getAxes());
    auto wide = [&](OpBuilder &nested, Location loc, Value v) -> Value {
      if (isa<FloatType>(element))
        return convertFloat(nested, loc, v, sumType);
      if (v.getType() == sumType)
        return v;
      return isUnsigned ? arith::ExtUIOp::create(nested, loc, sumType, v).getResult()
                        : arith::ExtSIOp::create(nested, loc, sumType, v).getResult();
    };
    if (op.getAxes().empty()) {
      b.replaceOp(op, reshapeTensor(b, loc, x, resultType));
      return success();
    }
    Value result = reduceDims(b, loc, x, op.getAxes(), Fold<Op>::init(sumType, isUnsigned),
                              [&](OpBuilder &nested, Location loc, ValueRange e) {
                                return Fold<Op>::combine(nested, loc, wide(nested, loc, e[0]), e[1],
                                                         isUnsigned);
                              });
    if (isa<ReduceMeanOp>(op) || sumType != element) {
      int64_t count = 1;
      for (int64_t axis : op.getAxes())
        count *= tensorType(x).getDimSize(axis);
      result =
          mapElements(b, loc, withElement(tensorType(result), element), result,
                      [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
                        Value v = e[0];
                        if (isa<ReduceMeanOp>(op))
                          v = divideBy(nested, loc, v, count, isUnsigned);
                        if (isa<FloatType>(element))
                          return convertFloat(nested, loc, v, element);
                        return v.getType() == element
                                   ? v
                                   : arith::TruncIOp::create(nested, loc, element, v).getResult();
                      });
    }
    b.replaceOp(op, reshapeTensor(b, loc, result, resultType));
    return success();
  }
};

/// The best element so far and where it was, folded together.
template <typename Op> struct ConvertArgReduce : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    RankedTensorType type = tensorType(x);
    int64_t rank = type.getRank(), axis = op.getAxis();
    bool isUnsigned = hasUnsignedElements(op.getX());
    Type element = type.getElementType();
    SmallVector<int64_t> shape = reducedShape(type.getShape(), axis);
    auto bestType = RankedTensorType::get(shape, element);
    auto placeType = RankedTensorType::get(shape, b.getI64Type());
    constexpr bool isMax = std::is_same_v<Op, ArgmaxOp>;
    TypedAttr first = isMax ? lowestAttr(element, isUnsigned) : highestAttr(element, isUnsigned);
    Value best = filledTensor(b, loc, bestType, first);
    Value place = filledTensor(b, loc, placeType, b.getI64IntegerAttr(0));
    AffineMap read =
        AffineMap::get(rank + 1, 0, b.getMultiDimIdentityMap(rank).getResults(), b.getContext());
    AffineMap write = reducedMap(b.getContext(), rank, axis);
    auto body = [&](OpBuilder &nested, Location loc, ValueRange e) {
      Value at = arith::IndexCastOp::create(nested, loc, nested.getI64Type(),
                                            linalg::IndexOp::create(nested, loc, axis));
      Value better = isBetter(nested, loc, e[0], e[1], isMax, op.getSelectLast(), isUnsigned);
      Value newBest = arith::SelectOp::create(nested, loc, better, e[0], e[1]);
      Value newPlace = arith::SelectOp::create(nested, loc, better, at, e[2]);
      linalg::YieldOp::create(nested, loc, ValueRange{newBest, newPlace});
    };
    auto search = linalg::GenericOp::create(b, loc, TypeRange{bestType, placeType}, x,
                                            ValueRange{best, place}, ArrayRef{read, write, write},
                                            reducedIterators(rank, axis), body);
    auto resultType = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    b.replaceOp(op, reshapeTensor(b, loc, search.getResult(1), resultType));
    return success();
  }

  static Value isBetter(OpBuilder &b, Location loc, Value x, Value best, bool isMax, bool orEqual,
                        bool isUnsigned) {
    if (isa<FloatType>(x.getType())) {
      // NaN is better than any number, and the first one stays the best, or the last one.
      using P = arith::CmpFPredicate;
      auto compare = [&](P predicate, Value left, Value right) -> Value {
        return arith::CmpFOp::create(b, loc, predicate, left, right);
      };
      if (orEqual)
        return arith::OrIOp::create(b, loc, compare(isMax ? P::OGE : P::OLE, x, best),
                                    compare(P::UNO, x, x));
      return arith::AndIOp::create(b, loc, compare(isMax ? P::UGT : P::ULT, x, best),
                                   compare(P::ORD, best, best));
    }
    using P = arith::CmpIPredicate;
    P isSigned = isMax ? (orEqual ? P::sge : P::sgt) : (orEqual ? P::sle : P::slt);
    P plain = isMax ? (orEqual ? P::uge : P::ugt) : (orEqual ? P::ule : P::ult);
    return arith::CmpIOp::create(b, loc, isUnsigned ? plain : isSigned, x, best);
  }
};

} // namespace

void to_linalg::populateReduction(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertReduce<ReduceSumOp>, ConvertReduce<ReduceMeanOp>, ConvertReduce<ReduceMaxOp>,
               ConvertReduce<ReduceMinOp>, ConvertReduce<ReduceProdOp>, ConvertArgReduce<ArgmaxOp>,
               ConvertArgReduce<ArgminOp>>(types, patterns.getContext());
}
