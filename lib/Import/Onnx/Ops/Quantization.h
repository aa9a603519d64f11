// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ops on quantised tensors have in common: numbers (q - zero point) * scale.
#ifndef TTC_LIB_IMPORT_QUANTIZATION_H
#define TTC_LIB_IMPORT_QUANTIZATION_H

#include "Window.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// A scale and a zero point that broadcast to the tensor that they belong to.
struct QuantizationParams {
  Value scale;
  /// Has the type of the quantised numbers.
  Value zero;
};

/// The ops of one node that quantise and compute with quantised tensors. As with
/// OnnxNode::create(), a null operand gives a null result.
class Quantization {
public:
  explicit Quantization(OnnxNode &node) : node(node), e(node) {}

  /// 0 of this type, or the value if there is one.
  Value zeroOr(Value zero, Type elementType);
  /// A value that is the same for all elements, without dimensions. Reports others; `what` names
  /// it.
  Value scalar(Value value, StringRef what);
  /// One value for all elements, or one for each element of dimension `axis` of a tensor of this
  /// rank; shaped to broadcast. Reports other shapes.
  Value perAxis(Value value, int64_t axis, ArrayRef<int64_t> shape, StringRef what);
  /// The parameters of one tensor, from two inputs of the node: one scale for all elements.
  /// `elementType` is that of the quantised numbers.
  QuantizationParams readScalar(unsigned scaleInput, unsigned zeroInput, Type elementType);

  /// saturate(round(x / scale) + zero), in the arithmetic of f32 or of the scale if that is wider.
  Value quantize(Value x, QuantizationParams params);
  /// (q - zero) * scale, in f32 or wider.
  Value dequantize(Value q, QuantizationParams params);
  /// Exact sums of 32 bits. Vectors are matrices, as in MatMul.
  Value matmul(Value a, Value b, Value aZero, Value bZero);
  Value conv(Value x, Value w, Value xZero, Value wZero, const Window &window, int64_t groups);
  /// Exact sums times `scale`, quantised. `scale` broadcasts.
  Value requantize(Value sums, Value scale, Value zero);
  /// Returns the scale and zero point that map a float tensor's range to unsigned 8 bits.
  QuantizationParams rangeOf(Value x);
  /// The product of `a`, quantised by its range, and quantised weights, as real numbers; plus
  /// `addend` if there is one. The weights' scale and zero point broadcast to a row of the product.
  Value multiplyByRange(Value a, Value b, Value bScale, Value bZero, Value addend);

private:
  OnnxNode &node;
  Expressions e;
};

/// Reads inputs and attributes of a convolution of bytes and creates it: `xZero` and `wZero` are
/// indices of inputs.
Value importIntConv(OnnxNode &node, unsigned x, unsigned w, unsigned xZero, unsigned wZero);

/// The node's product of bytes, with zero points for all elements, rows of `a` or columns of `b`.
Value importIntMatmul(OnnxNode &node, Value a, Value b, Value aZero, Value bZero);

/// A scale or zero point of a matrix product as the product's result needs it: of all elements, of
/// rows (`isRows`, a vector with one element for each) or of columns.
Value broadcastToProduct(OnnxNode &node, Value value, Value matrix, bool isRows, StringRef what);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_QUANTIZATION_H
