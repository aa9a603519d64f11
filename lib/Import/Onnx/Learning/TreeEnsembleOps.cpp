// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree ensembles of the domain ai.onnx.ml, in their three descriptions.
#include "PostTransform.h"
#include "TreeEnsemble.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

#include "onnx/onnx_pb.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::ttc;

static FailureOr<TreeAggregation> readAggregation(OnnxNode &node) {
  StringRef name = node.getString("aggregate_function", "SUM");
  auto aggregation = llvm::StringSwitch<std::optional<TreeAggregation>>(name)
                         .Case("SUM", TreeAggregation::Sum)
                         .Case("AVERAGE", TreeAggregation::Average)
                         .Case("MIN", TreeAggregation::Min)
                         .Case("MAX", TreeAggregation::Max)
                         .Default(std::nullopt);
  if (!aggregation)
    return node.error() << "attribute 'aggregate_function' is '" << name
                        << "' (supported: SUM, AVERAGE, MIN, MAX)";
  return *aggregation;
}

//===----------------------------------------------------------------------===//
// TreeEnsembleClassifier and TreeEnsembleRegressor: nodes by tree and number
//===----------------------------------------------------------------------===//

static std::optional<BranchMode> parseMode(StringRef name) {
  return llvm::StringSwitch<std::optional<BranchMode>>(name)
      .Case("BRANCH_LEQ", BranchMode::LessEqual)
      .Case("BRANCH_LT", BranchMode::Less)
      .Case("BRANCH_GTE", BranchMode::GreaterEqual)
      .Case("BRANCH_GT", BranchMode::Greater)
      .Case("BRANCH_EQ", BranchMode::Equal)
      .Case("BRANCH_NEQ", BranchMode::NotEqual)
      .Default(std::nullopt);
}

/// The place of each node in an ensemble, by tree and number. These are numbers of the file, and no
/// value is left for the empty key of a DenseMap.
using NodePlaces = std::map<std::pair<int64_t, int64_t>, int64_t>;

/// `prefix` is that of the attributes, "class" or "target".
static LogicalResult readVotes(OnnxNode &node, StringRef prefix, const NodePlaces &places,
                               TreeEnsemble &ensemble) {
  SmallVector<int64_t> trees = node.getInts((prefix + "_treeids").str());
  SmallVector<int64_t> ids = node.getInts((prefix + "_nodeids").str());
  SmallVector<int64_t> targets = node.getInts((prefix + "_ids").str());
  SmallVector<float> weights = node.getFloats((prefix + "_weights").str());
  if (ids.size() != trees.size() || targets.size() != trees.size() ||
      weights.size() != trees.size())
    return node.error() << "expected " << trees.size()
                        << " elements in each attribute of the votes, as in '" << prefix
                        << "_treeids', found other numbers";
  const int64_t branches = ensemble.branches.size();
  for (size_t i = 0; i < trees.size(); ++i) {
    auto found = places.find({trees[i], ids[i]});
    if (found == places.end())
      return node.error() << "tree " << trees[i] << " has no node " << ids[i];
    // What a branch votes for is never counted.
    if (found->second >= branches)
      ensemble.votes.push_back({found->second - branches, targets[i], weights[i]});
  }
  return success();
}

