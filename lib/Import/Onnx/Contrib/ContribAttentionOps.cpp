// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of the domain com.microsoft. Its masks add a large negative number, where the op of the
// default domain has -inf: a row that is masked altogether is then a mean, not zero.
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Onnx/Ops/AttentionCore.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

/// Whether keys may be seen: of the lengths [batch], or of a mask of ones and zeros that has two,
/// three or four dimensions ([batch, columns], [batch, rows, columns], [batch, 1, most, most]).
/// Broadcasts to [batch, 1, rows, columns].
static Value readMask(OnnxNode &node, unsigned index, int64_t batch, int64_t rows,
                      int64_t columns) {
  Expressions e(node);
  Value mask = node.cast(node.input(index), node.getBuilder().getI64Type());
  if (!mask)
    return {};
  ArrayRef<int64_t> shape = shapeOf(mask);
  if (shape.size() == 1 && shape[0] == batch)
    return e.compare(ComparePredicate::LT, e.iota(columns, 3, 4),
                     node.reshape(mask, {batch, 1, 1, 1}));
  if (shape.size() == 1 && shape[0] == 2 * batch) {
    // Ends, then starts.
    Value key = e.iota(columns, 3, 4);
    Value end = node.reshape(e.slice(mask, 0, 0, batch), {batch, 1, 1, 1});
    Value start = node.reshape(e.slice(mask, 0, batch, batch), {batch, 1, 1, 1});
    return e.both(e.compare(ComparePredicate::LT, key, end),
                  e.compare(ComparePredicate::GE, key, start));
  }
  if (shape.size() == 2 && shape[1] == columns)
    mask = node.reshape(mask, {shape[0], 1, 1, columns});
  else if (shape.size() == 3 && shape[1] == rows && shape[2] == columns)
    mask = e.unsqueeze(mask, 1);
  else if (shape.size() == 4 && shape[2] >= columns && shape[3] >= columns)
    mask = e.slice(e.slice(mask, 2, columns - rows, rows), 3, 0, columns);
  else {
    node.error() << "the mask " << node.input(index).getType() << " does not fit a batch of "
                 << batch << ", " << rows << " queries and " << columns << " keys";
    return {};
  }
  return e.compare(ComparePredicate::NE, mask, 0.0);
}

/// What the attributes and inputs of the ops have in common.
static void finish(OnnxNode &node, AttentionCore &core, Value keyMask, bool causal, int64_t past) {
  Expressions e(node);
  if (!core.q || !core.k)
    return;
  double filter = node.getFloat("mask_filter_value", -10000.0f);
  double scale = node.getFloat("scale", 0);
  core.scale = scale ? scale : 1 / std::sqrt(double(shapeOf(core.q)[3]));
  auto addBias = [&](Value value) { core.bias = core.bias ? e.add(core.bias, value) : value; };
  if (keyMask) {
    Value zero = node.scalarLike(core.q, 0), penalty = node.scalarLike(core.q, filter);
    addBias(e.where(keyMask, zero, penalty));
  }
  if (causal) {
    AttentionWindow window{shapeOf(core.q)[2], shapeOf(core.k)[2]};
    window.causal = true;
    window.offset = past;
    core.allowed = window.build(node);
  }
}

