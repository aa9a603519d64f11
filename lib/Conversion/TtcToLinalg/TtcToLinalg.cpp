// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Conversion/TtcToLinalg.h"
#include "TtcToLinalg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "ttc/Conversion/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CONVERTTTCTOLINALG
#include "ttc/Conversion/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

void mlir::ttc::populateTtcToLinalgTypes(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](RankedTensorType type) {
    auto element = dyn_cast<IntegerType>(type.getElementType());
    if (!element || element.isSignless())
      return type;
    return RankedTensorType::get(type.getShape(),
                                 IntegerType::get(type.getContext(), element.getWidth()));
  });
  auto materialize = [](OpBuilder &b, Type type, ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(b, loc, type, inputs).getResult(0);
  };
  converter.addSourceMaterialization(materialize);
  converter.addTargetMaterialization(materialize);
}

void mlir::ttc::populateTtcToLinalgPatterns(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  to_linalg::populateElementwise(types, patterns);
  to_linalg::populateContraction(types, patterns);
  to_linalg::populateIntProducts(types, patterns);
  to_linalg::populatePooling(types, patterns);
  to_linalg::populateNormalization(types, patterns);
  to_linalg::populateReduction(types, patterns);
  to_linalg::populateDataMovement(types, patterns);
  to_linalg::populateGather(types, patterns);
  to_linalg::populateResize(types, patterns);
}

namespace {
struct ConvertTtcToLinalgPass : mlir::ttc::impl::ConvertTtcToLinalgBase<ConvertTtcToLinalgPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter types;
    populateTtcToLinalgTypes(types);
    RewritePatternSet patterns(context);
    populateTtcToLinalgPatterns(types, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
    populateReturnOpTypeConversionPattern(patterns, types);

    ConversionTarget target(*context);
    target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect,
                           scf::SCFDialect, tensor::TensorDialect>();
    target.addIllegalDialect<TtcDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp op) { return types.isSignatureLegal(op.getFunctionType()); });
    target.addDynamicallyLegalOp<func::ReturnOp>(
        [&](func::ReturnOp op) { return types.isLegal(op.getOperandTypes()); });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
