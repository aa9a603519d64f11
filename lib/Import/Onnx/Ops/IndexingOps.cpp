// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that select or add elements: slices, gathers, padding.
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "llvm/Support/MathExtras.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
struct SliceBounds {
  SmallVector<int64_t> starts, ends, axes, steps;
};
} // namespace

/// Attributes before opset 10, then inputs.
static FailureOr<SliceBounds> readSliceBounds(OnnxNode &node) {
  SliceBounds bounds;
  if (node.opset() < 10) {
    if (node.numInputs() != 1)
      return node.error() << "starts and ends are inputs from opset 10 on, before that attributes";
    bounds.starts = node.getInts("starts");
    bounds.ends = node.getInts("ends");
    bounds.axes = node.getInts("axes");
  } else {
    for (auto [index, what, values] :
         {std::tuple(1u, "starts", &bounds.starts), std::tuple(2u, "ends", &bounds.ends),
          std::tuple(3u, "axes", &bounds.axes), std::tuple(4u, "steps", &bounds.steps)}) {
      if (index > 2 && !node.hasInput(index))
        continue;
      FailureOr<SmallVector<int64_t>> ints = node.constantInts(index, what);
      if (failed(ints))
        return failure();
      *values = *ints;
    }
  }
  if (bounds.axes.empty())
    bounds.axes = llvm::to_vector(llvm::seq<int64_t>(0, bounds.starts.size()));
  if (bounds.steps.empty())
    bounds.steps.assign(bounds.starts.size(), 1);
  size_t count = bounds.starts.size();
  if (bounds.ends.size() != count || bounds.axes.size() != count || bounds.steps.size() != count)
    return node.error()
           << "expected starts, ends, axes and steps to have equally many elements, found " << count
           << ", " << bounds.ends.size() << ", " << bounds.axes.size() << ", "
           << bounds.steps.size();
  if (failed(node.normalizeAxes(bounds.axes, rankOf(node.input(0)))))
    return failure();
  return bounds;
}

static LogicalResult importSlice(OnnxNode &node) {
  if (node.opset() >= 10 && llvm::any_of(llvm::seq(1u, 5u), [&](unsigned input) {
        return isShapedByDeclaration(node, input);
      }))
    return sliceToDeclared(node);
  Value x = node.input(0);
  FailureOr<SliceBounds> bounds = readSliceBounds(node);
  if (failed(bounds))
    return failure();
  SmallVector<int64_t> starts(rankOf(x), 0), sizes(shapeOf(x)), steps(rankOf(x), 1);
  for (auto [start, end, axis, step] :
       llvm::zip_equal(bounds->starts, bounds->ends, bounds->axes, bounds->steps)) {
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return node.error() << "a step of " << step << " is not supported";
    int64_t dim = shapeOf(x)[axis];
    // Bounds may count from the end and may be far out of range ("to the end" is often INT64_MAX).
    auto clampTo = [dim](int64_t value, int64_t low, int64_t high) {
      return std::clamp(value < 0 ? value + dim : value, low, high);
    };
    int64_t first = step > 0 ? clampTo(start, 0, dim) : clampTo(start, -1, dim - 1);
    int64_t last = step > 0 ? clampTo(end, 0, dim) : clampTo(end, -1, dim - 1);
    int64_t distance = step > 0 ? last - first : first - last;
    sizes[axis] = distance > 0 ? llvm::divideCeil(distance, std::abs(step)) : 0;
    starts[axis] = sizes[axis] ? first : 0;
    // A step larger than the dimension has no effect; clamp it to keep products small, but not to
    // another number for each size of a range.
    const int64_t most = std::max<int64_t>(dim, 1 << 20);
    steps[axis] = std::clamp(step, -most, most);
  }
  bool isWhole = ArrayRef<int64_t>(sizes) == shapeOf(x) &&
                 llvm::all_of(steps, [](int64_t step) { return step == 1; });
  if (isWhole)
    return node.results(x);
  return node.results(node.create<SliceOp>(
      x, {node.attr("starts", starts), node.attr("sizes", sizes), node.attr("steps", steps)}));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
struct PadSizes {
  /// The padding of all dimensions: begins, then ends.
  SmallVector<int64_t> pads;
  double value = 0;
};
} // namespace

