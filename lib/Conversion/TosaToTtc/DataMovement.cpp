// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::tosa_to_ttc;

namespace {

struct Const : OpConversionPattern<tosa::ConstOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ConstOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ConstantOp>(op, op.getValues());
    return success();
  }
};

struct Identity : OpConversionPattern<tosa::IdentityOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::IdentityOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInput1());
    return success();
  }
};

struct Reshape : OpConversionPattern<tosa::ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ReshapeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, reshape(rewriter, op.getLoc(), adaptor.getInput1(),
                                   cast<ShapedType>(op.getType()).getShape()));
    return success();
  }
};

struct Transpose : OpConversionPattern<tosa::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::TransposeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation(op.getPerms());
    rewriter.replaceOp(op, transpose(rewriter, op.getLoc(), adaptor.getInput1(), permutation));
    return success();
  }
};

struct Concat : OpConversionPattern<tosa::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ConcatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, make<mlir::ttc::ConcatOp>(rewriter, op.getLoc(), op.getType(),
                                                     adaptor.getInput1(),
                                                     i64(rewriter, "axis", op.getAxis())));
    return success();
  }
};

struct Pad : OpConversionPattern<tosa::PadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::PadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<int64_t>> padding =
        getConstShape(op.getPadding(), rewriter, op, "the padding");
    FailureOr<double> value =
        getConstScalar(adaptor.getPadConst(), rewriter, op, "the padding's value");
    if (failed(padding) || failed(value))
      return failure();
    SmallVector<int64_t> low, high;
    for (size_t i = 0; i < padding->size(); i += 2) {
      low.push_back((*padding)[i]);
      high.push_back((*padding)[i + 1]);
    }
    rewriter.replaceOp(
        op, make<mlir::ttc::PadOp>(rewriter, op.getLoc(), op.getType(), adaptor.getInput1(),
                                   {i64s(rewriter, "low", low), i64s(rewriter, "high", high),
                                    f32(rewriter, "value", *value)}));
    return success();
  }
};

struct Slice : OpConversionPattern<tosa::SliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::SliceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<int64_t>> start = getConstShape(op.getStart(), rewriter, op, "the start");
    if (failed(start))
      return failure();
    auto type = cast<ShapedType>(op.getType());
    SmallVector<int64_t> steps(type.getRank(), 1);
    rewriter.replaceOp(op,
                       make<mlir::ttc::SliceOp>(rewriter, op.getLoc(), type, adaptor.getInput1(),
                                                {i64s(rewriter, "starts", *start),
                                                 i64s(rewriter, "sizes", type.getShape()),
                                                 i64s(rewriter, "steps", steps)}));
    return success();
  }
};

/// A slice that goes backwards.
struct Reverse : OpConversionPattern<tosa::ReverseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ReverseOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ShapedType>(op.getType());
    SmallVector<int64_t> starts(type.getRank(), 0), steps(type.getRank(), 1);
    starts[op.getAxis()] = type.getDimSize(op.getAxis()) - 1;
    steps[op.getAxis()] = -1;
    rewriter.replaceOp(op,
                       make<mlir::ttc::SliceOp>(rewriter, op.getLoc(), type, adaptor.getInput1(),
                                                {i64s(rewriter, "starts", starts),
                                                 i64s(rewriter, "sizes", type.getShape()),
                                                 i64s(rewriter, "steps", steps)}));
    return success();
  }
};

struct Tile : OpConversionPattern<tosa::TileOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::TileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<int64_t>> multiples =
        getConstShape(op.getMultiples(), rewriter, op, "the multiples");
    if (failed(multiples))
      return failure();
    rewriter.replaceOp(op, make<mlir::ttc::TileOp>(rewriter, op.getLoc(), op.getType(),
                                                   adaptor.getInput1(),
                                                   i64s(rewriter, "repeats", *multiples)));
    return success();
  }
};

/// N, K, C by N, W: a row of C for each index, batch by batch.
struct Gather : OpConversionPattern<tosa::GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value indices = adaptor.getIndices();
    SmallVector<int64_t> shape(tensorType(indices).getShape());
    shape.push_back(1);
    indices = reshape(rewriter, op.getLoc(), indices, shape);
    rewriter.replaceOp(op, make<GatherNdOp>(rewriter, op.getLoc(), op.getType(),
                                            {adaptor.getValues(), indices},
                                            i64(rewriter, "batch_dims", 1)));
    return success();
  }
};

/// The source of coordinate i is (i * d + offset) / n: with offset 0 ttc's asymmetric coordinates,
/// with (d - n) / 2 those of half pixels.
struct Resize : OpConversionPattern<tosa::ResizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::ResizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<int64_t>> scale = getConstShape(op.getScale(), rewriter, op, "the scale");
    FailureOr<SmallVector<int64_t>> offset =
        getConstShape(op.getOffset(), rewriter, op, "the offset");
    if (failed(scale) || failed(offset))
      return failure();
    auto type = cast<ShapedType>(op.getType());
    bool isLinear = op.getMode() == tosa::ResizeMode::BILINEAR;
    if (isLinear && !isa<FloatType>(type.getElementType()))
      return op->emitOpError("bilinear resize must have float operands");
    bool isAsymmetric = true, isHalfPixel = true;
    SmallVector<float> scales = {1.0f};
    for (int i = 0; i < 2; ++i) {
      int64_t n = (*scale)[2 * i], d = (*scale)[2 * i + 1];
      isAsymmetric &= (*offset)[i] == 0;
      isHalfPixel &= 2 * (*offset)[i] == d - n;
      scales.push_back(static_cast<float>(static_cast<double>(n) / static_cast<double>(d)));
    }
    scales.push_back(1.0f);
    if (!isAsymmetric && !isHalfPixel)
      return op->emitOpError("the offset must be 0 or that of half pixels");
    MLIRContext *context = rewriter.getContext();
    auto attr = [&](StringRef name, Attribute value) { return rewriter.getNamedAttr(name, value); };
    rewriter.replaceOp(
        op, make<mlir::ttc::ResizeOp>(
                rewriter, op.getLoc(), type, adaptor.getInput(),
                {attr("mode", mlir::ttc::ResizeModeAttr::get(
                                  context, isLinear ? mlir::ttc::ResizeMode::Linear
                                                    : mlir::ttc::ResizeMode::Nearest)),
                 attr("coordinate_mode",
                      CoordinateModeAttr::get(context, isAsymmetric ? CoordinateMode::Asymmetric
                                                                    : CoordinateMode::HalfPixel)),
                 // TOSA rounds halves up.
                 attr("nearest_mode", NearestModeAttr::get(context, NearestMode::RoundPreferCeil)),
                 attr("scales", rewriter.getDenseF32ArrayAttr(scales))}));
    return success();
  }
};

} // namespace

void mlir::ttc::populateTosaDataMovementPatterns(RewritePatternSet &patterns) {
  patterns
      .add<Const, Identity, Reshape, Transpose, Concat, Pad, Slice, Reverse, Tile, Gather, Resize>(
          patterns.getContext());
}