/// `votes` is the prefix of the attributes with the votes.
static FailureOr<TreeEnsemble> readNumberedTrees(OnnxNode &node, StringRef votes) {
  for (StringRef name : {"nodes_values_as_tensor", "nodes_hitrates_as_tensor"})
    if (node.hasAttr(name))
      return node.error() << "attribute '" << name
                          << "' is not supported: thresholds must be f32, 'nodes_values'";
  node.ignoreAttrs({"nodes_hitrates"});
  SmallVector<int64_t> trees = node.getInts("nodes_treeids"), ids = node.getInts("nodes_nodeids");
  SmallVector<int64_t> features = node.getInts("nodes_featureids");
  SmallVector<int64_t> yes = node.getInts("nodes_truenodeids");
  SmallVector<int64_t> no = node.getInts("nodes_falsenodeids");
  SmallVector<int64_t> nan = node.getInts("nodes_missing_value_tracks_true");
  SmallVector<float> thresholds = node.getFloats("nodes_values");
  SmallVector<StringRef> modes = node.getStrings("nodes_modes");
  size_t count = trees.size();
  if (ids.size() != count || features.size() != count || yes.size() != count ||
      no.size() != count || thresholds.size() != count || modes.size() != count ||
      (!nan.empty() && nan.size() != count))
    return node.error() << "expected " << count
                        << " elements in each attribute of the nodes, as in 'nodes_treeids', found "
                           "other numbers";
  // Branches first, then leaves.
  TreeEnsemble ensemble;
  NodePlaces places;
  int64_t branches = llvm::count_if(modes, [](StringRef mode) { return mode != "LEAF"; });
  int64_t branch = 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t place = modes[i] == "LEAF" ? branches + ensemble.leaves++ : branch++;
    if (!places.try_emplace({trees[i], ids[i]}, place).second)
      return node.error() << "node " << ids[i] << " of tree " << trees[i] << " is given twice";
  }
  // A root is the node of a tree that no other leads to.
  llvm::DenseSet<int64_t> isInner;
  auto find = [&](int64_t tree, int64_t id) -> FailureOr<int64_t> {
    auto found = places.find({tree, id});
    if (found == places.end())
      return node.error() << "tree " << tree << " has no node " << id;
    isInner.insert(found->second);
    return found->second;
  };
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] == "LEAF")
      continue;
    std::optional<BranchMode> mode = parseMode(modes[i]);
    FailureOr<int64_t> yesPlace = find(trees[i], yes[i]), noPlace = find(trees[i], no[i]);
    if (failed(yesPlace) || failed(noPlace))
      return failure();
    if (!mode)
      return node.error() << "a node has the mode '" << modes[i]
                          << "' (supported: BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, "
                             "BRANCH_EQ, BRANCH_NEQ, LEAF)";
    ensemble.branches.push_back(
        {features[i], thresholds[i], *mode, !nan.empty() && nan[i] != 0, *yesPlace, *noPlace});
  }
  for (size_t i = 0; i < count; ++i) {
    int64_t place = places[{trees[i], ids[i]}];
    if (!isInner.contains(place))
      ensemble.roots.push_back(place);
  }
  if (failed(readVotes(node, votes, places, ensemble)))
    return failure();
  return ensemble;
}

/// The scores, which are f32 whatever the features are.
static Value buildScores(OnnxNode &node, const TreeEnsemble &ensemble) {
  return node.cast(ensemble.build(node, readFeatures(node)), node.getBuilder().getF32Type());
}

/// Adds `base_values`, which may be absent.
static Value addBaseValues(OnnxNode &node, Value scores) {
  SmallVector<float> base = node.getFloats("base_values");
  if (node.hasAttr("base_values_as_tensor")) {
    node.error() << "attribute 'base_values_as_tensor' is not supported (supported: base_values)";
    return {};
  }
  if (base.empty() || !scores)
    return scores;
  if (static_cast<int64_t>(base.size()) != shapeOf(scores)[1]) {
    node.error() << "expected attribute 'base_values' to have " << shapeOf(scores)[1]
                 << " elements, found " << base.size();
    return {};
  }
  Expressions e(node);
  return e.add(scores, e.floats(base));
}

static LogicalResult importTreeEnsembleRegressor(OnnxNode &node) {
  FailureOr<TreeEnsemble> ensemble = readNumberedTrees(node, "target");
  FailureOr<TreeAggregation> aggregation = readAggregation(node);
  FailureOr<PostTransform> transform = readPostTransform(node);
  if (failed(ensemble) || failed(aggregation) || failed(transform))
    return failure();
  ensemble->targets = node.getInt("n_targets", 1);
  ensemble->aggregation = *aggregation;
  if (ensemble->targets < 1)
    return node.error() << "expected attribute 'n_targets' to be positive, found "
                        << ensemble->targets;
  Value scores = addBaseValues(node, buildScores(node, *ensemble));
  return node.results(applyPostTransform(node, *transform, scores));
}

