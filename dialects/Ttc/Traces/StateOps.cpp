// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State, and copies on the device.
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- state ------------------------------------------------------------------------===//

void StateOp::build(OpBuilder &builder, OperationState &state, StringRef name, Type type) {
  build(builder, state, builder.getStringAttr(name), TypeAttr::get(type), StringAttr());
}

LogicalResult StateOp::verify() {
  if (getTensorType().getNumElements() == 0)
    return emitOpError("(C1) expected at least one element, found ") << getType();
  return success();
}

/// The first state verifies the uses of all: one alone would look at all arguments of all
/// functions.
LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (!module || *module.getOps<StateOp>().begin() != *this)
    return success();
  for (auto function : module.getOps<FunctionOpInterface>()) {
    auto check = [&](StringRef what, unsigned count, TypeRange types,
                     function_ref<Attribute(unsigned)> stateOf) -> LogicalResult {
      DenseMap<Attribute, unsigned> firsts;
      for (unsigned i = 0; i < count; ++i) {
        auto name = dyn_cast_if_present<FlatSymbolRefAttr>(stateOf(i));
        auto state = name ? symbols.lookupSymbolIn<StateOp>(module, name) : StateOp();
        if (!state)
          continue;
        if (types[i] != state.getType())
          return emitOpErrorOn(function, state)
                 << "(C2) expected " << what << " " << i << " to have the type of state " << name
                 << " (" << state.getType() << "), found " << types[i];
        auto [first, isNew] = firsts.try_emplace(name, i);
        if (!isNew)
          return emitOpErrorOn(function, state)
                 << "(C3) expected at most one " << what << " for state " << name << ", found "
                 << first->second << " and " << i;
      }
      return success();
    };
    if (failed(check("argument", function.getNumArguments(), function.getArgumentTypes(),
                     [&](unsigned i) { return function.getArgAttr(i, kStateAttrName); })) ||
        failed(check("result", function.getNumResults(), function.getResultTypes(),
                     [&](unsigned i) { return function.getResultAttr(i, kStateAttrName); })))
      return failure();
  }
  return success();
}

//===--- copy -------------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  if (getShardedLayout(getInput().getType()))
    return emitOpError("(C2) expected a tensor without shards, found ") << getInput().getType();
  return success();
}

void CopyOp::encode(OpBuilder &builder, ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs) {
  int64_t bytes = getTensorBytes(cast<ShapedType>(getOutput().getType()));
  CmdCopyOp::create(builder, getLoc(), inputs[0].buffer, outputs[0].buffer,
                    builder.getI64IntegerAttr(bytes));
}

/// None: a copy's source and destination do not overlap.
void CopyOp::getInPlaceOperands(unsigned, SymbolTableCollection &, SmallVectorImpl<unsigned> &) {}
