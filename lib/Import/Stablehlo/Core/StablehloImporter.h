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
  /// Null if the op that makes the value failed; nullopt if it has not been imported yet. MLIR does
  /// not check the order of ops in bodies of unregistered ops.
  std::optional<Value> lookup(Value source) const;
  bool isBroadened() const { return broadened; }

private:
  const StablehloScope *outer;
  bool broadened;
  llvm::DenseMap<Value, Value> values;
};

class StablehloImporter {
public:
  StablehloImporter(ModuleOp module, int64_t opLimit)
      : builder(module.getContext()), symbols(module), opLimit(opLimit) {}

  /// Replaces the function by one of ttc ops.
  LogicalResult importFunction(func::FuncOp function);
  /// Imports the ops of a block, and returns the operands of its terminator, or what became of the
  /// values `wanted`. `outer` is null for the body of a function.
  FailureOr<SmallVector<Value>> importBlock(Block &block, ArrayRef<Value> arguments,
                                            const StablehloScope *outer, bool broadened,
                                            std::optional<ArrayRef<Value>> wanted = std::nullopt);
  /// The body of a function that is called. Reports a function that the module does not have, or
  /// has with another number of arguments.
  FailureOr<Block *> getCalled(Operation *call, StringRef callee, unsigned arguments);

  OpBuilder &getBuilder() { return builder; }
  int64_t &getGeneratedBytes() { return generatedBytes; }

private:
  LogicalResult importOp(Operation *op, StablehloScope &scope);
  /// What an operand is. Reports one that is used before it is defined; other nulls have been.
  Value getOperand(Operation *op, Value operand, const StablehloScope &scope);

  OpBuilder builder;
  SymbolTable symbols;
  /// Bodies and calls count each time that they are imported.
  int64_t opLimit;
  int64_t generatedBytes = 0;
  int64_t importedOps = 0;
  unsigned depth = 0;
  unsigned errors = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLOIMPORTER_H
