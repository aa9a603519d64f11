// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalizations and softmax.
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "Normalization.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// The epsilon of normalizations, which has the same default in all opsets.
static NamedAttribute epsilonAttr(OnnxNode &node) {
  return node.f32("epsilon", node.getFloat("epsilon", 1e-5));
}

/// A value for each channel as [channels, 1, ..., 1], for a tensor of that rank.
static Value alongChannels(OnnxNode &node, Value value, int64_t rank) {
  if (!value || rank < 3 || rankOf(value) != 1)
    return value;
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = shapeOf(value)[0];
  return node.reshape(value, shape);
}

/// In f32 where it is of f16 or bf16, in which epsilons would be zero and squares infinite.
static Value toMoments(OnnxNode &node, Value x) {
  return x ? node.cast(x, getArithmeticType(elementTypeOf(x))) : x;
}

/// Normalizes by the batch's own statistics, and moves the given ones towards them.
static LogicalResult importBatchNormTraining(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  double epsilon = node.getFloat("epsilon", 1e-5), momentum = node.getFloat("momentum", 0.9);
  if (rankOf(x) < 2)
    return node.error() << "expected the input to have at least two dimensions, found "
                        << x.getType();
  int64_t channels = shapeOf(x)[1];
  const StringRef names[] = {"X", "scale", "B", "input_mean", "input_var"};
  for (unsigned i = 1; i < 5; ++i)
    if (failed(checkShape(node, i, names[i], channels)))
      return failure();
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (i != 1)
      axes.push_back(i);
  Type type = elementTypeOf(x);
  x = toMoments(node, x);
  Value mean = e.reduceAway<ReduceMeanOp>(x, axes);
  Value centered = e.sub(x, alongChannels(node, mean, rankOf(x)));
  Value variance = e.reduceAway<ReduceMeanOp>(e.square(centered), axes);
  auto perChannel = [&](Value value) { return node.cast(value, elementTypeOf(x)); };
  Value factor = e.mul(e.unary<RsqrtOp>(e.add(variance, epsilon)), perChannel(node.input(1)));
  Value y = e.add(e.mul(centered, alongChannels(node, factor, rankOf(x))),
                  alongChannels(node, perChannel(node.input(2)), rankOf(x)));
  auto moved = [&](Value running, Value current) {
    Type type = elementTypeOf(running);
    return e.add(e.mul(running, momentum), e.mul(node.cast(current, type), 1 - momentum));
  };
  return node.results(
      {node.cast(y, type), moved(node.input(3), mean), moved(node.input(4), variance)});
}

static LogicalResult importBatchNormalization(OnnxNode &node) {
  node.ignoreAttrs({"momentum", "is_test", "consumed_inputs"});
  if (!node.getInt("spatial", 1))
    return node.error() << "attribute 'spatial' is 0 (supported: 1)";
  if (node.getInt("training_mode", 0))
    return importBatchNormTraining(node);
  return node.results(node.create<BatchNormOp>(node.allInputs(), epsilonAttr(node)));
}

static LogicalResult importInstanceNormalization(OnnxNode &node) {
  node.ignoreAttrs({"consumed_inputs"});
  return node.results(node.create<InstanceNormOp>(node.allInputs(), epsilonAttr(node)));
}

Value mlir::ttc::createLayerNorm(OnnxNode &node, Value x, Value scale, Value bias, int64_t axis,
                                 double epsilon) {
  if (!x || !scale)
    return {};
  Expressions e(node);
  ArrayRef<int64_t> normalized = shapeOf(x).drop_front(axis);
  // Dimensions before the axis that are 1 change nothing.
  auto spread = [&](Value value) {
    while (value && rankOf(value) > static_cast<int64_t>(normalized.size()) &&
           shapeOf(value).front() == 1)
      value = e.squeeze(value, 0);
    return e.expand(value, normalized);
  };
  return node.create<LayerNormOp>({x, spread(scale), spread(bias)},
                                  {node.i64("axis", axis), node.f32("epsilon", epsilon)});
}

Moments mlir::ttc::createMoments(OnnxNode &node, Value x, int64_t axis, double epsilon) {
  if (!x)
    return {};
  Expressions e(node);
  x = toMoments(node, x);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(axis, rankOf(x)));
  Value mean = e.reduce<ReduceMeanOp>(x, axes);
  Value variance = e.reduce<ReduceMeanOp>(e.square(e.sub(x, mean)), axes);
  return {mean, e.unary<RsqrtOp>(e.add(variance, epsilon))};
}

RmsNorm mlir::ttc::createRmsNorm(OnnxNode &node, Value x, Value scale, int64_t axis,
                                 double epsilon) {
  if (!x)
    return {};
  Expressions e(node);
  Type type = elementTypeOf(scale ? scale : x);
  x = toMoments(node, x);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(axis, rankOf(x)));
  Value mean = e.reduce<ReduceMeanOp>(e.square(x), axes);
  Value factor = e.unary<RsqrtOp>(e.add(mean, epsilon));
  Value y = e.mul(x, factor);
  if (scale)
    y = e.mul(y, node.cast(scale, elementTypeOf(x)));
  return {node.cast(y, type), factor};
}

