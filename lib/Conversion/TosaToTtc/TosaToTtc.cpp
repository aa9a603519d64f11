// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "ttc/Conversion/Passes.h"

#include "Patterns.h"

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/Matchers.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CONVERTTOSATOTTC
#include "ttc/Conversion/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Helpers of the patterns
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> tosa_to_ttc::getConstShape(Value shape,
                                                           ConversionPatternRewriter &rewriter,
                                                           Operation *op, StringRef what) {
  auto constant = shape.getDefiningOp<tosa::ConstShapeOp>();
  if (!constant)
    return op->emitOpError(what + " must be a tosa.const_shape");
  return llvm::map_to_vector(constant.getValues().getValues<APInt>(),
                             [](const APInt &value) { return value.getSExtValue(); });
}

/// The attribute of a constant, converted already or not yet.
static ElementsAttr getConstant(Value value) {
  ElementsAttr attr;
  if (matchPattern(value, m_Constant(&attr)))
    return attr;
  return nullptr;
}

FailureOr<double> tosa_to_ttc::getConstScalar(Value value, ConversionPatternRewriter &rewriter,
                                              Operation *op, StringRef what) {
  auto attr = dyn_cast_if_present<DenseElementsAttr>(getConstant(value));
  if (!attr || !attr.isSplat())
    return op->emitOpError(what + " must be a constant with one element");
  if (isa<FloatType>(attr.getElementType()))
    return attr.getSplatValue<APFloat>().convertToDouble();
  return static_cast<double>(attr.getSplatValue<APInt>().getSExtValue());
}

LogicalResult tosa_to_ttc::checkZeroPoints(ValueRange zeroPoints,
                                           ConversionPatternRewriter &rewriter, Operation *op) {
  for (Value zeroPoint : zeroPoints) {
    FailureOr<double> value = getConstScalar(zeroPoint, rewriter, op, "a zero point");
    if (failed(value))
      return failure();
    if (*value != 0)
      return op->emitOpError("a zero point must be 0, found " + std::to_string(*value));
  }
  return success();
}

LogicalResult tosa_to_ttc::checkNanMode(tosa::NanPropagationMode mode,
                                        ConversionPatternRewriter &rewriter, Operation *op) {
  if (mode == tosa::NanPropagationMode::PROPAGATE)
    return success();
  return op->emitOpError("nan_mode must be PROPAGATE, found IGNORE");
}

Value tosa_to_ttc::transpose(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(tensorType(x).getDimSize(dim));
  return make<TransposeOp>(b, loc, tensorType(x).clone(shape), x,
                           i64s(b, "permutation", permutation));
}

Value tosa_to_ttc::reshape(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> shape) {
  return make<ReshapeOp>(b, loc, tensorType(x).clone(shape), x);
}

Value tosa_to_ttc::castTo(OpBuilder &b, Location loc, Value x, Type elementType) {
  if (tensorType(x).getElementType() == elementType)
    return x;
  return make<CastOp>(b, loc, tensorType(x).clone(elementType), x);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertTosaToTtc : mlir::ttc::impl::ConvertTosaToTtcBase<ConvertTosaToTtc> {
  void runOnOperation() override {
    if (failed(checkTypes()))
      return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    populateTosaElementwisePatterns(patterns);
    populateTosaDensePatterns(patterns);
    populateTosaReductionPatterns(patterns);
    populateTosaDataMovementPatterns(patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<TtcDialect>();
    target.addIllegalDialect<tosa::TosaDialect>();
    // Patterns read these; they go away below.
    target.addLegalOp<tosa::ConstShapeOp>();
    // One pattern an op: it says itself why it does not convert. Without folding, a module has the
    // same ops at all sizes: a sum over one element stays one.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns), config)))
      return signalPassFailure();

    getOperation()->walk([](tosa::ConstShapeOp op) {
      if (op->use_empty())
        op->erase();
    });
    // Operands that became attributes (zero points, shifts) leave dead constants.
    getOperation()->walk([](ConstantOp op) {
      if (op->use_empty())
        op->erase();
    });
  }

  LogicalResult checkTypes() {
    bool isStatic = true;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<tosa::TosaDialect>(op->getDialect()))
        return;
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
        auto tensor = dyn_cast<TensorType>(type);
        if (!tensor || (tensor.hasRank() && tensor.hasStaticShape()))
          continue;
        InFlightDiagnostic error = op->emitOpError("expected static shapes, found ") << type;
        if (isStatic)
          error.attachNote(op->getParentOp()->getLoc())
              << "give the function's arguments and results static types, and run "
                 "--tosa-infer-shapes first; 'ttc MODULE.mlir --dim=NAME:LOW..HIGH' does so";
        isStatic = false;
        break;
      }
    });
    return success(isStatic);
  }
};
} // namespace
