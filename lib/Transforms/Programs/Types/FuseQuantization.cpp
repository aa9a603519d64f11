// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FUSEQUANTIZATION
#include "ttc/Transforms/Passes.h.inc"

namespace {

bool isByte(Type type) { return type.isInteger(8); }

bool hasOneElement(Value value) { return tensorType(value).getNumElements() == 1; }

/// A constant with the given element in a shape that broadcasts to anything.
Value createScalar(OpBuilder &builder, Location loc, TypedAttr element) {
  auto type = RankedTensorType::get({}, element.getType());
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(element)));
}

/// The element of a constant whose elements are all equal, through reshapes; null if it is none.
Attribute getSplat(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return {};
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements && elements.isSplat() ? elements.getSplatValue<Attribute>() : Attribute();
}

/// A constant scale of a whole tensor that is a normal number, so that its reciprocal is one too.
std::optional<float> getScale(Value value) {
  auto element = dyn_cast_or_null<FloatAttr>(getSplat(value));
  if (!element || !element.getType().isF32())
    return std::nullopt;
  float scale = element.getValue().convertToFloat();
  bool isPlain = std::isnormal(scale) && scale > 0 && std::isnormal(1 / scale);
  return isPlain ? std::optional(scale) : std::nullopt;
}

/// The dimension of `value`'s extended shape (sizes of 1 in front, up to `rank` dimensions) that a
/// parameter varies along: -1 for one element, nothing if there are several.
std::optional<int64_t> getOnlyDim(Value value, int64_t rank) {
  auto shape = tensorType(value).getShape();
  int64_t dim = -1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    if (dim >= 0)
      return std::nullopt;
    dim = rank - shape.size() + i;
  }
  return dim;
}

//===--- activations of ui8 -----------------------------------------------------------===//

/// Kernels multiply ui8 by i8: i8 activations and their zero point are shifted by 128. Only what is
/// quantised for uses by ttc.dequantize, which see no difference.
struct ShiftActivations : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getY()).isSignlessInteger(8) || isConstantExpression(op.getX()))
      return failure();
    auto isDequantized = [&](OpOperand &use) {
      return isa<DequantizeOp>(use.getOwner()) && use.getOperandNumber() == 0;
    };
    if (op->use_empty() || !llvm::all_of(op->getUses(), isDequantized))
      return failure();
    auto shift = [&](Value zero) {
      Type byte = rewriter.getIntegerType(8, /*isSigned=*/false);
      Value cast = CastOp::create(rewriter, zero.getLoc(), zero, byte);
      Value half = createScalar(rewriter, zero.getLoc(), rewriter.getIntegerAttr(byte, 128));
      return AddOp::create(rewriter, zero.getLoc(), cast, half).getResult();
    };
    Value y = QuantizeOp::create(rewriter, op.getLoc(), op.getX(), op.getScale(),
                                 shift(op.getZeroPoint()));
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto dequantize = cast<DequantizeOp>(user);
      rewriter.setInsertionPoint(dequantize);
      rewriter.replaceOpWithNewOp<DequantizeOp>(dequantize, y, dequantize.getScale(),
                                                shift(dequantize.getZeroPoint()));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===--- products ---------------------------------------------------------------------===//

/// An operand of a product: bytes with one scale and one zero point, or weights.
DequantizeOp getBytes(Value value) {
  auto op = value.getDefiningOp<DequantizeOp>();
  return op && isByte(getElementTypeOrSelf(op.getX())) && getElementTypeOrSelf(value).isF32()
             ? op
             : DequantizeOp();
}
DequantizeOp getActivation(Value value) {
  DequantizeOp op = getBytes(value);
  return op && hasOneElement(op.getScale()) && hasOneElement(op.getZeroPoint()) ? op
                                                                                : DequantizeOp();
}
DequantizeOp getByteWeights(Value value) {
  DequantizeOp op = getBytes(value);
  return op && isConstantExpression(op.getX()) && isConstantExpression(op.getZeroPoint())
             ? op
             : DequantizeOp();
}

