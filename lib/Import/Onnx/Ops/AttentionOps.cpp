// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and RotaryEmbedding of the default domain, and FlexAttention of ai.onnx.preview.
#include "AttentionCore.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

/// Columns that a mask does not have are not allowed.
static Value padMask(OnnxNode &node, Value mask, int64_t columns) {
  if (!mask)
    return {};
  int64_t missing = columns - shapeOf(mask).back();
  if (missing <= 0 || shapeOf(mask).back() == 1)
    return mask;
  Expressions e(node);
  SmallVector<int64_t> shape(shapeOf(mask));
  shape.back() = missing;
  double none = isa<FloatType>(elementTypeOf(mask)) ? -std::numeric_limits<double>::infinity() : 0;
  return e.concat({mask, e.splat(shape, elementTypeOf(mask), none)}, rankOf(mask) - 1);
}

namespace {
/// The inputs of an Attention node.
enum AttentionInput { kQ, kK, kV, kMask, kPastKey, kPastValue, kLengths };
} // namespace

/// Queries, keys and values, as [batch, heads, rows, size].
static LogicalResult readHeads(OnnxNode &node, AttentionCore &core) {
  int64_t heads = node.getInt("q_num_heads", 0), kvHeads = node.getInt("kv_num_heads", 0);
  core.q = node.input(kQ), core.k = node.input(kK), core.v = node.input(kV);
  int64_t rank = rankOf(core.q);
  if (rankOf(core.k) != rank || rankOf(core.v) != rank || (rank != 3 && rank != 4))
    return node.error() << "expected Q, K and V to have three or four dimensions each, found "
                        << core.q.getType() << ", " << core.k.getType() << ", " << core.v.getType();
  if (rank == 3) {
    core.q = splitHeads(node, core.q, heads, "Q");
    core.k = splitHeads(node, core.k, kvHeads, "K");
    core.v = splitHeads(node, core.v, kvHeads, "V");
  }
  if (node.hasInput(kPastKey) != node.hasInput(kPastValue))
    return node.error() << "expected past_key and past_value together, found one of them";
  Expressions e(node);
  for (auto [index, value] : {std::pair(kPastKey, &core.k), std::pair(kPastValue, &core.v)})
    if (node.hasInput(index) && *value)
      *value = e.concat({node.input(index), *value}, 2);
  return success(core.q && core.k && core.v);
}

/// Null if the node does not name one. What ttc does not compute in, it computes in f32.
static Type readSoftmaxType(OnnxNode &node) {
  const int64_t precision = node.getInt("softmax_precision", 0);
  if (!precision)
    return {};
  const Type type = getOnnxElementType(node.context(), precision);
  return isa_and_nonnull<FloatType>(type) ? type : node.getBuilder().getF32Type();
}

