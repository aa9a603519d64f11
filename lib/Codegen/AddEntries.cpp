// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "ZoneCalls.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_ADDENTRIES
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

FailureOr<LLVM::LLVMFuncOp> mlir::ttc::addEntry(ProgramOp program, ModuleOp module,
                                                LLVM::LLVMFuncOp body, int64_t scratchBytes) {
  StringRef name = program.getSymName();
  unsigned numOperands = program.getNumArguments() + program.getNumResults();
  bool usesScratch = scratchBytes > 0;
  unsigned expected = numOperands + 1 + usesScratch + program.getMarkers();
  if (body.getNumArguments() != expected)
    return body.emitOpError("expects ")
           << expected << " arguments (" << numOperands << " operands of the program, the workgroup"
           << (usesScratch ? ", scratch" : "") << (program.getMarkers() ? ", markers" : "")
           << "), found " << body.getNumArguments();
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, pointer, b.getI64Type()});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, name, type);

  // LLVM replaces loops by calls of memcpy and the like, but there is no library to call.
  StringAttr noBuiltins = b.getStringAttr("no-builtins");
  entry.setPassthroughAttr(b.getArrayAttr({noBuiltins}));
  // Kept apart from its one caller: that operands do not overlap is known for arguments only.
  body.setPassthroughAttr(b.getArrayAttr({noBuiltins, b.getStringAttr("noinline")}));
  body.setLinkage(LLVM::Linkage::Internal);
  if (failed(SymbolTable(module).rename(body, (name + ".body").str())))
    return failure();

  b.setInsertionPointToStart(entry.addEntryBlock(b));
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < numOperands; ++i) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), entry.getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Value offset = LLVM::LoadOp::create(b, loc, b.getI64Type(), slot);
    arguments.push_back(LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), entry.getArgument(1),
                                            ArrayRef<LLVM::GEPArg>{offset}));
  }
  arguments.push_back(entry.getArgument(3));
  if (usesScratch)
    arguments.push_back(entry.getArgument(2));
  ZoneCalls zones(module, b);
  Value markers;
  if (program.getMarkers()) {
    markers = zones.getMarkers(loc, program, entry.getArgument(2), scratchBytes);
    arguments.push_back(markers);
    zones.beginMain(loc, markers, kBodyName);
  }
  LLVM::CallOp::create(b, loc, body, arguments);
  if (markers)
    zones.endMain(loc, markers, kBodyName);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return entry;
}

namespace {
struct AddEntriesPass : mlir::ttc::impl::AddEntriesBase<AddEntriesPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ModuleOp module = getCodeModule(program);
    Operation *found = module ? module.lookupSymbol(kBodyName) : nullptr;
    if (!found)
      return;
    auto body = dyn_cast<LLVM::LLVMFuncOp>(found);
    if (!body) {
      found->emitOpError("expects to be an llvm.func before it gets an entry");
      return signalPassFailure();
    }
    FailureOr<int64_t> workgroups =
        getPassedInteger(body, kWorkgroupsAttrName, "--ttc-tile-into-workgroups", /*least=*/1);
    FailureOr<int64_t> scratch =
        getPassedInteger(body, kScratchBytesAttrName, "--ttc-plan-scratch", /*least=*/0);
    if (failed(workgroups) || failed(scratch))
      return signalPassFailure();
    FailureOr<LLVM::LLVMFuncOp> entry = addEntry(program, module, body, *scratch);
    if (failed(entry))
      return signalPassFailure();

    // What was decided about the body is the program's from now on.
    body->removeAttr(kWorkgroupsAttrName);
    body->removeAttr(kScratchBytesAttrName);
    setRequirements(program, *entry, *workgroups, addMarkerBytes(program, *scratch));
    StringRef inPlaceName = ProgramOp::getInPlaceAttrName();
    for (unsigned result = 0; result < program.getNumResults(); ++result)
      if (Attribute inPlace = body.removeArgAttr(program.getNumArguments() + result, inPlaceName))
        program.setResultAttr(result, inPlaceName, inPlace);
  }
};
} // namespace
