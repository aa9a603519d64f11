// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of products of integers: a part of --ttc-choose-kernels.
#include "ChooseIntKernels.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/IntKernelOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "dialects/Ttc/Tensors/RecurrentOps.h"
#include "kernels/Budgets.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "ttc/Analysis/GemmPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

ByteDot mlir::ttc::chooseByteDot(const CpuTarget &target) {
  std::vector<std::string> features = getNeededFeatures(target);
  auto has = [&](StringRef name) { return llvm::is_contained(features, name); };
  if (getVectorLength(target) == 16)
    return has("avx512vnni") ? ByteDot::vnni : has("avx512bw") ? ByteDot::madd : ByteDot::plain;
  if (has("avxvnni") || has("dotprod"))
    return ByteDot::vnni;
  return has("avx2") || has("neon") ? ByteDot::madd : ByteDot::plain;
}

namespace {

/// The integer that all elements of a constant are, through reshapes.
std::optional<int64_t> getInteger(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || tensorType(value).getNumElements() == 0 || isa<ShardsAttr>(constant.getValue()))
    return std::nullopt;
  // The zero points of many channels are a resource, which is no splat.
  ConstantTensor elements = ConstantTensor::get(constant.getValue());
  int64_t number = elements.getInteger(0),
          stored = elements.isSplat() ? 1 : elements.getNumElements();
  for (int64_t i = 1; i < stored; ++i)
    if (elements.getInteger(i) != number)
      return std::nullopt;
  return number;
}

Value createI32(OpBuilder &builder, Location loc, int64_t number) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, builder.getI32IntegerAttr(number)));
}

/// The zero points of the weights of each column, as the kernel sees them.
struct WeightZeros {
  /// A vector of i32, or one element; null if all are 0.
  Value zeros;
};

/// Reads zero points that vary along `columnDim` of the weights only. Fails for others.
FailureOr<WeightZeros> getWeightZeros(OpBuilder &builder, Value zero, Value weights,
                                      int64_t columnDim) {
  auto type = tensorType(weights), zeroType = tensorType(zero);
  int64_t missing = type.getRank() - zeroType.getRank();
  for (auto [i, size] : llvm::enumerate(zeroType.getShape()))
    if (size != 1 && missing + static_cast<int64_t>(i) != columnDim)
      return failure();
  // The kernel stores unsigned weights less 128.
  int64_t stored = type.getElementType().isUnsignedInteger() ? 128 : 0;
  if (getInteger(zero) == stored)
    return WeightZeros{};
  Location loc = zero.getLoc();
  Value flat = createReshape(builder, loc, zero, zeroType.getNumElements());
  Value wide = CastOp::create(builder, loc, flat, builder.getI32Type());
  return WeightZeros{SubOp::create(builder, loc, wide, createI32(builder, loc, stored))};
}

/// Whether packing the weights adds few enough elements to be done while compiling.
bool isWorthPacking(Value weights, int64_t packedElements) {
  constexpr int64_t slack = 64 * 1024;
  return isConstantExpression(weights) &&
         packedElements <= 2 * tensorType(weights).getNumElements() + slack;
}

/// The bytes as ui8, and the number that was added to them: i8 are shifted by 128.
std::pair<Value, int64_t> getUnsigned(OpBuilder &builder, Value bytes) {
  if (tensorType(bytes).getElementType().isUnsignedInteger())
    return {bytes, 0};
  Location loc = bytes.getLoc();
  Type type = builder.getIntegerType(8, /*isSigned=*/false);
  Value cast = CastOp::create(builder, loc, bytes, type);
  auto scalar = RankedTensorType::get({}, type);
  Value half = ConstantOp::create(
      builder, loc, DenseElementsAttr::get(scalar, builder.getIntegerAttr(type, 128)));
  return {AddOp::create(builder, loc, cast, half), 128};
}

/// A zero point that kernels cannot be given as a number, of ui8 without dimensions.
Value getUnsignedZero(OpBuilder &builder, Value zero) {
  return getUnsigned(builder, createReshape(builder, zero.getLoc(), zero, {})).first;
}

/// `product - a_zero * (sums - depth * b_zeros)`: what the zero points of `a` add.
Value subtractZero(OpBuilder &builder, Location loc, Value product, Value aZero, int64_t shift,
                   Value sums, Value bZeros, int64_t depth) {
  if (std::optional<int64_t> number = getInteger(aZero); number && *number + shift == 0)
    return product;
  Value zero = createReshape(builder, loc, aZero, {});
  zero = CastOp::create(builder, loc, zero, builder.getI32Type());
  if (shift)
    zero = AddOp::create(builder, loc, zero, createI32(builder, loc, shift));
  if (bZeros)
    sums = SubOp::create(builder, loc, sums,
                         MulOp::create(builder, loc, bZeros, createI32(builder, loc, depth)));
  return SubOp::create(builder, loc, product, MulOp::create(builder, loc, sums, zero));
}

