// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements without computing on them.
#ifndef TTC_DATAMOVEMENTOPS_TD
#define TTC_DATAMOVEMENTOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Ttc_ConstantOp : Ttc_Op<"constant", [Pure, Ttc_FollowsDims, ConstantLike, AllTypesMatch<["value", "output"]>,
    Ttc_WholeTensors<"it has no operands; a pass that divides it divides its value">]> {
  let summary = "a tensor known at compile time";
  let description = [{
    ```mlir
    %w = ttc.constant dense<1.0> : tensor<16x1x3x3xf32>
    %v = ttc.constant dense_resource<conv1_w> : tensor<16x1x3x3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Ttc_StoredTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Ttc_ReshapeOp : Ttc_TensorOp<"reshape", [
    Ttc_SelectsElements,
    ViewLikeOpInterface, DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>, Ttc_MapsDimensions]> {
  let summary = "the same elements in another shape";
  let description = [{
    The elements in row-major order, in the shape of the result.

    Constraints:
    - (C1) The result has the operand's element type and as many elements.

    ```mlir
    %y = ttc.reshape %x : (tensor<1x16x4x4xf32>) -> tensor<1x256xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x);
  let results = (outs Ttc_StoredTensor:$y);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$shape), [{
    auto shaped = ::llvm::cast<::mlir::ShapedType>(x.getType());
    build($_builder, $_state, ::mlir::TypeRange{shaped.clone(shape)}, x);
  }]>];
  let extraClassDeclaration = [{
    /// Outside of programs a reshape is an alias: it moves no bytes.
    ::mlir::Value getViewSource() { return getX(); }
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_TransposeOp : Ttc_InferredOp<"transpose", [
    Ttc_SelectsElements,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    Ttc_MapsDimensions, Ttc_Shardable]> {
  let summary = "permutes the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the operand.

    Constraints:
    - (C1) `permutation` holds each dimension of `x` once.

    ```mlir
    %y = ttc.transpose %x {permutation = [0, 2, 3, 1]}
       : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Ttc_StoredTensor:$y);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_ConcatOp : Ttc_InferredOp<"concat", [
    Ttc_SelectsElements,
    DeclareOpInterfaceMethods<Ttc_SubviewCopyOpInterface, ["getOperandInResult", "getOperandsInResult"]>,
    Ttc_MapsDimensions, Ttc_FollowsExtents, Ttc_Shardable,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>]> {
  let summary = "joins tensors along an axis";
  let description = [{
    The operands one after the other along `axis`.

    Constraints:
    - (C1) There is at least one operand, and all have the same element type.
    - (C2) `axis` is a dimension of the operands.
    - (C3) The operands have the same shape, except in dimension `axis`.

    ```mlir
    %y = ttc.concat %a, %b {axis = 1}
       : (tensor<1x8x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x10x4x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Ttc_StoredTensor>:$inputs, Ttc_I64Attr:$axis);
  let results = (outs Ttc_StoredTensor:$y);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_SliceOp : Ttc_InferredOp<"slice", [
    Ttc_SelectsElements,
    DeclareOpInterfaceMethods<Ttc_SubviewCopyOpInterface, ["getResultInOperand"]>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>, Ttc_MapsDimensionsAndSizes,
    Ttc_FollowsDimsAndSizes]> {
  let summary = "a regular part of a tensor";
  let description = [{
    Element `i` of a dimension of the result is element `starts + i * steps` of that dimension of
    the operand, for `i` below `sizes`. A step may be negative.

    Constraints:
    - (C1) `starts`, `sizes` and `steps` have one element for each dimension of `x`.
    - (C2) No size is negative, and no step is 0.
    - (C3) The first and the last element taken are inside `x`.

    ```mlir
    %y = ttc.slice %x {starts = [0, 7], sizes = [1, 4], steps = [1, -2]}
       : (tensor<2x8xf32>) -> tensor<1x4xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes,
      DenseI64ArrayAttr:$steps);
  let results = (outs Ttc_StoredTensor:$y);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_SplitOp : Ttc_InferredOp<"split", [
    Ttc_SelectsElements,
    DeclareOpInterfaceMethods<Ttc_SubviewCopyOpInterface, ["getResultInOperand"]>,
    DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>, Ttc_MapsDimensions,
    Ttc_FollowsExtentsAndSizes]> {
  let summary = "splits a tensor along an axis";
  let description = [{
    One result for each of `sizes`, one after the other along `axis`.

    Constraints:
    - (C1) `axis` is a dimension of `x`.
    - (C2) No size is negative, and together they are the size of that dimension.

    ```mlir
    %a, %b = ttc.split %x {axis = 1, sizes = [8, 2]}
       : (tensor<1x10x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x2x4x4xf32>)
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, Ttc_I64Attr:$axis, DenseI64ArrayAttr:$sizes);
  let results = (outs Variadic<Ttc_StoredTensor>:$outputs);
  let hasCanonicalizeMethod = 1;
}

def Ttc_PadOp : Ttc_InferredOp<"pad", [Ttc_FollowsExtents, Ttc_SelectsElements,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>, Ttc_MapsDimensions]> {
  let summary = "adds elements around a tensor";
  let description = [{
    Adds `low` elements before and `high` after each dimension: `value` (mode `constant`, the
    default), the elements mirrored at the first and last (`reflect`), the nearest element (`edge`),
    or the elements again from the other end (`wrap`).

    Constraints:
    - (C1) `low` and `high` have one element, not negative, for each dimension of `x`.
    - (C2) In mode `reflect` they are smaller than the dimension; in the modes `edge` and `wrap` the
      dimension is not empty.

    ```mlir
    %y = ttc.pad %x {low = [0, 0, 1, 1], high = [0, 0, 1, 1], value = 1.0}
       : (tensor<1x8x4x4xf32>) -> tensor<1x8x6x6xf32>
    %z = ttc.pad %x mode reflect {low = [0, 0, 1, 1], high = [0, 0, 1, 1]}
       : (tensor<1x8x4x4xf32>) -> tensor<1x8x6x6xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
      DefaultValuedAttr<Ttc_PadModeAttr, "PadMode::Constant">:$mode,
      DefaultValuedAttr<F32Attr, "0.0f">:$value);
  let results = (outs Ttc_StoredTensor:$y);
  let assemblyFormat = [{
    operands (`mode` $mode^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Ttc_GatherOp : Ttc_InferredOp<"gather", [Ttc_FollowsExtents, Ttc_SelectsElements, DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>, Ttc_MapsDimensions]> {
  let summary = "takes slices of an axis by index";
  let description = [{
    `y[i..., j..., k...] = data[i..., indices[j...], k...]`, where `i` are the dimensions before
    `axis` and `k` those after it. A negative index counts from the end. An index out of
    range is an error of the caller: the element is undefined, but never read from outside `data`.

    Constraints:
    - (C1) `axis` is a dimension of `data`.

    ```mlir
    %y = ttc.gather %data, %indices {axis = 0}
       : (tensor<30522x768xf32>, tensor<1x128xi64>) -> tensor<1x128x768xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$data, Ttc_IndexTensor:$indices, Ttc_I64Attr:$axis);
  let results = (outs Ttc_StoredTensor:$y);
  let hasCanonicalizeMethod = 1;
}

def Ttc_GatherElementsOp : Ttc_InferredOp<"gather_elements", [Ttc_FollowsExtents, Ttc_SelectsElements, DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    Ttc_WholeTensors<"an index may name any element">]> {
  let summary = "takes elements by index along an axis";
  let description = [{
    `y[i, j, k] = data[i, indices[i, j, k], k]`, with `axis` in the place of `j`. Indices are as in
    `ttc.gather`.

    Constraints:
    - (C1) `data` and `indices` have as many dimensions.
    - (C2) `axis` is one of them.
    - (C3) `indices` is not larger than `data` in any dimension but `axis`.

    ```mlir
    %y = ttc.gather_elements %data, %indices {axis = 1}
       : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$data, Ttc_IndexTensor:$indices, Ttc_I64Attr:$axis);
  let results = (outs Ttc_StoredTensor:$y);
}

def Ttc_GatherNdOp : Ttc_InferredOp<"gather_nd", [
    Ttc_FollowsExtents, Ttc_SelectsElements, DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    Ttc_WholeTensors<"an index may name any element">]> {
  let summary = "takes slices by vectors of indices";
  let description = [{
    The last dimension of `indices` holds positions in the dimensions of `data` after the first
    `batch_dims`, which both have in common: `y[b, j...] = data[b, indices[b, j..., :]]`. Indices
    are as in `ttc.gather`.

    Constraints:
    - (C1) `batch_dims` is not negative and smaller than both ranks; these dimensions are equal.
    - (C2) `indices` has at least one dimension, and the last is from 1 to the number of dimensions
      of `data` that are not batch dimensions.

    ```mlir
    %y = ttc.gather_nd %data, %indices {batch_dims = 0}
       : (tensor<4x8x2xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$data, Ttc_IndexTensor:$indices,
      DefaultValuedAttr<Ttc_I64Attr, "0">:$batch_dims);
  let results = (outs Ttc_StoredTensor:$y);
}

def Ttc_TileOp : Ttc_InferredOp<"tile", [Ttc_FollowsDimsAndSizes, Ttc_SelectsElements,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>, Ttc_MapsDimensions]> {
  let summary = "repeats a tensor";
  let description = [{
    The operand `repeats` times along each dimension.

    Constraints:
    - (C1) `repeats` has one element, not negative, for each dimension of `x`.

    ```mlir
    %y = ttc.tile %x {repeats = [1, 3]} : (tensor<2x4xf32>) -> tensor<2x12xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, DenseI64ArrayAttr:$repeats);
  let results = (outs Ttc_StoredTensor:$y);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_ExpandOp : Ttc_TensorOp<"expand", [Ttc_FollowsDims, Ttc_SelectsElements, DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>, Ttc_MapsDimensions]> {
  let summary = "broadcasts to a shape";
  let description = [{
    Broadcasts the operand to the result's shape by NumPy's rules.

    Constraints:
    - (C1) The result has the operand's element type.
    - (C2) The operand broadcasts to the result's shape.

    ```mlir
    %y = ttc.expand %x : (tensor<8x1xf32>) -> tensor<2x8x4xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x);
  let results = (outs Ttc_StoredTensor:$y);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$shape), [{
    auto shaped = ::llvm::cast<::mlir::ShapedType>(x.getType());
    build($_builder, $_state, ::mlir::TypeRange{shaped.clone(shape)}, x);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_ResizeOp : Ttc_TensorOp<"resize", [Ttc_FollowsExtents, DeclareOpInterfaceMethods<Ttc_PermutableOpInterface>, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    Ttc_MapsDimensions]> {
  let summary = "resamples a tensor";
  let description = [{
    As ONNX's Resize, along every dimension whose scale is not 1. `scales` are the factors by which
    coordinates are computed (not necessarily the exact quotient of the sizes). `nearest_mode` applies
    only to mode `nearest`.

    Constraints:
    - (C1) The result has the operand's element type and as many dimensions; none is empty.
    - (C2) `scales` has one positive, finite element for each dimension.

    ```mlir
    %y = ttc.resize %x mode linear coordinates align_corners {scales = [1.0, 1.0, 2.0, 2.0]}
       : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$x, Ttc_ResizeModeAttr:$mode,
      DefaultValuedAttr<Ttc_CoordinateModeAttr, "CoordinateMode::HalfPixel">:$coordinate_mode,
      DefaultValuedAttr<Ttc_NearestModeAttr, "NearestMode::RoundPreferFloor">:$nearest_mode,
      DenseF32ArrayAttr:$scales);
  let results = (outs Ttc_NumberTensor:$y);
  let assemblyFormat = [{
    operands `mode` $mode (`coordinates` $coordinate_mode^)? (`rounding` $nearest_mode^)?
    custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ttc_DepthToSpaceOp : Ttc_InferredOp<"depth_to_space", [Ttc_FollowsExtents, Ttc_SelectsElements,
    Ttc_ChannelsLastOpInterface, Ttc_MapsDimensions]> {
  let summary = "moves channels into blocks of pixels";
  let description = [{
    As ONNX's DepthToSpace, over one to three spatial dimensions: `N, C, H, W` becomes
    `N, C / (block[0] * block[1]), H * block[0], W * block[1]`. In mode `dcr` (the default) the channels count
    as `block[0], block[1], C'`, in mode `crd` as `C', block[0], block[1]`. With `channels_last`, `x` is
    `N, spatial..., C`, and so is the result.

    Constraints:
    - (C1) `x` has three to five dimensions.
    - (C2) `block` has one positive element for each spatial dimension, and their product divides the
      channels.

    ```mlir
    %y = ttc.depth_to_space %x mode crd {block = [2, 2]}
       : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, DenseI64ArrayAttr:$block,
      DefaultValuedAttr<Ttc_DepthToSpaceModeAttr, "DepthToSpaceMode::DCR">:$mode,
      UnitAttr:$channels_last);
  let results = (outs Ttc_StoredTensor:$y);
  let assemblyFormat = [{
    operands (`mode` $mode^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Ttc_SpaceToDepthOp : Ttc_InferredOp<"space_to_depth", [Ttc_FollowsExtents, Ttc_SelectsElements, Ttc_MapsDimensions]> {
  let summary = "moves blocks of pixels into channels";
  let description = [{
    As ONNX's SpaceToDepth: `N, C, H, W` becomes `N, C * block^2, H / block, W / block`, the inverse
    of `ttc.depth_to_space` in mode `dcr`.

    Constraints:
    - (C1) `x` has four dimensions.
    - (C2) `block` is positive and divides height and width.

    ```mlir
    %y = ttc.space_to_depth %x {block = 2} : (tensor<1x2x8x8xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, Ttc_I64Attr:$block);
  let results = (outs Ttc_StoredTensor:$y);
  let hasFolder = 1;
}

#endif // TTC_DATAMOVEMENTOPS_TD
