// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that convolutions and pools share: kernel, strides, dilations, padding.
#ifndef TTC_LIB_IMPORT_WINDOW_H
#define TTC_LIB_IMPORT_WINDOW_H

#include "lib/Import/Onnx/Core/OnnxNode.h"

namespace mlir::ttc {

/// The windows that a convolution or pool slides over its input.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations;
  /// Begins, then ends.
  SmallVector<int64_t> pads;
  std::string autoPad;

  /// `strides`, `pads` and `dilations` of the ttc ops.
  SmallVector<NamedAttribute> getAttrs(OnnxNode &node) const;
};

/// Reads and checks the attributes; resolveAutoPad() applies auto_pad. `kernel` is the size that
/// the weights have; if it is empty, the attribute kernel_shape is required.
FailureOr<Window> readWindow(OnnxNode &node, int64_t spatialRank, ArrayRef<int64_t> kernel);

/// Turns auto_pad into pads for an op whose windows slide over an input of these spatial sizes.
LogicalResult resolveAutoPad(OnnxNode &node, Window &window, ArrayRef<int64_t> inputSizes);

/// The mean of each window of `x`, as AveragePool's attributes of the node say.
Value createAveragePool(OnnxNode &node, Value x);

/// The size of a dilated kernel.
inline int64_t dilatedSize(int64_t kernel, int64_t dilation) { return (kernel - 1) * dilation + 1; }

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_WINDOW_H
