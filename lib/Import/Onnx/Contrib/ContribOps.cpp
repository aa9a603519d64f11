// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float ops of the domain com.microsoft that ONNX Runtime's optimizer and exporters write;
// attention is in ContribAttentionOps.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Onnx/Ops/Activations.h"
#include "lib/Import/Onnx/Ops/Normalization.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// gelu(x + bias), where the bias may be absent
template <GeluApproximation kind> static LogicalResult importGelu(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  return node.results(e.gelu(node.hasInput(1) ? e.add(x, node.input(1)) : x, kind));
}

/// x * sigmoid(alpha * x)
static LogicalResult importQuickGelu(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  double alpha = node.getFloat("alpha", 1.702f);
  return node.results(e.mul(x, e.unary<SigmoidOp>(e.mul(x, alpha))));
}

/// The first half of the last dimension times gelu of the second
static LogicalResult importBiasSplitGelu(OnnxNode &node) {
  Expressions e(node);
  Value x = e.add(node.input(0), node.input(1));
  if (!x || rankOf(x) == 0 || shapeOf(x).back() % 2)
    return node.error() << "expected the input to have an even last dimension, found "
                        << node.input(0).getType();
  int64_t axis = rankOf(x) - 1, half = shapeOf(x).back() / 2;
  Value gate = e.gelu(e.slice(x, axis, half, half), GeluApproximation::None);
  return node.results(e.mul(e.slice(x, axis, 0, half), gate));
}

static LogicalResult importBiasAdd(OnnxNode &node) {
  Expressions e(node);
  return node.results(e.add(e.add(node.input(0), node.input(1)), node.input(2)));
}

//===----------------------------------------------------------------------===//
// Products and convolutions with more in one node
//===----------------------------------------------------------------------===//

/// Applies the activation that an attribute names; `alpha` and `beta` override its parameters.
static Value applyActivation(OnnxNode &node, Value x, StringRef name, std::optional<double> alpha,
                             std::optional<double> beta) {
  if (name.empty() || !x)
    return x;
  const Activation *activation = findActivation(node, name);
  if (!activation)
    return {};
  Expressions e(node);
  auto parameter = [](std::optional<double> given, std::optional<double> otherwise) {
    return given.value_or(otherwise.value_or(0));
  };
  return activation->create(e, x, parameter(alpha, activation->alpha),
                            parameter(beta, activation->beta));
}

/// The result of the handler of an op of the default domain for the same node.
static Value importAs(OnnxNode &node, StringRef opType) {
  const OnnxOpEntry *entry = OnnxRegistry::get().lookup(opType);
  return succeeded(entry->handler(node)) ? node.getResults().front() : Value();
}

/// activation(conv(x, w) + bias + z)
static LogicalResult importFusedConv(OnnxNode &node) {
  StringRef name = node.getString("activation", "");
  SmallVector<float> numbers = node.getFloats("activation_params");
  Value y = importAs(node, "Conv");
  if (node.hasInput(3))
    y = Expressions(node).add(y, node.input(3));
  auto parameter = [&](size_t index) {
    return index < numbers.size() ? std::optional<double>(numbers[index]) : std::nullopt;
  };
  return node.results(applyActivation(node, y, name, parameter(0), parameter(1)));
}

static LogicalResult importFusedGemm(OnnxNode &node) {
  auto parameter = [&](StringRef name) {
    return node.hasAttr(name) ? std::optional<double>(node.getFloat(name, 0)) : std::nullopt;
  };
  StringRef name = node.getString("activation", "");
  std::optional<double> alpha = parameter("activation_alpha"), beta = parameter("activation_beta");
  node.ignoreAttrs({"activation_gamma"}); // of Selu, which is not supported here
  return node.results(applyActivation(node, importAs(node, "Gemm"), name, alpha, beta));
}

/// The first dimension, which `batchFlag` says to be that of a matrix, after the batch.
static Value moveBatch(OnnxNode &node, Value x, StringRef batchFlag) {
  if (!node.getInt(batchFlag, 0) || rankOf(x) < 3)
    return x;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, rankOf(x) - 1));
  order.append({0, rankOf(x) - 1});
  return Expressions(node).transpose(x, order);
}

