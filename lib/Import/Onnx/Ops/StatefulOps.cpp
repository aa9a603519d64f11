// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of decoders that carry a state from one call to the next.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/RepeatedSteps.h"

#include "onnx/onnx_pb.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importSwiGLU(OnnxNode &node) {
  Expressions e(node);
  Value a = node.input(0);
  const double alpha = node.getFloat("alpha", 1.0);
  Value gate = e.mul(a, e.unary<SigmoidOp>(e.mul(a, alpha)));
  return node.results(e.mul(gate, node.input(1)));
}

//===----------------------------------------------------------------------===//
// CausalConvWithState
//===----------------------------------------------------------------------===//

static LogicalResult importCausalConvWithState(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0), weight = node.input(1);
  StringRef activation = node.getString("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.error() << "attribute 'activation' is '" << activation
                        << "' (supported: none, silu, swish)";
  if (rankOf(x) != 3 || rankOf(weight) != 3)
    return node.error() << "expected an input and a weight of rank 3, found " << x.getType()
                        << " and " << weight.getType();
  const int64_t batch = shapeOf(x)[0], channels = shapeOf(x)[1], length = shapeOf(x)[2];
  const int64_t carried = shapeOf(weight)[2] - 1;
  Value all = x;
  if (carried > 0) {
    if (failed(checkShape(node, 3, "past_state", {batch, channels, carried})))
      return failure();
    Value past =
        node.hasInput(3) ? node.input(3) : e.splat({batch, channels, carried}, elementTypeOf(x), 0);
    all = e.concat({past, x}, 2);
  }
  SmallVector<Value> operands = {all, weight};
  if (node.hasInput(2))
    operands.push_back(node.input(2));
  Value y =
      node.create<ConvOp>(operands, {node.attr("strides", {1}), node.attr("pads", {0, 0}),
                                     node.attr("dilations", {1}), node.i64("groups", channels)});
  if (activation != "none")
    y = e.mul(y, e.unary<SigmoidOp>(y));
  if (!node.wantsOutput(1))
    return node.results(y);
  return node.results({y, e.slice(all, 2, length, carried)});
}

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

namespace {
struct LinearAttention {
  /// `shared`: the query's heads that share a state.
  int64_t batch = 0, steps = 0, heads = 0, shared = 0, keySize = 0, valueSize = 0;
  bool isGated = false, isDelta = false;
  /// Per head: keys and values of all steps, queries with the heads that share a state side by
  /// side.
  Value queries, keys, values, decay, beta;
  /// [B, H, d_k, d_v]: the state before the first step.
  Value past;
};
} // namespace

