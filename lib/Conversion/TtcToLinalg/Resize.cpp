// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resampling. Which elements a coordinate of the result reads, and how much of each, is computed
// here, at compile time: the loops only look it up.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

/// Coordinates are f32, which is exact up to here. It bounds the tables, too.
constexpr int64_t kMostSamples = int64_t(1) << 24;

/// Along one dimension: the neighbours of each coordinate, and the share of the upper one.
struct Samples {
  SmallVector<int32_t> lower, upper;
  SmallVector<double> share;
};

/// The coordinate in the operand of element `at` of the result. A scale that is the rounded
/// quotient of the sizes stands for the quotient itself: 2 / (4 / 7) is 3.5, and not less. By other
/// scales, it is computed in `Float`.
template <typename Float>
double sourceCoordinate(CoordinateMode mode, int64_t at, float single, int64_t from, int64_t to) {
  const auto x = static_cast<double>(at), size = static_cast<double>(from),
             resized = static_cast<double>(to);
  const bool isQuotient = single == static_cast<float>(resized / size);
  const auto scale = static_cast<Float>(single), place = static_cast<Float>(at);
  const Float half = 0.5;
  switch (mode) {
  case CoordinateMode::PytorchHalfPixel:
    if (to <= 1)
      return 0;
    [[fallthrough]];
  case CoordinateMode::HalfPixel:
    return isQuotient ? ((2 * x + 1) * size - resized) / (2 * resized)
                      : (place + half) / scale - half;
  case CoordinateMode::AlignCorners:
    return to == 1 ? 0 : x * (size - 1) / (resized - 1);
  case CoordinateMode::Asymmetric:
    return isQuotient ? x * size / resized : place / scale;
  case CoordinateMode::HalfPixelSymmetric: {
    const auto width = static_cast<Float>(from);
    Float adjustment = static_cast<Float>(to) / (scale * width);
    Float offset = width / 2 * (1 - adjustment);
    return offset + (place + half) / scale - half;
  }
  }
  llvm_unreachable("a coordinate mode that is not in the enumeration");
}

double roundNearest(NearestMode mode, double x) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return std::ceil(x - 0.5);
  case NearestMode::RoundPreferCeil:
    return std::floor(x + 0.5);
  case NearestMode::Floor:
    return std::floor(x);
  case NearestMode::Ceil:
    return std::ceil(x);
  }
  llvm_unreachable("a nearest mode that is not in the enumeration");
}

Samples sampleDim(ResizeOp op, int64_t dim, int64_t from, int64_t to) {
  Samples samples;
  auto clamp = [&](double x) {
    return static_cast<int32_t>(std::clamp(x, 0.0, static_cast<double>(from - 1)));
  };
  auto *coordinate = tensorType(op.getX()).getElementType().isF64() ? sourceCoordinate<double>
                                                                    : sourceCoordinate<float>;
  for (int64_t at = 0; at < to; ++at) {
    const double x = coordinate(op.getCoordinateMode(), at, op.getScales()[dim], from, to);
    if (op.getMode() == ResizeMode::Nearest) {
      samples.lower.push_back(clamp(roundNearest(op.getNearestMode(), x)));
      continue;
    }
    const double floor = std::floor(x);
    samples.lower.push_back(clamp(floor));
    samples.upper.push_back(clamp(floor + 1));
    samples.share.push_back(x - floor);
  }
  return samples;
}