/// alpha * op(a) * op(b), and an activation
static LogicalResult importFusedMatMul(OnnxNode &node) {
  Expressions e(node);
  double alpha = node.getFloat("alpha", 1);
  Value a = moveBatch(node, node.input(0), "transBatchA");
  Value b = moveBatch(node, node.input(1), "transBatchB");
  bool transposeA = node.getInt("transA", 0), transposeB = node.getInt("transB", 0);
  StringRef name = node.getString("activation", "");
  auto parameter = [&](StringRef attr) {
    return node.hasAttr(attr) ? std::optional<double>(node.getFloat(attr, 0)) : std::nullopt;
  };
  std::optional<double> first = parameter("activation_alpha"),
                        second = parameter("activation_beta");
  node.ignoreAttrs({"activation_gamma", "activation_axis"});
  if (!a || !b)
    return failure();
  // A vector is a row on the left and a column on the right, whatever the flags say.
  bool row = rankOf(a) == 1, column = rankOf(b) == 1;
  if (row)
    a = e.unsqueeze(a, 0);
  if (column)
    b = e.unsqueeze(b, 1);
  SmallVector<NamedAttribute> attrs;
  if (transposeA && !row)
    attrs.push_back(node.flag("transpose_a"));
  if (transposeB && !column)
    attrs.push_back(node.flag("transpose_b"));
  Value y = node.create<MatmulOp>({a, b}, attrs);
  if (column && y)
    y = e.squeeze(y, rankOf(y) - 1);
  if (row && y)
    y = e.squeeze(y, rankOf(y) - (column ? 1 : 2));
  return node.results(applyActivation(node, y ? e.mul(y, alpha) : y, name, first, second));
}

/// gelu(x w + bias), by tanh
static LogicalResult importGemmFastGelu(OnnxNode &node) {
  Expressions e(node);
  Value y = e.matmul(node.input(0), node.input(1), node.input(2));
  return node.results(e.gelu(y, GeluApproximation::Tanh));
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// input + skip + bias; the skip may have fewer dimensions or a batch of 1.
static Value addSkip(OnnxNode &node, unsigned biasIndex) {
  Expressions e(node);
  Value sum = e.add(node.input(0), node.input(1));
  if (node.hasInput(biasIndex))
    sum = e.add(sum, node.input(biasIndex));
  if (!sum || rankOf(sum) > 0)
    return sum;
  node.error() << "expected the input to have a dimension, found " << node.input(0).getType();
  return {};
}

static LogicalResult importSkipLayerNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-12f);
  Value sum = addSkip(node, 4);
  if (!sum)
    return failure();
  Value y = createLayerNorm(node, sum, node.input(2), node.input(3), rankOf(sum) - 1, epsilon);
  Moments moments;
  if (node.wantsOutput(1) || node.wantsOutput(2))
    moments = createMoments(node, sum, rankOf(sum) - 1, epsilon);
  return node.results({y, moments.mean ? moments.mean : y,
                       moments.inverseDeviation ? moments.inverseDeviation : y, sum});
}

static LogicalResult importSkipSimplifiedLayerNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-12f);
  Value sum = addSkip(node, 3);
  if (!sum)
    return failure();
  RmsNorm norm = createRmsNorm(node, sum, node.input(2), rankOf(sum) - 1, epsilon);
  // There is no mean.
  return node.results({norm.y, norm.factor, norm.factor, sum});
}

static LogicalResult importSimplifiedLayerNormalization(OnnxNode &node) {
  node.ignoreAttrs({"stash_type"});
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  RmsNorm norm = createRmsNorm(node, x, node.input(1), axis, node.getFloat("epsilon", 1e-5f));
  return node.results({norm.y, norm.factor});
}

/// Layer norm of the sum of the embeddings of words, positions and segments
static LogicalResult importEmbedLayerNormalization(OnnxNode &node) {
  Expressions e(node);
  // Optional inputs are among the required ones.
  for (unsigned index : {2u, 3u, 5u, 6u})
    if (!node.hasInput(index))
      return node.error() << "input " << index << " is missing";
  Value ids = node.input(0), words = node.input(2), positions = node.input(3);
  double epsilon = node.getFloat("epsilon", 1e-12f);
  int64_t maskIndexType = node.getInt("mask_index_type", 1);
  if (rankOf(ids) != 2 || rankOf(words) != 2 || rankOf(positions) != 2)
    return node.error() << "expected input_ids, word_embedding and position_embedding to have two "
                           "dimensions, found "
                        << ids.getType() << ", " << words.getType() << ", " << positions.getType();
  int64_t batch = shapeOf(ids)[0], length = shapeOf(ids)[1];
  if (!node.hasInput(8) && length > shapeOf(positions)[0])
    return node.error() << "a sequence of " << length << " has more positions than "
                        << positions.getType();
  Value sum =
      e.add(e.gather(words, ids, 0), node.hasInput(8) ? e.gather(positions, node.input(8), 0)
                                                      : e.slice(positions, 0, 0, length));
  if (node.hasInput(1) && node.hasInput(4))
    sum = e.add(sum, e.gather(node.input(4), node.input(1), 0));
  Value y = createLayerNorm(node, sum, node.input(5), node.input(6), 2, epsilon);
  // How many positions of each sequence the mask has.
  Value lengths;
  if (node.hasInput(7) && maskIndexType)
    lengths = e.reduceAway<ReduceSumOp>(node.input(7), {1});
  else
    lengths = e.splat({batch}, node.getBuilder().getI32Type(), 0);
  return node.results({y, lengths, sum});
}

