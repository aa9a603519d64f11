// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops whose result has as many entries as data says: constants, which decide while importing, or
// else the shape that is declared for the output.
#include "Selection.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/SequentialOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Size `dim` of the shape that is declared for an output of `rank`.
static std::optional<int64_t> declaredSize(OnnxNode &node, unsigned output, int64_t dim,
                                           int64_t rank) {
  auto shape = node.declaredShape(output);
  if (!shape || static_cast<int64_t>(shape->size()) != rank)
    return std::nullopt;
  return (*shape)[dim];
}

/// Whether entries of `size` are used: those before `count`. Null if all are.
static Value maskUnused(OnnxNode &node, Value count, int64_t size) {
  if (constantInteger(count) == size)
    return {};
  Expressions e(node);
  return e.compare(ComparePredicate::LT, e.iota(size, 0, 1), count);
}

/// `value` with `padding` in the entries along `axis` that `isUsed` leaves out.
static Value padUnused(OnnxNode &node, Value value, Value isUsed, int64_t axis, double padding) {
  if (!isUsed || !value)
    return value;
  Value mask = along(node, isUsed, axis, rankOf(value));
  if (elementTypeOf(value).isInteger(1))
    return node.create<AndOp>({value, mask});
  return node.create<WhereOp>({mask, value, node.scalarLike(value, padding)});
}

static LogicalResult importCompress(OnnxNode &node) {
  Value x = node.input(0), condition = node.input(1);
  int64_t axis = 0;
  if (node.hasAttr("axis"))
    axis = node.getAxis("axis", 0, rankOf(x));
  else
    x = node.reshape(x, {tensorType(x).getNumElements()});
  if (node.hasFailed())
    return failure();
  if (rankOf(condition) != 1 || shapeOf(condition)[0] > shapeOf(x)[axis])
    return node.error() << "expected a vector of at most " << shapeOf(x)[axis]
                        << " conditions, found " << condition.getType();
  Expressions e(node);
  Selection selection = select(node, condition, declaredSize(node, 0, axis, rankOf(x)), "0");
  if (!selection.places)
    return failure();
  Value taken = e.gather(x, selection.places, axis);
  return node.results(
      padUnused(node, taken, maskUnused(node, selection.count, selection.size), axis, 0));
}

/// Not zero, NaN included.
static Value isNotZero(OnnxNode &node, Value x) {
  return elementTypeOf(x).isInteger(1) ? x
                                       : Expressions(node).compare(ComparePredicate::NE, x, 0.0);
}