struct ConvertResize : OpConversionPattern<ResizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ResizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    int64_t rank = type.getRank();
    bool isLinear = op.getMode() == ResizeMode::Linear;
    bool isUnsigned = hasUnsignedElements(op.getX());
    // Tables of the resampled dimensions: one, or three in mode linear.
    SmallVector<Value> tables;
    SmallVector<AffineMap> maps;
    SmallVector<int64_t> firstTable(rank, -1);
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t from = tensorType(x).getDimSize(dim), to = type.getDimSize(dim);
      if (op.getScales()[dim] == 1.0f && from == to)
        continue;
      if (std::max(from, to) > kMostSamples)
        return op.emitOpError() << "expected at most " << kMostSamples
                                << " elements along a dimension that is resampled (coordinates "
                                   "are f32), found "
                                << tensorType(op.getX()) << " and " << op.getType();
      firstTable[dim] = tables.size();
      Samples samples = sampleDim(op, dim, from, to);
      auto indexType = RankedTensorType::get({to}, b.getI32Type());
      auto add = [&](DenseElementsAttr table) {
        tables.push_back(arith::ConstantOp::create(b, loc, table));
        maps.push_back(AffineMap::get(rank, 0, b.getAffineDimExpr(dim), b.getContext()));
      };
      add(DenseElementsAttr::get(indexType, ArrayRef<int32_t>(samples.lower)));
      if (!isLinear)
        continue;
      add(DenseElementsAttr::get(indexType, ArrayRef<int32_t>(samples.upper)));
      add(getShares(b, samples.share, tensorType(op.getX()).getElementType()));
    }

    auto body = [&](OpBuilder &nested, Location loc, ValueRange e) -> Value {
      SmallVector<Value> at;
      for (int64_t i = 0; i < rank; ++i)
        at.push_back(linalg::IndexOp::create(nested, loc, i));
      if (!isLinear) {
        for (int64_t dim = 0; dim < rank; ++dim)
          if (firstTable[dim] >= 0)
            at[dim] = toIndex(nested, loc, e[firstTable[dim]]);
        return tensor::ExtractOp::create(nested, loc, x, at);
      }
      Value v = interpolate(nested, loc, x, at, 0, firstTable, e, isUnsigned);
      return fromSum(nested, loc, v, type.getElementType(), isUnsigned);
    };
    b.replaceOp(op, mapElements(b, loc, type, tables, maps, body));
    return success();
  }

  /// In the type that sums are made in.
  static DenseElementsAttr getShares(Builder &b, ArrayRef<double> shares, Type element) {
    const auto size = static_cast<int64_t>(shares.size());
    if (element.isF64())
      return DenseElementsAttr::get(RankedTensorType::get(size, element), shares);
    SmallVector<float> rounded(shares);
    return DenseElementsAttr::get(RankedTensorType::get(size, b.getF32Type()),
                                  ArrayRef<float>(rounded));
  }

  static Value toIndex(OpBuilder &b, Location loc, Value v) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
  }

  /// The value at a place whose coordinates before `dim` are decided.
  static Value interpolate(OpBuilder &b, Location loc, Value x, SmallVector<Value> at, int64_t dim,
                           ArrayRef<int64_t> firstTable, ValueRange tables, bool isUnsigned) {
    while (dim < static_cast<int64_t>(at.size()) && firstTable[dim] < 0)
      ++dim;
    if (dim == static_cast<int64_t>(at.size()))
      return toSum(b, loc, tensor::ExtractOp::create(b, loc, x, at), isUnsigned);
    int64_t table = firstTable[dim];
    auto side = [&](int64_t number) {
      SmallVector<Value> place = at;
      place[dim] = toIndex(b, loc, tables[table + number]);
      return interpolate(b, loc, x, place, dim + 1, firstTable, tables, isUnsigned);
    };
    Value lower = side(0), upper = side(1);
    Value share = convertFloat(b, loc, tables[table + 2], lower.getType());
    Value one = number(b, loc, lower.getType(), 1);
    Value rest = arith::SubFOp::create(b, loc, one, share);
    return addOf(b, loc, mulOf(b, loc, lower, rest), mulOf(b, loc, upper, share));
  }

  /// To the type that sums are made in: f64 for f64, f32 for all others, and back.
  static Value toSum(OpBuilder &b, Location loc, Value v, bool isUnsigned) {
    Type f32 = b.getF32Type();
    if (isa<FloatType>(v.getType()))
      return convertFloat(b, loc, v, accumulationType(v.getType()));
    return isUnsigned ? arith::UIToFPOp::create(b, loc, f32, v).getResult()
                      : arith::SIToFPOp::create(b, loc, f32, v).getResult();
  }
  static Value fromSum(OpBuilder &b, Location loc, Value v, Type element, bool isUnsigned) {
    if (isa<FloatType>(element))
      return convertFloat(b, loc, v, element);
    return isUnsigned ? arith::FPToUIOp::create(b, loc, element, v).getResult()
                      : arith::FPToSIOp::create(b, loc, element, v).getResult();
  }
};

} // namespace

void to_linalg::populateResize(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertResize>(types, patterns.getContext());
}
