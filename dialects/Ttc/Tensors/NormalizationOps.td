// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations and softmax.
#ifndef TTC_NORMALIZATIONOPS_TD
#define TTC_NORMALIZATIONOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

def Ttc_BatchNormOp : Ttc_InferredOp<"batch_norm", [
    Ttc_PassesNan, Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    Ttc_MapsDimensions]> {
  let summary = "batch normalisation with given statistics";
  let description = [{
    `(x - mean) / sqrt(var + epsilon) * scale + bias`, with one element of the other operands for
    each channel. The channels are dimension 1, or with `channels_last` the last.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `x` has at least two dimensions.
    - (C3) `scale`, `bias`, `mean` and `var` are vectors with one element for each channel.

    ```mlir
    %y = ttc.batch_norm %x, %scale, %bias, %mean, %var {epsilon = 1.0e-05}
       : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
       -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_FloatTensor:$scale, Ttc_FloatTensor:$bias,
      Ttc_FloatTensor:$mean, Ttc_FloatTensor:$var,
      DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon, UnitAttr:$channels_last);
  let results = (outs Ttc_FloatTensor:$y);
}

def Ttc_LayerNormOp : Ttc_InferredOp<"layer_norm", [
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    Ttc_MapsDimensions, Ttc_Shardable]> {
  let summary = "normalisation over the last dimensions";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, where mean and variance are taken over
    the dimensions from `axis` on.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `axis` is a dimension of `x`.
    - (C3) `scale` and `bias` have the shape of the dimensions from `axis` on.

    ```mlir
    %y = ttc.layer_norm %x, %scale, %bias {axis = 2, epsilon = 1.0e-12}
       : (tensor<1x128x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x128x768xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_FloatTensor:$scale, Optional<Ttc_FloatTensor>:$bias,
      Ttc_I64Attr:$axis, DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon);
  let results = (outs Ttc_FloatTensor:$y);
}

def Ttc_GroupNormOp : Ttc_InferredOp<"group_norm", [
    Ttc_FollowsExtents,
    Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_MapsDimensions]> {
  let summary = "normalisation over groups of channels";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, where mean and variance are taken over
    the spatial dimensions and the channels of one of `groups` groups; `scale` and `bias` have one
    element for each channel.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `x` has at least three dimensions.
    - (C3) `scale` and `bias` are vectors with one element for each channel.
    - (C4) `groups` is positive and divides the channels.

    ```mlir
    %y = ttc.group_norm %x, %scale, %bias {groups = 4, epsilon = 1.0e-05}
       : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_FloatTensor:$scale, Ttc_FloatTensor:$bias,
      Ttc_I64Attr:$groups, DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon, UnitAttr:$channels_last);
  let results = (outs Ttc_FloatTensor:$y);
}

def Ttc_InstanceNormOp : Ttc_InferredOp<"instance_norm", [
    Ttc_FollowsExtents,
    Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_MapsDimensions]> {
  let summary = "normalisation of each channel of each image";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, where mean and variance are taken over
    the spatial dimensions; `scale` and `bias` have one element for each channel.

    Constraints:
    - (C1) All operands have the same element type.
    - (C2) `x` has at least three dimensions.
    - (C3) `scale` and `bias` are vectors with one element for each channel.

    ```mlir
    %y = ttc.instance_norm %x, %scale, %bias {epsilon = 1.0e-05}
       : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_FloatTensor:$scale, Ttc_FloatTensor:$bias,
      DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon, UnitAttr:$channels_last);
  let results = (outs Ttc_FloatTensor:$y);
}

def Ttc_LrnOp : Ttc_InferredOp<"lrn", [
    Ttc_FollowsExtents,
    Ttc_ChannelsLastOpInterface, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_MapsDimensions]> {
  let summary = "local response normalisation across channels";
  let description = [{
    `x / (bias + alpha / size * s)^beta`, where `s` is the sum of the squares of the channels from
    `c - floor((size - 1) / 2)` to `c + ceil((size - 1) / 2)`.

    Constraints:
    - (C1) `x` has at least three dimensions.
    - (C2) `size` is positive.

    ```mlir
    %y = ttc.lrn %x {size = 5, alpha = 1.0e-04, beta = 7.5e-01, bias = 1.0}
       : (tensor<1x96x54x54xf32>) -> tensor<1x96x54x54xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_I64Attr:$size, DefaultValuedAttr<F32Attr, "1.0e-4f">:$alpha,
      DefaultValuedAttr<F32Attr, "0.75f">:$beta, DefaultValuedAttr<F32Attr, "1.0f">:$bias,
      UnitAttr:$channels_last);
  let results = (outs Ttc_FloatTensor:$y);
}

class Ttc_SoftmaxLikeOp<string mnemonic, string meaning>
    : Ttc_InferredOp<mnemonic, [DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
                                DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>,
                                Ttc_MapsDimensions, Ttc_FollowsExtents, Ttc_Shardable]> {
  let summary = meaning # " along an axis";
  let description = [{
    `}] # meaning # [{`, where the sum goes along `axis`; computed without overflow.

    Constraints:
    - (C1) `axis` is a dimension of `x`.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %x {axis = 1} : (tensor<1x1000xf32>) -> tensor<1x1000xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x, Ttc_I64Attr:$axis);
  let results = (outs Ttc_FloatTensor:$y);
}
def Ttc_SoftmaxOp : Ttc_SoftmaxLikeOp<"softmax", "exp(x) / sum(exp(x))">;
def Ttc_LogSoftmaxOp : Ttc_SoftmaxLikeOp<"log_softmax", "x - log(sum(exp(x)))">;

#endif // TTC_NORMALIZATIONOPS_TD