LogicalResult mlir::ttc::importProjectedAttention(OnnxNode &node, Value projected,
                                                  ArrayRef<int64_t> sizes, unsigned maskInput,
                                                  Value past, Value bias) {
  Expressions e(node);
  const int64_t heads = node.getInt("num_heads", 0);
  if (!projected)
    return failure();
  const int64_t width = shapeOf(projected).back();
  if (heads < 1 || sizes.size() != 3 ||
      llvm::any_of(
          sizes, [&](int64_t size) { return size < 1 || size > width || size % heads; }) ||
      sizes[0] + sizes[1] + sizes[2] != width)
    return node.error() << "weights " << node.input(1).getType() << " do not fit the sizes ["
                        << printList(sizes) << "] of " << heads << " heads";
  auto part = [&](int64_t index, StringRef what) {
    int64_t start = 0;
    for (int64_t i = 0; i < index; ++i)
      start += sizes[i];
    return splitHeads(node, e.slice(projected, 2, start, sizes[index]), heads, what);
  };
  AttentionCore core;
  core.q = part(0, "Q"), core.k = part(1, "K"), core.v = part(2, "V");
  int64_t pastLength = 0;
  if (past) {
    if (rankOf(past) != 5 || shapeOf(past)[0] != 2)
      return node.error()
             << "expected past to have the shape [2, batch, heads, length, size], found "
             << past.getType();
    pastLength = shapeOf(past)[3];
    core.k = e.concat({e.take(past, 0, 0), core.k}, 2);
    core.v = e.concat({e.take(past, 0, 1), core.v}, 2);
  }
  core.bias = bias;
  const int64_t batch = shapeOf(projected)[0], rows = shapeOf(projected)[1];
  Value mask = readMask(node, maskInput, batch, rows, pastLength + rows);
  finish(node, core, mask, node.getInt("unidirectional", 0), pastLength);
  Value y = mergeHeads(node, core.build(node));
  if (!node.wantsOutput(1))
    return node.results(y);
  return node.results({y, e.concat({e.unsqueeze(core.k, 0), e.unsqueeze(core.v, 0)}, 0)});
}

/// Attention with the projections of queries, keys and values.
static LogicalResult importAttention(OnnxNode &node) {
  Expressions e(node);
  node.ignoreAttrs({"past_present_share_buffer"});
  Value x = node.input(0), weights = node.input(1);
  if (node.getInt("do_rotary", 0))
    return node.error() << "attribute 'do_rotary' is 1 (supported: 0)";
  if (node.hasInput(6))
    return node.error() << "input 6 (past_sequence_length) is not supported";
  if (rankOf(x) != 3 || rankOf(weights) != 2)
    return node.error() << "expected an input of three dimensions and weights of two, found "
                        << x.getType() << " and " << weights.getType();
  int64_t third = shapeOf(weights)[1] / 3;
  SmallVector<int64_t> sizes = node.getInts("qkv_hidden_sizes", {third, third, third});
  return importProjectedAttention(node, e.matmul(x, weights, node.input(2)), sizes,
                                  /*maskInput=*/3, node.input(4), node.input(5));
}

/// The part of a bias vector of queries (0), keys (1) or values (2), added to [batch, rows, size].
static Value addBias(OnnxNode &node, Value x, Value bias, int64_t start) {
  if (!bias || !x)
    return x;
  Expressions e(node);
  return e.add(x, e.slice(bias, 0, start, shapeOf(x).back()));
}

/// Reads queries, keys and values in the layouts of MultiHeadAttention.
static LogicalResult readMultiHead(OnnxNode &node, int64_t heads, AttentionCore &core) {
  Expressions e(node);
  Value q = node.input(0), k = node.input(1), v = node.input(2), bias = node.input(3);
  // One of the parts of [batch, length, heads, parts, size].
  auto packed = [&](Value x, int64_t index) {
    return e.transpose(e.take(x, 3, index), {0, 2, 1, 3});
  };
  if (rankOf(q) == 5 && !k && !v && !bias && shapeOf(q)[3] == 3) {
    core.q = packed(q, 0), core.k = packed(q, 1), core.v = packed(q, 2);
    return success(core.q && core.k && core.v);
  }
  if (rankOf(q) != 3 || !k)
    return node.error() << "the layout of query " << q.getType() << (k ? "" : " without keys")
                        << " is not supported";
  int64_t size = shapeOf(q)[2];
  core.q = splitHeads(node, addBias(node, q, bias, 0), heads, "query");
  if (rankOf(k) == 5 && !v && shapeOf(k)[3] == 2) {
    core.k = packed(k, 0), core.v = packed(k, 1);
  } else if (rankOf(k) == 4 && v && rankOf(v) == 4) {
    core.k = k, core.v = v; // of another sequence, with their heads apart already
  } else if (v) {
    core.k = splitHeads(node, addBias(node, k, bias, size), heads, "key");
    core.v = splitHeads(node, addBias(node, v, bias, 2 * size), heads, "value");
  }
  return success(core.q && core.k && core.v);
}

