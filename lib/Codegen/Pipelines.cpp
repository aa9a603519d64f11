// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of programs, pass by pass. Passes hand their decisions to each other as attributes
// of the function @body; include/ttc/Codegen/Passes.td lists them.
#include "ttc/Codegen/Pipelines.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Conversion/Passes.h"

using namespace mlir;
using namespace mlir::ttc;

static void lowerPrograms(OpPassManager &program, bool instrument) {
  // First, because no other pass supports zones. Ops' locations record where zones were. Programs
  // that were made since outlining, such as those on shards, get their markers here.
  program.addPass(createExpandZones({instrument}));
  // --- Tensor ops -> functions on memory. --------------------------------------------------
  // What tensor ops mean is asked for here the last time (which arguments a result may be written
  // over). Programs with a kernel get no function yet, so the passes up to CallKernels, which are
  // for bodies of tensor ops, do not see them.
  program.addPass(createOutlineBodies());
  OpPassManager &body = program.nest<ModuleOp>();
  body.addPass(createConvertTtcToLinalg());
  // Unsigned element types became signless; the casts between the two now cancel.
  body.addPass(createReconcileUnrealizedCastsPass());
  // Fusion counts uses: dead and equal ops must not hide that a producer has one consumer.
  body.addPass(createCanonicalizerPass());
  body.addPass(createCSEPass());
  // Fusion before tiling: a fused op is tiled once, and its operands need no tile of their own.
  body.addNestedPass<func::FuncOp>(createFuseElementwise());
  // On tensors, where producers can be computed tile by tile without alias analysis.
  body.addNestedPass<func::FuncOp>(createTileIntoWorkgroups());
  // Tiling leaves slices of slices and bounds that fold. One-shot analysis decides by the slices
  // that it sees whether it must copy.
  body.addPass(createCanonicalizerPass());
  body.addPass(createCSEPass());
  body.addPass(bufferization::createOneShotBufferizePass());
  // Folds the casts and views that bufferization makes, and drops unused allocations.
  body.addPass(createCanonicalizerPass());
  body.addPass(createCSEPass());
  // While ops are whole: lifetimes are read off linalg ops, and loops address what the buffers
  // have become.
  body.addNestedPass<func::FuncOp>(createPlanScratch());
  // Now it is known whether there is scratch, where arguments are still memrefs.
  body.addNestedPass<func::FuncOp>(createAnnotateAliasing());
  body.addNestedPass<func::FuncOp>(createLinalgToLoops());

  // --- Kernels, and all functions -> LLVM dialect. -----------------------------------------
  // From here on an epilogue and a body are lowered alike.
  program.addPass(createCallKernels());
  OpPassManager &module = program.nest<ModuleOp>();
  // Narrow floats first: what remains for expansion is math in f32 and conversions. Math needs no
  // such step: it is converted from tensor ops in f32, but for absolute values, which are bits.
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  narrow.sourceTypeStrs = {"f16", "bf16"};
  module.addNestedPass<func::FuncOp>(arith::createArithEmulateUnsupportedFloats(narrow));
  module.addNestedPass<func::FuncOp>(createExpandArithmetic());
  // Views become index arithmetic, with affine maps, which become arith.
  module.addPass(memref::createExpandStridedMetadataPass());
  module.addPass(createLowerAffinePass());
  // While loops have structure: addresses that do not depend on a loop leave it.
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  module.addPass(createLoopInvariantCodeMotionPass());
  module.addPass(createSCFToControlFlowPass());
  // What remains of arith that LLVM has no instruction for.
  module.addPass(arith::createArithExpandOpsPass());
  // One conversion for each dialect. Functions come after what stands in them: memref arguments
  // become bare pointers, from which the other conversions could not tell the shape.
  module.addPass(createConvertVectorToLLVMPass());
  module.addPass(createConvertMathToLLVMPass());
  module.addPass(createArithToLLVMConversionPass());
  module.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  module.addPass(createConvertFuncToLLVMPass(functions));
  module.addPass(createConvertControlFlowToLLVMPass());
  module.addPass(createUBToLLVMConversionPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  // Access groups exist in the LLVM dialect only, and loops are branches by now.
  module.addNestedPass<LLVM::LLVMFuncOp>(createMarkParallelLoops());
  // It counts the constants that an epilogue needs, which are known when all is expanded.
  module.addNestedPass<LLVM::LLVMFuncOp>(createInlineEpilogues());

  // --- The functions that the runtime calls. -----------------------------------------------
  // The kernel library's functions are of the LLVM dialect.
  program.addPass(createLowerZones());
  // Takes the attributes of @body into the program; nothing reads them after that.
  program.addPass(createAddEntries());
  // Last: it calls the entry, of a body and of a kernel alike, for each part of a shard.
  program.addPass(createAddShardEntries());
}

void mlir::ttc::buildLowerProgramsPipeline(OpPassManager &manager, bool instrument) {
  if (manager.getOpAnchorName() == ProgramOp::getOperationName())
    lowerPrograms(manager, instrument);
  else
    lowerPrograms(manager.nest<ProgramOp>(), instrument);
}

void mlir::ttc::registerLowerProgramsPipeline() {
  PassPipelineRegistration<>("ttc-lower-programs", "Bodies of programs to the LLVM dialect",
                             [](OpPassManager &manager) { buildLowerProgramsPipeline(manager); });
}