/// [B, T, H * n] -> [B, H, T, n]
static Value splitHeads(Expressions &e, Value x, int64_t heads) {
  if (!x)
    return {};
  ArrayRef<int64_t> shape = shapeOf(x);
  return e.transpose(e.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

/// About as many ops make a step.
static constexpr int64_t kOpsOfToken = 12;

/// The state after a step, [B, H, d_k, d_v], from the one before it. `at` takes the step of a
/// tensor of all steps.
static Value updateState(Expressions &e, const LinearAttention &a, Value state,
                         llvm::function_ref<Value(Value)> at) {
  auto column = [&](Value x) {
    return x ? e.reshape(x, {a.batch, a.heads, shapeOf(x)[3], 1}) : Value();
  };
  Value key = at(a.keys), value = at(a.values);
  if (a.isGated)
    state = e.mul(state, e.unary<ExpOp>(column(at(a.decay))));
  if (a.isDelta) {
    Value known = e.matmul(key, state);
    value = e.mul(at(a.beta), e.sub(value, known));
  }
  return e.add(state, e.mul(column(key), value));
}

/// Reads and checks attributes and inputs. Numbers are f32, whatever the elements are.
static FailureOr<LinearAttention> readLinearAttention(OnnxNode &node) {
  Expressions e(node);
  Value query = node.input(0), key = node.input(1), value = node.input(2);
  const int64_t queryHeads = node.getInt("q_num_heads", 0), heads = node.getInt("kv_num_heads", 0);
  StringRef rule = node.getString("update_rule", "gated_delta");
  LinearAttention a;
  a.isGated = rule == "gated" || rule == "gated_delta";
  a.isDelta = rule == "delta" || rule == "gated_delta";
  if (!a.isGated && !a.isDelta && rule != "linear")
    return node.error() << "attribute 'update_rule' is '" << rule
                        << "' (supported: linear, gated, delta, gated_delta)";
  if (rankOf(query) != 3 || rankOf(key) != 3 || rankOf(value) != 3 || heads < 1 ||
      queryHeads < heads || queryHeads % heads || shapeOf(query)[2] % queryHeads ||
      shapeOf(key)[2] % heads || shapeOf(value)[2] % heads)
    return node.error()
           << "expected query, key and value of rank 3 that q_num_heads, a multiple of "
              "kv_num_heads, divide, found "
           << query.getType() << ", " << key.getType() << ", " << value.getType() << " and "
           << queryHeads << ", " << heads << " heads";
  if ((a.isGated && !node.hasInput(4)) || (a.isDelta && !node.hasInput(5)))
    return node.error() << "expected input " << (a.isGated && !node.hasInput(4) ? 4 : 5)
                        << ", which update_rule '" << rule << "' needs, found none";
  for (unsigned input : {4u, 5u}) {
    Value x = node.input(input);
    if (x && (rankOf(x) != 3 || shapeOf(x).take_front(2) != shapeOf(query).take_front(2) ||
              (shapeOf(x)[2] % heads && shapeOf(x)[2] != 1)))
      return node.error() << "expected input " << input << " to have a batch, steps and heads like "
                          << query.getType() << ", found " << x.getType();
  }
  if (shapeOf(query)[1] < 1)
    return node.error() << "expected input 0 (query) to have at least one step, found "
                        << query.getType();
  a.batch = shapeOf(query)[0];
  a.steps = shapeOf(query)[1];
  a.heads = heads;
  a.keySize = shapeOf(key)[2] / heads;
  a.valueSize = shapeOf(value)[2] / heads;
  a.shared = queryHeads / heads;
  if (failed(checkShape(node, 3, "past_state", {a.batch, heads, a.keySize, a.valueSize})))
    return failure();

  Type f32 = node.getBuilder().getF32Type();
  auto widen = [&](Value x) { return node.cast(x, f32); };
  // [B, T, H, shared, d_k] -> [B, H, T, shared, d_k]
  a.queries = e.transpose(e.reshape(widen(query), {a.batch, a.steps, heads, a.shared, a.keySize}),
                          {0, 2, 1, 3, 4});
  a.keys = splitHeads(e, widen(key), heads);
  a.values = splitHeads(e, widen(value), heads);
  if (a.isGated)
    a.decay = splitHeads(e, widen(node.input(4)), heads);
  if (a.isDelta) {
    Value beta = widen(node.input(5));
    const bool isShared = shapeOf(beta).back() != heads;
    a.beta = isShared ? node.reshape(beta, {a.batch, 1, a.steps, 1}) : splitHeads(e, beta, heads);
  }
  a.past = node.hasInput(3) ? widen(node.input(3))
                            : e.splat({a.batch, heads, a.keySize, a.valueSize}, f32, 0);
  return a;
}

static LogicalResult importLinearAttention(OnnxNode &node) {
  Expressions e(node);
  node.ignoreAttrs({"chunk_size"}); // no effect on the result
  FailureOr<LinearAttention> read = readLinearAttention(node);
  double scale = node.getFloat("scale", 0);
  if (failed(read))
    return failure();
  const LinearAttention &a = *read;
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<double>(a.keySize));

  // The state after a step, and its output, [B, H * shared * d_v].
  auto advance = [&](Value state, llvm::function_ref<Value(Value)> at) -> std::pair<Value, Value> {
    state = updateState(e, a, state, at);
    Value queries = node.reshape(at(a.queries), {a.batch, a.heads, a.shared, a.keySize});
    return {state,
            node.reshape(e.matmul(queries, state), {a.batch, a.heads * a.shared * a.valueSize})};
  };
  Value state = a.past, y;
  if (node.canRepeat() && a.steps > countUnrolledSteps(kOpsOfToken)) {
    RepeatedSteps repeated(node, a.steps, state, RepeatedSteps::Counter{0, 1});
    Value step = repeated.getCounter(0);
    auto [next, output] = advance(repeated.getStates().front(), [&](Value x) {
      return e.unsqueeze(repeated.readRow(x, step, 2), 2);
    });
    SmallVector<Value> results =
        repeated.finish(next, RepeatedSteps::Rows{a.steps, {{step, output}}});
    state = results[0];
    y = e.transpose(results[1], {1, 0, 2});
  } else {
    if (failed(node.countUnrolled(kOpsOfToken * a.steps)))
      return failure();
    SmallVector<Value> outputs;
    for (int64_t step = 0; step < a.steps && !node.hasFailed(); ++step) {
      Value output;
      std::tie(state, output) = advance(state, [&](Value x) { return e.slice(x, 2, step, 1); });
      outputs.push_back(e.unsqueeze(output, 1));
    }
    y = e.concat(outputs, 1);
  }
  if (!state || !y)
    return failure();
  y = e.mul(y, scale);
  Type elementType = elementTypeOf(node.input(0));
  Type stateType = node.hasInput(3) ? elementTypeOf(node.input(3)) : elementType;
  return node.results({node.cast(y, elementType), node.cast(state, stateType)});
}

void mlir::ttc::registerStatefulOps(OnnxRegistry &registry) {
  registry.add("CausalConvWithState", {2, 4}, importCausalConvWithState, {27});
  registry.add("LinearAttention", {3, 6}, importLinearAttention, {27});
  registry.add("SwiGLU", {2, 2}, importSwiGLU, {28});
}