static LogicalResult importMultiHeadAttention(OnnxNode &node) {
  Expressions e(node);
  int64_t heads = node.getInt("num_heads", 0);
  if (node.hasInput(8) || node.hasInput(9))
    return node.error() << "a cache of a fixed length (past_sequence_length, cache_indirection) is "
                           "not supported";
  AttentionCore core;
  if (failed(readMultiHead(node, heads, core)))
    return node.hasFailed()
               ? failure()
               : LogicalResult(node.error() << "the layout of query " << node.input(0).getType()
                                            << " and its keys is not supported");
  int64_t past = 0;
  if (node.hasInput(6) != node.hasInput(7))
    return node.error() << "expected past_key and past_value together, found one of them";
  if (node.hasInput(6)) {
    past = shapeOf(core.k)[2];
    core.k = e.concat({node.input(6), core.k}, 2);
    core.v = e.concat({node.input(7), core.v}, 2);
    if (!core.k || !core.v)
      return failure();
    past = shapeOf(core.k)[2] - past;
  }
  core.bias = node.input(5);
  Value mask = readMask(node, 4, shapeOf(core.q)[0], shapeOf(core.q)[2], shapeOf(core.k)[2]);
  finish(node, core, mask, node.getInt("unidirectional", 0), past);
  Value y = mergeHeads(node, core.build(node));
  return node.results({y, core.k, core.v, core.products ? core.products : y});
}

/// Cosines and sines of positions [batch, rows], or of `rows` positions from the only element on.
static std::pair<Value, Value> takeAngles(OnnxNode &node, Value positions, Value cosine, Value sine,
                                          int64_t rows) {
  Expressions e(node);
  if (!positions)
    return {};
  if (tensorType(positions).getNumElements() == 1 && rows != 1) {
    positions = e.add(node.cast(node.reshape(positions, {1, 1}), node.getBuilder().getI64Type()),
                      e.iota(rows, 1, 2));
  } else if (rankOf(positions) == 1) {
    positions = node.reshape(positions, {1, shapeOf(positions)[0]});
  }
  return {e.gather(cosine, positions, 0), e.gather(sine, positions, 0)};
}

static LogicalResult importRotaryEmbedding(OnnxNode &node) {
  Value x = node.input(0);
  int64_t heads = node.getInt("num_heads", 0), rotated = node.getInt("rotary_embedding_dim", 0);
  bool interleaved = node.getInt("interleaved", 0);
  if (node.getInt("is_packed_batching", 0))
    return node.error() << "attribute 'is_packed_batching' is 1 (supported: 0)";
  node.ignoreAttrs({"scale"}); // not used by ONNX Runtime either
  if (rankOf(node.input(2)) != 2)
    return node.error() << "expected cos_cache to have two dimensions, found "
                        << node.input(2).getType();
  const SmallVector<int64_t> shape(shapeOf(x));
  bool flat = shape.size() == 3;
  if (!flat && shape.size() != 4)
    return node.error() << "expected the input to have three or four dimensions, found "
                        << x.getType();
  const int64_t rows = shape[flat ? 1 : 2];
  if (flat) {
    int64_t size = rotated && heads ? shape[2] / heads : 2 * shapeOf(node.input(2))[1];
    if (size < 1 || shape[2] % size)
      return node.error() << "heads of " << size << " elements do not fit " << x.getType();
    x = node.reshape(x, {shape[0], shape[1], shape[2] / size, size});
  }
  auto [cosine, sine] = takeAngles(node, node.input(1), node.input(2), node.input(3), rows);
  Value y = rotate(node, x, cosine, sine, !flat, interleaved);
  return node.results(y ? node.reshape(y, shape) : y);
}

