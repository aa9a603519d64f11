// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TreeEnsemble.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

using namespace mlir;
using namespace mlir::ttc;

/// Levels are unrolled.
static constexpr int64_t kMostLevels = 1 << 14;
/// Elements of the table of votes, which is written element by element.
static constexpr int64_t kMostVotes = 1 << 26;

FailureOr<int64_t> TreeEnsemble::computeDepth(OnnxNode &node, int64_t features) const {
  int64_t count = branches.size(), end = count + leaves;
  for (const TreeBranch &branch : branches) {
    if (branch.feature < 0 || branch.feature >= features)
      return node.error() << "expected a tree to compare features from 0 to " << features - 1
                          << ", found " << branch.feature;
    for (int64_t next : {branch.yes, branch.no})
      if (next < 0 || next >= end)
        return node.error() << "a node of a tree leads to a node that does not exist";
  }
  // The longest path from each branch, which is final when both of its ways are.
  constexpr int64_t unseen = -1, open = -2;
  SmallVector<int64_t> height(end, 0);
  std::fill(height.begin(), height.begin() + count, unseen);
  int64_t deepest = 0;
  for (int64_t root : roots) {
    if (root < 0 || root >= end)
      return node.error() << "a tree begins at a node that does not exist";
    SmallVector<int64_t> path = {root};
    while (!path.empty()) {
      int64_t at = path.back();
      if (height[at] >= 0) {
        path.pop_back();
        continue;
      }
      int64_t yes = height[branches[at].yes], no = height[branches[at].no];
      if (yes >= 0 && no >= 0) {
        height[at] = 1 + std::max(yes, no);
        path.pop_back();
        continue;
      }
      if (yes == open || no == open)
        return node.error() << "the nodes of a tree form a cycle";
      height[at] = open;
      path.push_back(yes == unseen ? branches[at].yes : branches[at].no);
    }
    deepest = std::max(deepest, height[root]);
  }
  return deepest;
}

TreeEnsemble::Tables TreeEnsemble::createTables(OnnxNode &node, Type elementType) const {
  Expressions e(node);
  const int64_t first = branches.size(), end = first + leaves;
  auto column = [&](llvm::function_ref<int64_t(const TreeBranch &)> read) {
    SmallVector<int64_t> values(end, 0);
    for (auto [i, branch] : llvm::enumerate(branches))
      values[i] = read(branch);
    return e.ints(values);
  };
  SmallVector<double> thresholds(end, 0.0);
  SmallVector<int64_t> next;
  for (auto [i, branch] : llvm::enumerate(branches)) {
    thresholds[i] = branch.threshold;
    next.append({branch.yes, branch.no});
  }
  for (int64_t leaf = first; leaf < end; ++leaf)
    next.append({leaf, leaf});
  Tables tables;
  tables.features = column([](const TreeBranch &branch) { return branch.feature; });
  tables.thresholds = e.numbers(thresholds, elementType);
  tables.next = e.ints(next);
  auto isMixed = [&](const TreeBranch &branch) { return branch.mode != branches.front().mode; };
  if (llvm::any_of(branches, isMixed))
    tables.modes = column([](const TreeBranch &branch) { return int64_t(branch.mode); });
  if (llvm::any_of(branches, [](const TreeBranch &branch) { return branch.takesNan; }))
    tables.takesNan = column([](const TreeBranch &branch) { return int64_t(branch.takesNan); });
  return tables;
}

