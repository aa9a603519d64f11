// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding at the ends of dimensions and between elements, by numbers that data may give.
#include "Padding.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

bool PadCounts::isNone() const {
  auto isZero = [](int64_t count) { return count == 0; };
  return llvm::all_of(low, isZero) && llvm::all_of(high, isZero) && llvm::all_of(interior, isZero);
}

std::optional<PadCounts> mlir::ttc::readPadding(StablehloOp &op, int64_t rank,
                                                StringRef constraint) {
  PadCounts padding(rank);
  Attribute attr = op.getAttr("padding");
  if (!attr)
    return padding;
  auto elements = dyn_cast<DenseIntElementsAttr>(attr);
  if (!elements || elements.getType().getShape() != ArrayRef<int64_t>{rank, 2}) {
    op.error() << cite(constraint) << "expected attribute 'padding' to have shape [" << rank
               << ", 2], found " << attr;
    return std::nullopt;
  }
  SmallVector<int64_t> counts = op.getInts("padding");
  if (op.hasFailed())
    return std::nullopt;
  for (int64_t i = 0; i < rank; ++i) {
    padding.low[i] = counts[2 * i];
    padding.high[i] = counts[2 * i + 1];
  }
  return padding;
}

std::optional<SmallVector<int64_t>> mlir::ttc::getPaddedShape(StablehloOp &op,
                                                              ArrayRef<int64_t> shape,
                                                              const PadCounts &padding,
                                                              StringRef constraint) {
  // Larger counts could overflow.
  constexpr int64_t most = int64_t(1) << 40;
  SmallVector<int64_t> sizes;
  for (auto [size, low, high, interior] :
       llvm::zip_equal(shape, padding.low, padding.high, padding.interior)) {
    if (std::abs(low) > most || std::abs(high) > most || interior < 0 ||
        interior > most / std::max<int64_t>(size, 1)) {
      op.error() << "expected padding of at most " << most << " elements, none negative between "
                 << "elements, found low " << low << ", high " << high << ", interior " << interior;
      return std::nullopt;
    }
    sizes.push_back(size + std::max<int64_t>(size - 1, 0) * interior + low + high);
    if (sizes.back() < 0) {
      op.error() << cite(constraint) << "expected a dimension of " << size
                 << " elements to keep at least 0, found " << sizes.back() << " by low " << low
                 << " and high " << high;
      return std::nullopt;
    }
  }
  if (getNumElementsChecked(sizes))
    return sizes;
  op.error() << "expected a padded tensor that fits a device, found the shape [" << printList(sizes)
             << "]";
  return std::nullopt;
}

/// The number that a constant of rank 0 is, if ttc.pad can be given it.
static std::optional<double> getPadNumber(Value value) {
  ElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  FailureOr<SmallVector<double>> numbers = readElements<double>(attr);
  if (failed(numbers) || numbers->size() != 1)
    return std::nullopt;
  const double number = numbers->front();
  // Minus zero is not the number 0 either.
  if (std::isnan(number) || static_cast<double>(static_cast<float>(number)) != number ||
      (number == 0 && std::signbit(number)))
    return std::nullopt;
  // Integers of more than 53 bits are not read exactly.
  return isa<IntegerType>(attr.getElementType()) && std::abs(number) > 0x1p24
             ? std::nullopt
             : std::optional(number);
}

Value mlir::ttc::makePad(StablehloOp &op, Value x, const PadCounts &padding, double value) {
  return x ? makePad(op, x, padding, Expressions(op).number(x, value)) : Value();
}