/// Attention of a prompt or of later tokens, where all sequences of the batch are full.
static LogicalResult importGroupQueryAttention(OnnxNode &node) {
  Expressions e(node);
  int64_t heads = node.getInt("num_heads", 0), kvHeads = node.getInt("kv_num_heads", 0);
  bool rotary = node.getInt("do_rotary", 0), interleaved = node.getInt("rotary_interleaved", 0);
  int64_t window = node.getInt("local_window_size", -1);
  if (node.getInt("smooth_softmax", 0))
    return node.error() << "attribute 'smooth_softmax' is 1 (supported: 0)";
  for (unsigned index = 11; index < node.numInputs(); ++index)
    if (node.hasInput(index))
      return node.error() << "input " << index << " is not supported";
  Value q = node.input(0), k = node.input(1), v = node.input(2);
  constexpr int64_t mostHeads = int64_t(1) << 31;
  if (rankOf(q) != 3 || heads < 1 || kvHeads < 1 || heads > mostHeads || kvHeads > mostHeads)
    return node.error() << "expected a query of three dimensions, and num_heads and kv_num_heads "
                           "from 1 to "
                        << mostHeads << ", found " << q.getType() << ", " << heads << " and "
                        << kvHeads;
  if (k && !v)
    return node.error() << "input 2 (value) is missing";
  if (!k) {
    int64_t size = shapeOf(q)[2] / (heads + 2 * kvHeads);
    if (size * (heads + 2 * kvHeads) != shapeOf(q)[2])
      return node.error() << "packed query " << q.getType() << " does not fit the heads";
    k = e.slice(q, 2, heads * size, kvHeads * size);
    v = e.slice(q, 2, (heads + kvHeads) * size, kvHeads * size);
    q = e.slice(q, 2, 0, heads * size);
  }
  int64_t rows = shapeOf(q)[1];
  // The lengths of the sequences, which must be those of the tensors.
  if (node.hasInput(3) != node.hasInput(4))
    return node.error() << "expected past_key and past_value together, found one of them";
  if (node.hasInput(3) && rankOf(node.input(3)) != 4)
    return node.error() << "expected past_key to have four dimensions, found "
                        << node.input(3).getType();
  const int64_t past = node.hasInput(3) ? shapeOf(node.input(3))[2] : 0;
  FailureOr<SmallVector<int64_t>> lengths = node.constantInts(5, "seqlens_k");
  if (failed(lengths))
    return failure();
  if (llvm::any_of(*lengths, [&](int64_t last) { return last != past + rows - 1; }))
    return node.error() << "expected seqlens_k to be " << past + rows - 1
                        << " for each sequence, the last key of full sequences, found ["
                        << printList(*lengths) << "]";
  AttentionCore core;
  core.q = splitHeads(node, q, heads, "query");
  core.k = splitHeads(node, k, kvHeads, "key");
  core.v = splitHeads(node, v, kvHeads, "value");
  if (rotary) {
    if (!node.hasInput(7) || !node.hasInput(8))
      return node.error() << "attribute 'do_rotary' is 1, but cos_cache or sin_cache is missing";
    Value positions = node.hasInput(9) ? node.input(9) : e.add(e.iota(rows, 1, 2), double(past));
    auto [cosine, sine] = takeAngles(node, positions, node.input(7), node.input(8), rows);
    core.q = rotate(node, core.q, cosine, sine, /*headsFirst=*/true, interleaved);
    core.k = rotate(node, core.k, cosine, sine, /*headsFirst=*/true, interleaved);
  }
  if (past) {
    core.k = e.concat({node.input(3), core.k}, 2);
    core.v = e.concat({node.input(4), core.v}, 2);
  }
  if (!core.q || !core.k || !core.v)
    return failure();
  AttentionWindow visible{rows, past + rows};
  visible.causal = true;
  visible.offset = past;
  // A window of w keys holds the query's own.
  visible.left = window > 0 ? window - 1 : -1;
  core.allowed = visible.build(node);
  double scale = node.getFloat("scale", 0);
  core.scale = scale ? scale : 1 / std::sqrt(double(shapeOf(core.q)[3]));
  core.softcap = node.getFloat("softcap", 0);
  core.bias = node.input(10);
  return node.results({mergeHeads(node, core.build(node)), core.k, core.v});
}

void mlir::ttc::registerContribAttentionOps(OnnxRegistry &registry) {
  registry.add("com.microsoft.Attention", {2, 7}, importAttention, {},
               "`do_rotary` = 0; no `past_sequence_length`");
  registry.add("com.microsoft.GroupQueryAttention", {1, Arity::kAnyOptional},
               importGroupQueryAttention, {},
               "constant `seqlens_k`, all sequences of full length; no `smooth_softmax`");
  registry.add("com.microsoft.MultiHeadAttention", {1, 10}, importMultiHeadAttention, {},
               "no `past_sequence_length`, no `cache_indirection`");
  registry.add("com.microsoft.RotaryEmbedding", {4, 4}, importRotaryEmbedding, {},
               "`is_packed_batching` = 0");
}