/// Attributes before opset 11, then inputs; from opset 18 on, optionally for some axes only.
static FailureOr<PadSizes> readPadding(OnnxNode &node) {
  int64_t rank = rankOf(node.input(0));
  PadSizes padding;
  if (node.opset() < 11) {
    padding.value = node.getFloat("value", 0);
    padding.pads = node.getInts("pads");
    if (node.numInputs() != 1)
      return node.error() << "pads and value are inputs from opset 11 on, before that attributes";
  } else {
    FailureOr<SmallVector<int64_t>> pads = node.constantInts(1, "pads");
    if (failed(pads))
      return failure();
    padding.pads = *pads;
    if (node.hasInput(2)) {
      FailureOr<double> value = node.constantNumber(2, "constant_value");
      if (failed(value))
        return failure();
      padding.value = *value;
    }
    if (node.hasInput(3)) {
      FailureOr<SmallVector<int64_t>> axes = node.constantInts(3, "axes");
      if (failed(axes) || failed(node.normalizeAxes(*axes, rank)))
        return failure();
      if (padding.pads.size() != 2 * axes->size())
        return node.error() << "expected pads to have two elements for each of " << axes->size()
                            << " axes, found " << padding.pads.size();
      SmallVector<int64_t> all(2 * rank, 0);
      for (auto [i, axis] : llvm::enumerate(*axes)) {
        all[axis] = padding.pads[i];
        all[rank + axis] = padding.pads[axes->size() + i];
      }
      padding.pads = all;
    }
  }
  if (static_cast<int64_t>(padding.pads.size()) != 2 * rank)
    return node.error() << "expected pads to have two elements for each dimension of "
                        << node.input(0).getType() << ", found " << padding.pads.size();
  constexpr int64_t limit = int64_t(1) << 40;
  if (llvm::any_of(padding.pads, [](int64_t pad) { return pad < -limit || pad > limit; }))
    return node.error() << "impossible pads [" << printList(padding.pads) << "]";
  return padding;
}

/// Whether a type has numbers that f32 has not.
static bool isWide(Type elementType) {
  return elementType.getIntOrFloatBitWidth() > 32 ||
         (isa<IntegerType>(elementType) && elementType.getIntOrFloatBitWidth() == 32);
}

static LogicalResult importPad(OnnxNode &node) {
  Value x = node.input(0);
  StringRef text = node.getString("mode", "constant");
  std::optional<PadMode> mode = symbolizePadMode(text);
  if (!mode)
    return node.error() << "attribute 'mode' is '" << text
                        << "' (supported: constant, reflect, edge, wrap)";
  for (unsigned input = 1; input < node.numInputs() && node.opset() >= 11; ++input)
    if (node.hasInput(input) && !node.isConstantInput(input))
      return padToDeclared(node, *mode);
  FailureOr<PadSizes> padding = readPadding(node);
  if (failed(padding))
    return failure();
  ArrayRef<int64_t> pads = padding->pads;
  int64_t rank = rankOf(x);
  // Negative pads cut elements off.
  SmallVector<int64_t> low, high, starts, sizes, steps(rank, 1);
  for (int64_t i = 0; i < rank; ++i) {
    low.push_back(std::max<int64_t>(pads[i], 0));
    high.push_back(std::max<int64_t>(pads[rank + i], 0));
    starts.push_back(std::max<int64_t>(-pads[i], 0));
    sizes.push_back(shapeOf(x)[i] - starts.back() - std::max<int64_t>(-pads[rank + i], 0));
    if (sizes.back() < 0)
      return node.error() << "pads cut more off dimension " << i << " of " << x.getType()
                          << " than it has";
  }
  if (ArrayRef<int64_t>(sizes) != shapeOf(x))
    x = node.create<SliceOp>(
        x, {node.attr("starts", starts), node.attr("sizes", sizes), node.attr("steps", steps)});
  if (!x)
    return failure();
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return node.results(x);
  Expressions e(node);
  const double value = padding->value;
  if (*mode != PadMode::Constant || std::isnan(value) || !isWide(elementTypeOf(x)) ||
      static_cast<double>(static_cast<float>(value)) == value)
    return node.results(e.pad(x, low, high, *mode, value));
  // A pad's number is an f32: another one is chosen where the padding is.
  auto maskType = RankedTensorType::get(shapeOf(x), node.getBuilder().getI1Type());
  Value mask = e.pad(node.constant(DenseElementsAttr::get(maskType, true)), low, high);
  return node.results(e.where(mask, e.pad(x, low, high), value));
}

