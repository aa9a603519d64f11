// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of whole dimensions.
#include "Bodies.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

/// How JAX writes the place of the largest element: of the first NaN, or else of the first of the
/// largest. The values come first, then their places.
static std::string getArgBody(StringRef direction) {
  return ("compare " + direction + " a0 a2;compare NE a0 a0;or 0 1;compare EQ a0 a2;" +
          "compare LT a1 a3;and 3 4;or 2 5;select 2 a0 a2;select 6 a1 a3;return 7 8;")
      .str();
}

/// The reductions of values and places that ttc has; empty for others.
static SmallVector<Value> makeArgReduction(StablehloOp &op, ArrayRef<int64_t> axes) {
  Value x = op.operand(0), places = op.operand(1);
  Block *body = op.body(0, 4);
  if (axes.size() != 1 || !body || op.isComplex(x) || op.isComplex(places))
    return {};
  std::string text = printBody(*body);
  const bool isMax = text == getArgBody("GT");
  if (!isMax && text != getArgBody("LT"))
    return {};
  // Places are counted along the dimension, from 0.
  Operation *iota = op.getSource()->getOperand(1).getDefiningOp();
  auto dim = iota && iota->getName().getStringRef() == "stablehlo.iota"
                 ? dyn_cast_if_present<IntegerAttr>(getStablehloAttr(iota, "iota_dimension"))
                 : IntegerAttr();
  if (!dim || dim.getInt() != axes.front() || !op.isConstant(3, 0))
    return {};
  // The initial value must be the worst of all: then it is chosen only where all elements are.
  Type type = elementTypeOf(x);
  DenseElementsAttr initial;
  if (type.isInteger(1) || !matchPattern(op.operand(2), m_Constant(&initial)) || !initial.isSplat())
    return {};
  if (isa<FloatType>(type)) {
    APFloat value = initial.getSplatValue<APFloat>();
    if (!value.isInfinity() || value.isNegative() != isMax)
      return {};
  } else {
    APInt value = initial.getSplatValue<APInt>();
    const bool isUnsigned = type.isUnsignedInteger();
    if (isMax ? !(isUnsigned ? value.isZero() : value.isMinSignedValue())
              : !(isUnsigned ? value.isAllOnes() : value.isMaxSignedValue()))
      return {};
  }
  Expressions e(op);
  NamedAttribute axis = op.i64("axis", axes.front());
  Value best = isMax ? e.maximum(x, axes) : e.minimum(x, axes), place;
  if (isa<FloatType>(type)) {
    // NaN comes first in either order: it is larger than all else.
    Value isNan = e.compare(ComparePredicate::NE, x, x);
    Type byte = op.getBuilder().getIntegerType(8, /*isSigned=*/false);
    Value flags = op.cast(isNan, byte);
    Value firstNan = op.create<ArgmaxOp>(flags, axis);
    Value first = isMax ? op.create<ArgmaxOp>(x, axis) : op.create<ArgminOp>(x, axis);
    place = e.where(e.compare(ComparePredicate::NE, best, best), firstNan, first);
  } else {
    place = isMax ? op.create<ArgmaxOp>(x, axis) : op.create<ArgminOp>(x, axis);
  }
  return {best, op.cast(place, elementTypeOf(places))};
}

static LogicalResult importReduce(StablehloOp &op) {
  const unsigned count = op.numOperands() / 2;
  if (op.numOperands() == 0 || op.numOperands() % 2 != 0 || op.numResults() != count)
    return op.error() << "(C3) expected as many operands as initial values and results, found "
                      << op.numOperands() << " operands and " << op.numResults() << " results";
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of another op";
  SmallVector<int64_t> axes = op.getInts("dimensions");
  ArrayRef<int64_t> from = shapeOf(op.realOf(op.operand(0)));
  const int64_t rank = from.size();
  for (unsigned i = 0; i < count; ++i) {
    Value x = op.realOf(op.operand(i)), initial = op.realOf(op.operand(count + i));
    if (shapeOf(x) != from)
      return op.error() << "(C1) expected operands of one shape, found " << x.getType();
    if (rankOf(initial) != 0)
      return op.error() << "expected initial values of rank 0, found " << initial.getType();
    if (elementTypeOf(initial) != elementTypeOf(x) ||
        op.isComplex(op.operand(i)) != op.isComplex(op.operand(count + i)))
      return op.error() << "(C2) expected an initial value of the elements of "
                        << op.sourceTypeOf(op.operand(i)) << ", found "
                        << op.sourceTypeOf(op.operand(count + i));
  }
  for (int64_t axis : axes)
    if (axis < 0 || axis >= rank || llvm::count(axes, axis) != 1)
      return op.error() << "(C4, C5) expected different dimensions of " << rank << ", found "
                        << printList(axes);
  llvm::sort(axes);
  Reducer reducer(op, 0, count, "C6");
  if (op.hasFailed() || failed(reducer.check(op.allOperands().take_front(count))))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      shape.push_back(from[i]);
  ArrayRef<Value> operands = op.allOperands();
  SmallVector<Value> values = reducer.convert(operands.take_front(count)),
                     initial = reducer.convert(operands.drop_front(count));
  // As in XLA; how often initial values count is left open.
  if (axes.empty())
    return op.results(values);
  Expressions e(op);
  if (llvm::is_contained(from, 0)) {
    for (Value &value : initial)
      value = mapParts(op, value, [&](Value part) { return e.expand(part, shape); });
    return op.results(initial);
  }
  if (count == 1)
    if (Value known = reducer.reduceKnown(values.front(), axes, /*keepDims=*/false))
      return op.results(reducer.applyInitial(initial, {known}));
  if (count == 2)
    if (SmallVector<Value> known = makeArgReduction(op, axes); !known.empty())
      return op.results(known);
  for (int64_t axis : llvm::reverse(axes))
    values = reducer.reduceInOrder(values, axis);
  for (Value &value : values)
    value = mapParts(op, value, [&](Value part) { return op.reshape(part, shape); });
  values = reducer.applyInitial(initial, values);
  values.resize(count);
  return op.results(values);
}

void mlir::ttc::registerStablehloReductionOps(StablehloRegistry &registry) {
  registry.add("reduce", importReduce, OnComplex::Handled);
}
