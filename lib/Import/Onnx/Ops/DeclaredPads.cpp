// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad with inputs that are computed at run time.
#include "Selection.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"

using namespace mlir;
using namespace mlir::ttc;

/// How many elements there are before each dimension, or after: an i64 vector.
static Value computePads(OnnxNode &node, int64_t rank, bool after) {
  Expressions e(node);
  Value pads = node.input(1);
  int64_t count = tensorType(pads).getNumElements() / 2;
  pads = e.slice(node.reshape(pads, {2 * count}), 0, after ? count : 0, count);
  if (!node.hasInput(3)) {
    if (count == rank)
      return pads;
    node.error() << "expected two pads for each of " << rank << " dimensions, found "
                 << node.input(1).getType();
    return {};
  }
  if (tensorType(node.input(3)).getNumElements() != count) {
    node.error() << "expected two pads for each of the axes, found " << node.input(1).getType()
                 << " and " << node.input(3).getType();
    return {};
  }
  Value axes = node.cast(node.reshape(node.input(3), {count, 1}), node.getBuilder().getI64Type());
  Value isNegative = e.compare(ComparePredicate::LT, axes, 0);
  axes = e.where(isNegative, e.add(axes, static_cast<double>(rank)), axes);
  Value isAxis = e.compare(ComparePredicate::EQ, axes, e.iota(rank, 1, 2));
  Value table = e.where(isAxis, along(node, pads, 0, 2), e.number(pads, 0));
  return e.sum(table, {0});
}

LogicalResult mlir::ttc::padToDeclared(OnnxNode &node, PadMode mode) {
  Value x = node.input(0);
  int64_t rank = rankOf(x);
  if (!node.hasInput(1))
    return node.error() << "input 1 (pads) is missing";
  std::optional<SmallVector<int64_t>> shape = node.declaredShape(0);
  if (!shape || static_cast<int64_t>(shape->size()) != rank || llvm::is_contained(shapeOf(x), 0) ||
      llvm::is_contained(*shape, 0))
    return node.error() << "expected constant pads, value and axes, or a declared shape of the "
                           "result, found neither";
  Expressions e(node);
  Type i64 = node.getBuilder().getI64Type();
  Value before = computePads(node, rank, /*after=*/false), isInside, y = x;
  Value after = before ? computePads(node, rank, /*after=*/true) : Value();
  if (!after)
    return failure();
  SmallVector<int64_t> added;
  for (auto [to, from] : llvm::zip_equal(*shape, shapeOf(x)))
    added.push_back(to - from);
  Value fits = e.compare(ComparePredicate::EQ, e.add(before, after), node.constant(added));
  node.require(allOf(e, fits), describeContradiction(*shape));
  for (int64_t d = 0; d < rank; ++d) {
    double last = static_cast<double>(shapeOf(x)[d] - 1);
    Value from = e.sub(e.iota((*shape)[d], i64), e.slice(before, 0, d, 1));
    if (mode == PadMode::Constant) {
      Value inside = e.both(e.compare(ComparePredicate::GE, from, 0),
                            e.compare(ComparePredicate::LE, from, last));
      inside = along(node, inside, d, rank);
      isInside = isInside ? e.both(isInside, inside) : inside;
    } else if (mode == PadMode::Wrap) {
      from = node.create<ModOp>({from, e.number(from, last + 1)});
    } else if (mode == PadMode::Reflect) {
      from = e.abs(from);
      from = e.min(from, e.sub(e.number(from, 2 * last), from));
    }
    y = e.gather(y, e.min(e.max(from, 0), last), d);
  }
  if (isInside) {
    Value value = node.hasInput(2) ? node.reshape(node.input(2), {}) : e.number(x, 0);
    y = e.where(isInside, y, value);
  }
  return node.results(y);
}
