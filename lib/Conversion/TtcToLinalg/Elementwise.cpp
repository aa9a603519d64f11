// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All elementwise ops, through their interface, and constants.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

struct ConvertElementwise : OpInterfaceConversionPattern<ElementwiseOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op->getResult(0).getType()));
    auto emit = [&](OpBuilder &b, Location loc, ValueRange elements) {
      return op.emitElement(b, loc, elements);
    };
    rewriter.replaceOp(op, mapElements(rewriter, op.getLoc(), type, operands, emit));
    return success();
  }
};

struct ConvertConstant : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    ElementsAttr value = op.getValue();
    if (type != op.getType()) {
      auto dense = dyn_cast<DenseElementsAttr>(value);
      if (!dense)
        return rewriter.notifyMatchFailure(op, "expects dense elements of an unsigned type");
      value = dense.bitcast(type.getElementType());
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, type, cast<TypedAttr>(value));
    return success();
  }
};

} // namespace

void to_linalg::populateElementwise(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertElementwise>(types, patterns.getContext());
  patterns.add<ConvertConstant>(types, patterns.getContext());
}
