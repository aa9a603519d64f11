// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that order, accumulate or walk elements along an axis.
#include "Selection.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/SequentialOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// How many elements TopK takes: an attribute before opset 10, then an input. If that is computed
/// at run time, the declared shape of the outputs decides.
static FailureOr<int64_t> readCount(OnnxNode &node, int64_t axis) {
  if (node.opset() < 10)
    return node.getInt("k", 0);
  if (!node.isConstantInput(1))
    for (unsigned output : {0, 1})
      if (auto shape = node.declaredShape(output);
          shape && static_cast<int64_t>(shape->size()) == rankOf(node.input(0))) {
        Expressions e(node);
        Value count = node.cast(node.reshape(node.input(1), {}), node.getBuilder().getI64Type());
        node.require(e.compare(ComparePredicate::EQ, count, static_cast<double>((*shape)[axis])),
                     describeContradiction(*shape));
        return (*shape)[axis];
      }
  return node.constantInt(1, "K");
}

static LogicalResult importTopK(OnnxNode &node) {
  node.ignoreAttrs({"sorted"}); // without it, any order is right
  Value x = node.input(0);
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  bool largest = node.getInt("largest", 1);
  if (node.hasFailed())
    return failure();
  FailureOr<int64_t> count = readCount(node, axis);
  if (failed(count))
    return failure();
  SmallVector<NamedAttribute> attrs = {node.i64("axis", axis), node.i64("count", *count)};
  if (largest)
    attrs.push_back(node.flag("largest"));
  Value places = node.create<ArgsortOp>(x, attrs);
  Value values = node.create<GatherElementsOp>({x, places}, node.i64("axis", axis));
  return node.results({values, places});
}

template <CumulativeKind kind> static LogicalResult importCumulative(OnnxNode &node) {
  Value x = node.input(0);
  bool exclusive = node.getInt("exclusive", 0), reverse = node.getInt("reverse", 0);
  auto walk = [&](int64_t axis) {
    SmallVector<NamedAttribute> attrs = {
        node.attr("kind", CumulativeKindAttr::get(node.context(), kind)), node.i64("axis", axis)};
    if (exclusive)
      attrs.push_back(node.flag("exclusive"));
    if (reverse)
      attrs.push_back(node.flag("reverse"));
    return node.create<CumulativeOp>(x, attrs);
  };
  if (rankOf(x) == 1 && !node.isConstantInput(1))
    return node.results(walk(0)); // the only axis
  if (node.isConstantInput(1)) {
    FailureOr<int64_t> axis = node.constantInt(1, "axis");
    if (failed(axis) || failed(node.normalizeAxes(*axis, rankOf(x))))
      return failure();
    return node.results(walk(*axis));
  }
  // An axis that is computed at run time chooses among the results for all axes.
  if (rankOf(x) == 0)
    return node.error() << "expected an input of rank 1 or more, found " << x.getType();
  Expressions e(node);
  Value axis = node.cast(node.reshape(node.input(1), {}), node.getBuilder().getI64Type());
  Value negative = e.compare(ComparePredicate::LT, axis, 0);
  axis = e.where(negative, e.add(axis, static_cast<double>(rankOf(x))), axis);
  Value result = walk(0);
  for (int64_t i = 1; i < rankOf(x); ++i)
    result =
        e.where(e.compare(ComparePredicate::EQ, axis, static_cast<double>(i)), walk(i), result);
  return node.results(result);
}

/// 1 for the first maximum along the axis, else 0. Before opset 13 all dimensions from the axis on
/// form one vector.
static LogicalResult importHardmax(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<int64_t> shape(shapeOf(x));
  bool flattens = node.opset() < 13;
  int64_t axis = node.getAxis("axis", flattens ? 1 : -1, rankOf(x));
  if (node.hasFailed())
    return failure();
  // Nothing is first among no elements.
  if (llvm::is_contained(shape, 0))
    return node.results(x);
  if (flattens) {
    SmallVector<int64_t> flat(ArrayRef(shape).take_front(axis));
    flat.push_back(llvm::product_of(ArrayRef(shape).drop_front(axis)));
    x = node.reshape(x, flat);
  }
  int64_t rank = rankOf(x);
  Value first = node.create<ArgsortOp>(
      x, {node.i64("axis", axis), node.i64("count", 1), node.flag("largest")});
  Expressions e(node);
  Value isFirst = e.compare(ComparePredicate::EQ, first, e.iota(shapeOf(x)[axis], axis, rank));
  return node.results(node.reshape(node.cast(isFirst, elementTypeOf(x)), shape));
}

static LogicalResult importDet(OnnxNode &node) {
  return node.results(node.create<DeterminantOp>(node.input(0)));
}