static LogicalResult importTreeEnsembleClassifier(OnnxNode &node) {
  Expressions e(node);
  FailureOr<TreeEnsemble> ensemble = readNumberedTrees(node, "class");
  FailureOr<PostTransform> transform = readPostTransform(node);
  FailureOr<Value> labels = readClassLabels(node, "classlabels_int64s", "classlabels_strings");
  if (failed(ensemble) || failed(transform) || failed(labels))
    return failure();
  if (!*labels)
    return node.error() << "attribute 'classlabels_int64s' is missing";
  int64_t classes = shapeOf(*labels)[0];
  ArrayRef<TreeVote> votes = ensemble->votes;
  // Votes for one of two classes are the score of the second, whichever they name; if they name the
  // first, that of the first follows from it.
  bool isOne = classes == 2 && llvm::all_of(votes, [&](const TreeVote &vote) {
                 return vote.target == votes.front().target;
               });
  bool isFirst = isOne && (votes.empty() || votes.front().target == 0);
  bool areProbabilities =
      llvm::all_of(votes, [](const TreeVote &vote) { return vote.weight >= 0; });
  double threshold = areProbabilities ? 0.5 : 0;
  SmallVector<float> base = node.getFloats("base_values");
  if (isOne && base.size() > 1)
    return node.error() << "attribute 'base_values' has " << base.size()
                        << " elements (supported if the trees vote for one of two classes: 1)";
  ensemble->targets = isFirst ? 1 : classes;
  Value scores = buildScores(node, *ensemble), index;
  if (isFirst) {
    if (!base.empty() && scores)
      scores = e.add(scores, base.front());
    BinaryScores binary = splitBinaryScore(node, scores, areProbabilities, threshold, *transform);
    scores = binary.scores;
    index = node.cast(binary.isSecond, node.getBuilder().getI64Type());
  } else if (isOne) {
    // The first class has the score 0, and base values have no effect.
    Value second = scores ? e.squeeze(e.slice(scores, 1, 1, 1), 1) : Value();
    index = node.cast(e.compare(ComparePredicate::GT, second, threshold),
                      node.getBuilder().getI64Type());
    scores = applyPostTransform(node, *transform, scores);
  } else {
    scores = addBaseValues(node, scores);
    index = node.create<ArgmaxOp>(scores, node.i64("axis", 1));
    scores = applyPostTransform(node, *transform, scores);
  }
  return node.results({e.gather(*labels, index, 0), scores});
}

//===----------------------------------------------------------------------===//
// TreeEnsemble: nodes by position
//===----------------------------------------------------------------------===//

/// The mode of a node that asks for members of a set; those below it are the values of BranchMode.
static constexpr int64_t kMemberMode = 6;

/// Checks the modes of all nodes and returns the set of each, empty for other modes. In
/// `membership_values`, a NaN ends each set.
static FailureOr<SmallVector<SmallVector<double>>> readSets(OnnxNode &node,
                                                            ArrayRef<double> modes) {
  SmallVector<double> members = node.getTensorNumbers("membership_values");
  SmallVector<SmallVector<double>> sets(modes.size());
  size_t next = 0;
  for (auto [i, mode] : llvm::enumerate(modes)) {
    if (!(mode >= 0 && mode <= kMemberMode))
      return node.error() << "expected modes of nodes from 0 to " << kMemberMode << ", found "
                          << mode;
    if (mode != kMemberMode)
      continue;
    for (; next < members.size() && !std::isnan(members[next]); ++next)
      sets[i].push_back(members[next]);
    ++next;
    if (sets[i].empty())
      return node.error() << "node " << i << " asks for members of an empty set";
  }
  return sets;
}

