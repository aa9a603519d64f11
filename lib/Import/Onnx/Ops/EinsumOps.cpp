// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: a sum over the products of elements, by labels of dimensions.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "llvm/ADT/StringExtras.h"

#include "onnx/onnx_pb.h"

#include <map>

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// A letter, or a dimension of an ellipsis, counted from the last: kEllipsis, kEllipsis + 1, ...
using Label = int;
using Labels = SmallVector<Label>;
constexpr Label kEllipsis = 256;

/// A tensor whose dimensions have different labels.
struct Term {
  Value value;
  Labels labels;
};

class Einsum {
public:
  explicit Einsum(OnnxNode &node) : node(node), e(node) {}
  LogicalResult import();

private:
  /// The labels of "ij...k"; `rank` is that of the operand, or -1 for the result. Nullopt is
  /// reported.
  std::optional<Labels> parse(StringRef text, int64_t rank);
  LogicalResult readOperand(StringRef text, Value value);
  int64_t sizeOf(Label label) const { return sizes.find(label)->second; }
  /// Keeps only elements at which two dimensions with the same label agree.
  Term takeDiagonals(Value value, ArrayRef<Label> labels);
  /// Sums over labels that are not among `kept`.
  Term sumExcept(Term term, ArrayRef<Label> kept);
  Value arrange(const Term &term, ArrayRef<Label> order);
  /// The dimensions of `labels`, as one.
  int64_t extent(ArrayRef<Label> labels) const;
  Term multiply(Term a, Term b, ArrayRef<Label> kept);

  OnnxNode &node;
  Expressions e;
  SmallVector<Term> terms;
  /// Sorted, so that the result does not depend on anything else.
  std::map<Label, int64_t> sizes;
  std::map<Label, int> uses;
  int64_t ellipsisRank = 0;
};
} // namespace

static bool contains(ArrayRef<Label> labels, Label label) {
  return llvm::is_contained(labels, label);
}

std::optional<Labels> Einsum::parse(StringRef text, int64_t rank) {
  Labels labels;
  bool hasEllipsis = false;
  while (!text.empty()) {
    if (text.consume_front("...") && !hasEllipsis) {
      hasEllipsis = true;
      int64_t letters = llvm::count_if(text, llvm::isAlpha) + int64_t(labels.size());
      int64_t count = rank < 0 ? ellipsisRank : rank - letters;
      for (int64_t i = 0; i < count; ++i)
        labels.push_back(kEllipsis + static_cast<Label>(count - 1 - i));
      if (rank >= 0)
        ellipsisRank = std::max(ellipsisRank, count);
      continue;
    }
    if (text.empty() || !llvm::isAlpha(text.front())) {
      node.error() << "the equation has an unexpected '" << text << "'";
      return std::nullopt;
    }
    labels.push_back(text.front());
    text = text.drop_front();
  }
  return labels;
}

LogicalResult Einsum::readOperand(StringRef text, Value value) {
  std::optional<Labels> labels = parse(text, rankOf(value));
  if (!labels)
    return failure();
  if (static_cast<int64_t>(labels->size()) != rankOf(value))
    return node.error() << "the equation's part '" << text << "' does not fit " << value.getType();
  for (auto [label, size] : llvm::zip_equal(*labels, shapeOf(value))) {
    ++uses[label];
    int64_t &known = sizes.try_emplace(label, size).first->second;
    if (known != size && known != 1 && size != 1)
      return node.error() << "the dimensions of a label have the sizes " << known << " and " << size
                          << " (equation part '" << text << "')";
    known = std::max(known, size);
  }
  terms.push_back(takeDiagonals(value, *labels));
  return success(terms.back().value != nullptr);
}

Term Einsum::takeDiagonals(Value value, ArrayRef<Label> labels) {
  Term term{value, Labels(labels)};
  for (size_t first = 0; first < term.labels.size(); ++first)
    for (size_t second = term.labels.size() - 1; second > first; --second) {
      if (term.labels[first] != term.labels[second] || !term.value)
        continue;
      // Both dimensions to the end, then every (n + 1)st of their elements.
      SmallVector<int64_t> order, shape;
      Labels rest;
      for (size_t i = 0; i < term.labels.size(); ++i)
        if (i != first && i != second) {
          order.push_back(i);
          rest.push_back(term.labels[i]);
          shape.push_back(shapeOf(term.value)[i]);
        }
      int64_t size = shapeOf(term.value)[first];
      if (size != shapeOf(term.value)[second]) {
        node.error() << "the diagonal of " << term.value.getType() << " has dimensions of " << size
                     << " and " << shapeOf(term.value)[second] << " elements";
        return {};
      }
      order.append({int64_t(first), int64_t(second)});
      shape.push_back(size * size);
      Value moved = node.reshape(e.transpose(term.value, order), shape);
      rest.push_back(term.labels[first]);
      term = {e.slice(moved, shape.size() - 1, 0, size, size + 1), rest};
      first = -1; // the positions have changed: start again
      break;
    }
  return term;
}

Term Einsum::sumExcept(Term term, ArrayRef<Label> kept) {
  SmallVector<int64_t> axes;
  Labels rest;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    if (contains(kept, label))
      rest.push_back(label);
    else
      axes.push_back(i);
  }
  if (axes.empty())
    return term;
  return {e.reduceAway<ReduceSumOp>(term.value, axes), rest};
}