/// The type in which a normalization of 16-bit floats computes, unless it is told otherwise: f32.
static Type stashType(OnnxNode &node) {
  constexpr int64_t floatType = 1;
  Type type = getOnnxElementType(node.context(), node.getInt("stash_type", floatType));
  return isa_and_nonnull<FloatType>(type) ? type : Type(node.getBuilder().getF32Type());
}

static LogicalResult importLayerNormalization(OnnxNode &node) {
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  double epsilon = node.getFloat("epsilon", 1e-5);
  Type stash = stashType(node); // LayerNormOp computes in f32 in any case
  if (node.hasFailed())
    return failure();
  Value y = createLayerNorm(node, x, node.input(1), node.input(2), axis, epsilon);
  if (!node.wantsOutput(1) && !node.wantsOutput(2))
    return node.results(y);
  Moments moments = createMoments(node, node.cast(x, stash), axis, epsilon);
  return node.results({y, moments.mean, moments.inverseDeviation});
}

static LogicalResult importRMSNormalization(OnnxNode &node) {
  Value x = node.input(0), scale = node.input(1);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  double epsilon = node.getFloat("epsilon", 1e-5);
  Type stash = stashType(node);
  if (node.hasFailed())
    return failure();
  Value normalized = createRmsNorm(node, node.cast(x, stash), nullptr, axis, epsilon).y;
  // The scale has a type of its own, which is that of the result.
  return node.results(Expressions(node).mul(node.cast(normalized, elementTypeOf(scale)), scale));
}

static LogicalResult importGroupNormalization(OnnxNode &node) {
  node.ignoreAttrs({"stash_type"});
  Value x = node.input(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (rankOf(x) < 3 || groups < 1 || shapeOf(x)[1] % groups)
    return node.error() << "expected attribute 'num_groups' to divide the channels of "
                        << x.getType() << ", found " << groups;
  // Scale and bias are per group in opset 18 and per channel from 21 on.
  auto perChannel = [&](Value value) {
    int64_t channels = shapeOf(x)[1];
    if (!value || node.opset() >= 21 || rankOf(value) != 1 || shapeOf(value)[0] != groups)
      return value;
    Value column = node.reshape(value, {groups, 1});
    return node.reshape(Expressions(node).expand(column, {groups, channels / groups}), {channels});
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

/// x / ||x||_p along an axis; a vector of zeros stays unchanged.
static LogicalResult importLpNormalization(OnnxNode &node) {
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  int64_t p = node.getInt("p", 2);
  if (p != 1 && p != 2)
    return node.error() << "attribute 'p' is " << p << " (supported: 1, 2)";
  Expressions e(node);
  Value norm = e.sum(p == 1 ? e.abs(x) : e.square(x), axis, /*keepDims=*/true);
  if (p == 2)
    norm = e.unary<SqrtOp>(norm);
  Value zero = e.number(x, 0), one = e.number(x, 1);
  Value isZero = e.compare(ComparePredicate::EQ, norm, zero);
  return node.results(e.div(x, e.where(isZero, one, norm)));
}

/// (x - mean) / (sqrt(variance) + epsilon), with the epsilon of the specification, which is a float
/// whatever the type of x.
static LogicalResult importMeanVarianceNormalization(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<int64_t> axes = node.getInts("axes", {0, 2, 3});
  if (failed(node.normalizeAxes(axes, rankOf(x))))
    return failure();
  llvm::sort(axes);
  Expressions e(node);
  Type type = elementTypeOf(x);
  x = toMoments(node, x);
  Value centered = e.sub(x, e.reduce<ReduceMeanOp>(x, axes));
  Value variance = e.reduce<ReduceMeanOp>(e.square(centered), axes);
  Value y = e.div(centered, e.add(e.unary<SqrtOp>(variance), 1e-9));
  return node.results(node.cast(y, type));
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
               "`spatial` = 1; training from opset 14 on");
  registry.add("GroupNormalization", {3, 3}, importGroupNormalization, {18});
  registry.add("InstanceNormalization", {3, 3}, importInstanceNormalization);
  registry.add("LRN", {1, 1}, importLRN);
  registry.add("LayerNormalization", {2, 3}, importLayerNormalization, {17});
  registry.add("LogSoftmax", {1, 1}, importSoftmax<LogSoftmaxOp>);
  registry.add("LpNormalization", {1, 1}, importLpNormalization);
  registry.add("MeanVarianceNormalization", {1, 1}, importMeanVarianceNormalization, {9});
  registry.add("RMSNormalization", {2, 2}, importRMSNormalization, {23});
  registry.add("Softmax", {1, 1}, importSoftmax<SoftmaxOp>);
}
