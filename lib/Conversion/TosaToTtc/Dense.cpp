// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions, pools and matmul. TOSA's tensors are N, H, W, C: channels_last. Its weights come
// in several orders; ttc's are always output channels, input channels, kernel.
#include "Patterns.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::tosa_to_ttc;

/// TOSA pads are begin and end of each dimension in turn; ttc's are all begins, then all ends.
static SmallVector<int64_t> beginsThenEnds(ArrayRef<int64_t> pairs) {
  SmallVector<int64_t> pads;
  for (size_t first : {0, 1})
    for (size_t i = first; i < pairs.size(); i += 2)
      pads.push_back(pairs[i]);
  return pads;
}

/// A bias of one element stands for all channels. A bias of zeros is none.
static FailureOr<Value> convertBias(Value bias, int64_t channels, Type elementType,
                                    ConversionPatternRewriter &rewriter, Operation *op) {
  if (tensorType(bias).getElementType() != elementType)
    return op->emitOpError("the bias must have the input's element type");
  if (tensorType(bias).getDimSize(0) == channels)
    return bias;
  return make<ExpandOp>(rewriter, op->getLoc(), tensorType(bias).clone({channels}), bias);
}

/// Float convolutions without quantisation.
template <typename OpTy>
static LogicalResult checkConvolution(OpTy op, typename OpTy::Adaptor adaptor,
                                      ConversionPatternRewriter &rewriter) {
  if (!isa<FloatType>(tensorType(adaptor.getInput()).getElementType()))
    return op->emitOpError("expected float operands");
  return checkZeroPoints({adaptor.getInputZp(), adaptor.getWeightZp()}, rewriter, op);
}

namespace {

template <typename OpTy> struct Conv : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkConvolution(op, adaptor, rewriter)))
      return failure();
    Location loc = op.getLoc();
    Value x = adaptor.getInput(), w = adaptor.getWeight();
    int64_t groups = 1;
    if constexpr (std::is_same_v<OpTy, tosa::DepthwiseConv2DOp>) {
      // H, W, C, M: result channel c * M + m is made from channel c.
      ArrayRef<int64_t> shape = tensorType(w).getShape();
      groups = shape[2];
      w = transpose(rewriter, loc, w, {2, 3, 0, 1});
      w = reshape(rewriter, loc, w, {shape[2] * shape[3], 1, shape[0], shape[1]});
    } else {
      // O, spatial, I
      int64_t rank = tensorType(w).getRank();
      SmallVector<int64_t> permutation = {0, rank - 1};
      llvm::append_range(permutation, llvm::seq<int64_t>(1, rank - 1));
      w = transpose(rewriter, loc, w, permutation);
    }
    FailureOr<Value> bias = convertBias(adaptor.getBias(), tensorType(w).getDimSize(0),
                                        tensorType(x).getElementType(), rewriter, op);
    if (failed(bias))
      return failure();
    rewriter.replaceOp(
        op, make<ConvOp>(rewriter, loc, op.getType(), {x, w, *bias},
                         {i64s(rewriter, "strides", op.getStride()),
                          i64s(rewriter, "pads", beginsThenEnds(op.getPad())),
                          i64s(rewriter, "dilations", op.getDilation()),
                          i64(rewriter, "groups", groups), flag(rewriter, "channels_last")}));
    return success();
  }
};

struct TransposeConv : OpConversionPattern<tosa::TransposeConv2DOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::TransposeConv2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkConvolution(op, adaptor, rewriter)))
      return failure();
    Location loc = op.getLoc();
    Value x = adaptor.getInput();
    // O, H, W, I to I, O, H, W
    Value w = transpose(rewriter, loc, adaptor.getWeight(), {3, 0, 1, 2});
    int64_t channels = tensorType(w).getDimSize(1);
    FailureOr<Value> bias =
        convertBias(adaptor.getBias(), channels, tensorType(x).getElementType(), rewriter, op);
    if (failed(bias))
      return failure();
    // out_pad adds to the result; where it is negative it cuts off, as ttc's pads do.
    SmallVector<int64_t> cut, low(4, 0), high(4, 0), shape(op.getType().getShape());
    bool adds = false;
    for (auto [i, pad] : llvm::enumerate(op.getOutPad())) {
      cut.push_back(std::max<int64_t>(-pad, 0));
      int64_t added = std::max<int64_t>(pad, 0);
      (i % 2 ? high : low)[1 + i / 2] = added;
      shape[1 + i / 2] -= added;
      adds |= added > 0;
    }
    SmallVector<Value> operands = {x, w};
    if (!adds)
      operands.push_back(*bias);
    Value y = make<ConvTransposeOp>(
        rewriter, loc, op.getType().clone(shape), operands,
        {i64s(rewriter, "strides", op.getStride()), i64s(rewriter, "pads", beginsThenEnds(cut)),
         i64s(rewriter, "dilations", {1, 1}), i64s(rewriter, "output_padding", {0, 0}),
         i64(rewriter, "groups", 1), flag(rewriter, "channels_last")});
    // What is added has the bias as well.
    if (adds) {
      y = make<mlir::ttc::PadOp>(rewriter, loc, op.getType(), y,
                                 {i64s(rewriter, "low", low), i64s(rewriter, "high", high)});
      y = make<mlir::ttc::AddOp>(rewriter, loc, op.getType(), {y, *bias});
    }
    rewriter.replaceOp(op, y);
    return success();
  }
};

template <typename TosaOp, typename TtcOp> struct Pool : OpConversionPattern<TosaOp> {
  using OpConversionPattern<TosaOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(TosaOp op, typename TosaOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if constexpr (std::is_same_v<TosaOp, tosa::AvgPool2dOp>) {
      if (failed(checkZeroPoints({adaptor.getInputZp(), adaptor.getOutputZp()}, rewriter, op)))
        return failure();
    } else {
      if (failed(checkNanMode(op.getNanMode(), rewriter, op)))
        return failure();
    }
    rewriter.replaceOp(
        op, make<TtcOp>(rewriter, op.getLoc(), op.getType(), adaptor.getInput(),
                        {i64s(rewriter, "kernel", op.getKernel()),
                         i64s(rewriter, "strides", op.getStride()),
                         i64s(rewriter, "pads", beginsThenEnds(op.getPad())),
                         i64s(rewriter, "dilations", {1, 1}), flag(rewriter, "channels_last")}));
    return success();
  }
};

struct MatMul : OpConversionPattern<tosa::MatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tosa::MatMulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkZeroPoints({adaptor.getAZp(), adaptor.getBZp()}, rewriter, op)))
      return failure();
    if (tensorType(adaptor.getA()).getElementType() != op.getType().getElementType())
      return op->emitOpError("operands and result must have one element type");
    rewriter.replaceOp(
        op, make<MatmulOp>(rewriter, op.getLoc(), op.getType(), {adaptor.getA(), adaptor.getB()}));
    return success();
  }
};

} // namespace

void mlir::ttc::populateTosaDensePatterns(RewritePatternSet &patterns) {
  patterns
      .add<Conv<tosa::Conv2DOp>, Conv<tosa::Conv3DOp>, Conv<tosa::DepthwiseConv2DOp>, TransposeConv,
           Pool<tosa::AvgPool2dOp, AvgPoolOp>, Pool<tosa::MaxPool2dOp, MaxPoolOp>, MatMul>(
          patterns.getContext());
}