/// `sums * (a_scale * b_scale) + bias` in f32.
Value rescale(OpBuilder &builder, Location loc, Value sums, Value scaleA, Value scaleB,
              Value bias) {
  Value real = CastOp::create(builder, loc, sums, builder.getF32Type());
  Value scale = MulOp::create(builder, loc, scaleA, scaleB);
  Value result = MulOp::create(builder, loc, real, scale);
  return bias ? AddOp::create(builder, loc, result, bias).getResult() : result;
}

/// A vector with an element for each channel, or one element, to broadcast over an image.
Value broadcastChannels(OpBuilder &builder, Value vector, int64_t rank, int64_t channelDim) {
  SmallVector<int64_t> shape(rank - channelDim, 1);
  shape[0] = tensorType(vector).getNumElements();
  return createReshape(builder, vector.getLoc(), vector, shape);
}

struct ConvOfBytes : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    DequantizeOp x = getActivation(op.getX()), w = getByteWeights(op.getW());
    if (!x || !w)
      return failure();
    int64_t rank = tensorType(op.getY()).getRank();
    std::optional<int64_t> scaled = getOnlyDim(w.getScale(), rank);
    if (!scaled || *scaled > 0)
      return rewriter.notifyMatchFailure(op, "scales that vary within a channel of the result");
    int64_t channelDim = op.getChannelsLast() ? rank - 1 : 1;
    Location loc = op.getLoc();
    Value sums = IntConvOp::create(rewriter, loc, x.getX(), w.getX(), x.getZeroPoint(),
                                   w.getZeroPoint(), op.getStrides(), op.getPads(),
                                   op.getDilations(), op.getGroups(), op.getChannelsLast());
    Value scaleW = broadcastChannels(rewriter, w.getScale(), rank, channelDim);
    Value scaleX = createReshape(rewriter, loc, x.getScale(), {});
    Value bias = op.getBias();
    if (bias)
      bias = broadcastChannels(rewriter, bias, rank, channelDim);
    rewriter.replaceOp(op, rescale(rewriter, loc, sums, scaleX, scaleW, bias));
    return success();
  }
};

struct MatmulOfBytes : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    DequantizeOp a = getActivation(op.getA()), b = getByteWeights(op.getB());
    if (!a || !b || op.getTransposeA() || tensorType(b.getX()).getRank() != 2)
      return failure();
    int64_t column = op.getTransposeB() ? 0 : 1;
    auto isPerColumn = [&](Value parameter) {
      std::optional<int64_t> dim = getOnlyDim(parameter, 2);
      return dim && (*dim == -1 || *dim == column);
    };
    if (!isPerColumn(b.getScale()) || !isPerColumn(b.getZeroPoint()))
      return rewriter.notifyMatchFailure(op, "scales that vary within a column of the result");
    Location loc = op.getLoc();
    auto flatten = [&](Value parameter) {
      SmallVector<int64_t> shape;
      if (!hasOneElement(parameter))
        shape.push_back(tensorType(parameter).getNumElements());
      return createReshape(rewriter, loc, parameter, shape);
    };
    Value weights = b.getX();
    if (op.getTransposeB())
      weights = createTranspose(rewriter, loc, weights, {1, 0});
    Value sums = IntMatmulOp::create(rewriter, loc, a.getX(), weights,
                                     createReshape(rewriter, loc, a.getZeroPoint(), {}),
                                     flatten(b.getZeroPoint()));
    rewriter.replaceOp(op,
                       rescale(rewriter, loc, sums, createReshape(rewriter, loc, a.getScale(), {}),
                               flatten(b.getScale()), op.getBias()));
    return success();
  }
};

//===--- what stands between products -------------------------------------------------===//

/// An op that only selects elements of its first operand is as good on the quantised numbers.
struct SelectBytes : OpRewritePattern<DequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeOp op, PatternRewriter &rewriter) const override {
    if (!op->hasOneUse() || !hasOneElement(op.getScale()) || !hasOneElement(op.getZeroPoint()) ||
        isConstantExpression(op.getX()) || !getScale(op.getScale()))
      return failure();
    Operation *user = *op->user_begin();
    if (!isa<MaxPoolOp, ReshapeOp, TransposeOp, SliceOp, DepthToSpaceOp>(user))
      return failure();
    rewriter.setInsertionPoint(user);
    Operation *clone = rewriter.clone(*user);
    clone->setOperand(0, op.getX());
    clone->getResult(0).setType(
        tensorType(user->getResult(0)).clone(getElementTypeOrSelf(op.getX())));
    Location loc = op.getLoc();
    rewriter.replaceOpWithNewOp<DequantizeOp>(user, clone->getResult(0),
                                              createReshape(rewriter, loc, op.getScale(), {}),
                                              createReshape(rewriter, loc, op.getZeroPoint(), {}));
    rewriter.eraseOp(op);
    return success();
  }
};

