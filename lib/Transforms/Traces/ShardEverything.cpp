// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strategy of --shard=height|width|block.
#include "ShardPlan.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Support/Target.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Chooses the layouts of one trace's values, and keeps the reasons for those that get none.
class Chooser {
public:
  Chooser(ShardPlan &plan, Sharding kind) : plan(plan), kind(kind) {}

  void run() {
    for (auto dispatch : plan.getTrace().getBody().front().getOps<DispatchOp>())
      if (!dispatch->getResults().empty() && !plan.isRequested(dispatch->getResult(0)))
        chooseLayout(dispatch);
    dropUseless();
    dropWhatDoesNotFit();
    dropUseless();
    for (auto &[value, reason] : reasons)
      value.getDefiningOp()->emitRemark("not sharded by ") << getName() << ": " << reason;
  }

private:
  StringRef getName() const { return stringifySharding(kind).split('_').first; }
  void chooseLayout(DispatchOp dispatch);
  void dropUseless();
  void dropWhatDoesNotFit();
  void drop(Value value, std::string reason) {
    plan.clearLayout(value);
    reasons[value] = std::move(reason);
  }

  ShardPlan &plan;
  Sharding kind;
  llvm::MapVector<Value, std::string> reasons;
};

} // namespace

/// Gives the result of a dispatch the layout with which the dispatch reads most operands in the
/// core that wrote them; of these, the one with the most shards.
void Chooser::chooseLayout(DispatchOp dispatch) {
  Value result = dispatch->getResult(0);
  if (std::string obstacle = plan.getObstacle(result); !obstacle.empty())
    return drop(result, obstacle);
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<LayoutAttr> layouts = plan.getPossibleLayouts(type, kind);
  if (layouts.empty()) {
    std::string reason;
    llvm::raw_string_ostream(reason)
        << "no split of " << type << " into equal parts uses more than "
        << "one of the " << getCores(plan.getTarget()) << " cores";
    return drop(result, reason);
  }
  LayoutAttr best;
  int64_t mostOwn = -1;
  for (LayoutAttr layout : layouts) {
    plan.setLayout(result, layout);
    if (int64_t own = plan.countOwnOperands(dispatch); own > mostOwn) {
      best = layout;
      mostOwn = own;
    }
  }
  if (!best)
    return drop(result, ("program @" + dispatch.getProgramAttr().getValue() +
                         " cannot compute a shard of its result on its own")
                            .str());
  plan.setLayout(result, best);
}

/// Whether some command reads the value in the core that wrote it.
static bool isReadInPlace(ShardPlan &plan, Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
      return isReadInPlace(plan, view.getViewDest());
    auto dispatch = dyn_cast<DispatchOp>(use.getOwner());
    return dispatch && plan.readsShards(dispatch, use.getOperandNumber());
  });
}

/// Drops the layouts of values that would only be moved out of L1 again, until a fixpoint is
/// reached.
void Chooser::dropUseless() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [value, layout] : llvm::to_vector(plan.getLayouts()))
      if (!plan.isRequested(value) && !isReadInPlace(plan, value)) {
        drop(value, "no command reads its shards in the cores that write them");
        changed = true;
      }
  }
}

static void findLastUse(Value value, Operation *&last) {
  for (Operation *user : value.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      findLastUse(view.getViewDest(), last);
    else if (last->isBeforeInBlock(user))
      last = user;
  }
}

/// Drops the layouts of values that do not fit. The other half of L1 is for scratch, for copies in
/// other layouts, and for other tensors.
void Chooser::dropWhatDoesNotFit() {
  struct Living {
    Value value;
    Operation *last;
    int64_t bytes;
  };
  int64_t room = plan.getTarget().getL1Bytes() / 2;
  SmallVector<Living> living;
  int64_t sum = 0;
  auto layouts = llvm::to_vector(plan.getLayouts());
  llvm::sort(layouts, [](const auto &a, const auto &b) {
    return a.first.getDefiningOp()->isBeforeInBlock(b.first.getDefiningOp());
  });
  for (auto [value, layout] : layouts) {
    Operation *made = value.getDefiningOp();
    llvm::erase_if(living, [&](const Living &other) {
      bool isOver = other.last->isBeforeInBlock(made);
      sum -= isOver ? other.bytes : 0;
      return isOver;
    });
    auto type = cast<RankedTensorType>(value.getType());
    Living added{value, made, getTensorBytes(type) / layout.getNumShards()};
    if (sum + added.bytes > room && !plan.isRequested(value)) {
      drop(value, std::to_string(added.bytes) + " bytes for each core do not fit in addition to " +
                      std::to_string(sum) + " of other shards into half of L1, " +
                      std::to_string(room) + " bytes");
      continue;
    }
    findLastUse(value, added.last);
    sum += added.bytes;
    living.push_back(added);
  }
}

void mlir::ttc::shardEverything(ShardPlan &plan, Sharding kind) { Chooser(plan, kind).run(); }
