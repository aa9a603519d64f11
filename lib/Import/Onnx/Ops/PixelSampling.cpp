// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PixelSampling.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

using namespace mlir;
using namespace mlir::ttc;

/// floor(coordinates) + first, ..., floor(coordinates) + first + count - 1
static Value getPositions(Expressions &e, Value coordinates, double first, int64_t count) {
  if (!coordinates)
    return {};
  SmallVector<int64_t> shape(shapeOf(coordinates)), offsetShape(shape.size() + 1, 1);
  shape.insert(shape.begin(), 1);
  offsetShape[0] = count;
  SmallVector<double> offsets;
  for (int64_t i = 0; i < count; ++i)
    offsets.push_back(first + static_cast<double>(i));
  return e.add(e.reshape(e.floor(coordinates), shape),
               e.floats(offsetShape, offsets, elementTypeOf(coordinates)));
}

/// |coordinates - positions|
static Value getDistances(Expressions &e, Value coordinates, Value positions) {
  if (!positions)
    return {};
  SmallVector<int64_t> shape(shapeOf(coordinates));
  shape.insert(shape.begin(), 1);
  return e.abs(e.sub(e.reshape(coordinates, shape), positions));
}

AxisTaps mlir::ttc::getLinearTaps(Expressions &e, Value coordinates) {
  AxisTaps taps;
  taps.positions = getPositions(e, coordinates, 0, 2);
  Value distances = getDistances(e, coordinates, taps.positions);
  taps.weights = e.sub(e.number(distances, 1), distances);
  return taps;
}

Value mlir::ttc::getCubicWeights(Expressions &e, Value x, double a) {
  // ((a + 2) x - (a + 3)) x^2 + 1 up to 1, then ((a x - 5 a) x + 8 a) x - 4 a.
  Value near = e.add(e.mul(e.mul(e.sub(e.mul(x, a + 2), a + 3), x), x), 1);
  Value far = e.sub(e.mul(e.add(e.mul(e.sub(e.mul(x, a), 5 * a), x), 8 * a), x), 4 * a);
  return e.where(e.compare(ComparePredicate::LE, x, 1), near, far);
}

AxisTaps mlir::ttc::getCubicTaps(Expressions &e, Value coordinates) {
  AxisTaps taps;
  taps.positions = getPositions(e, coordinates, -1, 4);
  taps.weights = getCubicWeights(e, getDistances(e, coordinates, taps.positions), -0.75);
  return taps;
}

Value mlir::ttc::clampPositions(OnnxNode &node, Value positions, int64_t size) {
  return node.create<ClampOp>(positions,
                              {node.f32("min", 0), node.f32("max", static_cast<double>(size - 1))});
}

Value mlir::ttc::arePositionsInside(Expressions &e, Value positions, int64_t size) {
  return e.both(e.compare(ComparePredicate::GE, positions, 0),
                e.compare(ComparePredicate::LE, positions, static_cast<double>(size - 1)));
}

Value mlir::ttc::toRows(Expressions &e, Value image) {
  ArrayRef<int64_t> shape = shapeOf(image);
  const int64_t pixels = llvm::product_of(shape.drop_front(2));
  Value rows = e.transpose(e.reshape(image, {shape[0], shape[1], pixels}), {0, 2, 1});
  return e.reshape(rows, {shape[0] * pixels, shape[1]});
}

Type mlir::ttc::getRowType(Value rows) {
  // Vectors have twice as many of the narrower type.
  return IntegerType::get(rows.getContext(),
                          shapeOf(rows)[0] <= std::numeric_limits<int32_t>::max() ? 32 : 64);
}

Value mlir::ttc::gatherTaps(OnnxNode &node, Value rows, Value firstRows, ArrayRef<int64_t> sizes,
                            ArrayRef<AxisTaps> axes, ArrayRef<int64_t> samples) {
  Expressions e(node);
  if (!rows || !firstRows)
    return {};
  Type rowType = getRowType(rows);
  Value row = firstRows, weight, isInside;
  int64_t tapCount = 1;
  // Dimensions of taps come first, so that loops over samples are the innermost.
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (!axis.positions)
      return {};
    const int64_t taps = shapeOf(axis.positions)[0];
    tapCount *= taps;
    auto place = [&](Value value) {
      if (!value)
        return value;
      SmallVector<int64_t> shape(axes.size(), 1);
      shape[i] = shapeOf(value)[0];
      llvm::append_range(shape, shapeOf(value).drop_front());
      return e.reshape(value, shape);
    };
    auto combine = [&](Value &all, Value one, auto operation) {
      if (one)
        all = all ? operation(all, place(one)) : place(one);
    };
    // The row is firstRows + (position 0 * size 1 + position 1) * size 2 + ...
    const int64_t stride = llvm::product_of(sizes.drop_front(i + 1));
    Value offset = e.cast(place(axis.positions), rowType);
    row = e.add(row, stride == 1 ? offset : e.mul(offset, static_cast<double>(stride)));
    combine(weight, axis.weights, [&](Value a, Value b) { return e.mul(a, b); });
    combine(isInside, axis.isInside, [&](Value a, Value b) { return e.both(a, b); });
  }
  SmallVector<int64_t> broadcast;
  for (const AxisTaps &axis : axes)
    broadcast.push_back(shapeOf(axis.positions)[0]);
  llvm::append_range(broadcast, samples);
  SmallVector<int64_t> flat = {tapCount};
  llvm::append_range(flat, samples);
  SmallVector<int64_t> column(flat);
  column.push_back(1);
  auto spread = [&](Value value) { return e.reshape(e.expand(value, broadcast), column); };
  Value parts = e.gather(rows, e.reshape(e.expand(row, broadcast), flat), 0);
  if (weight)
    parts = e.mul(parts, e.cast(spread(weight), elementTypeOf(rows)));
  if (isInside && parts)
    parts = e.where(spread(isInside), parts, e.number(parts, 0));
  return parts;
}