/// What is quantised after it was put together, or moved, is quantised before: by the epilogues of
/// what computes it, and bytes are moved.
struct QuantizeParts : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    Operation *source = op.getX().getDefiningOp();
    if (!isa_and_present<ConcatOp, DepthToSpaceOp, ReshapeOp, TransposeOp>(source) ||
        !source->hasOneUse() || !hasOneElement(op.getScale()) ||
        !hasOneElement(op.getZeroPoint()) || !isByte(getElementTypeOrSelf(op.getY())))
      return failure();
    Location loc = op.getLoc();
    Value scale = createReshape(rewriter, loc, op.getScale(), {});
    Value zero = createReshape(rewriter, loc, op.getZeroPoint(), {});
    IRMapping parts;
    for (Value operand : source->getOperands())
      if (!parts.contains(operand))
        parts.map(operand, QuantizeOp::create(rewriter, loc, operand, scale, zero).getY());
    Operation *clone = rewriter.clone(*source, parts);
    clone->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, clone->getResults());
    return success();
  }
};

/// The bytes of the constants that an expression is computed from.
int64_t getStoredBytes(Value expression) {
  llvm::SetVector<Value> values;
  values.insert(expression);
  int64_t bytes = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto constant = values[i].getDefiningOp<ConstantOp>())
      bytes += getTensorBytes(tensorType(constant));
    else
      for (Value operand : values[i].getDefiningOp()->getOperands())
        values.insert(operand);
  }
  return bytes;
}

/// Rows of a table that is computed from narrower numbers are computed when they are gathered, with
/// the same bits, and the table stays narrow: word embeddings in bytes.
struct GatherStored : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    Operation *table = op.getData().getDefiningOp();
    if (!isa_and_present<ElementwiseOpInterface>(table) || table->getNumResults() != 1 ||
        !isConstantExpression(op.getData()) || isConstantExpression(op.getIndices()) ||
        !llvm::all_of(table->getUsers(), llvm::IsaPred<GatherOp>))
      return failure();
    auto type = tensorType(op.getData());
    if (2 * getStoredBytes(op.getData()) > getTensorBytes(type))
      return rewriter.notifyMatchFailure(op, "the table is smaller than what it is computed from");
    const int64_t after = type.getRank() - 1 - op.getAxis(); // dimensions of a row
    SmallVector<Value> operands;
    for (Value operand : table->getOperands()) {
      SmallVector<int64_t> shape(tensorType(operand).getShape());
      const int64_t axis = static_cast<int64_t>(shape.size()) - 1 - after;
      if (axis >= 0 && shape[axis] != 1) {
        operand = GatherOp::create(rewriter, op.getLoc(), operand, op.getIndices(), axis);
      } else if (axis >= 0) {
        // The same for all rows, in as many dimensions as the indices have.
        shape.erase(shape.begin() + axis);
        shape.insert(shape.begin() + axis, tensorType(op.getIndices()).getRank(), 1);
        operand = createReshape(rewriter, op.getLoc(), operand, shape);
      }
      operands.push_back(operand);
    }
    Operation *rows = rewriter.clone(*table);
    rows->setOperands(operands);
    rows->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, rows);
    return success();
  }
};

/// quantize(dequantize(x)) = x: the quotient is within a few units in the last place of an integer.
struct CancelQuantization : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    auto source = op.getX().getDefiningOp<DequantizeOp>();
    if (!source || source.getX().getType() != op.getType() ||
        !isByte(getElementTypeOrSelf(op.getY())))
      return failure();
    std::optional<float> scale = getScale(op.getScale());
    Attribute zero = getSplat(op.getZeroPoint());
    if (!scale || !zero || getScale(source.getScale()) != scale ||
        getSplat(source.getZeroPoint()) != zero)
      return failure();
    rewriter.replaceOp(op, source.getX());
    return success();
  }
};