/// One element for each column.
Value expandTo(OpBuilder &builder, Location loc, Value vector, int64_t columns) {
  if (!vector || tensorType(vector).getNumElements() == columns)
    return vector;
  return ExpandOp::create(builder, loc, vector, columns);
}

template <typename OpTy> struct IntKernelPattern : OpRewritePattern<OpTy> {
  IntKernelPattern(MLIRContext *context, ByteDot dot, ChooseIntTile chooseTile)
      : OpRewritePattern<OpTy>(context), dot(dot), chooseTile(std::move(chooseTile)) {}
  ByteDot dot;
  ChooseIntTile chooseTile;
};

struct IntConvToKernel : IntKernelPattern<IntConvOp> {
  using IntKernelPattern::IntKernelPattern;

  LogicalResult matchAndRewrite(IntConvOp op, PatternRewriter &rewriter) const override {
    if (!op.getChannelsLast() || tensorType(op.getY()).getNumElements() == 0)
      return failure();
    std::optional<int64_t> zero = getInteger(op.getXZero());
    bool hasPadding = llvm::any_of(op.getPads(), [](int64_t pad) { return pad != 0; });
    auto weights = tensorType(op.getW()).getShape();
    auto kernel = weights.drop_front(2);
    int64_t groups = op.getGroups(), channels = tensorType(op.getX()).getShape().back();
    int64_t taps = llvm::product_of(kernel);
    // Sums of products up to 255 x 255 that f32 holds exactly.
    constexpr int64_t mostTaps = (1 << 24) / (255 * 255);
    if (groups == channels && weights[0] == channels && groups > 1 && taps <= mostTaps &&
        isConstantExpression(op.getW()))
      return toDepthwise(op, zero, rewriter);

    auto type = tensorType(op.getY());
    int64_t columns = weights[0];
    GemmTile tile = chooseTile(op, columns / groups);
    // As of f32: 14 pointers of a table do not fit into the general registers.
    const bool isPixel = taps == 1 &&
                         llvm::all_of(op.getStrides(), [](int64_t step) { return step == 1; }) &&
                         llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; });
    if (tile.rows == 14 && !isPixel)
      tile.rows = 12;
    bool merged = groups == 1 && kernel.size() <= 2 && kernel.back() > 1 &&
                  op.getDilations().back() == 1 &&
                  channels < ::ttc::kernels::kCopyBytesBelowChannels;
    int64_t run = (merged ? kernel.back() : 1) * (channels / groups);
    int64_t runs = merged ? taps / kernel.back() : taps;
    int64_t packed =
        groups * llvm::alignTo(columns / groups, tile.columns) * runs * llvm::alignTo(run, 4);
    if (!isWorthPacking(op.getW(), packed))
      return rewriter.notifyMatchFailure(op, "weights are not packed while compiling");
    FailureOr<WeightZeros> zeros = getWeightZeros(rewriter, op.getWZero(), op.getW(), 0);
    if (failed(zeros))
      return rewriter.notifyMatchFailure(op, "zero points that vary within a channel");
    Location loc = op.getLoc();
    auto [x, shift] = getUnsigned(rewriter, op.getX());
    Value b =
        PackBytesOp::create(rewriter, loc, op.getW(), PackKind::conv, groups, tile.columns, merged);
    Value bZeros = expandTo(rewriter, loc, zeros->zeros, columns);
    Value padding;
    if (hasPadding && !zero)
      padding = getUnsignedZero(rewriter, op.getXZero());
    Value product = KernelIntGemmOp::create(
        rewriter, loc, type, x, b, bZeros, padding, /*valid=*/ValueRange(),
        rewriter.getDenseI64ArrayAttr({tile.rows, tile.columns}), dot,
        rewriter.getDenseI64ArrayAttr(kernel), op.getStridesAttr(), op.getPadsAttr(),
        op.getDilationsAttr(), groups, zero ? *zero + shift : 0, merged);
    Value sums = SumBytesOp::create(rewriter, loc, op.getW(), PackKind::conv);
    rewriter.replaceOp(op, subtractZero(rewriter, loc, product, op.getXZero(), shift, sums, bZeros,
                                        taps * weights[1]));
    return success();
  }

