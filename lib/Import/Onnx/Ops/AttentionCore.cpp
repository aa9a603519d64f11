// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionCore.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::splitHeads(OnnxNode &node, Value x, int64_t heads, StringRef what) {
  if (!x)
    return {};
  if (rankOf(x) != 3 || heads < 1 || shapeOf(x)[2] % heads) {
    node.error() << "expected " << what << " to have three dimensions, the last a multiple of "
                 << heads << " heads, found " << x.getType();
    return {};
  }
  ArrayRef<int64_t> shape = shapeOf(x);
  x = node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  return Expressions(node).transpose(x, {0, 2, 1, 3});
}

Value mlir::ttc::mergeHeads(OnnxNode &node, Value x) {
  if (!x)
    return {};
  ArrayRef<int64_t> shape = shapeOf(x);
  return node.reshape(Expressions(node).transpose(x, {0, 2, 1, 3}),
                      {shape[0], shape[2], shape[1] * shape[3]});
}

/// A window of more keys is as good as none, and arithmetic on positions could overflow.
static constexpr int64_t kMostVisible = int64_t(1) << 40;

bool AttentionWindow::mayBeEmpty() const {
  if (isWhole())
    return false;
  if (batchOffset)
    return true;
  // The range of keys of the first and the last query.
  int64_t after = causal ? 0 : right;
  bool firstSees = after < 0 || after >= -offset;
  bool lastSees = left < 0 || offset + rows - 1 - left < columns;
  return !firstSees || !lastSees;
}

Value AttentionWindow::build(OnnxNode &node) const {
  if (isWhole())
    return {};
  Expressions e(node);
  Value query = e.iota(rows, 2, 4), key = e.iota(columns, 3, 4);
  Value position = batchOffset ? e.add(query, batchOffset)
                   : offset    ? e.add(query, double(offset))
                               : query;
  Value allowed;
  auto require = [&](Value condition) {
    allowed = allowed ? e.both(allowed, condition) : condition;
  };
  const int64_t after = std::min(causal ? 0 : right, kMostVisible);
  const int64_t before = std::min(left, kMostVisible);
  if (after >= 0)
    require(
        e.compare(ComparePredicate::LE, key, after ? e.add(position, double(after)) : position));
  if (before >= 0)
    require(
        e.compare(ComparePredicate::GE, key, before ? e.add(position, -double(before)) : position));
  return allowed;
}

/// A softmax whose steps are rounded to the element type, as those of the op's definition are.
static Value stepwiseSoftmax(OnnxNode &node, Value x, int64_t axis) {
  Expressions e(node);
  Value exponentials = e.unary<ExpOp>(e.sub(x, e.reduce<ReduceMaxOp>(x, axis)));
  return e.div(exponentials, e.reduce<ReduceSumOp>(exponentials, axis));
}

Value AttentionCore::build(OnnxNode &node) {
  Expressions e(node);
  if (!q || !k || !v)
    return {};
  ArrayRef<int64_t> queries = shapeOf(q), keys = shapeOf(k), values = shapeOf(v);
  if (queries.size() != 4 || keys.size() != 4 || values.size() != 4 || keys[1] < 1 ||
      queries[1] < 1 || queries[1] % keys[1] || keys[1] != values[1] || keys[2] != values[2] ||
      queries[3] != keys[3]) {
    node.error() << "queries " << q.getType() << ", keys " << k.getType() << " and values "
                 << v.getType() << " do not fit together";
    return {};
  }
  const Type type = elementTypeOf(q);
  int64_t batch = queries[0], heads = queries[1], rows = queries[2], columns = keys[2];
  int64_t groups = heads / keys[1];
  // The heads that share keys are rows of one product.
  auto group = [&](Value x) {
    return x ? node.reshape(x, {batch, heads / groups, groups * rows, shapeOf(x)[3]}) : Value();
  };
  if (type.isF32()) {
    products = e.mul(e.matmulTransposed(group(q), k), scale);
  } else {
    // Both factors are scaled, so that the products stay in the range of 16 bits.
    double root = std::sqrt(scale);
    products = e.matmulTransposed(group(e.mul(q, root)), e.mul(k, root));
  }
  if (!products)
    return {};
  products = node.reshape(products, {batch, heads, rows, columns});
  capped = softcap > 0 ? e.mul(e.unary<TanhOp>(e.div(products, softcap)), softcap) : products;

  const double lowest = -std::numeric_limits<double>::infinity();
  scores = bias ? e.add(capped, bias) : capped;
  if (allowed)
    scores = e.where(allowed, scores, lowest);
  probabilities = softmaxType && softmaxType != type ? node.cast(scores, softmaxType) : scores;
  if (probabilities && modifyScores)
    probabilities = modifyScores(probabilities);
  if (!probabilities)
    return {};
  probabilities = elementTypeOf(probabilities).isF32() ? e.softmax(probabilities, 3)
                                                       : stepwiseSoftmax(node, probabilities, 3);
  if (modifyProbabilities)
    probabilities = modifyProbabilities(probabilities);
  if (!probabilities)
    return {};
  if (!keepsSoftmaxType)
    probabilities = node.cast(probabilities, type);
  Value y = e.matmul(group(probabilities), node.cast(v, elementTypeOf(probabilities)));
  if (!y)
    return {};
  y = node.cast(node.reshape(y, {batch, heads, rows, values[3]}), type);
  if (!guardRows || (!bias && !allowed))
    return y;
  // The softmax of a row of -inf is not a number.
  Value all = bias ? bias : node.scalarLike(scores, 0);
  if (allowed)
    all = e.where(allowed, all, lowest);
  if (!all)
    return {};
  Value most = e.reduce<ReduceMaxOp>(all, rankOf(all) - 1);
  Value isEmpty = e.compare(ComparePredicate::EQ, most, lowest);
  Value none = node.scalarLike(y, 0);
  probabilities = e.where(isEmpty, none, probabilities);
  return e.where(isEmpty, none, y);
}

Value mlir::ttc::rotate(OnnxNode &node, Value x, Value cosine, Value sine, bool headsFirst,
                        bool interleaved) {
  Expressions e(node);
  if (!x || !cosine || !sine)
    return {};
  const int64_t size = shapeOf(x)[3];
  if (rankOf(cosine) != 3 || cosine.getType() != sine.getType() ||
      shapeOf(cosine).back() > size / 2) {
    node.error() << "expected cosines and sines of three dimensions, with at most " << size / 2
                 << " angles for heads of " << size << " elements, found " << cosine.getType()
                 << " and " << sine.getType();
    return {};
  }
  const int64_t half = shapeOf(cosine).back(), rotated = 2 * half;
  cosine = e.unsqueeze(cosine, headsFirst ? 1 : 2);
  sine = e.unsqueeze(sine, headsFirst ? 1 : 2);
  auto part = [&](int64_t index) {
    return interleaved ? e.slice(x, 3, index, half, 2) : e.slice(x, 3, index * half, half);
  };
  Value a = part(0), b = part(1);
  Value real = e.sub(e.mul(cosine, a), e.mul(sine, b));
  Value imaginary = e.add(e.mul(sine, a), e.mul(cosine, b));
  SmallVector<Value> parts = {real, imaginary};
  if (interleaved) {
    SmallVector<int64_t> shape(shapeOf(x));
    shape[3] = rotated;
    Value pairs = e.concat({e.unsqueeze(real, 4), e.unsqueeze(imaginary, 4)}, 4);
    parts = {node.reshape(pairs, shape)};
  }
  if (rotated < size)
    parts.push_back(e.slice(x, 3, rotated, size - rotated));
  return e.concat(parts, 3);
}
