// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scaled dot product attention and rotary embeddings, as the ops of several domains have them.
#ifndef TTC_LIB_IMPORT_ATTENTIONCORE_H
#define TTC_LIB_IMPORT_ATTENTIONCORE_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

#include <functional>

namespace mlir::ttc {

/// Softmax(cap(q k^T * scale) + bias) v of queries [batch, heads, rows, size] and keys and values
/// [batch, kvHeads, columns, size], where kvHeads divides heads.
struct AttentionCore {
  Value q, k, v;
  double scale = 1;
  /// cap(x) = softcap * tanh(x / softcap); 0: none.
  double softcap = 0;
  /// Both broadcast to [batch, heads, rows, columns] and may be null. A score that is not allowed
  /// is -inf. If a row allows nothing (also if all of `bias` is -inf), its result is zero.
  Value bias, allowed;
  /// Whether there can be such rows.
  bool guardRows = false;
  /// The type of the softmax, if not that of the queries.
  Type softmaxType;
  /// Whether the probabilities stay in the type of the softmax for the product with the values.
  bool keepsSoftmaxType = false;
  /// Applied to the scores before, and to the probabilities after the softmax, both in its type;
  /// may be empty. They return a value of the same type, or null after an error.
  std::function<Value(Value)> modifyScores = nullptr, modifyProbabilities = nullptr;

  /// [batch, heads, rows, size of a value].
  Value build(OnnxNode &node);

  /// Set by build(): the products times the scale, with the cap, with the bias, and the softmax.
  Value products, capped, scores, probabilities;
};

/// [batch, rows, heads * size] as [batch, heads, rows, size]. Reports a number of heads that does
/// not divide the last dimension; `what` names the value.
Value splitHeads(OnnxNode &node, Value x, int64_t heads, StringRef what);
/// The inverse of splitHeads().
Value mergeHeads(OnnxNode &node, Value x);

/// The keys that a query may see by its position, broadcasting to [batch, 1, rows, columns]: query
/// i is at position i + offset. Negative bounds are none.
struct AttentionWindow {
  int64_t rows, columns;
  bool causal = false;
  int64_t left = -1, right = -1;
  int64_t offset = 0;
  /// [batch, 1, 1, 1] of type i64, in place of `offset`; null if there is none.
  Value batchOffset = {};

  bool isWhole() const { return !causal && left < 0 && right < 0; }
  /// Whether some query may see no key.
  bool mayBeEmpty() const;
  /// Null if all keys are visible.
  Value build(OnnxNode &node) const;
};

/// Rotates the first `2 * size of a cosine` elements of each head by the angles of its position.
/// `x` is [batch, rows, heads, size] or [batch, heads, rows, size] (`headsFirst`); `cosine` and
/// `sine` are [batch or 1, rows, half of the rotated elements].
Value rotate(OnnxNode &node, Value x, Value cosine, Value sine, bool headsFirst, bool interleaved);

/// Sets the results of com.microsoft's Attention: of queries, keys and values that are `sizes`
/// columns of `projected` each, with the mask in input `maskInput`. `past` and `bias` may be null.
LogicalResult importProjectedAttention(OnnxNode &node, Value projected, ArrayRef<int64_t> sizes,
                                       unsigned maskInput, Value past, Value bias);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ATTENTIONCORE_H
