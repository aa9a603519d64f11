// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeclaredShapes.h"

#include "onnx/onnx_pb.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::isShapedByDeclaration(OnnxNode &node, unsigned input) {
  node.acceptDeclaredShape();
  return node.hasInput(input) && !node.isConstantInput(input) &&
         tensorType(node.input(input)).getNumElements() > 0 && node.declaredShape(0);
}

Value mlir::ttc::spoilUnless(Expressions &e, Value holds, Value value) {
  if (!holds || !value)
    return {};
  Type type = elementTypeOf(value);
  const unsigned width = type.getIntOrFloatBitWidth();
  if (width < 8 || (isa<FloatType>(type) && width < 16)) // codes and bools
    return value;
  const double bad = isa<FloatType>(type)       ? std::numeric_limits<double>::quiet_NaN()
                     : type.isUnsignedInteger() ? std::ldexp(1.0, width) - 1
                                                : -std::ldexp(1.0, width - 1);
  return e.where(holds, value, bad);
}

Value mlir::ttc::allOf(Expressions &e, Value bools) {
  if (!bools)
    return {};
  Type counted = IntegerType::get(bools.getContext(), 32);
  return e.compare(ComparePredicate::NE, e.minimum(e.cast(bools, counted), {0}), 0.0);
}

std::string mlir::ttc::describeContradiction(ArrayRef<int64_t> shape) {
  return ("has another shape than the declared [" + Twine(printList(shape)) + "]").str();
}

LogicalResult mlir::ttc::requireElements(OnnxNode &node, unsigned index,
                                         ArrayRef<SmallVector<int64_t, 3>> allowed) {
  Value values = node.input(index);
  const std::string contradiction = describeContradiction(*node.declaredShape(0));
  if (tensorType(values).getNumElements() != static_cast<int64_t>(allowed.size()))
    return node.error() << contradiction << ": expected " << allowed.size() << " elements in input "
                        << index << ", found " << values.getType();
  Expressions e(node);
  values = e.cast(node.reshape(values, {static_cast<int64_t>(allowed.size())}),
                  node.getBuilder().getI64Type());
  size_t alternatives = 1;
  for (ArrayRef<int64_t> choice : allowed)
    alternatives = std::max(alternatives, choice.size());
  Value holds;
  for (size_t k = 0; k < alternatives; ++k) {
    SmallVector<int64_t> wanted;
    for (ArrayRef<int64_t> choice : allowed)
      wanted.push_back(choice.empty() ? 0 : choice[std::min(k, choice.size() - 1)]);
    Value equal = e.compare(ComparePredicate::EQ, values, node.constant(wanted));
    holds = holds ? node.create<OrOp>({holds, equal}) : equal;
  }
  for (auto [i, choice] : llvm::enumerate(allowed)) {
    if (!choice.empty())
      continue;
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, allowed.size()));
    Value isAny = e.compare(ComparePredicate::EQ, node.constant(places), static_cast<double>(i));
    holds = node.create<OrOp>({holds, isAny});
  }
  node.require(allOf(e, holds), contradiction);
  return success(!node.hasFailed());
}

LogicalResult mlir::ttc::requireElements(OnnxNode &node, unsigned index,
                                         ArrayRef<int64_t> expected) {
  SmallVector<SmallVector<int64_t, 3>> allowed;
  for (int64_t value : expected)
    allowed.push_back({value});
  return requireElements(node, index, allowed);
}