/// Element t of a sequence of length n comes from n - 1 - t, elements after its end from t.
static LogicalResult importReverseSequence(OnnxNode &node) {
  Value x = node.input(0);
  int64_t timeAxis = node.getInt("time_axis", 0), batchAxis = node.getInt("batch_axis", 1);
  const bool isTimeFirst = timeAxis == 0 && batchAxis == 1;
  const bool isBatchFirst = timeAxis == 1 && batchAxis == 0;
  if (rankOf(x) < 2 || (!isTimeFirst && !isBatchFirst))
    return node.error()
           << "expected an input of rank 2 or more, and time_axis and batch_axis 0 and 1 "
              "in any order, found "
           << x.getType() << ", " << timeAxis << " and " << batchAxis;
  int64_t steps = shapeOf(x)[timeAxis], batches = shapeOf(x)[batchAxis];
  Value lengths = node.cast(node.input(1), node.getBuilder().getI64Type());
  if (!lengths || shapeOf(lengths) != ArrayRef<int64_t>(batches))
    return node.error() << "expected a length for each of " << batches << " sequences, found "
                        << node.input(1).getType();
  lengths = along(node, lengths, batchAxis, 2);
  Expressions e(node);
  Value time = e.iota(steps, timeAxis, 2);
  Value reversed = e.sub(e.sub(lengths, 1), time);
  Value from = e.where(e.compare(ComparePredicate::LT, time, lengths), reversed, time);
  SmallVector<int64_t> grid(shapeOf(x).take_front(2));
  Value places[2];
  places[timeAxis] = e.expand(from, grid);
  places[batchAxis] = e.expand(e.iota(batches, batchAxis, 2), grid);
  SmallVector<int64_t> column = {grid[0], grid[1], 1};
  Value indices =
      e.concat({node.reshape(places[0], column), node.reshape(places[1], column)}, /*axis=*/2);
  return node.results(node.create<GatherNdOp>({x, indices}, node.i64("batch_dims", 0)));
}

/// The declared shape of the output decides how many rows there are; else all that there can be.
static LogicalResult importNonMaxSuppression(OnnxNode &node) {
  Value boxes = node.input(0), scores = node.input(1);
  SmallVector<NamedAttribute> attrs;
  if (node.getInt("center_point_box", 0))
    attrs.push_back(node.flag("center_point"));
  Builder &b = node.getBuilder();
  auto limit = [&](unsigned index, Type element, double otherwise) {
    return node.hasInput(index) ? node.input(index)
                                : Expressions(node).splat({}, element, otherwise);
  };
  Value most = limit(2, b.getI64Type(), 0), overlap = limit(3, b.getF32Type(), 0);
  Value least = limit(4, b.getF32Type(), -std::numeric_limits<double>::infinity());
  if (rankOf(scores) != 3)
    return node.error() << "expected scores of rank 3, found " << scores.getType();
  int64_t each = std::min(constantInteger(most).value_or(shapeOf(scores)[2]), shapeOf(scores)[2]);
  int64_t rows = shapeOf(scores)[0] * shapeOf(scores)[1] * std::max<int64_t>(each, 0);
  bool isCut = false;
  if (auto shape = node.declaredShape(0); shape && shape->size() == 2) {
    isCut = shape->front() < rows;
    rows = shape->front() + isCut; // one more shows whether any is lost
  } else {
    if (rows > 0)
      node.warning() << "the size of the output depends on data, and none is declared: it has "
                     << rows << " entries, of which unused ones are -1";
  }
  attrs.push_back(node.i64("rows", rows));
  Value found = node.create<NonMaxSuppressionOp>({boxes, scores, most, overlap, least}, attrs);
  if (isCut) {
    Expressions e(node);
    Value next = node.reshape(e.slice(e.slice(found, 0, rows - 1, 1), 1, 0, 1), {});
    node.require(e.compare(ComparePredicate::LT, next, 0.0),
                 "finds more boxes than the declared " + Twine(rows - 1));
    found = e.slice(found, 0, 0, rows - 1);
  }
  return node.results(found);
}

void mlir::ttc::registerSortOps(OnnxRegistry &registry) {
  registry.add("CumProd", {2, 2}, importCumulative<CumulativeKind::Prod>, {26});
  registry.add("CumSum", {2, 2}, importCumulative<CumulativeKind::Sum>, {11});
  registry.add("Det", {1, 1}, importDet, {11});
  registry.add("Hardmax", {1, 1}, importHardmax);
  registry.add("NonMaxSuppression", {2, 5}, importNonMaxSuppression, {10},
               "as many rows as the model declares for the output, or as there can be; unused rows "
               "are -1");
  registry.add("ReverseSequence", {2, 2}, importReverseSequence, {10});
  registry.add("TopK", {1, 2}, importTopK, {}, "constant `K`, or a declared shape of the output");
}
