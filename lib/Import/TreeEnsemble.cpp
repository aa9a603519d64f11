// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TreeEnsemble.h"

using namespace mlir;
using namespace mlir::ttc;

FailureOr<int64_t> TreeEnsemble::computeDepth(OnnxNode &node, int64_t features) const {
  int64_t count = branches.size(), end = count + leaves;
  for (const TreeBranch &branch : branches) {
    if (branch.feature < 0 || branch.feature >= features)
      return node.error() << "a tree compares feature " << branch.feature << " of " << features;
    for (int64_t next : {branch.yes, branch.no})
      if (next < 0 || next >= end)
        return node.error() << "a node of a tree leads to one that there is not";
  }
  // The longest path from each branch, which is final when both of its ways are.
  constexpr int64_t unseen = -1, open = -2;
  SmallVector<int64_t> height(end, 0);
  std::fill(height.begin(), height.begin() + count, unseen);
  int64_t deepest = 0;
  for (int64_t root : roots) {
    if (root < 0 || root >= end)
      return node.error() << "a tree begins at a node that there is not";
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
        return node.error() << "the nodes of a tree lead in a circle";
      height[at] = open;
      path.push_back(yes == unseen ? branches[at].yes : branches[at].no);
    }
    deepest = std::max(deepest, height[root]);
  }
  return deepest;
}

Value TreeEnsemble::passes(OnnxNode &node, Value features, Value at) const {
  Expressions e(node);
  // Leaves follow the branches; what they compare does not matter.
  auto table = [&]<typename T>(auto read, T rest) {
    SmallVector<T> values(branches.size() + leaves, rest);
    for (auto [i, branch] : llvm::enumerate(branches))
      values[i] = read(branch);
    return values;
  };
  Value threshold =
      e.gather(e.numbers(table([](const TreeBranch &branch) { return branch.threshold; }, 0.0),
                         elementTypeOf(features)),
               at, 0);
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
  bool mixed = llvm::any_of(
      branches, [&](const TreeBranch &branch) { return branch.mode != branches.front().mode; });
  if (mixed) {
    Value modes = e.gather(
        e.ints(table([](const TreeBranch &branch) { return int64_t(branch.mode); }, int64_t(0))),
        at, 0);
    SmallVector<bool> isUsed(int(BranchMode::NotEqual) + 1, false);
    for (const TreeBranch &branch : branches)
      isUsed[int(branch.mode)] = true;
    for (int mode = 0; mode <= int(BranchMode::NotEqual); ++mode)
      if (isUsed[mode])
        result = e.where(e.compare(ComparePredicate::EQ, modes, double(mode)),
                         compareAs(BranchMode(mode)), result);
  }
  if (llvm::any_of(branches, [](const TreeBranch &branch) { return branch.takesNan; })) {
    Value takes =
        e.gather(e.ints(table([](const TreeBranch &branch) { return int64_t(branch.takesNan); },
                              int64_t(0))),
                 at, 0);
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
  auto type = RankedTensorType::get({leaves, targets}, elementType);
  if (failed(node.checkGenerated(type)))
    return {};
  SmallVector<double> weights(leaves * targets, none);
  for (const TreeVote &vote : votes) {
    double &weight = weights[vote.leaf * targets + vote.target];
    weight = isLeast  ? std::min(weight, vote.weight)
             : isMost ? std::max(weight, vote.weight)
                      : weight + vote.weight;
  }
  Value table = node.reshape(e.numbers(weights, elementType), {leaves, targets});
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
      node.error() << "a tree votes for target " << vote.target << " of " << targets;
      return {};
    }
  FailureOr<int64_t> depth = computeDepth(node, shapeOf(x)[1]);
  if (failed(depth))
    return {};
  int64_t samples = shapeOf(x)[0], trees = roots.size(), first = branches.size();
  Value at = e.expand(node.reshape(e.ints(roots), {1, trees}), {samples, trees});
  // Where each node leads to, by twice its number and one more if it does not pass.
  SmallVector<int64_t> next, features;
  for (const TreeBranch &branch : branches) {
    next.append({branch.yes, branch.no});
    features.push_back(branch.feature);
  }
  for (int64_t leaf = first; leaf < first + leaves; ++leaf) {
    next.append({leaf, leaf});
    features.push_back(0);
  }
  Value nextTable = e.ints(next), featureTable = e.ints(features);
  for (int64_t level = 0; level < *depth && !node.hasFailed(); ++level) {
    Value taken = e.gatherElements(x, e.gather(featureTable, at, 0), 1);
    Value turn = e.where(passes(node, taken, at), node.scalarLike(at, 0), node.scalarLike(at, 1));
    at = e.gather(nextTable, e.add(e.add(at, at), turn), 0);
  }
  Value leaf = first ? e.add(at, -double(first)) : at;
  return countVotes(node, leaf, elementTypeOf(x));
}