Value Einsum::arrange(const Term &term, ArrayRef<Label> order) {
  SmallVector<int64_t> permutation;
  for (Label label : order)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return e.transpose(term.value, permutation);
}

int64_t Einsum::extent(ArrayRef<Label> labels) const {
  int64_t product = 1;
  for (Label label : labels)
    product *= sizeOf(label);
  return product;
}

Term Einsum::multiply(Term a, Term b, ArrayRef<Label> kept) {
  // What only one of them has and nothing needs is summed first. A dimension of size 1 broadcasts.
  auto neededBy = [&](const Term &other) {
    Labels needed(kept);
    needed.append(other.labels);
    return needed;
  };
  a = sumExcept(a, neededBy(b));
  b = sumExcept(b, neededBy(a));
  if (!a.value || !b.value)
    return {};
  for (Term *term : {&a, &b}) {
    SmallVector<int64_t> shape;
    for (Label label : term->labels)
      shape.push_back(sizeOf(label));
    term->value = e.expand(term->value, shape);
  }
  Labels batch, rows, columns, summed;
  for (Label label : a.labels)
    (!contains(b.labels, label) ? rows : contains(kept, label) ? batch : summed).push_back(label);
  for (Label label : b.labels)
    if (!contains(a.labels, label))
      columns.push_back(label);

  Labels result = batch;
  result.append(rows);
  result.append(columns);
  SmallVector<int64_t> shape;
  for (Label label : result)
    shape.push_back(sizeOf(label));
  auto join = [](ArrayRef<Label> x, ArrayRef<Label> y, ArrayRef<Label> z) {
    Labels all(x);
    all.append(y.begin(), y.end());
    all.append(z.begin(), z.end());
    return all;
  };
  if (summed.empty()) {
    // An outer product: dimensions that one does not have are 1.
    auto spread = [&](const Term &term, ArrayRef<Label> own) {
      SmallVector<int64_t> spreadShape;
      for (Label label : result)
        spreadShape.push_back(contains(term.labels, label) ? sizeOf(label) : 1);
      return node.reshape(arrange(term, join(batch, own, {})), spreadShape);
    };
    return {e.mul(spread(a, rows), spread(b, columns)), result};
  }
  // A product of matrices, each transposed if its dimensions are in that order already.
  auto matrix = [&](const Term &term, ArrayRef<Label> outer, ArrayRef<Label> inner, bool &flipped) {
    Labels turned = join(batch, inner, outer);
    flipped = turned == term.labels && !outer.empty();
    Value value = arrange(term, flipped ? turned : join(batch, outer, inner));
    SmallVector<int64_t> matrixShape = {extent(batch), extent(outer), extent(inner)};
    if (flipped)
      std::swap(matrixShape[1], matrixShape[2]);
    return node.reshape(value, matrixShape);
  };
  bool aFlipped = false, bFlipped = false;
  Value left = matrix(a, rows, summed, aFlipped), right = matrix(b, columns, summed, bFlipped);
  SmallVector<NamedAttribute> attrs;
  if (aFlipped)
    attrs.push_back(node.flag("transpose_a"));
  if (!bFlipped)
    attrs.push_back(node.flag("transpose_b"));
  Value product = node.create<MatmulOp>({left, right}, attrs);
  return {node.reshape(product, shape), result};
}

LogicalResult Einsum::import() {
  std::string equation;
  llvm::copy_if(node.getString("equation", ""), std::back_inserter(equation),
                [](char c) { return c != ' '; });
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != node.numInputs())
    return node.error() << "the equation '" << equation << "' has " << parts.size()
                        << " operands, but the node has " << node.numInputs();
  for (auto [part, value] : llvm::zip_equal(parts, node.allInputs()))
    if (failed(readOperand(part, value)))
      return failure();

  Labels wanted;
  if (StringRef(equation).contains("->")) {
    std::optional<Labels> parsed = parse(right, -1);
    if (!parsed)
      return failure();
    wanted = *parsed;
  } else {
    for (int64_t i = 0; i < ellipsisRank; ++i)
      wanted.push_back(kEllipsis + static_cast<Label>(ellipsisRank - 1 - i));
    for (auto [label, count] : uses)
      if (count == 1 && label < kEllipsis)
        wanted.push_back(label);
  }
  for (auto [i, label] : llvm::enumerate(wanted))
    if (!sizes.contains(label) || contains(ArrayRef(wanted).drop_front(i + 1), label))
      return node.error() << "the result of the equation '" << equation
                          << "' has a label twice, or one that no operand has";

  Term result = terms.front();
  for (size_t i = 1; i < terms.size() && result.value; ++i) {
    Labels kept = wanted;
    for (const Term &later : ArrayRef(terms).drop_front(i + 1))
      kept.append(later.labels);
    result = multiply(result, terms[i], kept);
  }
  if (!result.value)
    return failure();
  result = sumExcept(result, wanted);
  return node.results(result.value ? arrange(result, wanted) : Value());
}

static LogicalResult importEinsum(OnnxNode &node) { return Einsum(node).import(); }

void mlir::ttc::registerEinsumOps(OnnxRegistry &registry) {
  registry.add("Einsum", {1, Arity::kAny}, importEinsum, {12});
}
