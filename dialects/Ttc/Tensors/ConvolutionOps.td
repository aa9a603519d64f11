// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that multiply and add (matmul, convolutions) and ops that slide a window (pooling).
#ifndef TTC_CONVOLUTIONOPS_TD
#define TTC_CONVOLUTIONOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

def Ttc_MatmulOp : Ttc_InferredOp<"matmul", [
    Ttc_PassesNan, DeclareOpInterfaceMethods<Ttc_AffineWeightsOpInterface>,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    Ttc_MapsDimensions, Ttc_Shardable]> {
  let summary = "batched matrix product, with an optional bias";
  let description = [{
    `a x b + bias`. The last two dimensions of `a` and `b` are matrices (transposed first if the
    attribute says so); the dimensions before them broadcast by NumPy's rules. `bias` broadcasts to
    the result.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `a` and `b` have at least two dimensions.
    - (C3) The columns of `a` and the rows of `b` (after the transposes) are equal in number.
    - (C4) The batch dimensions broadcast.
    - (C5) `bias` broadcasts to the result without changing its shape.

    ```mlir
    %y = ttc.matmul %a, %b, %bias {transpose_b}
       : (tensor<4x128x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<4x128x32xf32>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$a, Ttc_NumberTensor:$b, Optional<Ttc_NumberTensor>:$bias,
      UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Ttc_NumberTensor:$y);
}

/// An op that slides a window. Its text may omit strides, dilations and paddings, which default to
/// 1, 1 and 0 for each spatial dimension of the first operand.
class Ttc_WindowOp<string mnemonic, list<Trait> traits = []> : Ttc_InferredOp<mnemonic, traits> {
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

def Ttc_ConvOp : Ttc_WindowOp<"conv", [
    Ttc_FollowsExtents,
    Ttc_PassesNan, Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_AffineWeightsOpInterface>, Ttc_MapsDimensionsAndSizes]> {
  let summary = "convolution over one to three spatial dimensions";
  let description = [{
    Cross-correlation, as ONNX's Conv. `x` is `N, C, spatial...`, or with `channels_last`
    `N, spatial..., C`; so is the result. `w` is always `O, C / groups, kernel...`, `bias` is `O`.
    `pads` has the sizes before the first element of each spatial dimension, then the sizes after
    the last. Depthwise is `groups = C`.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `x` has three to five dimensions; `w` has as many.
    - (C3) `strides` and `dilations` have one positive element, and `pads` two elements that are not
      negative, for each spatial dimension.
    - (C4) `groups` is positive, and divides the channels of `x` and of the result.
    - (C5) `w` has `C / groups` input channels.
    - (C6) `bias` is a vector with one element for each channel of the result.
    - (C7) The dilated kernel is not larger than the padded operand.

    ```mlir
    %y = ttc.conv %x, %w, %bias {strides = [2, 2], pads = [1, 1, 1, 1]}
       : (tensor<1x3x224x224xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>)
       -> tensor<1x16x112x112xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_FloatTensor:$w, Optional<Ttc_FloatTensor>:$bias,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
      DefaultValuedAttr<Ttc_I64Attr, "1">:$groups, UnitAttr:$channels_last);
  let results = (outs Ttc_FloatTensor:$y);
  let hasCanonicalizeMethod = 1;
}

def Ttc_ConvTransposeOp : Ttc_WindowOp<"conv_transpose", [
    Ttc_FollowsExtents,
    Ttc_PassesNan, Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_AffineWeightsOpInterface>, Ttc_MapsDimensionsAndSizes]> {
  let summary = "transposed convolution over one to three spatial dimensions";
  let description = [{
    The gradient of a convolution, as ONNX's ConvTranspose. `x` is `N, C, spatial...`, or with
    `channels_last` `N, spatial..., C`; so is the result. `w` is always `C, O / groups, kernel...`.
    A spatial dimension of the result has
    `(size - 1) * stride + (kernel - 1) * dilation + 1 - pads + output_padding` elements.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `x` has three to five dimensions; `w` has as many.
    - (C3) `strides` and `dilations` have one positive element, and `pads` two elements that are not
      negative, for each spatial dimension.
    - (C4) `groups` is positive and divides the channels of `x`.
    - (C5) `w` has as many input channels as `x`.
    - (C6) `bias` is a vector with one element for each channel of the result.
    - (C7) `output_padding` has one element for each spatial dimension, not negative and smaller
      than the stride or the dilation.
    - (C8) No dimension of the result is empty.

    ```mlir
    %y = ttc.conv_transpose %x, %w {strides = [2, 2]}
       : (tensor<1x8x16x16xf32>, tensor<8x4x2x2xf32>) -> tensor<1x4x32x32xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_FloatTensor:$w, Optional<Ttc_FloatTensor>:$bias,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
      DenseI64ArrayAttr:$output_padding,
      DefaultValuedAttr<Ttc_I64Attr, "1">:$groups, UnitAttr:$channels_last);
  let results = (outs Ttc_FloatTensor:$y);
}

class Ttc_PoolOp<string mnemonic, TypeConstraint type, string what, dag extra,
                 list<Trait> traits = []>
    : Ttc_WindowOp<mnemonic, !listconcat([
        Ttc_ChannelsLastOpInterface, Ttc_MapsDimensions,
        DeclareOpInterfaceMethods<Ttc_CountedOpInterface>], traits)> {
  let summary = what # " of each window over one to three spatial dimensions";
  let arguments = !con((ins type:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode,
      UnitAttr:$channels_last), extra);
  let results = (outs type:$y);
}

def Ttc_MaxPoolOp : Ttc_PoolOp<"max_pool", Ttc_NumberTensor, "maximum", (ins),
                               [Ttc_ExactOpInterface, Ttc_FollowsExtents]> {
  let description = [{
    The largest element of each window, as ONNX's MaxPool; padding is never chosen. With `ceil_mode`
    a last window that extends past the end is included if it starts inside the operand or the padding
    before it.

    Constraints:
    - (C1) `x` has three to five dimensions.
    - (C2) `kernel`, `strides` and `dilations` have one positive element, and `pads` two elements
      that are not negative, for each spatial dimension.
    - (C3) Every padding is smaller than the dilated kernel.
    - (C4) The dilated kernel is not larger than the padded operand.

    ```mlir
    %y = ttc.max_pool %x {kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]}
       : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
}
def Ttc_AvgPoolOp : Ttc_PoolOp<"avg_pool", Ttc_FloatTensor, "mean",
                               (ins UnitAttr:$count_include_pad),
                               [Ttc_PassesNan, Ttc_FollowsExtents]> {
  let description = [{
    The mean of each window, as ONNX's AveragePool: of its elements inside the operand, or with
    `count_include_pad` of all inside the padded operand, where padding is zero.

    Constraints:
    - (C1) `x` has three to five dimensions.
    - (C2) `kernel`, `strides` and `dilations` have one positive element, and `pads` two elements
      that are not negative, for each spatial dimension.
    - (C3) Every padding is smaller than the dilated kernel.
    - (C4) The dilated kernel is not larger than the padded operand.

    ```mlir
    %y = ttc.avg_pool %x {kernel = [2, 2], strides = [2, 2]}
       : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
}

class Ttc_GlobalPoolOp<string mnemonic, TypeConstraint type, string what, list<Trait> traits = []>
    : Ttc_InferredOp<mnemonic, !listconcat([
        Ttc_ChannelsLastOpInterface, Ttc_MapsDimensions, Ttc_FollowsExtents,
        DeclareOpInterfaceMethods<Ttc_CountedOpInterface>], traits)> {
  let summary = what # " over all spatial dimensions";
  let description = [{
    The }] # what # [{ of each channel of each image. The spatial dimensions stay,
    with size 1. Canonicalises to a reduction.

    Constraints:
    - (C1) `x` has at least three dimensions.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %x : (tensor<1x64x7x7xf32>) -> tensor<1x64x1x1xf32>
    ```
  }];
  let arguments = (ins type:$x, UnitAttr:$channels_last);
  let results = (outs type:$y);
  let hasCanonicalizeMethod = 1;
}
def Ttc_GlobalAvgPoolOp : Ttc_GlobalPoolOp<"global_avg_pool", Ttc_FloatTensor, "mean",
                                           [Ttc_PassesNan]>;
def Ttc_GlobalMaxPoolOp : Ttc_GlobalPoolOp<"global_max_pool", Ttc_NumberTensor, "maximum",
                                           [Ttc_ExactOpInterface]>;

#endif // TTC_CONVOLUTIONOPS_TD
