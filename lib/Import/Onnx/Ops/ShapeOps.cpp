// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that change the shape or the order of elements.
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "llvm/Support/MathExtras.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Axes, which are an attribute before opset 13 and the second input later; nullopt if absent.
static FailureOr<std::optional<SmallVector<int64_t>>> readAxes(OnnxNode &node) {
  std::optional<SmallVector<int64_t>> axes;
  if (node.opset() < 13) {
    if (node.hasAttr("axes"))
      axes = node.getInts("axes");
  } else if (node.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> values = node.constantInts(1, "axes");
    if (failed(values))
      return failure();
    axes = *values;
  }
  return axes;
}

static LogicalResult importReshape(OnnxNode &node) {
  Value x = node.input(0);
  bool allowZero = node.getInt("allowzero", 0);
  if (isShapedByDeclaration(node, 1)) {
    SmallVector<SmallVector<int64_t, 3>> allowed;
    for (auto [i, dim] : llvm::enumerate(*node.declaredShape(0))) {
      allowed.push_back({dim, -1});
      if (!allowZero && static_cast<int64_t>(i) < rankOf(x) && shapeOf(x)[i] == dim)
        allowed.back().push_back(0);
    }
    if (failed(reshapeToDeclared(node)))
      return failure();
    return requireElements(node, 1, allowed);
  }
  FailureOr<SmallVector<int64_t>> wanted = node.constantInts(1, "shape");
  if (failed(wanted))
    return failure();
  SmallVector<int64_t> shape = *wanted;
  int64_t open = -1;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim == -1) {
      if (open >= 0)
        return node.error() << "the shape [" << printList(*wanted)
                            << "] has more than one dimension to infer";
      open = i;
    } else if (dim == 0 && !allowZero) {
      if (static_cast<int64_t>(i) >= rankOf(x))
        return node.error() << "the shape [" << printList(*wanted) << "] copies a dimension that "
                            << x.getType() << " does not have";
      dim = shapeOf(x)[i];
    }
  }
  int64_t elements = tensorType(x).getNumElements();
  if (open >= 0) {
    shape[open] = 1;
    std::optional<int64_t> others = getNumElementsChecked(shape);
    shape[open] = others && *others > 0 ? elements / *others : 0;
  }
  if (getNumElementsChecked(shape) != elements)
    return node.error() << "cannot reshape " << x.getType() << " to [" << printList(*wanted) << "]";
  return node.results(node.reshape(x, shape));
}

static LogicalResult importFlatten(OnnxNode &node) {
  Value x = node.input(0);
  int64_t rank = rankOf(x), axis = node.getInt("axis", 1);
  if (axis < -rank || axis > rank)
    return node.error() << "axis " << axis << " is out of range for a tensor of rank " << rank;
  if (axis < 0)
    axis += rank;
  ArrayRef<int64_t> shape = shapeOf(x);
  return node.results(node.reshape(
      x, {llvm::product_of(shape.take_front(axis)), llvm::product_of(shape.drop_front(axis))}));
}

static LogicalResult importSqueeze(OnnxNode &node) {
  if (isShapedByDeclaration(node, 1))
    return reshapeToDeclared(node);
  Value x = node.input(0);
  FailureOr<std::optional<SmallVector<int64_t>>> axes = readAxes(node);
  if (failed(axes) || (*axes && failed(node.normalizeAxes(**axes, rankOf(x)))))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(shapeOf(x))) {
    bool squeeze = *axes ? llvm::is_contained(**axes, static_cast<int64_t>(i)) : dim == 1;
    if (!squeeze)
      shape.push_back(dim);
    else if (dim != 1)
      return node.error() << "dimension " << i << " of " << x.getType()
                          << " is squeezed, but it is not 1";
  }
  return node.results(node.reshape(x, shape));
}

static LogicalResult importUnsqueeze(OnnxNode &node) {
  if (isShapedByDeclaration(node, 1))
    return reshapeToDeclared(node);
  Value x = node.input(0);
  FailureOr<std::optional<SmallVector<int64_t>>> axes = readAxes(node);
  if (failed(axes))
    return failure();
  if (!*axes)
    return node.error() << "axes are missing";
  int64_t rank = rankOf(x) + (*axes)->size();
  if (failed(node.normalizeAxes(**axes, rank)))
    return failure();
  SmallVector<int64_t> shape;
  auto rest = shapeOf(x).begin();
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(**axes, i) ? 1 : *rest++);
  return node.results(node.reshape(x, shape));
}