LogicalResult mlir::ttc::reshapeToDeclared(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<int64_t> shape = *node.declaredShape(0);
  if (getNumElementsChecked(shape) != tensorType(x).getNumElements())
    return node.error() << "the shape is computed at run time, and the declared one, ["
                        << printList(shape) << "], does not fit " << x.getType()
                        << node.describeShapeOption();
  return node.results(node.reshape(x, shape));
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Element `i` of a vector of integers as an i64 scalar.
static Value elementOf(Expressions &e, Value vector, int64_t i) {
  return e.cast(e.take(vector, 0, i), IntegerType::get(vector.getContext(), 64));
}

/// `value`, counted from the front of `size` elements.
static Value normalize(Expressions &e, Value value, int64_t size) {
  return e.where(e.compare(ComparePredicate::LT, value, 0.0),
                 e.add(value, static_cast<double>(size)), value);
}

/// Whether bounds, which count from the front, select `size` of `dim` elements.
static Value selects(Expressions &e, Value start, Value end, Value step, int64_t dim,
                     int64_t size) {
  Value isBack = e.compare(ComparePredicate::LT, step, 0.0);
  Value last = e.where(isBack, e.scalar(dim - 1), e.scalar(dim));
  start = e.min(e.max(start, e.scalar(0)), last);
  end = e.min(e.max(end, e.where(isBack, e.scalar(-1), e.scalar(0))), last);
  Value distance = e.where(isBack, e.sub(start, end), e.sub(end, start)), stride = e.abs(step);
  Value count = e.div(e.add(distance, e.sub(stride, 1.0)), stride);
  return e.compare(ComparePredicate::EQ, e.max(count, e.scalar(0)), e.scalar(size));
}

LogicalResult mlir::ttc::sliceToDeclared(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  const int64_t rank = rankOf(x);
  SmallVector<int64_t> shape = *node.declaredShape(0);
  if (!node.hasInput(1) || !node.hasInput(2))
    return node.error() << (node.hasInput(1) ? "input 2 (ends) is missing"
                                             : "input 1 (starts) is missing");
  if (static_cast<int64_t>(shape.size()) != rank)
    return node.error() << "bounds are computed at run time, and the declared shape ["
                        << printList(shape) << "] does not fit " << x.getType()
                        << node.describeShapeOption();
  for (unsigned input : {1u, 2u, 3u, 4u})
    if (node.hasInput(input) &&
        (rankOf(node.input(input)) != 1 || shapeOf(node.input(input)) != shapeOf(node.input(1))))
      return node.error() << "expected starts, ends, axes and steps to be vectors of equal length, "
                             "found other shapes";
  const int64_t count = shapeOf(node.input(1))[0];
  if (count > rank)
    return node.error() << "expected bounds of at most " << rank << " axes, found " << count;
  Value holds;
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t size = shape[axis], dim = shapeOf(x)[axis];
    if (size < 0 || size > dim || dim == 0)
      return node.error() << "bounds are computed at run time, and the declared shape ["
                          << printList(shape) << "] is not inside " << x.getType()
                          << node.describeShapeOption();
    Value start = e.scalar(0), end = e.scalar(dim), step = e.scalar(1);
    for (int64_t i = 0; i < count; ++i) {
      Value isAxis;
      if (node.hasInput(3))
        isAxis = e.compare(ComparePredicate::EQ, normalize(e, elementOf(e, node.input(3), i), rank),
                           e.scalar(axis));
      else if (i != axis)
        continue;
      Value itsStart = elementOf(e, node.input(1), i), itsEnd = elementOf(e, node.input(2), i);
      Value itsStep = node.hasInput(4) ? elementOf(e, node.input(4), i) : e.scalar(1);
      start = isAxis ? e.where(isAxis, itsStart, start) : itsStart;
      end = isAxis ? e.where(isAxis, itsEnd, end) : itsEnd;
      step = isAxis ? e.where(isAxis, itsStep, step) : itsStep;
    }
    Value fits = selects(e, normalize(e, start, dim), normalize(e, end, dim), step, dim, size);
    holds = holds ? e.both(holds, fits) : fits;
    // The first element is inside if there is one at all.
    start = e.min(e.max(normalize(e, start, dim), e.scalar(0)), e.scalar(dim - 1));
    x = e.gather(x, e.add(start, e.mul(e.iota(size, 0, 1), step)), axis);
    if (!x)
      return failure();
  }
  node.require(holds, describeContradiction(shape));
  return node.results(holds ? spoilUnless(e, holds, x) : x);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// All candidates are computed; a declaration that allows more says too little.
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
  Expressions e(node);
  Value axes = node.reshape(node.input(index), {tensorType(node.input(index)).getNumElements()});
  Value result = values.back(), isAnyMeant;
  if (!axes)
    return {};
  for (auto [candidate, value] : llvm::zip_equal(candidates, values)) {
    // The candidates have as many axes, so one is meant if it contains all that are named.
    Value isMeant;
    for (int64_t i = 0; i < shapeOf(axes)[0]; ++i) {
      Value named = normalize(e, elementOf(e, axes, i), rank), contains;
      for (int64_t axis : candidate) {
        Value equal = e.compare(ComparePredicate::EQ, named, e.scalar(axis));
        contains = contains ? node.create<OrOp>({contains, equal}) : equal;
      }
      isMeant = isMeant ? e.both(isMeant, contains) : contains;
    }
    if (!isMeant) // no axes
      continue;
    if (value != values.back())
      result = e.where(isMeant, value, result);
    isAnyMeant = isAnyMeant ? node.create<OrOp>({isAnyMeant, isMeant}) : isMeant;
  }
  node.require(isAnyMeant, describeContradiction(*node.declaredShape(0)));
  return result;
}
