// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inverses of windows: Col2Im adds them up to images, MaxUnpool puts maxima back.
#include "Window.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "dialects/Ttc/Tensors/SequentialOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// A transposed convolution in which each channel of the operand is one element of a window.
static LogicalResult importCol2Im(OnnxNode &node) {
  Value x = node.input(0);
  FailureOr<SmallVector<int64_t>> image = node.constantInts(1, "image_shape");
  FailureOr<SmallVector<int64_t>> block = node.constantInts(2, "block_shape");
  if (failed(image) || failed(block))
    return failure();
  const size_t rank = image->size();
  if (rank < 1 || rank > 3 || block->size() != rank)
    return node.error() << "expected image_shape and block_shape to have 1 to 3 sizes each, found ["
                        << printList(*image) << "] and [" << printList(*block) << "]";
  FailureOr<Window> window = readWindow(node, static_cast<int64_t>(rank), *block);
  if (failed(window))
    return failure();
  SmallVector<int64_t> counts, outputPadding;
  const std::optional<int64_t> pixels = getNumElementsChecked(*image);
  for (size_t i = 0; i < rank && pixels; ++i) {
    int64_t extent = (*image)[i] + window->pads[i] + window->pads[rank + i];
    int64_t room = extent - dilatedSize(window->kernel[i], window->dilations[i]);
    if ((*image)[i] < 1 || room < 0)
      return node.error() << "windows of [" << printList(*block) << "] do not fit an image of ["
                          << printList(*image) << "]";
    counts.push_back(room / window->strides[i] + 1);
    outputPadding.push_back(room % window->strides[i]);
  }
  const std::optional<int64_t> taps = getNumElementsChecked(window->kernel);
  const std::optional<int64_t> windows = getNumElementsChecked(counts);
  if (!pixels || !taps || !windows)
    return node.error() << "impossible image [" << printList(*image) << "] or windows ["
                        << printList(*block) << "]";
  if (rankOf(x) != 3 || shapeOf(x)[1] == 0 || shapeOf(x)[1] % *taps || shapeOf(x)[2] != *windows)
    return node.error() << "expected the input to have a multiple of " << *taps << " rows and "
                        << *windows << " columns for each image, found " << x.getType();
  const int64_t images = shapeOf(x)[0], rows = shapeOf(x)[1], channels = rows / *taps;

  Expressions e(node);
  Type elementType = elementTypeOf(x), arithmetic = getArithmeticType(elementType);
  SmallVector<int64_t> weightShape = {rows, 1};
  llvm::append_range(weightShape, window->kernel);
  if (failed(node.checkGenerated(RankedTensorType::get({rows, *taps}, arithmetic))))
    return failure();
  SmallVector<double> weights(rows * *taps, 0.0);
  for (int64_t i = 0; i < rows; ++i)
    weights[i * *taps + i % *taps] = 1;
  SmallVector<int64_t> shape = {images, rows};
  llvm::append_range(shape, counts);
  SmallVector<NamedAttribute> attrs = window->getAttrs(node);
  attrs.push_back(node.attr("output_padding", outputPadding));
  attrs.push_back(node.i64("groups", channels));
  Value y = node.create<ConvTransposeOp>(
      {e.reshape(node.cast(x, arithmetic), shape), e.floats(weightShape, weights, arithmetic)},
      attrs);
  return node.results(castSaturated(node, y, elementType));
}

/// Puts each element where its index says, among zeros. Indices count the elements of the tensor
/// that the attributes describe; `output_shape` may be larger.
static LogicalResult importMaxUnpool(OnnxNode &node) {
  Value x = node.input(0), indices = node.input(1);
  const int64_t rank = rankOf(x) - 2;
  if (rank < 1 || rank > 3 || shapeOf(indices) != shapeOf(x))
    return node.error() << "expected the input to have 1 to 3 spatial dimensions and the indices "
                           "its shape, found "
                        << x.getType() << " and " << indices.getType();
  FailureOr<Window> window = readWindow(node, rank, {});
  if (failed(window))
    return failure();
  SmallVector<int64_t> shape(shapeOf(x)), result;
  for (int64_t i = 0; i < rank; ++i) {
    constexpr int64_t most = int64_t(1) << 31; // products with strides could overflow
    if (shape[i + 2] > most)
      return node.error() << "expected the input to have spatial dimensions of at most " << most
                          << ", found " << x.getType();
    shape[i + 2] = (shape[i + 2] - 1) * window->strides[i] + window->kernel[i] - window->pads[i] -
                   window->pads[rank + i];
  }
  result = shape;
  if (node.hasInput(2)) {
    FailureOr<SmallVector<int64_t>> sizes = isShapedByDeclaration(node, 2)
                                                ? *node.declaredShape(0)
                                                : node.constantInts(2, "output_shape");
    if (failed(sizes) ||
        (isShapedByDeclaration(node, 2) && failed(requireElements(node, 2, *sizes))))
      return failure();
    result = *sizes;
  }
  std::optional<int64_t> count = getNumElementsChecked(shape);
  if (!count || *count == 0 || result.size() != shape.size() ||
      llvm::any_of(llvm::zip_equal(result, shape),
                   [](auto sizes) { return std::get<0>(sizes) < std::get<1>(sizes); }) ||
      !getNumElementsChecked(result))
    return node.error() << "expected an output shape of at least [" << printList(shape)
                        << "], found [" << printList(result) << "]";
  Expressions e(node);
  const int64_t elements = tensorType(x).getNumElements();
  Value y = node.create<ScatterElementsOp>(
      {e.splat(*count, elementTypeOf(x), 0), e.reshape(indices, elements), e.reshape(x, elements)},
      {node.i64("axis", 0),
       node.attr("reduction", ScatterReductionAttr::get(node.context(), ScatterReduction::None))});
  y = e.reshape(y, shape);
  for (int64_t i = 0; i < rank + 2; ++i)
    y = e.fit(y, i, result[i]);
  return node.results(y);
}

void mlir::ttc::registerFoldingOps(OnnxRegistry &registry) {
  registry.add("Col2Im", {3, 3}, importCol2Im, {18},
               "constant `image_shape`, `block_shape`; 1 to 3 spatial dimensions");
  registry.add("MaxUnpool", {2, 3}, importMaxUnpool, {9},
               "constant `output_shape`, or a declared shape; 1 to 3 spatial dimensions");
}
