// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last step: loops and memrefs to the LLVM dialect, and the function that the runtime calls.
#include "ProgramBody.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

void ttc::buildToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void ttc::markLoopsParallel(ModuleOp module) {
  auto body = module.lookupSymbol<LLVM::LLVMFuncOp>("body");
  MLIRContext *context = module.getContext();
  auto group = LLVM::AccessGroupAttr::get(context);
  auto annotation = LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                                  {}, {}, {}, {}, {group});
  DominanceInfo dominance(body);
  body.walk([&](Operation *op) {
    if (auto access = dyn_cast<LLVM::AccessGroupOpInterface>(op))
      access.setAccessGroups(ArrayAttr::get(context, {group}));
    // Loops are known by the branch back to their header.
    bool goesBack = llvm::any_of(op->getSuccessors(), [&](Block *header) {
      return dominance.dominates(header, op->getBlock());
    });
    if (goesBack)
      TypeSwitch<Operation *>(op).Case<LLVM::BrOp, LLVM::CondBrOp>(
          [&](auto branch) { branch.setLoopAnnotationAttr(annotation); });
  });
}

LogicalResult ttc::addEntry(ModuleOp module, StringRef name, int64_t numOperands,
                            bool usesScratch) {
  auto body = module.lookupSymbol<LLVM::LLVMFuncOp>("body");
  if (!body)
    return module.emitOpError("expects a function @body");
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, pointer, b.getI64Type()});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, name, type);

  // LLVM knows memcpy and its kin by their loops; there is no library to call them from.
  StringAttr noBuiltins = b.getStringAttr("no-builtins");
  entry.setPassthroughAttr(b.getArrayAttr({noBuiltins}));
  // Kept apart from its one caller: that operands do not overlap is known for arguments only.
  body.setPassthroughAttr(b.getArrayAttr({noBuiltins, b.getStringAttr("noinline")}));
  body.setLinkage(LLVM::Linkage::Internal);
  std::string bodyName = (name + ".body").str();
  if (failed(SymbolTable(module).rename(body, bodyName)))
    return failure();

  b.setInsertionPointToStart(entry.addEntryBlock(b));
  SmallVector<Value> arguments;
  for (int64_t i = 0; i < numOperands; ++i) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), entry.getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Value offset = LLVM::LoadOp::create(b, loc, b.getI64Type(), slot);
    arguments.push_back(LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), entry.getArgument(1),
                                            ArrayRef<LLVM::GEPArg>{offset}));
  }
  arguments.push_back(entry.getArgument(3));
  if (usesScratch)
    arguments.push_back(entry.getArgument(2));
  LLVM::CallOp::create(b, loc, body, arguments);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return success();
}