Value mlir::ttc::makePad(StablehloOp &op, Value x, const PadCounts &padding, Value value) {
  if (!x || !value || padding.isNone())
    return x;
  std::optional<SmallVector<int64_t>> result = getPaddedShape(op, shapeOf(x), padding);
  if (!result)
    return {};
  Expressions e(op);
  if (llvm::is_contained(*result, 0) || llvm::is_contained(shapeOf(x), 0))
    return e.expand(value, *result);
  std::optional<double> number = getPadNumber(value);
  auto extend = [&](Value tensor, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    if (!tensor)
      return tensor;
    if (llvm::all_of(low, [](int64_t count) { return count == 0; }) &&
        llvm::all_of(high, [](int64_t count) { return count == 0; }))
      return tensor;
    if (number)
      return e.pad(tensor, low, high, PadMode::Constant, *number);
    for (int64_t axis = 0; tensor && axis < static_cast<int64_t>(low.size()); ++axis) {
      SmallVector<Value> parts;
      auto append = [&](int64_t count) {
        if (count == 0)
          return;
        SmallVector<int64_t> shape(shapeOf(tensor));
        shape[axis] = count;
        parts.push_back(e.expand(value, shape));
      };
      append(low[axis]);
      parts.push_back(tensor);
      append(high[axis]);
      tensor = e.concat(parts, axis);
    }
    return tensor;
  };

  const int64_t rank = rankOf(x);
  for (int64_t axis = 0; axis < rank && x; ++axis) {
    const int64_t gap = padding.interior[axis], size = shapeOf(x)[axis];
    if (gap == 0 || size < 2)
      continue;
    // As rows that begin with an element.
    SmallVector<int64_t> low(rank + 1, 0), high(rank + 1, 0), shape(shapeOf(x));
    high[axis + 1] = gap;
    shape[axis] = size * (gap + 1);
    Value rows = extend(e.unsqueeze(x, axis + 1), low, high);
    x = e.slice(op.reshape(rows, shape), axis, 0, shape[axis] - gap);
  }
  if (!x)
    return {};
  SmallVector<int64_t> low(rank), high(rank), starts(rank, 0), sizes(shapeOf(x));
  for (int64_t axis = 0; axis < rank; ++axis) {
    low[axis] = std::max<int64_t>(padding.low[axis], 0);
    high[axis] = std::max<int64_t>(padding.high[axis], 0);
    const int64_t cutLow = std::max<int64_t>(-padding.low[axis], 0),
                  cutHigh = std::max<int64_t>(-padding.high[axis], 0);
    // What one end removes may be more than the tensor, so that the other end's padding goes, too.
    if (cutLow + cutHigh >= sizes[axis])
      continue;
    starts[axis] = cutLow;
    sizes[axis] -= cutLow + cutHigh;
  }
  for (int64_t axis = 0; axis < rank; ++axis)
    x = e.slice(x, axis, starts[axis], sizes[axis]);
  x = extend(x, low, high);
  // Dimensions of which nothing of the operand remains, or that were not cut before.
  for (int64_t axis = 0; axis < rank; ++axis)
    if (x && shapeOf(x)[axis] != (*result)[axis])
      x = e.slice(x, axis, std::max<int64_t>(-padding.low[axis], 0), (*result)[axis]);
  return x;
}

static LogicalResult importPad(StablehloOp &op) {
  if (failed(op.checkOperands(2)))
    return failure();
  Value x = op.operand(0), value = op.operand(1);
  PadCounts padding(0);
  padding.low = op.getInts("edge_padding_low");
  padding.high = op.getInts("edge_padding_high");
  padding.interior = op.getInts("interior_padding");
  if (op.hasFailed())
    return failure();
  const size_t rank = op.isBroadened() ? 0 : rankOf(x);
  if (padding.low.size() != rank || padding.high.size() != rank || padding.interior.size() != rank)
    return op.error() << "(C2) expected padding of " << rank << " dimensions, found "
                      << padding.low.size() << ", " << padding.high.size() << " and "
                      << padding.interior.size();
  if (llvm::any_of(padding.interior, [](int64_t count) { return count < 0; }))
    return op.error() << "(C3) expected interior padding that is not negative, found "
                      << printList(padding.interior);
  if (rankOf(value) != 0 || elementTypeOf(value) != elementTypeOf(x))
    return op.error() << "(C1) expected a padding value of type tensor<" << elementTypeOf(x)
                      << ">, found " << value.getType();
  if (op.isBroadened())
    return op.results(x);
  if (!getPaddedShape(op, shapeOf(x), padding, "C4"))
    return failure();
  return op.results(makePad(op, x, padding, value));
}

void mlir::ttc::registerStablehloPadOps(StablehloRegistry &registry) {
  registry.add("pad", importPad, OnComplex::ByParts);
}
