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
    if (failed(verifyNotEmpty(program)))
      return signalPassFailure();
    bool isLowered = !program.hasTensorBody();
    if (hasKernelBody(program)) {
      if (failed(lowerKernelBody(
              program, [&](ModuleOp module) { return run(module, buildToLLVMPipeline); })))
        return signalPassFailure();
    } else if (program.hasTensorBody() && failed(lowerTensorBody(program))) {
      return signalPassFailure();
    }
    if (program.getShards() && !isLowered && failed(cutIntoShards(program)))
      signalPassFailure();
  }

  /// What was lowered for one part, for all of them.
  static LogicalResult cutIntoShards(ProgramOp program) {
    auto module = *program.getBody().getOps<ModuleOp>().begin();
    if (failed(addShardEntry(program, module, *program.getGrid())))
      return failure();
    program.setGrid(llvm::product_of(*program.getShards()));
    return success();
  }

  /// Nothing is made for tensors without elements: no tiles, no addresses.
  static LogicalResult verifyNotEmpty(ProgramOp program) {
    auto verify = [](Location loc, TypeRange types) -> LogicalResult {
      for (Type type : types)
        if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getNumElements() == 0)
          return emitError(loc) << "expected tensors with at least one element, found " << type;
      return success();
    };
    if (failed(verify(program.getLoc(), program.getArgumentTypes())) ||
        failed(verify(program.getLoc(), program.getResultTypes())))
      return failure();
    if (program.isExternal() || !program.hasTensorBody())
      return success();
    for (Operation &op : program.getBody().front())
      if (failed(verify(op.getLoc(), op.getResultTypes())))
        return failure();
    return success();
  }

  LogicalResult run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm);
    return runPipeline(pm, module);
  }

  /// The arguments that elementwise ops alone turn into the one result: each of their elements is
  /// read for the result's element at the same place only.
  static SmallVector<int64_t> findInPlace(ProgramOp program) {
    SmallVector<int64_t> arguments;
    if (program.getNumResults() != 1)
      return arguments;
    for (Operation &op : program.getBody().front())
      if (!isa<ElementwiseOpInterface, ReturnOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
        return arguments;
    auto result = cast<RankedTensorType>(program.getResultTypes()[0]);
    unsigned index = program.getNumArguments();
    for (unsigned i = 0; i < index; ++i)
      if (auto type = cast<RankedTensorType>(program.getArgumentTypes()[i]);
          type.getShape() == result.getShape() && getTensorBytes(type) == getTensorBytes(result) &&
          program.getStrided(i) == program.getStrided(index) &&
          program.getShard(i) == program.getShard(index))
        arguments.push_back(i);
    return arguments;
  }

  LogicalResult lowerTensorBody(ProgramOp program) {
    Block &block = program.getBody().front();
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    SmallVector<int64_t> inPlace = findInPlace(program);
    auto module = ModuleOp::create(b, program.getLoc());
    FailureOr<func::FuncOp> built = buildTensorBody(program, module);
    if (failed(built))
      return failure();
    func::FuncOp body = *built;
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
    // Tiles in scratch are used again and again: then loops are not parallel.
    if (*scratch > 0)
      inPlace.clear();
    int64_t operands = program.getNumArguments() + program.getNumResults();
    for (int64_t i = 0, n = body.getNumArguments(); i < n; ++i)
      if (isa<MemRefType>(body.getArgumentTypes()[i]) && !llvm::is_contained(inPlace, i) &&
          (inPlace.empty() || i != program.getNumArguments()))
        body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    if (failed(run(module, buildToLLVMPipeline)))
      return failure();
    if (!inPlace.empty()) {
      markLoopsParallel(module);
      program.setResultAttr(0, ProgramOp::getInPlaceAttrName(), b.getDenseI64ArrayAttr(inPlace));
    }
    if (failed(addEntry(module, program.getSymName(), operands, *scratch > 0)))
      return failure();
    program.setGrid(*grid);
    program.setScratchBytes(*scratch);
    return success();
  }
};
} // namespace
