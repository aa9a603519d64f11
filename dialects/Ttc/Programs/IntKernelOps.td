// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel ops on bytes with i32 sums.
#ifndef TTC_INTKERNELOPS_TD
#define TTC_INTKERNELOPS_TD

include "dialects/Ttc/Programs/KernelOpBase.td"

def Ttc_ByteTensor : StaticShapeTensorOf<[UI8]>;
def Ttc_SumTensor : StaticShapeTensorOf<[I32]>;

def Ttc_PackBytesOp : Ttc_Op<"pack_bytes", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>]> {
  let summary = "Weights of bytes in the order in which a kernel consumes them";
  let description = [{
    Packs weights as `[group][panel][quad][nr][4]`: panels of `nr` output columns, each one linear
    stream of quads, in which a column has four consecutive k. The taps of a convolution are runs of
    quads of their own, the last quad of a run filled with zeros; with `merged` the taps along the last
    dimension of the kernel are one run. Columns that the last panel lacks are zeros. `kind` is as in
    `ttc.pack`.

    An element w of a ui8 operand is stored as w - 128. Folded where the operand is constant.

    Constraints:
    - (C1) `kind` is `matmul` with an operand of rank 2, or `conv` with one of 3 or more.
    - (C2) `conv`: `groups` divides the operand's dimension 0.
    - (C3) `merged` requires `conv` and one group.

    ```mlir
    %p = ttc.pack_bytes %w {kind = #ttc.pack_kind<conv>, nr = 16 : i64}
        : tensor<64x30x3x3xi8> -> tensor<1x4x72x16x4xi8>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[I8, UI8]>:$input, Ttc_PackKindAttr:$kind,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$nr,
    UnitAttr:$merged);
  let results = (outs Ttc_SignedByteTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def Ttc_SumBytesOp : Ttc_Op<"sum_bytes", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>]> {
  let summary = "The sum of the weights of each output column";
  let description = [{
    One i32 sum for each output column of weights, of the elements that `ttc.pack_bytes` stores: by it
    the zero point of the other operand of a product is taken into account. `kind` is as in `ttc.pack`.
    Folded where the operand is constant.

    Constraints:
    - (C1) `kind` is `matmul` with an operand of rank 2, or `conv` with one of 3 or more.

    ```mlir
    %s = ttc.sum_bytes %w {kind = #ttc.pack_kind<conv>} : tensor<64x30x3x3xi8> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[I8, UI8]>:$input, Ttc_PackKindAttr:$kind);
  let results = (outs Ttc_SumTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

class Ttc_IntKernelOp<string mnemonic, list<Trait> traits = [], list<string> windowMethods = []>
    : Ttc_KernelOp<mnemonic, !listconcat([Ttc_MapsDimensions,
        DeclareOpInterfaceMethods<Ttc_WindowKernelOpInterface, !listconcat(["padsWith"], windowMethods)>], traits),
        ["canStore", "getMaxEpilogueConstants", "getBounds"]>;

def Ttc_KernelIntGemmOp : Ttc_IntKernelOp<"int_gemm", [AttrSizedOperandSegments], ["getSpatialDim", "getNumSpatialDims"]> {
  let summary = "Matrix product and convolution of bytes as one implicit GEMM";
  let description = [{
    Without `kernel`: the product of `a` [batch..., M, K] and one matrix. With `kernel` (one size for
    each spatial dimension): the convolution of the channels-last `a` [N, spatial..., C], whose padding
    is `a_zero`, or the element of `zero` if there is one. `b` comes from `ttc.pack_bytes`. The sums are i32 and wrap. With `b_zero`, a value for
    each column of the result, its product with the sum of the row of `a` is subtracted.

    `merged`: the taps along the last dimension of the kernel are one run of `b`, and the input lines are
    copied with their padding. `tile` is the register tile: rows, and columns of a panel.

    `dot` says by which instructions four products are summed, all of them exactly: `vnni` (vpdpbusd),
    `madd` (vpmaddwd on 16 bits), or `plain` products in 32 bits for a CPU that has neither.

    Constraints:
    - (C1) `tile` has at least one row, and columns in multiples of 8.
    - (C2) `a` and the result have as many dimensions, at least two; with `kernel`, one to three spatial
      dimensions and two more.
    - (C3) `kernel`, `strides` and `dilations` have one positive element for each spatial dimension,
      `pads` two.
    - (C4) `groups` divides the channels of `a` and of the result; without `kernel` it is 1.
    - (C5) The result has the shape of the convolution, or as many rows as `a`.
    - (C6) `b` has the packed shape.
    - (C7) `b_zero` has one element for each column of the result.
    - (C8) `merged` requires `kernel`, one group, no dilation along the last dimension, and no depth.
    - (C9) `a_zero` is a value of ui8; with `zero` it is 0.
    - (C10) `zero` has one element.

    ```mlir
    %0 = ttc.kernel.int_gemm %x, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
        a_zero = 128 : i64, tile = array<i64: 14, 32>, dot = #ttc.byte_dot<vnni>}
        : (tensor<1x56x56x64xui8>, tensor<1x2x144x32x4xi8>) -> tensor<1x56x56x64xi32>
    ```
  }];
  let arguments = (ins Ttc_ByteTensor:$a, Ttc_SignedByteTensor:$b, Optional<Ttc_SumTensor>:$b_zero,
    Optional<Ttc_ByteTensor>:$zero, Variadic<Ttc_ValidTensor>:$valid,
    DenseI64ArrayAttr:$tile, Ttc_ByteDotAttr:$dot,
    OptionalAttr<DenseI64ArrayAttr>:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$pads,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups,
    DefaultValuedAttr<I64Attr, "0">:$a_zero,
    UnitAttr:$merged,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_SumTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`,` $b_zero^)? (`zero` $zero^)? (`valid` `(` $valid^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ttc_KernelIntDepthwiseConvOp : Ttc_IntKernelOp<"int_depthwise_conv", [AttrSizedOperandSegments]> {
  let summary = "Depthwise convolution of bytes, channels-last";
  let description = [{
    `x` is [N, spatial..., C]; `w` are integers in f32, from `ttc.pack` of kind `depthwise`, as [kernel
    elements, C]. The products of `x - x_zero` and `w` are summed in f32, exactly as long as no sum
    exceeds 2^24, and given as i32. Padding counts as `x_zero`. The element of `zero`, if there is one,
    takes the place of `x_zero`.

    Constraints:
    - (C1) `x` and the result have one to three spatial dimensions, and two more.
    - (C2) `kernel`, `strides` and `dilations` have one positive element for each spatial dimension,
      `pads` two.
    - (C3) `x` and the result have the same N and C.
    - (C4) `w` is [product of `kernel`, C].
    - (C5) The result has the spatial dimensions of the convolution.
    - (C6) `x_zero` is a value of ui8; with `zero` it is 0.
    - (C7) `zero` has one element.

    ```mlir
    %0 = ttc.kernel.int_depthwise_conv %x, %w {kernel = array<i64: 3, 3>,
        pads = array<i64: 1, 1, 1, 1>, x_zero = 128 : i64}
        : (tensor<1x56x56x144xui8>, tensor<9x144xf32>) -> tensor<1x56x56x144xi32>
    ```
  }];
  let arguments = (ins Ttc_ByteTensor:$x, Ttc_KernelTensor:$w, Optional<Ttc_ByteTensor>:$zero,
    Variadic<Ttc_ValidTensor>:$valid, DenseI64ArrayAttr:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$pads,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    DefaultValuedAttr<I64Attr, "0">:$x_zero,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_SumTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`zero` $zero^)? (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ttc_KernelIntDepthwiseDotOp : Ttc_IntKernelOp<"int_depthwise_dot"> {
  let summary = "Depthwise convolution of images of bytes by dot products, channels-last";
  let description = [{
    `x` is [N, H, W, C]. `w` comes from `ttc.pack_bytes` with `merged`, of weights whose two kernel
    dimensions are swapped: for each column of the window, quads of consecutive rows in one panel of all
    channels. The products of `x - x_zero` and `w` are summed in i32, which wraps. Padding counts as
    `x_zero`. `dot` is as in `ttc.kernel.int_gemm`.

    Constraints:
    - (C1) `x` and the result have four dimensions.
    - (C2) `kernel`, `strides` and `dilations` have one positive element for each spatial dimension,
      `pads` two.
    - (C3) `x` and the result have the same N and C.
    - (C4) `kernel` has at most 8 rows and 7 columns.
    - (C5) `w` has the packed shape.
    - (C6) The result has the spatial dimensions of the convolution.
    - (C7) `x_zero` is a value of ui8.

    ```mlir
    %0 = ttc.kernel.int_depthwise_dot %x, %w {kernel = array<i64: 3, 3>,
        pads = array<i64: 1, 1, 1, 1>, x_zero = 128 : i64, dot = #ttc.byte_dot<vnni>}
        : (tensor<1x56x56x144xui8>, tensor<1x1x3x144x4xi8>) -> tensor<1x56x56x144xi32>
    ```
  }];
  let arguments = (ins Ttc_ByteTensor:$x, Ttc_SignedByteTensor:$w, Variadic<Ttc_ValidTensor>:$valid,
    Ttc_ByteDotAttr:$dot, DenseI64ArrayAttr:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$pads,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    DefaultValuedAttr<I64Attr, "0">:$x_zero,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_SumTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TTC_INTKERNELOPS_TD
