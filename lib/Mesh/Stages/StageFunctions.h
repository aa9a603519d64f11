// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the functions of the stages that a function is cut into.
#ifndef TTC_LIB_MESH_STAGEFUNCTIONS_H
#define TTC_LIB_MESH_STAGEFUNCTIONS_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ttc {

/// What --ttc-split-stages decided about a function.
struct StagePlan {
  /// The work, in order, with its stage; neither views nor constants.
  llvm::MapVector<Operation *, unsigned> stages;
  /// Values that a later stage than their own needs, with both stages, in the order in which they
  /// are computed.
  struct Transfer {
    Value value;
    unsigned from, to;
  };
  SmallVector<Transfer> transfers;
  /// By the names of states: the stage that has them.
  llvm::DenseMap<Attribute, unsigned> states;
};

/// The devices of a mesh in stages.
struct StageDevices {
  /// Without the axis of micro-batches.
  MeshAttr mesh;
  int64_t microBatches = 1;
  /// By stage, ascending: those at one place of two stages differ only along axes of the pipeline.
  SmallVector<SmallVector<int64_t>> stages;
};

/// Whether the op is copied into each stage that needs it: a constant or a view.
bool isCopied(Operation *op);

/// Permutations between neighbouring stages; equal ones are one.
class BoundaryCollectives {
public:
  BoundaryCollectives(SymbolTable &symbols, const StageDevices &devices)
      : symbols(symbols), devices(devices) {}

  /// From `stage` to the next one.
  FlatSymbolRefAttr get(Location loc, unsigned stage, RankedTensorType type);

private:
  SymbolTable &symbols;
  const StageDevices &devices;
  llvm::DenseMap<Attribute, FlatSymbolRefAttr> made;
  Operation *last = nullptr;
};

/// Programs that cut an argument into micro-batches, and that put results together.
class MicroBatchPrograms {
public:
  explicit MicroBatchPrograms(SymbolTable &symbols) : symbols(symbols) {}

  SmallVector<Value> split(OpBuilder &builder, Value whole, int64_t dim, int64_t parts);
  Value concat(OpBuilder &builder, ValueRange parts, int64_t dim);

private:
  FlatSymbolRefAttr get(Location loc, StringRef name, TypeRange operands, TypeRange results,
                        int64_t dim);

  SymbolTable &symbols;
  llvm::DenseMap<std::pair<Attribute, int64_t>, FlatSymbolRefAttr> made;
};

/// Replaces the function by one for each stage; by one, if there is one stage.
void makeStageFunctions(func::FuncOp function, const StagePlan &plan, const StageDevices &devices,
                        SymbolTable &symbols, BoundaryCollectives &collectives,
                        MicroBatchPrograms &programs);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_STAGEFUNCTIONS_H