/// Over groups of the last dimension, then x * sigmoid(x) on request
static LogicalResult importGroupNorm(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  bool channelsLast = node.getInt("channels_last", 1);
  int64_t groups = node.getInt("groups", 0), activation = node.getInt("activation", 0);
  SmallVector<NamedAttribute> attrs = {node.i64("groups", groups),
                                       node.f32("epsilon", node.getFloat("epsilon", 1e-5f))};
  if (channelsLast)
    attrs.push_back(node.flag("channels_last"));
  if (activation < 0 || activation > 1)
    return node.error() << "attribute 'activation' is " << activation << " (supported: 0, 1)";
  Value y = node.create<GroupNormOp>({x, node.input(1), node.input(2)}, attrs);
  if (activation)
    y = e.mul(y, e.unary<SigmoidOp>(y));
  return node.results(y);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// The distance of each row of a from each row of b
static LogicalResult importCDist(OnnxNode &node) {
  Expressions e(node);
  StringRef metric = node.getString("metric", "sqeuclidean");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return node.error() << "attribute 'metric' is '" << metric
                        << "' (supported: euclidean, sqeuclidean)";
  Value a = node.input(0), b = node.input(1);
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return node.error() << "expected operands to be matrices, found " << a.getType() << " and "
                        << b.getType();
  Value difference = e.sub(e.unsqueeze(a, 1), e.unsqueeze(b, 0));
  Value sum = e.reduceAway<ReduceSumOp>(e.square(difference), {2});
  return node.results(metric == "euclidean" ? e.unary<SqrtOp>(sum) : sum);
}

static LogicalResult importExpandDims(OnnxNode &node) {
  FailureOr<int64_t> axis = node.constantInt(1, "axis");
  if (failed(axis) || failed(node.normalizeAxes(*axis, rankOf(node.input(0)) + 1)))
    return failure();
  return node.results(Expressions(node).unsqueeze(node.input(0), *axis));
}

void mlir::ttc::registerContribOps(OnnxRegistry &registry) {
  registry.add("SimplifiedLayerNormalization", {2, 2}, importSimplifiedLayerNormalization);
  registry.add("com.microsoft.BiasAdd", {3, 3}, importBiasAdd);
  registry.add("com.microsoft.BiasGelu", {2, 2}, importGelu<GeluApproximation::None>);
  registry.add("com.microsoft.BiasSplitGelu", {2, 2}, importBiasSplitGelu);
  registry.add("com.microsoft.CDist", {2, 2}, importCDist);
  registry.add("com.microsoft.EmbedLayerNormalization", {1, 9}, importEmbedLayerNormalization);
  registry.add("com.microsoft.ExpandDims", {2, 2}, importExpandDims, {}, "constant `axis`");
  registry.add("com.microsoft.FastGelu", {1, 2}, importGelu<GeluApproximation::Tanh>);
  registry.add("com.microsoft.FusedConv", {2, 4}, importFusedConv, {}, "1 to 3 spatial dimensions");
  registry.add("com.microsoft.FusedGemm", {2, 3}, importFusedGemm);
  registry.add("com.microsoft.FusedMatMul", {2, 2}, importFusedMatMul);
  registry.add("com.microsoft.FusedMatMulActivation", {2, 2}, importFusedMatMul);
  registry.add("com.microsoft.Gelu", {1, 1}, importGelu<GeluApproximation::None>);
  registry.add("com.microsoft.GemmFastGelu", {2, 3}, importGemmFastGelu);
  registry.add("com.microsoft.GroupNorm", {3, 3}, importGroupNorm);
  registry.add("com.microsoft.QuickGelu", {1, 1}, importQuickGelu);
  registry.add("com.microsoft.SkipLayerNormalization", {3, 5}, importSkipLayerNormalization);
  registry.add("com.microsoft.SkipSimplifiedLayerNormalization", {3, 4},
               importSkipSimplifiedLayerNormalization);
  registry.add("com.microsoft.TransposeMatMul", {2, 2}, importFusedMatMul);
}
