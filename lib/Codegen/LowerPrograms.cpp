// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Conversion/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_LOWERPROGRAMS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct LowerProgramsPass : ttc::impl::LowerProgramsBase<LowerProgramsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    LowerProgramsBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    linalg::registerAllDialectInterfaceImplementations(registry);
    memref::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (hasKernelBody(program)) {
      if (failed(lowerKernelBody(
              program, [&](ModuleOp module) { return run(module, buildToLLVMPipeline); })))
        signalPassFailure();
    } else if (program.hasTensorBody() && failed(lowerTensorBody(program))) {
      signalPassFailure();
    }
  }

  LogicalResult run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm);
    return runPipeline(pm, module);
  }

  LogicalResult lowerTensorBody(ProgramOp program) {
    Block &block = program.getBody().front();
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    auto module = ModuleOp::create(b, program.getLoc());
    func::FuncOp body = buildTensorBody(program, module);
    while (module->getPrevNode())
      module->getPrevNode()->erase();

    auto toLinalg = [](OpPassManager &pm) {
      pm.addPass(createConvertTtcToLinalg());
      pm.addPass(createReconcileUnrealizedCastsPass());
      pm.addPass(createCanonicalizerPass());
      pm.addPass(createCSEPass());
    };
    auto simplify = [](OpPassManager &pm) {
      pm.addPass(createCanonicalizerPass());
      pm.addPass(createCSEPass());
    };
    if (failed(run(module, toLinalg)) || failed(fuseElementwise(body)))
      return failure();
    FailureOr<int64_t> grid = tileIntoWorkgroups(body, GridOptions());
    if (failed(grid) || failed(run(module, simplify)) || failed(bufferizeBody(body)) ||
        failed(run(module, simplify)))
      return failure();
    FailureOr<int64_t> scratch = planScratch(body);
    if (failed(scratch) || failed(lowerToLoops(body)) || failed(expandArithmetic(body)))
      return failure();
    int64_t operands = program.getNumArguments() + program.getNumResults();
    for (int64_t i = 0, n = body.getNumArguments(); i < n; ++i)
      if (isa<MemRefType>(body.getArgumentTypes()[i]))
        body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    if (failed(run(module, buildToLLVMPipeline)) ||
        failed(addEntry(module, program.getSymName(), operands, *scratch > 0)))
      return failure();
    program.setGrid(*grid);
    program.setScratchBytes(*scratch);
    return success();
  }
};
} // namespace