static LogicalResult importTreeEnsemble(OnnxNode &node) {
  node.ignoreAttrs({"nodes_hitrates"});
  SmallVector<int64_t> features = node.getInts("nodes_featureids");
  SmallVector<int64_t> yes = node.getInts("nodes_truenodeids");
  SmallVector<int64_t> no = node.getInts("nodes_falsenodeids");
  SmallVector<int64_t> yesIsLeaf = node.getInts("nodes_trueleafs");
  SmallVector<int64_t> noIsLeaf = node.getInts("nodes_falseleafs");
  SmallVector<int64_t> nan = node.getInts("nodes_missing_value_tracks_true");
  SmallVector<int64_t> leafTargets = node.getInts("leaf_targetids");
  SmallVector<int64_t> roots = node.getInts("tree_roots");
  int64_t aggregation = node.getInt("aggregate_function", 1);
  int64_t transform = node.getInt("post_transform", 0);
  SmallVector<double> modes = node.getTensorNumbers("nodes_modes");
  SmallVector<double> thresholds = node.getTensorNumbers("nodes_splits");
  SmallVector<double> weights = node.getTensorNumbers("leaf_weights");
  FailureOr<SmallVector<SmallVector<double>>> read = readSets(node, modes);
  TreeEnsemble ensemble;
  ensemble.targets = node.getInt("n_targets", 1);
  if (failed(read) || node.hasFailed())
    return failure();
  ArrayRef<SmallVector<double>> sets = *read;
  size_t count = features.size();
  if (yes.size() != count || no.size() != count || yesIsLeaf.size() != count ||
      noIsLeaf.size() != count || modes.size() != count || thresholds.size() != count ||
      (!nan.empty() && nan.size() != count) || weights.size() != leafTargets.size())
    return node.error()
           << "expected " << count
           << " elements in each attribute of the nodes, as in 'nodes_featureids', and "
           << leafTargets.size()
           << " in those of the leaves, as in 'leaf_targetids', found other numbers";
  constexpr TreeAggregation aggregations[] = {TreeAggregation::Average, TreeAggregation::Sum,
                                              TreeAggregation::Min, TreeAggregation::Max};
  constexpr PostTransform transforms[] = {PostTransform::None, PostTransform::Softmax,
                                          PostTransform::Logistic, PostTransform::SoftmaxZero};
  if (aggregation < 0 || aggregation > 3 || transform < 0 || transform > 3 || ensemble.targets < 1)
    return node.error()
           << "expected an 'aggregate_function' and a 'post_transform' from 0 to 3 and "
              "a positive 'n_targets', found "
           << aggregation << ", " << transform << " and " << ensemble.targets;
  ensemble.aggregation = aggregations[aggregation];

  // A node that asks for members of a set becomes a chain of nodes, one for each member: the first
  // stays in its place, the others come after all.
  auto isMember = [&](size_t i) { return !sets[i].empty(); };
  int64_t branches = count;
  for (size_t i = 0; i < count; ++i)
    branches += isMember(i) ? sets[i].size() - 1 : 0;
  ensemble.leaves = leafTargets.size();
  auto place = [&](bool isLeaf, int64_t number) {
    int64_t size = isLeaf ? ensemble.leaves : count;
    return number < 0 || number >= size ? -1 : isLeaf ? branches + number : number;
  };
  SmallVector<TreeBranch> added;
  for (size_t i = 0; i < count; ++i) {
    TreeBranch branch{features[i],
                      thresholds[i],
                      isMember(i) ? BranchMode::Equal : BranchMode(int(modes[i])),
                      !nan.empty() && nan[i] != 0,
                      place(yesIsLeaf[i], yes[i]),
                      place(noIsLeaf[i], no[i])};
    if (isMember(i)) {
      int64_t otherwise = branch.no, next = count + added.size();
      branch.threshold = sets[i].front();
      branch.no = sets[i].size() > 1 ? next : otherwise;
      for (size_t j = 1; j < sets[i].size(); ++j) {
        TreeBranch link = branch;
        link.threshold = sets[i][j];
        link.no = j + 1 < sets[i].size() ? ++next : otherwise;
        added.push_back(link);
      }
    }
    ensemble.branches.push_back(branch);
  }
  ensemble.branches.append(added);
  for (int64_t root : roots) {
    // A node whose two branches are one leaf is a tree of that leaf.
    bool isLeaf = root >= 0 && root < int64_t(count) && yesIsLeaf[root] && noIsLeaf[root] &&
                  yes[root] == no[root];
    ensemble.roots.push_back(isLeaf ? place(true, yes[root]) : place(false, root));
  }
  for (auto [leaf, target, weight] : llvm::enumerate(leafTargets, weights))
    ensemble.votes.push_back({int64_t(leaf), target, weight});
  Value scores = ensemble.build(node, readFeatures(node));
  scores = applyPostTransform(node, transforms[transform], scores);
  return node.results(node.cast(scores, elementTypeOf(node.input(0))));
}

void mlir::ttc::registerTreeEnsembleOps(OnnxRegistry &registry) {
  registry.add("ai.onnx.ml.TreeEnsemble", {1, 1}, importTreeEnsemble, {},
               "`post_transform` is not `PROBIT`");
  registry.add("ai.onnx.ml.TreeEnsembleClassifier", {1, 1}, importTreeEnsembleClassifier, {},
               "labels are integers; `post_transform` is not `PROBIT`");
  registry.add("ai.onnx.ml.TreeEnsembleRegressor", {1, 1}, importTreeEnsembleRegressor, {},
               "`post_transform` is not `PROBIT`");
}
