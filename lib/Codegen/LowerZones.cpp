// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "ZoneCalls.h"
#include "dialects/Ttc/Programs/ZoneOps.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_LOWERZONES
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct LowerZonesPass : mlir::ttc::impl::LowerZonesBase<LowerZonesPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ModuleOp module = getCodeModule(program);
    auto body = module ? module.lookupSymbol<LLVM::LLVMFuncOp>(kBodyName) : LLVM::LLVMFuncOp();
    if (!body || body.isExternal())
      return;
    if (program.getMarkers())
      addMarkersArgument(body);
    OpBuilder builder(module);
    ZoneCalls calls(module, builder);
    body.walk([&](ZoneEndOp end) {
      builder.setInsertionPoint(end);
      if (program.getMarkers())
        calls.endZone(end.getLoc(), body.getArguments().back(), end.getZone());
      end.erase();
    });
    body.walk([&](ZoneBeginOp begin) {
      builder.setInsertionPoint(begin);
      if (program.getMarkers())
        begin.replaceAllUsesWith(
            calls.beginZone(begin.getLoc(), body.getArguments().back(), begin.getName()));
      begin.erase();
    });
  }

  /// FunctionOpInterface::insertArgument() has no function type without results.
  static void addMarkersArgument(LLVM::LLVMFuncOp body) {
    auto pointer = LLVM::LLVMPointerType::get(body.getContext());
    LLVM::LLVMFunctionType type = body.getFunctionType();
    SmallVector<Type> arguments(type.getParams());
    arguments.push_back(pointer);
    body.setFunctionType(LLVM::LLVMFunctionType::get(type.getReturnType(), arguments));
    body.front().addArgument(pointer, body.getLoc());
    if (ArrayAttr attrs = body.getArgAttrsAttr()) {
      SmallVector<Attribute> more(attrs.getValue());
      more.push_back(DictionaryAttr::get(body.getContext()));
      body.setArgAttrsAttr(ArrayAttr::get(body.getContext(), more));
    }
  }
};
} // namespace