static LogicalResult importNonZero(OnnxNode &node) {
  Value x = node.input(0);
  int64_t rank = rankOf(x), total = tensorType(x).getNumElements();
  if (rank == 0 || total == 0)
    return node.error() << "expected an input with dimensions and elements, found " << x.getType();
  Value flat = node.reshape(isNotZero(node, x), {total});
  Selection selection =
      select(node, flat, declaredSize(node, 0, 1, 2), "one past the end of each dimension");
  if (!selection.places)
    return failure();
  Expressions e(node);
  Value isUsed = maskUnused(node, selection.count, selection.size);
  SmallVector<Value> rows;
  int64_t stride = total;
  for (int64_t dim : shapeOf(x)) {
    stride /= dim;
    Value index = e.div(selection.places, static_cast<double>(stride));
    index = node.create<ModOp>({index, e.number(index, static_cast<double>(dim))});
    index = padUnused(node, index, isUsed, 0, static_cast<double>(dim));
    rows.push_back(node.reshape(index, {1, selection.size}));
  }
  return node.results(e.concat(rows, 0));
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

/// Columns by which slices are ordered, one sort for each.
static constexpr int64_t kMostColumns = 128;

static Value sortPlaces(OnnxNode &node, Value vector) {
  return node.create<ArgsortOp>(
      vector, {node.i64("axis", 0), node.i64("count", tensorType(vector).getNumElements())});
}

/// The order of the rows of a matrix, by the first column, then the second, ...: stable sorts from
/// the last column to the first.
static Value sortRows(OnnxNode &node, Value matrix) {
  Expressions e(node);
  int64_t rows = shapeOf(matrix)[0], columns = shapeOf(matrix)[1];
  Value order;
  for (int64_t i = columns; i-- > 0;) {
    Value column = node.reshape(e.slice(matrix, 1, i, 1), {rows});
    if (!order) {
      order = sortPlaces(node, column);
      continue;
    }
    Value places = sortPlaces(node, e.gather(column, order, 0));
    order = e.gather(order, places, 0);
  }
  return order;
}

/// Equal slices are neighbours once they are sorted: a slice that differs from the one before
/// begins a group. `groups` numbers the groups in the order of their slices.
static LogicalResult importUnique(OnnxNode &node) {
  Value x = node.input(0);
  bool sorted = node.getInt("sorted", 1);
  int64_t axis = 0, outputRank = 1;
  if (node.hasAttr("axis")) {
    axis = node.getAxis("axis", 0, rankOf(x));
    outputRank = rankOf(x);
  } else {
    x = node.reshape(x, {tensorType(x).getNumElements()});
  }
  if (node.hasFailed())
    return failure();
  if (tensorType(x).getNumElements() == 0)
    return node.error() << "expected an input with elements, found " << x.getType();
  int64_t total = shapeOf(x)[axis], columns = tensorType(x).getNumElements() / total;
  if (columns > kMostColumns)
    return node.error() << "expected slices of at most " << kMostColumns << " elements, found "
                        << columns << " in " << x.getType();
  SmallVector<int64_t> permutation = {axis};
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (i != axis)
      permutation.push_back(i);
  Expressions e(node);
  Value matrix = e.transpose(x, permutation);
  matrix = node.reshape(matrix, {total, columns});

  Builder &b = node.getBuilder();
  Type i64 = b.getI64Type();
  Value order = sortRows(node, matrix);
  Value inOrder = e.gather(matrix, order, 0);
  Value begins = e.splat({1}, b.getI1Type(), 1);
  if (total > 1) {
    Value differs = e.compare(ComparePredicate::NE, e.slice(inOrder, 0, 1, total - 1),
                              e.slice(inOrder, 0, 0, total - 1));
    Value any = e.maximum(node.cast(differs, b.getI32Type()), {1});
    begins = e.concat({begins, node.cast(any, b.getI1Type())}, 0);
  }
  std::optional<int64_t> size = declaredSize(node, 0, axis, outputRank);
  for (unsigned output : {1, 3})
    if (!size)
      size = declaredSize(node, output, 0, 1);
  Selection heads = select(node, begins, size, "0 (indices: one past the end)");
  if (!heads.places)
    return failure();
  auto scatter = [&](Value data, Value places, Value updates,
                     ScatterReduction reduction = ScatterReduction::None) {
    return node.create<ScatterElementsOp>(
        {data, places, updates},
        {node.i64("axis", 0),
         node.attr("reduction", ScatterReductionAttr::get(node.context(), reduction))});
  };
  Value group = e.sub(countUpTo(node, begins), 1);
  Value groups = scatter(e.splat({total}, i64, 0), order, group);
  Value sizes = scatter(e.splat({heads.size}, i64, 0), group, e.splat({total}, i64, 1),
                        ScatterReduction::Add);
  // The sort is stable: the first slice of a group is the one that comes first in the input. Unused
  // entries follow the last slice.
  Value end = e.splat({1}, i64, static_cast<double>(total));
  Value first = e.gather(e.concat({order, end}, 0), heads.places, 0);
  if (!sorted) {
    Value byFirst = sortPlaces(node, first);
    Value rank = scatter(e.splat({heads.size}, i64, 0), byFirst, e.iota(heads.size, i64));
    groups = e.gather(rank, groups, 0);
    sizes = e.gather(sizes, byFirst, 0);
    first = e.gather(first, byFirst, 0);
  }
  Value isUsed = maskUnused(node, heads.count, heads.size);
  Value y = padUnused(node, e.gather(x, first, axis), isUsed, axis, 0);
  return node.results({y, first, groups, sizes});
}

void mlir::ttc::registerSelectionOps(OnnxRegistry &registry) {
  constexpr StringLiteral bound =
      "as many entries as constants give or the model declares for the output";
  registry.add("Compress", {2, 2}, importCompress, {9}, bound);
  registry.add("NonZero", {1, 1}, importNonZero, {9}, bound);
  registry.add("Unique", {1, 1}, importUnique, {11}, bound);
}