/// Cuts off or adds as much before as after, an odd element after.
static LogicalResult importCenterCropPad(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  SmallVector<int64_t> axes =
      node.getInts("axes", llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x))));
  if (failed(node.normalizeAxes(axes, rankOf(x))))
    return failure();
  FailureOr<SmallVector<int64_t>> sizes = SmallVector<int64_t>();
  if (isShapedByDeclaration(node, 1) &&
      static_cast<int64_t>(node.declaredShape(0)->size()) == rankOf(x)) {
    SmallVector<int64_t> declared = *node.declaredShape(0);
    for (int64_t axis : axes)
      sizes->push_back(declared[axis]);
    if (failed(requireElements(node, 1, *sizes)))
      return failure();
  } else if (failed(sizes = node.constantInts(1, "shape"))) {
    return failure();
  }
  if (sizes->size() != axes.size())
    return node.error() << "expected shape to have an element for each of the " << axes.size()
                        << " axes, found " << sizes->size();
  SmallVector<int64_t> low(rankOf(x), 0), high(rankOf(x), 0);
  constexpr int64_t limit = int64_t(1) << 40;
  for (auto [axis, size] : llvm::zip_equal(axes, *sizes)) {
    if (size < 0 || size > limit)
      return node.error() << "impossible shape [" << printList(*sizes) << "]";
    int64_t missing = size - shapeOf(x)[axis];
    if (missing < 0)
      x = e.slice(x, axis, -missing / 2, size);
    if (!x)
      return failure();
    low[axis] = std::max<int64_t>(missing, 0) / 2;
    high[axis] = std::max<int64_t>(missing, 0) - low[axis];
  }
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return node.results(x);
  return node.results(e.pad(x, low, high));
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult importGather(OnnxNode &node) {
  int64_t axis = node.getAxis("axis", 0, rankOf(node.input(0)));
  return node.results(node.create<OpTy>(node.allInputs(), node.i64("axis", axis)));
}

static LogicalResult importGatherND(OnnxNode &node) {
  return node.results(node.create<GatherNdOp>(
      node.allInputs(), node.i64("batch_dims", node.getInt("batch_dims", 0))));
}

/// The size of OneHot's new dimension. If it is computed at run time, the declared shape decides.
static FailureOr<int64_t> readDepth(OnnxNode &node, int64_t axis, int64_t rank) {
  if (!node.isConstantInput(1))
    if (auto shape = node.declaredShape(0); shape && static_cast<int64_t>(shape->size()) == rank) {
      if (failed(requireElements(node, 1, (*shape)[axis])))
        return failure();
      return (*shape)[axis];
    }
  FailureOr<double> depth = node.constantNumber(1, "depth");
  if (failed(depth))
    return failure();
  constexpr int64_t mostClasses = 1 << 24;
  if (!(*depth >= 1 && *depth <= mostClasses))
    return node.error() << "expected depth to be from 1 to " << mostClasses << ", found " << *depth;
  return static_cast<int64_t>(*depth);
}

/// where(index == [0, 1, ..., depth - 1], on, off)
static LogicalResult importOneHot(OnnxNode &node) {
  Value values = node.input(2);
  int64_t rank = rankOf(node.input(0));
  int64_t axis = node.getAxis("axis", -1, rank + 1);
  if (node.hasFailed())
    return failure();
  FailureOr<int64_t> known = readDepth(node, axis, rank + 1);
  if (failed(known))
    return failure();
  int64_t depth = *known;
  Expressions e(node);
  if (rankOf(values) != 1 || shapeOf(values)[0] != 2)
    return node.error() << "expected values to be the two values off and on, found "
                        << values.getType();
  Value indices = node.cast(node.input(0), node.getBuilder().getI64Type());
  // Negative indices count from the end.
  Value wrapped = e.add(indices, static_cast<double>(depth));
  Value isNegative = e.compare(ComparePredicate::LT, indices, 0);
  indices = e.where(isNegative, wrapped, indices);
  SmallVector<int64_t> shape(shapeOf(node.input(0)));
  shape.insert(shape.begin() + axis, 1);
  Value isHot =
      e.compare(ComparePredicate::EQ, node.reshape(indices, shape), e.iota(depth, axis, rank + 1));
  return node.results(e.where(isHot, e.take(values, 0, 1), e.take(values, 0, 0)));
}

void mlir::ttc::registerIndexingOps(OnnxRegistry &registry) {
  registry.add("CenterCropPad", {2, 2}, importCenterCropPad, {18},
               "constant `shape`, or a declared shape of the result");
  registry.add("Gather", {2, 2}, importGather<GatherOp>);
  registry.add("GatherElements", {2, 2}, importGather<GatherElementsOp>, {11});
  registry.add("GatherND", {2, 2}, importGatherND, {11});
  registry.add("OneHot", {3, 3}, importOneHot, {9},
               "constant `depth`, or a declared shape of the result");
  registry.add("Pad", {1, 4}, importPad, {},
               "constant `pads`, `constant_value`, `axes`, or a declared shape of the result");
  registry.add("Slice", {1, 5}, importSlice, {},
               "constant `starts`, `ends`, `axes`, `steps`, or a declared shape of the result");
}
