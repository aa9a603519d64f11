// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that write at places given by a tensor of indices.
#include "Selection.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/SequentialOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

static NamedAttribute readReduction(OnnxNode &node) {
  StringRef text = node.getString("reduction", "none");
  std::optional<ScatterReduction> reduction = symbolizeScatterReduction(text);
  if (!reduction)
    node.error() << "expected attribute 'reduction' none, add, mul, max or min, found '" << text
                 << "'";
  return node.attr("reduction", ScatterReductionAttr::get(
                                    node.context(), reduction.value_or(ScatterReduction::None)));
}

static LogicalResult importScatterElements(OnnxNode &node) {
  int64_t axis = node.getAxis("axis", 0, rankOf(node.input(0)));
  NamedAttribute reduction = readReduction(node);
  return node.results(
      node.create<ScatterElementsOp>(node.allInputs(), {node.i64("axis", axis), reduction}));
}

static LogicalResult importScatterND(OnnxNode &node) {
  NamedAttribute reduction = readReduction(node);
  return node.results(node.create<ScatterNdOp>(node.allInputs(), reduction));
}

/// A step of a cache: `update` becomes the part of `past_cache` along the axis that begins at an
/// index of its own for each batch. This is a scatter of slices, whose vectors of indices are the
/// positions in the dimensions before the axis, and the index.
static LogicalResult importTensorScatter(OnnxNode &node) {
  Value cache = node.input(0), update = node.input(1);
  int64_t rank = rankOf(cache), axis = node.getAxis("axis", -2, rank);
  StringRef mode = node.getString("mode", "linear");
  if (node.hasFailed())
    return failure();
  if (mode != "linear" && mode != "circular")
    return node.error() << "expected attribute 'mode' linear or circular, found '" << mode << "'";
  SmallVector<int64_t> expected(shapeOf(cache));
  if (rankOf(update) == rank)
    expected[axis] = shapeOf(update)[axis];
  if (axis == 0 || shapeOf(update) != ArrayRef(expected) || expected[axis] > shapeOf(cache)[axis])
    return node.error() << "expected an update that differs from the cache in a smaller dimension "
                        << axis << " only, which is not the batch, found " << update.getType()
                        << " and " << cache.getType();
  Expressions e(node);
  SmallVector<int64_t> grid(ArrayRef(expected).take_front(axis + 1));
  Value index = e.iota(grid[axis], axis, axis + 1);
  if (node.hasInput(2)) {
    Value first = node.cast(node.input(2), node.getBuilder().getI64Type());
    if (tensorType(first).getShape() != ArrayRef<int64_t>(grid[0]))
      return node.error() << "expected an index for each of " << grid[0] << " batches, found "
                          << node.input(2).getType();
    index = e.add(index, along(node, first, 0, axis + 1));
  }
  if (mode == "circular")
    index = node.create<ModOp>({index, e.number(index, static_cast<double>(shapeOf(cache)[axis]))});
  SmallVector<Value> coordinates;
  SmallVector<int64_t> column(grid);
  column.push_back(1);
  for (int64_t i = 0; i <= axis; ++i) {
    Value coordinate = i == axis ? index : e.iota(grid[i], i, axis + 1);
    coordinates.push_back(node.reshape(e.expand(coordinate, grid), column));
  }
  Value indices = e.concat(coordinates, axis + 1);
  auto none = ScatterReductionAttr::get(node.context(), ScatterReduction::None);
  return node.results(
      node.create<ScatterNdOp>({cache, indices, update}, node.attr("reduction", none)));
}

void mlir::ttc::registerScatterOps(OnnxRegistry &registry) {
  registry.add("Scatter", {3, 3}, importScatterElements, {9, 10}, "at most 8 dimensions");
  registry.add("ScatterElements", {3, 3}, importScatterElements, {11}, "at most 8 dimensions");
  registry.add("ScatterND", {3, 3}, importScatterND, {11}, "indices of at most 8 dimensions");
  registry.add("TensorScatter", {2, 3}, importTensorScatter, {24}, "at most 8 dimensions");
}
