// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ensembles of decision trees, in whichever way a node describes them.
#ifndef TTC_LIB_IMPORT_TREEENSEMBLE_H
#define TTC_LIB_IMPORT_TREEENSEMBLE_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// How a node of a tree compares a feature with its threshold.
enum class BranchMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual };

struct TreeBranch {
  int64_t feature = 0;
  double threshold = 0;
  BranchMode mode = BranchMode::LessEqual;
  /// Whether a feature that is not a number takes the branch.
  bool takesNan = false;
  /// Where it continues if the comparison is true or false: a branch, or from branches.size() on a
  /// leaf.
  int64_t yes = 0, no = 0;
};

/// A score for one of the targets.
struct TreeVote {
  int64_t leaf, target;
  double weight;
};

enum class TreeAggregation { Sum, Average, Min, Max };

struct TreeEnsemble {
  SmallVector<TreeBranch> branches;
  int64_t leaves = 0;
  /// A branch or a leaf for each tree, numbered as in TreeBranch.
  SmallVector<int64_t> roots;
  SmallVector<TreeVote> votes;
  int64_t targets = 1;
  TreeAggregation aggregation = TreeAggregation::Sum;

  /// The votes for [samples, features] as [samples, targets]; null after an error. Walks all trees
  /// at once, one level of them after the other.
  Value build(OnnxNode &node, Value x) const;

private:
  /// What each branch holds, then values without meaning for the leaves.
  struct Tables {
    Value features, thresholds;
    /// Null if all branches compare in the same way, and if none takes NaN.
    Value modes, takesNan;
    /// Where each node leads to, by twice its number and one more if it does not pass.
    Value next;
  };
  Tables createTables(OnnxNode &node, Type elementType) const;
  /// The longest path; reports branches that lead nowhere or in a cycle.
  FailureOr<int64_t> computeDepth(OnnxNode &node, int64_t features) const;
  /// Whether each of the `features` passes its branch of `at`, both [samples, trees].
  Value passes(OnnxNode &node, const Tables &tables, Value features, Value at) const;
  Value countVotes(OnnxNode &node, Value leaf, Type elementType) const;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_TREEENSEMBLE_H
