// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chooser behind --shard=height|width|block.
#include "ShardPlan.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::ttc;

/// Gives the result of a dispatch the layout in which most of its operands are read where they were
/// written; of these the one of the most shards.
static void chooseLayout(ShardPlan &plan, DispatchOp dispatch, Sharding kind) {
  Value result = dispatch->getResult(0);
  LayoutAttr best;
  int64_t mostOwn = -1;
  for (LayoutAttr layout :
       plan.getPossibleLayouts(cast<RankedTensorType>(result.getType()), kind)) {
    plan.setLayout(result, layout);
    if (int64_t own = plan.countOwnOperands(dispatch); own > mostOwn) {
      best = layout;
      mostOwn = own;
    }
  }
  plan.clearLayout(result);
  if (best)
    plan.setLayout(result, best);
}

/// Whether some command reads the value where it was written.
static bool isReadInPlace(ShardPlan &plan, Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
      return isReadInPlace(plan, view.getViewDest());
    auto dispatch = dyn_cast<DispatchOp>(use.getOwner());
    return dispatch && plan.readsShards(dispatch, use.getOperandNumber());
  });
}

/// Takes the layouts from values that would only be moved out of L1 again. Others may follow.
static void dropUseless(ShardPlan &plan) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [value, layout] : llvm::to_vector(plan.getLayouts()))
      if (!plan.isRequested(value) && !isReadInPlace(plan, value)) {
        plan.clearLayout(value);
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

/// Takes the layouts from values for which there is no room. The other half of L1 is for scratch,
/// for copies in other layouts, and for what else is placed there.
static void dropWhatIsTooMuch(ShardPlan &plan) {
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
      plan.clearLayout(value);
      continue;
    }
    findLastUse(value, added.last);
    sum += added.bytes;
    living.push_back(added);
  }
}

void mlir::ttc::shardEverything(ShardPlan &plan, Sharding kind) {
  for (auto dispatch : plan.getTrace().getBody().front().getOps<DispatchOp>())
    if (plan.isCandidate(dispatch->getResults().empty() ? Value() : dispatch->getResult(0)) &&
        !plan.isRequested(dispatch->getResult(0)))
      chooseLayout(plan, dispatch, kind);
  dropUseless(plan);
  dropWhatIsTooMuch(plan);
  dropUseless(plan);
}
