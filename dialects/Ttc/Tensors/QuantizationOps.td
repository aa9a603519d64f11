// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised numbers, and products of integers.
#ifndef TTC_QUANTIZATIONOPS_TD
#define TTC_QUANTIZATIONOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

def Ttc_QuantizedTensor : Ttc_TensorOf<[I8, UI8, I16], "quantised numbers (i8, ui8, i16)">;
def Ttc_DequantizableTensor : Ttc_TensorOf<[I8, UI8, I16, I32],
                                           "quantised numbers (i8, ui8, i16, i32)">;
/// What is quantised, and scales: at most f32, which the quotient is computed in.
def Ttc_ScaleTensor : Ttc_TensorOf<[F32, F16, BF16], "floats (f32, f16, bf16)">;
def Ttc_Int8Tensor : Ttc_TensorOf<[I8, UI8], "bytes (i8, ui8)">;
def Ttc_Int32Tensor : Ttc_TensorOf<[I32], "i32">;

def Ttc_QuantizeOp : Ttc_TensorOp<"quantize", [
    DeclareOpInterfaceMethods<Ttc_ElementwiseOpInterface>]> {
  let summary = "rounds to integers of a scale";
  let description = [{
    Element by element `x / scale + zero_point`: the quotient, in f32, is rounded to the nearest
    integer, halves to even, and the sum is limited to the range of the result's element type. NaN
    becomes the lowest number. `scale` and `zero_point` broadcast by NumPy's rules: one for each
    channel of an image has the shape [C, 1, 1].

    Constraints:
    - (C1) `x` and `scale` have the same element type.
    - (C2) `zero_point` has the result's element type.
    - (C3) `scale` and `zero_point` broadcast to the shape of `x` without changing it.
    - (C4) The result has the shape of `x`.

    ```mlir
    %q = ttc.quantize %x, %scale, %zero
       : (tensor<2x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x8xui8>
    ```
  }];
  let arguments = (ins Ttc_ScaleTensor:$x, Ttc_ScaleTensor:$scale,
      Ttc_QuantizedTensor:$zero_point);
  let results = (outs Ttc_QuantizedTensor:$y);
  // Divide, round, add, limit on both sides.
  let extraClassDeclaration = "int64_t getOperationsPerElement() { return kDivision + 4; }";
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$scale,
                                 "::mlir::Value":$zero_point), [{
    auto shaped = ::llvm::cast<::mlir::ShapedType>(x.getType());
    auto zero = ::llvm::cast<::mlir::ShapedType>(zero_point.getType());
    build($_builder, $_state, ::mlir::TypeRange{shaped.clone(zero.getElementType())},
          ::mlir::ValueRange{x, scale, zero_point});
  }]>];
  let hasVerifier = 1;
}

def Ttc_DequantizeOp : Ttc_InferredOp<"dequantize", [
    DeclareOpInterfaceMethods<Ttc_ElementwiseOpInterface>]> {
  let summary = "the real numbers that quantised ones stand for";
  let description = [{
    Element by element `(x - zero_point) * scale`: the difference is exact for 8 and 16 bits and wraps
    for 32, and is rounded to f32 before the product. `scale` and `zero_point` broadcast by NumPy's
    rules. The result has the element type of `scale`.

    Constraints:
    - (C1) `zero_point` has the element type of `x`.
    - (C2) `scale` and `zero_point` broadcast to the shape of `x` without changing it.

    ```mlir
    %x = ttc.dequantize %q, %scale, %zero
       : (tensor<2x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_DequantizableTensor:$x, Ttc_ScaleTensor:$scale,
      Ttc_DequantizableTensor:$zero_point);
  let results = (outs Ttc_ScaleTensor:$y);
  let extraClassDeclaration = "int64_t getOperationsPerElement() { return 2; }";
}

def Ttc_IntMatmulOp : Ttc_InferredOp<"int_matmul", [
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_FollowsExtents,
    Ttc_MapsDimensions]> {
  let summary = "batched matrix product of bytes, with i32 sums";
  let description = [{
    `(a - a_zero) x (b - b_zero)`, summed in i32, which wraps. The last two dimensions of `a` and `b`
    are matrices; those before them broadcast by NumPy's rules, as the zero points do to their operand:
    one for each row of `a` has the shape [M, 1], one for each column of `b` the shape [N].

    Constraints:
    - (C1) A zero point has its operand's element type.
    - (C2) `a` and `b` have at least two dimensions.
    - (C3) The columns of `a` and the rows of `b` are equal in number.
    - (C4) The batch dimensions broadcast.
    - (C5) A zero point broadcasts to its operand without changing its shape.

    ```mlir
    %y = ttc.int_matmul %a, %b, %a_zero, %b_zero
       : (tensor<4x128x64xui8>, tensor<64x32xi8>, tensor<ui8>, tensor<32xi8>)
       -> tensor<4x128x32xi32>
    ```
  }];
  let arguments = (ins Ttc_Int8Tensor:$a, Ttc_Int8Tensor:$b, Ttc_Int8Tensor:$a_zero,
      Ttc_Int8Tensor:$b_zero);
  let results = (outs Ttc_Int32Tensor:$y);
}

def Ttc_IntConvOp : Ttc_InferredOp<"int_conv", [
    Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    Ttc_FollowsExtents, Ttc_MapsDimensionsAndSizes]> {
  let summary = "convolution of bytes, with i32 sums";
  let description = [{
    `ttc.conv` of `x - x_zero` and `w - w_zero`, without a bias, summed in i32, which wraps. Padding
    counts as `x_zero`. Layouts and attributes are those of `ttc.conv`.

    Constraints:
    - (C1) A zero point has its operand's element type.
    - (C2) `x` has three to five dimensions; `w` has as many.
    - (C3) `strides` and `dilations` have one positive element, and `pads` two elements that are not
      negative, for each spatial dimension.
    - (C4) `groups` is positive, and divides the channels of `x` and of the result.
    - (C5) `w` has `C / groups` input channels.
    - (C6) `x_zero` has one element; `w_zero` broadcasts to `w` without changing its shape.
    - (C7) The dilated kernel is not larger than the padded operand.

    ```mlir
    %y = ttc.int_conv %x, %w, %x_zero, %w_zero {strides = [2, 2], pads = [1, 1, 1, 1]}
       : (tensor<1x3x224x224xui8>, tensor<16x3x3x3xi8>, tensor<ui8>, tensor<16x1x1x1xi8>)
       -> tensor<1x16x112x112xi32>
    ```
  }];
  let arguments = (ins Ttc_Int8Tensor:$x, Ttc_Int8Tensor:$w, Ttc_Int8Tensor:$x_zero,
      Ttc_Int8Tensor:$w_zero, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
      DenseI64ArrayAttr:$dilations, DefaultValuedAttr<Ttc_I64Attr, "1">:$groups,
      UnitAttr:$channels_last);
  let results = (outs Ttc_Int32Tensor:$y);
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

#endif // TTC_QUANTIZATIONOPS_TD