static LogicalResult importTranspose(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<int64_t> permutation =
      node.getInts("perm", llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rankOf(x)))));
  return node.results(node.create<TransposeOp>(x, node.attr("permutation", permutation)));
}

static LogicalResult importConcat(OnnxNode &node) {
  if (!node.hasAttr("axis"))
    return node.error() << "attribute 'axis' is missing";
  int64_t axis = node.getAxis("axis", 0, rankOf(node.input(0)));
  if (node.numInputs() == 1)
    return node.results(node.input(0));
  return node.results(node.create<ConcatOp>(node.allInputs(), node.i64("axis", axis)));
}

/// Sizes are an attribute before opset 13 and an input later. If they are absent, all parts are
/// equal, except for the last one from opset 18 on.
static LogicalResult importSplit(OnnxNode &node) {
  Value x = node.input(0);
  if (rankOf(x) == 0)
    return node.error() << "expected an input with dimensions, found " << x.getType();
  int64_t axis = node.getAxis("axis", 0, rankOf(x));
  if (node.hasFailed())
    return failure();
  int64_t size = shapeOf(x)[axis];
  SmallVector<int64_t> sizes;
  if (node.opset() < 13) {
    sizes = node.getInts("split");
  } else if (isShapedByDeclaration(node, 1)) {
    for (unsigned i = 0; i < node.numOutputs(); ++i) {
      std::optional<SmallVector<int64_t>> shape = node.declaredShape(i);
      if (!shape || static_cast<int64_t>(shape->size()) != rankOf(x))
        return node.error() << "the sizes are computed at run time, and output " << i
                            << " has no declared shape of rank " << rankOf(x);
      sizes.push_back((*shape)[axis]);
    }
    if (failed(requireElements(node, 1, sizes)))
      return failure();
  } else if (node.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> values = node.constantInts(1, "split");
    if (failed(values))
      return failure();
    sizes = *values;
  }
  if (sizes.empty()) {
    int64_t parts = node.getInt("num_outputs", node.numOutputs());
    if (parts < 1 || parts != static_cast<int64_t>(node.numOutputs()) ||
        (node.opset() < 18 && size % parts))
      return node.error() << "cannot split dimension " << axis << " of " << x.getType() << " into "
                          << parts << " equal parts";
    int64_t part = llvm::divideCeil(size, parts);
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(std::clamp<int64_t>(size - i * part, 0, part));
  }
  if (sizes.size() != node.numOutputs())
    return node.error() << "the node has " << node.numOutputs() << " outputs, but " << sizes.size()
                        << " sizes";
  if (sizes.size() == 1 && sizes[0] == size)
    return node.results(x);
  return node.results(
      node.createMulti<SplitOp>(x, {node.i64("axis", axis), node.attr("sizes", sizes)}));
}

/// How often a tensor is repeated to have the declared shape.
static FailureOr<SmallVector<int64_t>> findRepeats(OnnxNode &node) {
  SmallVector<int64_t> to = *node.declaredShape(0), repeats;
  ArrayRef<int64_t> from = shapeOf(node.input(0));
  bool fits = to.size() == from.size();
  for (size_t i = 0; fits && i < to.size(); ++i) {
    fits = from[i] > 0 && to[i] % from[i] == 0;
    repeats.push_back(fits ? to[i] / from[i] : 0);
  }
  if (!fits)
    return node.error() << "the repeats are computed at run time, and the declared shape ["
                        << printList(to) << "] is no multiple of " << node.input(0).getType()
                        << node.describeShapeOption();
  return repeats;
}

static LogicalResult importTile(OnnxNode &node) {
  FailureOr<SmallVector<int64_t>> repeats =
      isShapedByDeclaration(node, 1) ? findRepeats(node) : node.constantInts(1, "repeats");
  if (failed(repeats) ||
      (isShapedByDeclaration(node, 1) && failed(requireElements(node, 1, *repeats))))
    return failure();
  if (llvm::all_of(*repeats, [](int64_t repeat) { return repeat == 1; }) &&
      static_cast<int64_t>(repeats->size()) == rankOf(node.input(0)))
    return node.results(node.input(0));
  return node.results(node.create<TileOp>(node.input(0), node.attr("repeats", *repeats)));
}

