// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalizations and softmax.
#include "OnnxNode.h"
#include "OnnxRegistry.h"

#include "dialects/Ttc/TtcOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// The epsilon of normalizations, which has the same default in all opsets.
static NamedAttribute epsilonAttr(OnnxNode &node) {
  return node.f32("epsilon", node.getFloat("epsilon", 1e-5));
}

static LogicalResult importBatchNormalization(OnnxNode &node) {
  node.ignoreAttrs({"momentum", "is_test", "consumed_inputs"});
  if (node.getInt("training_mode", 0))
    return node.error() << "attribute 'training_mode' is 1 (supported: 0, inference)";
  if (!node.getInt("spatial", 1))
    return node.error() << "attribute 'spatial' is 0 (supported: 1)";
  return node.results(node.create<BatchNormOp>(node.allInputs(), epsilonAttr(node)));
}

static LogicalResult importInstanceNormalization(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  return node.results(node.create<InstanceNormOp>(node.allInputs(), epsilonAttr(node)));
}

/// `value` broadcast to `shape`; null stays null.
static Value broadcastTo(OnnxNode &node, Value value, ArrayRef<int64_t> shape) {
  if (!value || shapeOf(value) == shape)
    return value;
  return node.createAs<ExpandOp>(RankedTensorType::get(shape, elementTypeOf(value)), value);
}

static LogicalResult importLayerNormalization(OnnxNode &node) {
  node.ignoreAttrs({"stash_type"}); // ttc computes in f32
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  ArrayRef<int64_t> normalized = shapeOf(x).drop_front(axis);
  Value scale = broadcastTo(node, node.input(1), normalized);
  Value bias = broadcastTo(node, node.input(2), normalized);
  return node.results(
      node.create<LayerNormOp>({x, scale, bias}, {node.i64("axis", axis), epsilonAttr(node)}));
}

/// x * rsqrt(mean(x^2) + epsilon) * scale
static LogicalResult importRMSNormalization(OnnxNode &node) {
  node.ignoreAttrs({"stash_type"});
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(axis, rankOf(x)));
  Value mean = node.create<ReduceMeanOp>(node.create<MulOp>({x, x}),
                                         {node.attr("axes", axes), node.flag("keepdims")});
  Value epsilon = node.scalarLike(x, node.getFloat("epsilon", 1e-5));
  Value factor = node.create<RsqrtOp>(node.create<AddOp>({mean, epsilon}));
  return node.results(node.create<MulOp>({node.create<MulOp>({x, factor}), node.input(1)}));
}

