// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeclaredShapes.h"

#include "dialects/Ttc/TtcOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::isShapedByDeclaration(OnnxNode &node, unsigned input) {
  return node.hasInput(input) && !node.isConstantInput(input) &&
         tensorType(node.input(input)).getNumElements() > 0 && node.declaredShape(0);
}

LogicalResult mlir::ttc::reshapeToDeclared(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<int64_t> shape = *node.declaredShape(0);
  if (getNumElementsChecked(shape) != tensorType(x).getNumElements())
    return node.error() << "the shape is computed at run time, and the declared one, ["
                        << printList(shape) << "], does not fit " << x.getType();
  return node.results(node.reshape(x, shape));
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

static Value scalar(OnnxNode &node, int64_t value) {
  return node.reshape(node.constant({value}), {});
}

/// Element `i` of a vector of integers as an i64 scalar.
static Value elementOf(OnnxNode &node, Value vector, int64_t i) {
  Value element = node.create<SliceOp>(
      vector, {node.attr("starts", {i}), node.attr("sizes", {1}), node.attr("steps", {1})});
  return node.cast(node.reshape(element, {}), node.getBuilder().getI64Type());
}

static Value compare(OnnxNode &node, ComparePredicate predicate, Value a, Value b) {
  return node.create<CompareOp>(
      {a, b}, node.attr("predicate", ComparePredicateAttr::get(node.context(), predicate)));
}

/// `value`, counted from the front of `size` elements.
static Value normalize(OnnxNode &node, Value value, int64_t size) {
  Value isNegative = compare(node, ComparePredicate::LT, value, scalar(node, 0));
  return node.create<WhereOp>({isNegative, node.create<AddOp>({value, scalar(node, size)}), value});
}

LogicalResult mlir::ttc::sliceToDeclared(OnnxNode &node) {
  Value x = node.input(0);
  const int64_t rank = rankOf(x);
  SmallVector<int64_t> shape = *node.declaredShape(0);
  if (static_cast<int64_t>(shape.size()) != rank)
    return node.error() << "bounds are computed at run time, and the declared shape ["
                        << printList(shape) << "] does not fit " << x.getType();
  for (unsigned input : {1u, 2u, 3u, 4u})
    if (node.hasInput(input) &&
        (rankOf(node.input(input)) != 1 || shapeOf(node.input(input)) != shapeOf(node.input(1))))
      return node.error() << "starts, ends, axes and steps must be vectors of as many elements";
  const int64_t count = shapeOf(node.input(1))[0];
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t size = shape[axis], dim = shapeOf(x)[axis];
    if (size < 0 || size > dim || dim == 0)
      return node.error() << "bounds are computed at run time, and the declared shape ["
                          << printList(shape) << "] is not inside " << x.getType();
    Value start = scalar(node, 0), step = scalar(node, 1);
    for (int64_t i = 0; i < count; ++i) {
      Value isAxis;
      if (node.hasInput(3))
        isAxis =
            compare(node, ComparePredicate::EQ,
                    normalize(node, elementOf(node, node.input(3), i), rank), scalar(node, axis));
      else if (i != axis)
        continue;
      Value itsStart = elementOf(node, node.input(1), i);
      Value itsStep = node.hasInput(4) ? elementOf(node, node.input(4), i) : scalar(node, 1);
      start = isAxis ? node.create<WhereOp>({isAxis, itsStart, start}) : itsStart;
      step = isAxis ? node.create<WhereOp>({isAxis, itsStep, step}) : itsStep;
    }
    // The first element is inside if there is one at all.
    start = node.create<MinOp>({node.create<MaxOp>({normalize(node, start, dim), scalar(node, 0)}),
                                scalar(node, dim - 1)});
    Value indices = node.create<AddOp>(
        {start,
         node.create<MulOp>({node.constant(llvm::to_vector(llvm::seq<int64_t>(0, size))), step})});
    x = node.create<GatherOp>({x, indices}, node.i64("axis", axis));
    if (!x)
      return failure();
  }
  return node.results(x);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Candidates are tried by their values; more would be a sign of an unlucky declaration.
static constexpr size_t kMostCandidates = 16;

SmallVector<SmallVector<int64_t>> mlir::ttc::findReducedAxes(ArrayRef<int64_t> from,
                                                             ArrayRef<int64_t> to, int64_t count,
                                                             bool keepDims) {
  SmallVector<SmallVector<int64_t>> candidates;
  const int64_t rank = from.size();
  if (rank > 12 || count > rank)
    return candidates;
  for (int64_t set = 0; set < int64_t(1) << rank; ++set) {
    if (llvm::popcount(static_cast<uint64_t>(set)) != count)
      continue;
    SmallVector<int64_t> axes, shape;
    for (int64_t axis = 0; axis < rank; ++axis)
      if (set >> axis & 1)
        axes.push_back(axis);
    for (auto [axis, size] : llvm::enumerate(from))
      if (!(set >> axis & 1))
        shape.push_back(size);
      else if (keepDims)
        shape.push_back(1);
    if (ArrayRef<int64_t>(shape) == to)
      candidates.push_back(axes);
  }
  if (candidates.size() > kMostCandidates)
    candidates.clear();
  return candidates;
}

Value mlir::ttc::selectByAxes(OnnxNode &node, unsigned index, int64_t rank,
                              ArrayRef<SmallVector<int64_t>> candidates, ArrayRef<Value> values) {
  Value axes = node.reshape(node.input(index), {tensorType(node.input(index)).getNumElements()});
  Value result = values.back();
  for (auto [candidate, value] : llvm::zip(candidates.drop_back(), values.drop_back())) {
    // The candidates have as many axes, so one is meant if it contains all that are named.
    Value isMeant;
    for (int64_t i = 0; i < shapeOf(axes)[0]; ++i) {
      Value named = normalize(node, elementOf(node, axes, i), rank), contains;
      for (int64_t axis : candidate) {
        Value equal = compare(node, ComparePredicate::EQ, named, scalar(node, axis));
        contains = contains ? node.create<OrOp>({contains, equal}) : equal;
      }
      isMeant = isMeant ? node.create<AndOp>({isMeant, contains}) : contains;
    }
    result = node.create<WhereOp>({isMeant, value, result});
  }
  return result;
}