/// Whether a value is computed from a product of integers, by elementwise ops of its shape.
bool isFromIntegers(Value value) {
  constexpr size_t mostOps = 32;
  SmallVector<Value> worklist{value};
  for (size_t i = 0; i < worklist.size() && i < mostOps; ++i) {
    Operation *op = worklist[i].getDefiningOp();
    if (isa_and_present<IntConvOp, IntMatmulOp>(op))
      return true;
    if (!isa_and_present<ElementwiseOpInterface>(op))
      continue;
    for (Value operand : op->getOperands())
      if (tensorType(operand).getShape() == tensorType(value).getShape())
        worklist.push_back(operand);
  }
  return false;
}

/// Moves a constant, positive factor through relu into the constants of a scaled product: the value
/// that is `factor` times `value`, or null if it needs a multiplication of its own.
Value scaleProduct(OpBuilder &builder, Value value, Value factor) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse())
    return {};
  Location loc = op->getLoc();
  if (auto relu = dyn_cast<ReluOp>(op)) {
    Value x = scaleProduct(builder, relu.getX(), factor);
    return x ? ReluOp::create(builder, loc, x).getResult() : Value();
  }
  if (!isa<MulOp, AddOp>(op) || op->getOperand(0).getType() != value.getType() ||
      !isConstantExpression(op->getOperand(1)))
    return {};
  Value constant = MulOp::create(builder, loc, op->getOperand(1), factor);
  if (isa<MulOp>(op))
    return MulOp::create(builder, loc, op->getOperand(0), constant);
  Value x = scaleProduct(builder, op->getOperand(0), factor);
  return x ? AddOp::create(builder, loc, x, constant).getResult() : Value();
}

/// After a product of integers, a constant scale is multiplied by its reciprocal.
struct MultiplyByReciprocal : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    std::optional<float> scale = getScale(op.getScale());
    if (!scale || *scale == 1.0f || !getElementTypeOrSelf(op.getX()).isF32() ||
        !isFromIntegers(op.getX()))
      return failure();
    Location loc = op.getLoc();
    Value factor = createScalar(rewriter, loc, rewriter.getF32FloatAttr(1 / *scale));
    Value scaled = scaleProduct(rewriter, op.getX(), factor);
    if (!scaled)
      scaled = MulOp::create(rewriter, loc, op.getX(), factor);
    Value one = createScalar(rewriter, loc, rewriter.getF32FloatAttr(1));
    rewriter.replaceOpWithNewOp<QuantizeOp>(op, scaled, one, op.getZeroPoint());
    return success();
  }
};

struct FuseQuantization : impl::FuseQuantizationBase<FuseQuantization> {
  PassCounter numProducts{*this, "products", "Products of integers in the module"};

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet first(context), second(context), third(context);
    first.add<ShiftActivations>(context);
    second.add<ConvOfBytes, MatmulOfBytes, SelectBytes, QuantizeParts, GatherStored>(context);
    third.add<CancelQuantization, MultiplyByReciprocal>(context);
    shifts = std::move(first);
    products = std::move(second);
    scales = std::move(third);
    return success();
  }

  void runOnOperation() override {
    // The zero points are shifted before anything looks at them.
    // Nothing is folded yet: small weights would become real numbers.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), shifts, config)))
      return signalPassFailure();
    // Every user computes the real numbers by itself, in its own program: that is cheaper than to
    // store them.
    OpBuilder builder(&getContext());
    SmallVector<DequantizeOp> shared;
    getOperation()->walk([&](DequantizeOp op) {
      if (!op->use_empty() && !op->hasOneUse() && !isConstantExpression(op.getX()))
        shared.push_back(op);
    });
    for (DequantizeOp op : shared)
      for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
        builder.setInsertionPoint(use.getOwner());
        use.set(builder.clone(*op)->getResult(0));
      }
    if (failed(applyPatternsGreedily(getOperation(), products, config)) ||
        failed(applyPatternsGreedily(getOperation(), scales)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) { numProducts += isa<IntConvOp, IntMatmulOp>(op); });
  }

  FrozenRewritePatternSet shifts, products, scales;
};

} // namespace
} // namespace mlir::ttc