Value TreeEnsemble::passes(OnnxNode &node, const Tables &tables, Value features, Value at) const {
  Expressions e(node);
  Value threshold = e.gather(tables.thresholds, at, 0);
  auto compareAs = [&](BranchMode mode) {
    switch (mode) {
    case BranchMode::LessEqual:
      return e.compare(ComparePredicate::LE, features, threshold);
    case BranchMode::Less:
      return e.compare(ComparePredicate::LT, features, threshold);
    case BranchMode::GreaterEqual:
      return e.compare(ComparePredicate::GE, features, threshold);
    case BranchMode::Greater:
      return e.compare(ComparePredicate::GT, features, threshold);
    case BranchMode::Equal:
      return e.compare(ComparePredicate::EQ, features, threshold);
    case BranchMode::NotEqual:
      return e.compare(ComparePredicate::NE, features, threshold);
    }
    llvm_unreachable("all modes are handled");
  };
  Value result = compareAs(branches.front().mode);
  if (tables.modes) {
    Value modes = e.gather(tables.modes, at, 0);
    SmallVector<bool> isUsed(int(BranchMode::NotEqual) + 1, false);
    for (const TreeBranch &branch : branches)
      isUsed[int(branch.mode)] = true;
    for (int mode = 0; mode <= int(BranchMode::NotEqual); ++mode)
      if (isUsed[mode])
        result = e.where(e.compare(ComparePredicate::EQ, modes, double(mode)),
                         compareAs(BranchMode(mode)), result);
  }
  if (tables.takesNan) {
    Value takes = e.gather(tables.takesNan, at, 0);
    Value isNan = e.compare(ComparePredicate::NE, features, features);
    result =
        node.create<OrOp>({result, e.both(isNan, e.compare(ComparePredicate::NE, takes, 0.0))});
  }
  return result;
}

Value TreeEnsemble::countVotes(OnnxNode &node, Value leaf, Type elementType) const {
  Expressions e(node);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isLeast = aggregation == TreeAggregation::Min, isMost = aggregation == TreeAggregation::Max;
  double none = isLeast ? infinity : isMost ? -infinity : 0;
  if (targets > kMostVotes / leaves) {
    node.error() << "expected at most " << kMostVotes << " votes of all leaves, found " << leaves
                 << " leaves times " << targets << " targets";
    return {};
  }
  SmallVector<double> weights(leaves * targets, none);
  for (const TreeVote &vote : votes) {
    double &weight = weights[vote.leaf * targets + vote.target];
    weight = isLeast  ? std::min(weight, vote.weight)
             : isMost ? std::max(weight, vote.weight)
                      : weight + vote.weight;
  }
  Value table = e.floats({leaves, targets}, weights, elementType);
  Value taken = e.gather(table, leaf, 0); // [samples, trees, targets]
  if (isLeast || isMost) {
    Value result =
        isLeast ? e.reduceAway<ReduceMinOp>(taken, 1) : e.reduceAway<ReduceMaxOp>(taken, 1);
    // A target without a vote has the score 0.
    Value isNone = e.compare(ComparePredicate::EQ, result, none);
    return e.where(isNone, node.scalarLike(result, 0), result);
  }
  Value sum = e.reduceAway<ReduceSumOp>(taken, 1);
  return aggregation == TreeAggregation::Average ? e.div(sum, double(roots.size())) : sum;
}

Value TreeEnsemble::build(OnnxNode &node, Value x) const {
  if (!x)
    return {};
  Expressions e(node);
  if (roots.empty() || leaves == 0) {
    node.error() << "there are no trees";
    return {};
  }
  for (const TreeVote &vote : votes)
    if (vote.leaf < 0 || vote.leaf >= leaves || vote.target < 0 || vote.target >= targets) {
      node.error() << "expected a tree to vote for targets from 0 to " << targets - 1 << ", found "
                   << vote.target;
      return {};
    }
  FailureOr<int64_t> depth = computeDepth(node, shapeOf(x)[1]);
  if (failed(depth))
    return {};
  if (*depth > kMostLevels) {
    node.error() << "expected trees of at most " << kMostLevels << " levels, found " << *depth
                 << ": the levels are unrolled";
    return {};
  }
  int64_t samples = shapeOf(x)[0], trees = roots.size(), first = branches.size();
  Value at = e.expand(node.reshape(e.ints(roots), {1, trees}), {samples, trees});
  const Tables tables = createTables(node, elementTypeOf(x));
  for (int64_t level = 0; level < *depth && !node.hasFailed(); ++level) {
    Value taken = e.gatherElements(x, e.gather(tables.features, at, 0), 1);
    Value turn =
        e.where(passes(node, tables, taken, at), node.scalarLike(at, 0), node.scalarLike(at, 1));
    at = e.gather(tables.next, e.add(e.add(at, at), turn), 0);
  }
  Value leaf = first ? e.add(at, -double(first)) : at;
  return countVotes(node, leaf, elementTypeOf(x));
}
