// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a trace are sharded, and which programs then run on shards.
#ifndef TTC_LIB_TRANSFORMS_SHARDPLAN_H
#define TTC_LIB_TRANSFORMS_SHARDPLAN_H

#include "ShardProgram.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Analysis/Buffers.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ttc {

/// How one dispatch runs. Without `program` as it is, on operands and results without shards.
struct ShardedDispatch {
  ProgramOp program; ///< the variant on shards; null if the dispatch does not run on shards
  SmallVector<RankedTensorType> wholes; ///< operands, then the result, as the program takes them
};

/// The layouts of a trace's values, and how dispatches run with them. A strategy sets layouts and
/// queries the result; the pass then rewrites the trace. Layouts that the IR requests are set from
/// the start.
class ShardPlan {
public:
  ShardPlan(TraceOp trace, SymbolTable &symbols, TargetAttr target)
      : trace(trace), symbols(symbols), target(target) {}
  ~ShardPlan();

  TraceOp getTrace() const { return trace; }
  TargetAttr getTarget() const { return target; }

  /// Why no layout may be chosen for the value; empty if one may: it is the only result of a
  /// dispatch, and only dispatches and ttc.to_memory use it or a view of it.
  std::string getObstacle(Value value);
  bool isCandidate(Value value) { return getObstacle(value).empty(); }

  /// The layout of a value, which may be a view; null if it is not sharded.
  LayoutAttr getLayout(Value value);
  void setLayout(Value root, LayoutAttr layout) { layouts[root] = layout; }
  void clearLayout(Value root) { layouts.erase(root); }
  /// Sets a layout that the IR requests and a strategy must not change.
  void request(Value root, LayoutAttr layout);
  bool isRequested(Value root) const { return requested.contains(root); }
  const llvm::MapVector<Value, LayoutAttr> &getLayouts() const { return layouts; }

  /// The layouts of a kind that split a tensor evenly on this target, most shards first.
  SmallVector<LayoutAttr> getPossibleLayouts(RankedTensorType type, Sharding kind);

  /// How the dispatch runs with the layouts as they are now.
  ShardedDispatch getDispatch(DispatchOp dispatch);
  /// How many operands it then reads only from the L1 of its own core; -1 if it does not run on
  /// shards.
  int64_t countOwnOperands(DispatchOp dispatch);
  /// Whether the dispatch then reads operand `index` in the layout that the operand has.
  bool readsShards(DispatchOp dispatch, unsigned index);

private:
  ShardedDispatch tryParts(DispatchOp dispatch, ArrayRef<int64_t> parts);
  RankedTensorType chooseWhole(Value operand, ArrayRef<int64_t> parts);
  ProgramOp getVariant(ProgramOp program, const ProgramPartition &partition,
                       ArrayRef<RankedTensorType> wholes);

  TraceOp trace;
  SymbolTable &symbols;
  TargetAttr target;
  llvm::MapVector<Value, LayoutAttr> layouts; ///< of roots
  DenseSet<Value> requested;
  /// By program, parts and wholes; null if there is none. Unused ones are erased.
  llvm::MapVector<Attribute, ProgramOp> variants;
};

/// The layout of a view, with `shape`, of a tensor of type `source`; null if no layout describes
/// how the elements of the view are sharded.
LayoutAttr getViewLayout(RankedTensorType source, ArrayRef<int64_t> shape);

/// Decides which values of a trace are sharded.
using ShardChooser = llvm::function_ref<void(ShardPlan &)>;

/// Shards every value that can be sharded by `kind`, if a command reads it in the core that wrote
/// it and half of each core's L1 holds all shards alive at the same time. A remark gives the reason
/// for each result of a dispatch that is not sharded.
void shardEverything(ShardPlan &plan, Sharding kind);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_SHARDPLAN_H