static LogicalResult importAttention(OnnxNode &node) {
  Expressions e(node);
  AttentionCore core;
  if (failed(readHeads(node, core)))
    return failure();
  int64_t rows = shapeOf(core.q)[2], columns = shapeOf(core.k)[2];
  AttentionWindow window{rows, columns};
  window.causal = node.getInt("is_causal", 0);
  window.left = node.getInt("left_window_size", -1);
  window.right = node.getInt("right_window_size", -1);
  window.offset = node.hasInput(kPastKey)
                      ? columns - shapeOf(node.input(kK))[rankOf(node.input(kK)) == 3 ? 1 : 2]
                      : 0;
  core.scale = node.getFloat("scale", 1 / std::sqrt(double(shapeOf(core.q)[3])));
  core.softcap = node.getFloat("softcap", 0);
  core.softmaxType = readSoftmaxType(node);
  auto allow = [&](Value condition) {
    core.allowed = core.allowed ? e.both(core.allowed, condition) : condition;
  };
  if (Value lengths = node.input(kLengths)) {
    if (failed(checkShape(node, kLengths, "nonpad_kv_seqlen", {shapeOf(core.q)[0]})))
      return failure();
    lengths = node.reshape(lengths, {shapeOf(core.q)[0], 1, 1, 1});
    if (!node.hasInput(kPastKey))
      window.batchOffset = e.add(lengths, -double(rows));
    allow(e.compare(ComparePredicate::LT, e.iota(columns, 3, 4), lengths));
  }
  if (!window.isWhole())
    allow(window.build(node));
  if (node.hasInput(kMask)) {
    Value mask = node.input(kMask);
    mask = padMask(node, rankOf(mask) ? mask : node.reshape(mask, 1), columns);
    if (!mask)
      return failure();
    if (isa<FloatType>(elementTypeOf(mask)))
      core.bias = node.cast(mask, elementTypeOf(core.q));
    else
      allow(mask);
  }
  core.guardRows = node.hasInput(kMask) || node.hasInput(kLengths) || window.mayBeEmpty();
  Value y = core.build(node);
  if (rankOf(node.input(kQ)) == 3)
    y = mergeHeads(node, y);
  int64_t mode = node.getInt("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.error() << "attribute 'qk_matmul_output_mode' is " << mode
                        << " (supported: 0 to 3)";
  Value shown[] = {core.products, core.capped, core.scores, core.probabilities};
  return node.results({y, core.k, core.v, shown[mode]});
}

/// A function that imports the body in the attribute `name`; empty if the node does not have it.
static std::function<Value(Value)> readModifier(OnnxNode &node, StringRef name) {
  if (!node.hasAttr(name))
    return nullptr;
  onnx::GraphProto *body = node.getGraph(name);
  return [&node, name, body](Value x) -> Value {
    FailureOr<SmallVector<Value>> results = failure();
    if (body)
      results = node.importBody(*body, {x}, name);
    if (failed(results))
      return {};
    if (results->size() == 1 && results->front().getType() == x.getType())
      return results->front();
    InFlightDiagnostic error = node.error();
    error << "expected '" << name << "' to give one result of type " << x.getType() << ", found ";
    if (results->size() == 1)
      error << results->front().getType();
    else
      error << results->size() << " results";
    return {};
  };
}

static LogicalResult importFlexAttention(OnnxNode &node) {
  AttentionCore core;
  core.q = node.input(0), core.k = node.input(1), core.v = node.input(2);
  if (rankOf(core.q) != 4 || rankOf(core.k) != 4 || rankOf(core.v) != 4)
    return node.error() << "expected Q, K and V to have four dimensions each, found "
                        << core.q.getType() << ", " << core.k.getType() << ", " << core.v.getType();
  core.scale = node.getFloat("scale", 1 / std::sqrt(double(shapeOf(core.q)[3])));
  core.softmaxType = readSoftmaxType(node);
  if (!core.softmaxType && elementTypeOf(core.q).getIntOrFloatBitWidth() < 32)
    core.softmaxType = node.getBuilder().getF32Type();
  core.keepsSoftmaxType = true;
  core.modifyScores = readModifier(node, "score_mod");
  core.modifyProbabilities = readModifier(node, "prob_mod");
  return node.results(core.build(node));
}

static LogicalResult importRotaryEmbedding(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0), cosine = node.input(1), sine = node.input(2);
  int64_t heads = node.getInt("num_heads", 0), rotated = node.getInt("rotary_embedding_dim", 0);
  bool interleaved = node.getInt("interleaved", 0);
  const SmallVector<int64_t> shape(shapeOf(x));
  bool flat = shape.size() == 3;
  if (flat && heads > 0 && shape[2] % heads == 0)
    x = node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  if (!x || rankOf(x) != 4)
    return node.error()
           << "expected X to have four dimensions, or three, the last a multiple of the " << heads
           << " heads, found " << node.input(0).getType();
  if (Value positions = node.input(3)) {
    cosine = e.gather(cosine, positions, 0);
    sine = e.gather(sine, positions, 0);
  }
  if (rotated && cosine && (rankOf(cosine) == 0 || shapeOf(cosine).back() != rotated / 2))
    return node.error() << "attribute 'rotary_embedding_dim' is " << rotated << ", but cosines are "
                        << cosine.getType();
  Value y = rotate(node, x, cosine, sine, !flat, interleaved);
  return node.results(y ? node.reshape(y, shape) : y);
}

void mlir::ttc::registerAttentionOps(OnnxRegistry &registry) {
  registry.add("Attention", {3, 7}, importAttention, {23});
  registry.add("ai.onnx.preview.FlexAttention", {3, 3}, importFlexAttention);
  registry.add("RotaryEmbedding", {3, 4}, importRotaryEmbedding, {23});
}
