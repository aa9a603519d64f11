// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports the functions of a module of StableHLO, op by op.
#ifndef TTC_LIB_IMPORT_STABLEHLOIMPORTER_H
#define TTC_LIB_IMPORT_STABLEHLOIMPORTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ttc {

/// What the values of a block of the source are in the result. A body sees those around it.
class StablehloScope {
public:
  explicit StablehloScope(const StablehloScope *outer, bool broadened)
      : outer(outer), broadened(broadened) {}
  void define(Value source, Value made) { values[source] = made; }
  /// Null if the op that makes the value failed.
  Value lookup(Value source) const;
  bool isBroadened() const { return broadened; }

private:
  const StablehloScope *outer;
  bool broadened;
  llvm::DenseMap<Value, Value> values;
};

class StablehloImporter {
public:
  explicit StablehloImporter(ModuleOp module)
      : module(module), builder(module.getContext()), symbols(module) {}

  /// Replaces the function by one of ttc ops.
  LogicalResult importFunction(func::FuncOp function);
  /// Imports the ops of a block, and returns the operands of its terminator. `outer` is null for
  /// the body of a function.
  FailureOr<SmallVector<Value>> importBlock(Block &block, ArrayRef<Value> arguments,
                                            const StablehloScope *outer, bool broadened);
  /// Imports the body of a function where it is called.
  FailureOr<SmallVector<Value>> importCall(Operation *call, StringRef callee,
                                           ArrayRef<Value> arguments);

  OpBuilder &getBuilder() { return builder; }
  int64_t &getGeneratedBytes() { return generatedBytes; }

private:
  LogicalResult importOp(Operation *op, StablehloScope &scope);

  ModuleOp module;
  OpBuilder builder;
  SymbolTable symbols;
  int64_t generatedBytes = 0;
  /// Bodies and calls count each time that they are imported.
  int64_t importedOps = 0;
  unsigned depth = 0;
  unsigned errors = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLOIMPORTER_H
