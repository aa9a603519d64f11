// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions, and the window attributes that they share with pools.
#include "Window.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "llvm/Support/MathExtras.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Larger sizes are not meaningful, and their products could overflow.
static constexpr int64_t kMaxWindow = int64_t(1) << 31;

FailureOr<Window> mlir::ttc::readWindow(OnnxNode &node, int64_t spatialRank,
                                        ArrayRef<int64_t> kernel) {
  Window window;
  SmallVector<int64_t> ones(spatialRank, 1), zeros(2 * spatialRank, 0);
  window.kernel = node.getInts("kernel_shape", kernel);
  window.strides = node.getInts("strides", ones);
  window.dilations = node.getInts("dilations", ones);
  window.autoPad = node.getString("auto_pad", "NOTSET");
  // Explicit padding and auto_pad exclude each other, but some exporters write zeros as well.
  window.pads = node.getInts("pads", zeros);
  if (node.hasFailed())
    return failure();

  if (!llvm::is_contained({"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, window.autoPad))
    return node.error() << "attribute 'auto_pad' is '" << window.autoPad
                        << "' (supported: NOTSET, VALID, SAME_UPPER, SAME_LOWER)";
  auto check = [&](ArrayRef<int64_t> values, StringRef name, int64_t size,
                   int64_t min) -> LogicalResult {
    if (static_cast<int64_t>(values.size()) != size)
      return node.error() << "expected attribute '" << name << "' to have " << size
                          << " elements, found " << values.size();
    for (int64_t value : values)
      if (value < min || value > kMaxWindow)
        return node.error() << "attribute '" << name << "' has the element " << value
                            << " (supported: " << min << " and more)";
    return success();
  };
  if (failed(check(window.kernel, "kernel_shape", spatialRank, 1)) ||
      failed(check(window.strides, "strides", spatialRank, 1)) ||
      failed(check(window.dilations, "dilations", spatialRank, 1)) ||
      failed(check(window.pads, "pads", 2 * spatialRank, 0)))
    return failure();
  if (!kernel.empty() && ArrayRef<int64_t>(window.kernel) != kernel)
    return node.error() << "attribute 'kernel_shape' [" << printList(window.kernel)
                        << "] contradicts the weights' [" << printList(kernel) << "]";
  return window;
}

SmallVector<NamedAttribute> Window::getAttrs(OnnxNode &node) const {
  return {node.attr("strides", strides), node.attr("pads", pads),
          node.attr("dilations", dilations)};
}

LogicalResult mlir::ttc::resolveAutoPad(OnnxNode &node, Window &window,
                                        ArrayRef<int64_t> inputSizes) {
  if (window.autoPad == "NOTSET")
    return success();
  if (window.autoPad == "VALID") {
    llvm::fill(window.pads, 0);
    return success();
  }
  // SAME: one output per stride of the input; an odd element of padding goes to the named side.
  size_t rank = inputSizes.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t outputs = llvm::divideCeil(inputSizes[i], window.strides[i]);
    int64_t covered =
        (outputs - 1) * window.strides[i] + dilatedSize(window.kernel[i], window.dilations[i]);
    int64_t total = std::max<int64_t>(covered - inputSizes[i], 0);
    int64_t smaller = total / 2, larger = total - smaller;
    bool upper = window.autoPad == "SAME_UPPER";
    window.pads[i] = upper ? smaller : larger;
    window.pads[rank + i] = upper ? larger : smaller;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The number of spatial dimensions of a convolution's operands.
static FailureOr<int64_t> getSpatialRank(OnnxNode &node) {
  Value x = node.input(0), w = node.input(1);
  if (rankOf(x) < 3 || rankOf(x) > 5)
    return node.error() << "expected the input to have 1 to 3 spatial dimensions, found "
                        << x.getType();
  if (rankOf(w) != rankOf(x))
    return node.error() << "expected the weights to have as many dimensions as the input "
                        << x.getType() << ", found " << w.getType();
  return rankOf(x) - 2;
}

static LogicalResult importConv(OnnxNode &node) {
  FailureOr<int64_t> rank = getSpatialRank(node);
  if (failed(rank))
    return failure();
  Value x = node.input(0), w = node.input(1);
  FailureOr<Window> window = readWindow(node, *rank, shapeOf(w).drop_front(2));
  if (failed(window) || failed(resolveAutoPad(node, *window, shapeOf(x).drop_front(2))))
    return failure();
  SmallVector<NamedAttribute> attrs = window->getAttrs(node);
  attrs.push_back(node.i64("groups", node.getInt("group", 1)));
  return node.results(node.create<ConvOp>({x, w, node.input(2)}, attrs));
}

/// Sets the padding of a transposed convolution for the given output sizes.
static LogicalResult padToOutputShape(OnnxNode &node, Window &window, ArrayRef<int64_t> inputSizes,
                                      MutableArrayRef<int64_t> outputPadding,
                                      ArrayRef<int64_t> outputSizes) {
  size_t rank = inputSizes.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t full = window.strides[i] * (inputSizes[i] - 1) + outputPadding[i] +
                   dilatedSize(window.kernel[i], window.dilations[i]);
    int64_t total = full - outputSizes[i];
    // Elements that no window reaches are at the end.
    int64_t most = full - outputPadding[i] + std::max(window.strides[i], window.dilations[i]) - 1;
    if (outputSizes[i] > std::max(full, most))
      return node.error() << "an output of size " << outputSizes[i] << " in spatial dimension " << i
                          << " is not supported (supported: at most " << std::max(full, most)
                          << ")";
    outputPadding[i] += std::max<int64_t>(-total, 0);
    total = std::max<int64_t>(total, 0);
    int64_t smaller = total / 2, larger = total - smaller;
    bool upper = window.autoPad == "SAME_UPPER";
    window.pads[i] = upper ? smaller : larger;
    window.pads[rank + i] = upper ? larger : smaller;
  }
  return success();
}

static LogicalResult importConvTranspose(OnnxNode &node) {
  FailureOr<int64_t> rank = getSpatialRank(node);
  if (failed(rank))
    return failure();
  Value x = node.input(0), w = node.input(1);
  ArrayRef<int64_t> sizes = shapeOf(x).drop_front(2);
  FailureOr<Window> window = readWindow(node, *rank, shapeOf(w).drop_front(2));
  SmallVector<int64_t> outputPadding =
      node.getInts("output_padding", SmallVector<int64_t>(*rank, 0));
  SmallVector<int64_t> outputShape = node.getInts("output_shape");
  if (failed(window) || node.hasFailed())
    return failure();
  auto checkSize = [&](ArrayRef<int64_t> values, StringRef name) -> LogicalResult {
    if (static_cast<int64_t>(values.size()) != *rank ||
        llvm::any_of(values, [](int64_t v) { return v < 0 || v > kMaxWindow; }))
      return node.error() << "expected attribute '" << name << "' to have " << *rank
                          << " elements that are not negative, found [" << printList(values) << "]";
    return success();
  };
  if (failed(checkSize(outputPadding, "output_padding")))
    return failure();
  if (llvm::any_of(sizes, [](int64_t size) { return size > kMaxWindow; }))
    return node.error() << "expected the input to have spatial dimensions of at most " << kMaxWindow
                        << ", found " << x.getType();
  // Some old files include batch and channels.
  if (static_cast<int64_t>(outputShape.size()) == *rank + 2)
    outputShape.erase(outputShape.begin(), outputShape.begin() + 2);
  if (outputShape.empty() && StringRef(window->autoPad).starts_with("SAME"))
    for (auto [size, stride] : llvm::zip_equal(sizes, window->strides))
      outputShape.push_back(size * stride);
  if (!outputShape.empty()) {
    if (failed(checkSize(outputShape, "output_shape")) ||
        failed(padToOutputShape(node, *window, sizes, outputPadding, outputShape)))
      return failure();
  } else if (window->autoPad == "VALID") {
    llvm::fill(window->pads, 0);
  }
  SmallVector<NamedAttribute> attrs = window->getAttrs(node);
  attrs.push_back(node.attr("output_padding", outputPadding));
  attrs.push_back(node.i64("groups", node.getInt("group", 1)));
  return node.results(node.create<ConvTransposeOp>({x, w, node.input(2)}, attrs));
}

void mlir::ttc::registerConvolutionOps(OnnxRegistry &registry) {
  registry.add("Conv", {2, 3}, importConv, {}, "1 to 3 spatial dimensions");
  registry.add("ConvTranspose", {2, 3}, importConvTranspose, {}, "1 to 3 spatial dimensions");
}