static LogicalResult importGroupNormalization(OnnxNode &node) {
  node.ignoreAttrs({"stash_type"});
  Value x = node.input(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (rankOf(x) < 3 || groups < 1 || shapeOf(x)[1] % groups)
    return node.error() << "attribute 'num_groups' is " << groups
                        << ", which must divide the channels of " << x.getType();
  // Scale and bias are per group in opset 18 and per channel from 21 on.
  auto perChannel = [&](Value value) {
    int64_t channels = shapeOf(x)[1];
    if (!value || node.opset() >= 21 || rankOf(value) != 1 || shapeOf(value)[0] != groups)
      return value;
    Value column = node.reshape(value, {groups, 1});
    return node.reshape(broadcastTo(node, column, {groups, channels / groups}), {channels});
  };
  return node.results(
      node.create<GroupNormOp>({x, perChannel(node.input(1)), perChannel(node.input(2))},
                               {node.i64("groups", groups), epsilonAttr(node)}));
}

static LogicalResult importLRN(OnnxNode &node) {
  if (!node.hasAttr("size"))
    return node.error() << "attribute 'size' is missing";
  return node.results(
      node.create<LrnOp>(node.input(0), {node.i64("size", node.getInt("size", 1)),
                                         node.f32("alpha", node.getFloat("alpha", 1e-4)),
                                         node.f32("beta", node.getFloat("beta", 0.75)),
                                         node.f32("bias", node.getFloat("bias", 1.0))}));
}

static Value reduceKeeping(OnnxNode &node, StringRef kind, Value x, ArrayRef<int64_t> axes) {
  std::initializer_list<NamedAttribute> attrs = {node.attr("axes", axes), node.flag("keepdims")};
  return kind == "sum" ? node.create<ReduceSumOp>(x, attrs) : node.create<ReduceMeanOp>(x, attrs);
}

/// x / ||x||_p along an axis; a vector of zeros stays unchanged.
static LogicalResult importLpNormalization(OnnxNode &node) {
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  int64_t p = node.getInt("p", 2);
  if (p != 1 && p != 2)
    return node.error() << "attribute 'p' is " << p << " (supported: 1, 2)";
  Value norm = p == 1 ? node.create<AbsOp>(x) : node.create<MulOp>({x, x});
  norm = reduceKeeping(node, "sum", norm, axis);
  if (p == 2)
    norm = node.create<SqrtOp>(norm);
  Value zero = node.scalarLike(x, 0), one = node.scalarLike(x, 1);
  Value isZero = node.create<CompareOp>(
      {norm, zero},
      node.attr("predicate", ComparePredicateAttr::get(node.context(), ComparePredicate::EQ)));
  return node.results(node.create<DivOp>({x, node.create<WhereOp>({isZero, one, norm})}));
}

/// (x - mean) / (sqrt(variance) + epsilon), with the epsilon of the specification
static LogicalResult importMeanVarianceNormalization(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<int64_t> axes = node.getInts("axes", {0, 2, 3});
  if (failed(node.normalizeAxes(axes, rankOf(x))))
    return failure();
  llvm::sort(axes);
  Value centered = node.create<SubOp>({x, reduceKeeping(node, "mean", x, axes)});
  Value variance = reduceKeeping(node, "mean", node.create<MulOp>({centered, centered}), axes);
  Value deviation = node.create<AddOp>({node.create<SqrtOp>(variance), node.scalarLike(x, 1e-9)});
  return node.results(node.create<DivOp>({centered, deviation}));
}

/// Before opset 13 all dimensions from the axis on form one vector.
template <typename OpTy> static LogicalResult importSoftmax(OnnxNode &node) {
  Value x = node.input(0);
  int64_t rank = rankOf(x);
  if (node.opset() >= 13) {
    int64_t axis = node.getAxis("axis", -1, rank);
    return node.results(node.create<OpTy>(x, node.i64("axis", axis)));
  }
  int64_t axis = node.getAxis("axis", 1, rank);
  ArrayRef<int64_t> shape = shapeOf(x);
  // If only one dimension from the axis on is not 1, that dimension is the vector.
  int64_t wide = llvm::count_if(shape.drop_front(axis), [](int64_t dim) { return dim != 1; });
  if (wide <= 1) {
    for (int64_t i = axis; i < rank; ++i)
      if (shape[i] != 1)
        axis = i;
    return node.results(node.create<OpTy>(x, node.i64("axis", axis)));
  }
  SmallVector<int64_t> flat(shape.take_front(axis));
  int64_t vector = 1;
  for (int64_t dim : shape.drop_front(axis))
    vector *= dim;
  flat.push_back(vector);
  Value y = node.create<OpTy>(node.reshape(x, flat), node.i64("axis", axis));
  return node.results(node.reshape(y, shape));
}

void mlir::ttc::registerNormalizationOps(OnnxRegistry &registry) {
  registry.add("BatchNormalization", {5, 5}, importBatchNormalization, {},
               "inference only (`training_mode` = 0); `spatial` = 1");
  registry.add("GroupNormalization", {3, 3}, importGroupNormalization, {18});
  registry.add("InstanceNormalization", {3, 3}, importInstanceNormalization);
  registry.add("LRN", {1, 1}, importLRN);
  registry.add("LayerNormalization", {2, 3}, importLayerNormalization, {17}, "output `Y` only");
  registry.add("LogSoftmax", {1, 1}, importSoftmax<LogSoftmaxOp>);
  registry.add("LpNormalization", {1, 1}, importLpNormalization);
  registry.add("MeanVarianceNormalization", {1, 1}, importMeanVarianceNormalization, {9});
  registry.add("RMSNormalization", {2, 2}, importRMSNormalization, {23});
  registry.add("Softmax", {1, 1}, importSoftmax<SoftmaxOp>);
}