private:
  LogicalResult toDepthwise(IntConvOp op, std::optional<int64_t> zero,
                            PatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto [x, shift] = getUnsigned(rewriter, op.getX());
    auto kernel = tensorType(op.getW()).getShape().drop_front(2);
    FailureOr<WeightZeros> zeros = getWeightZeros(rewriter, op.getWZero(), op.getW(), 0);
    bool hasZeros = failed(zeros) || zeros->zeros;
    // A dot product of fewer than three rows is mostly zeros.
    bool isLarge = kernel.size() == 2 && kernel[0] >= 3 && kernel[0] <= ::ttc::kernels::kDotRows &&
                   kernel[1] <= ::ttc::kernels::kDotColumns;
    if (dot == ByteDot::vnni && isLarge && !hasZeros && zero) {
      Value columns = createTranspose(rewriter, loc, op.getW(), {0, 1, 3, 2});
      Value packed = PackBytesOp::create(rewriter, loc, columns, PackKind::conv, /*groups=*/1,
                                         tensorType(op.getW()).getDimSize(0), /*merged=*/true);
      rewriter.replaceOpWithNewOp<KernelIntDepthwiseDotOp>(
          op, op.getType(), x, packed, /*valid=*/ValueRange(), dot,
          rewriter.getDenseI64ArrayAttr(kernel), op.getStridesAttr(), op.getPadsAttr(),
          op.getDilationsAttr(), *zero + shift);
      return success();
    }
    // The weights without their zero point: integers that f32 holds.
    auto real = [&](Value bytes) {
      return CastOp::create(rewriter, loc, bytes, rewriter.getF32Type());
    };
    Value w = SubOp::create(rewriter, loc, real(op.getW()), real(op.getWZero()));
    Value packed = PackOp::create(rewriter, loc, w, PackKind::depthwise, 1, 1);
    rewriter.replaceOpWithNewOp<KernelIntDepthwiseConvOp>(
        op, op.getType(), x, packed, zero ? Value() : getUnsignedZero(rewriter, op.getXZero()),
        /*valid=*/ValueRange(), rewriter.getDenseI64ArrayAttr(kernel), op.getStridesAttr(),
        op.getPadsAttr(), op.getDilationsAttr(), zero ? *zero + shift : 0);
    return success();
  }
};

struct IntMatmulToKernel : IntKernelPattern<IntMatmulOp> {
  using IntKernelPattern::IntKernelPattern;

  LogicalResult matchAndRewrite(IntMatmulOp op, PatternRewriter &rewriter) const override {
    auto type = tensorType(op.getY()), a = tensorType(op.getA()), b = tensorType(op.getB());
    if (type.getNumElements() == 0 || a.getNumElements() == 0 || b.getRank() > a.getRank() ||
        tensorType(op.getAZero()).getNumElements() != 1 ||
        llvm::any_of(b.getShape().drop_back(2), [](int64_t size) { return size != 1; }))
      return failure();
    int64_t depth = a.getShape().back(), columns = b.getShape().back();
    GemmTile tile = chooseTile(op, columns);
    if (!isWorthPacking(op.getB(), llvm::alignTo(columns, tile.columns) * llvm::alignTo(depth, 4)))
      return rewriter.notifyMatchFailure(op, "weights are not packed while compiling");
    FailureOr<WeightZeros> zeros =
        getWeightZeros(rewriter, op.getBZero(), op.getB(), b.getRank() - 1);
    if (failed(zeros))
      return rewriter.notifyMatchFailure(op, "zero points that vary within a column");
    Location loc = op.getLoc();
    auto [x, shift] = getUnsigned(rewriter, op.getA());
    Value weights = createReshape(rewriter, loc, op.getB(), b.getShape().take_back(2));
    Value packed = PackBytesOp::create(rewriter, loc, weights, PackKind::matmul, 1, tile.columns,
                                       /*merged=*/false);
    Value bZeros = expandTo(rewriter, loc, zeros->zeros, columns);
    Value product = KernelIntGemmOp::create(
        rewriter, loc, type, x, packed, bZeros, /*zero=*/nullptr, /*valid=*/ValueRange(),
        rewriter.getDenseI64ArrayAttr({tile.rows, tile.columns}), dot, /*kernel=*/nullptr,
        /*strides=*/nullptr, /*pads=*/nullptr, /*dilations=*/nullptr, /*groups=*/1,
        /*a_zero=*/0, /*merged=*/false);
    Value sums = SumBytesOp::create(rewriter, loc, weights, PackKind::matmul);
    rewriter.replaceOp(
        op, subtractZero(rewriter, loc, product, op.getAZero(), shift, sums, bZeros, depth));
    return success();
  }
};

/// A recurrence with weights of bytes is a program as it is.
struct ChooseDotOfRecurrence : OpRewritePattern<RecurrenceOp> {
  ChooseDotOfRecurrence(MLIRContext *context, ByteDot dot) : OpRewritePattern(context), dot(dot) {}
  LogicalResult matchAndRewrite(RecurrenceOp op, PatternRewriter &rewriter) const override {
    if (!op.hasBytes() || op.getDot())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setDot(dot); });
    return success();
  }
  ByteDot dot;
};

} // namespace

void mlir::ttc::populateIntKernelPatterns(RewritePatternSet &patterns, const CpuTarget &target,
                                          const ChooseIntTile &chooseTile) {
  const ByteDot dot = chooseByteDot(target);
  patterns.add<IntConvToKernel, IntMatmulToKernel>(patterns.getContext(), dot, chooseTile);
  patterns.add<ChooseDotOfRecurrence>(patterns.getContext(), dot);
}