/// The shape and the operand broadcast to each other.
static LogicalResult importExpand(OnnxNode &node) {
  Value x = node.input(0);
  FailureOr<SmallVector<int64_t>> wanted =
      isShapedByDeclaration(node, 1) ? *node.declaredShape(0) : node.constantInts(1, "shape");
  if (failed(wanted))
    return failure();
  SmallVector<int64_t> shape(*wanted);
  ArrayRef<int64_t> from = shapeOf(x);
  if (shape.size() < from.size())
    shape.insert(shape.begin(), from.size() - shape.size(), 1);
  size_t offset = shape.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t &dim = shape[offset + i];
    if (dim == 1)
      dim = from[i];
    else if (from[i] != 1 && from[i] != dim)
      return node.error() << "cannot expand " << x.getType() << " to [" << printList(*wanted)
                          << "]";
  }
  if (!getNumElementsChecked(shape))
    return node.error() << "impossible shape [" << printList(*wanted) << "]";
  if (isShapedByDeclaration(node, 1)) {
    // The computed shape may leave out leading dimensions that the operand has.
    SmallVector<SmallVector<int64_t, 3>> allowed;
    const auto count = static_cast<size_t>(tensorType(node.input(1)).getNumElements());
    for (size_t i = shape.size() - std::min(count, shape.size()); i < shape.size(); ++i) {
      allowed.push_back({shape[i]});
      if (i >= offset && from[i - offset] == shape[i])
        allowed.back().push_back(1);
    }
    if (failed(requireElements(node, 1, allowed)))
      return failure();
  }
  if (ArrayRef<int64_t>(shape) == from)
    return node.results(x);
  return node.results(node.createAs<ExpandOp>(RankedTensorType::get(shape, elementTypeOf(x)), x));
}

static LogicalResult importDepthToSpace(OnnxNode &node) {
  StringRef text = node.getString("mode", "DCR");
  std::optional<DepthToSpaceMode> mode = symbolizeDepthToSpaceMode(text.lower());
  if (!mode)
    return node.error() << "attribute 'mode' is '" << text << "' (supported: DCR, CRD)";
  const int64_t block = node.getInt("blocksize", 0);
  return node.results(node.create<DepthToSpaceOp>(
      node.input(0), {node.attr("block", {block, block}),
                      node.attr("mode", DepthToSpaceModeAttr::get(node.context(), *mode))}));
}

static LogicalResult importSpaceToDepth(OnnxNode &node) {
  Value x = node.input(0);
  const int64_t block = node.getInt("blocksize", 0);
  StringRef mode = node.getString("mode", "DCR");
  if (mode == "DCR")
    return node.results(node.create<SpaceToDepthOp>(x, node.i64("block", block)));
  if (mode != "CRD")
    return node.error() << "attribute 'mode' is '" << mode << "' (supported: DCR, CRD)";
  if (rankOf(x) != 4 || block < 1 || shapeOf(x)[2] % block || shapeOf(x)[3] % block)
    return node.error() << "expected an input of rank 4 whose height and width the block size "
                        << block << " divides, found " << x.getType();
  // The column, the row, then the depth: each channel keeps its pixels side by side.
  ArrayRef<int64_t> shape = shapeOf(x);
  const int64_t rows = shape[2] / block, columns = shape[3] / block;
  Value blocks = node.reshape(x, {shape[0], shape[1], rows, block, columns, block});
  Value moved = node.create<TransposeOp>(blocks, node.attr("permutation", {0, 1, 3, 5, 2, 4}));
  return node.results(node.reshape(moved, {shape[0], shape[1] * block * block, rows, columns}));
}

void mlir::ttc::registerShapeOps(OnnxRegistry &registry) {
  registry.add("Concat", {1, Arity::kAny}, importConcat);
  registry.add("DepthToSpace", {1, 1}, importDepthToSpace);
  registry.add("Expand", {2, 2}, importExpand, {8},
               "constant `shape`, or a declared shape of the result");
  registry.add("Flatten", {1, 1}, importFlatten);
  registry.add("Reshape", {2, 2}, importReshape, {},
               "constant `shape`, or a declared shape of the result");
  registry.add("SpaceToDepth", {1, 1}, importSpaceToDepth);
  registry.add("Split", {1, 2}, importSplit, {},
               "constant `split`, or a declared shape of the result");
  registry.add("Squeeze", {1, 2}, importSqueeze, {},
               "constant `axes`, or a declared shape of the result");
  registry.add("Tile", {2, 2}, importTile, {},
               "constant `repeats`, or a declared shape of the result");
  registry.add("Transpose", {1, 1}, importTranspose);
  registry.add("Unsqueeze", {1, 2}, importUnsqueeze, {},
               "constant `axes`, or a declared shape of the result");
}
