// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel ops of convolutions by Winograd's algorithm.
#ifndef TTC_WINOGRADOPS_TD
#define TTC_WINOGRADOPS_TD

include "dialects/Ttc/Programs/KernelOpBase.td"

def Ttc_PackWinogradOp : Ttc_Op<"pack_winograd", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface, ["isAlwaysWorthEvaluating"]>]> {
  let summary = "Weights of a convolution at the points of Winograd's algorithm";
  let description = [{
    Transforms the weights [O, I/groups, taps, taps] of a convolution for tiles of `outputs` x `outputs`
    results: each kernel g becomes G g G^T, whose (outputs + taps - 1)^2 elements are its values at
    the points. They are packed as `[group][panel][point][k][nr]`: panels of `nr` output columns, each
    one linear stream over points and input channels, the last one filled with zeros. Kernels of three
    dimensions, [O, I/groups, frames, taps, taps], are transformed in their last two; the channels of all
    frames follow each other. Kernels that have taps in one dimension only become G g: outputs + taps - 1
    elements.

    Computed in f64 and rounded once. Always folded, however large the result: it has at most 4 elements
    for each of the operand's (tiles of 4 and 3 taps). There is no kernel for weights that are not
    constant.

    Constraints:
    - (C1) The operand has rank 3 to 5, and all of its spatial dimensions but one are 1, or its last two are equal.
    - (C2) `outputs` and the taps are 4 and 3, 2 and 5, or 2 and 3.
    - (C3) `groups` divides the operand's dimension 0.

    ```mlir
    %p = ttc.pack_winograd %w {outputs = 4 : i64, nr = 32 : i64}
        : tensor<64x64x3x3xf32> -> tensor<1x2x36x64x32xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$input, I64Attr:$outputs,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$nr);
  let results = (outs Ttc_KernelTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def Ttc_KernelWinogradInputOp : Ttc_KernelOp<"winograd_input", [Ttc_MapsDimensions,
    DeclareOpInterfaceMethods<Ttc_WindowKernelOpInterface>], ["hasEpilogue"]> {
  let summary = "An image at the points of Winograd's algorithm, channels-last";
  let description = [{
    Divides the results of a convolution of `x` [N, H, W, C] by taps x taps into tiles of `outputs` x
    `outputs`, and transforms the (outputs + taps - 1)^2 input elements of each: d becomes B^T d B. The
    result has a row for each point: C elements of each tile, tiles running over images, lines and columns,
    then 16 unused elements, without which all points could share one set of a cache. Elements outside
    `x` are zeros. The frames of clips [N, D, H, W, C] are images, and those of their padding are of zeros. With `valid`, the tiles are those of the result that the valid part of the image has, one after
    the other from the first one on; what is after them may be anything.

    `pads` are top, left, bottom and right; of clips front, top, left, back, bottom and right.

    If only one spatial dimension has taps, it is `line`: x [N, ..., L, ..., C] is divided into tiles of `outputs`
    results along it, whose outputs + taps - 1 elements d become B^T d. With `dilation`, the elements of a tile, and its
    results, are so many lines and columns apart.

    Constraints:
    - (C1) `x` has rank 4, or 3 with `line`; without `valid`, 4 with `line`, or 5.
    - (C2) `outputs` and `taps` are 4 and 3, 2 and 5, or 2 and 3.
    - (C3) `pads` has two elements of at least 0 for each spatial dimension, and the padded image has at least
      `taps` lines and columns.
    - (C4) The result has the shape that follows.
    - (C5) `line` is a spatial dimension, and no other one is padded.

    ```mlir
    %0 = ttc.kernel.winograd_input %x {outputs = 4 : i64, taps = 3 : i64, pads = array<i64: 1, 1, 1, 1>}
        : (tensor<1x14x14x256xf32>) -> tensor<36x4112xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$x, Variadic<Ttc_ValidTensor>:$valid, I64Attr:$outputs, I64Attr:$taps,
    DenseI64ArrayAttr:$pads, OptionalAttr<I64Attr>:$line,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$dilation,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = "$x (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Ttc_KernelWinogradConvOp : Ttc_KernelOp<"winograd_conv", [Ttc_MapsDimensions,
    DeclareOpInterfaceMethods<Ttc_WindowKernelOpInterface, ["getSpatialDim", "getNumSpatialDims"]>],
    ["getMaxEpilogueConstants", "getBounds"]> {
  let summary = "Convolution by Winograd's algorithm, channels-last";
  let description = [{
    A convolution of [N, H, W, C] by taps x taps, of [N, D, H, W, C] by `frames` x taps x taps, or by taps in the spatial
    dimension `line` only, without strides. For each point it
    multiplies the input elements of all tiles with the weights `w` of `ttc.pack_winograd`, and
    transforms the products: y = A^T m A. That takes (outputs + taps - 1)^2 multiplications for
    outputs^2 results and one channel, instead of (outputs * taps)^2: 36 for 144 with tiles of 4. The products of
    several frames are summed before they are transformed.

    `x` is the image, whose tiles are transformed in scratch, or the result of
    `ttc.kernel.winograd_input`, which is then shared by all workgroups; both have the same `valid`, and what is after the
    lines and columns of the result that the valid part of the image has may be anything. `pads` are those of the image. `tile` is the register tile: tiles, and columns of a panel (nr).

    Rounding: results differ from those of a direct convolution by about 1.6 times as much as these
    differ from exact ones (root mean square; tiles of 4).

    Constraints:
    - (C1) The result has rank 4, or 3 with `line`; without `valid`, 4 with `line`, or 5. `x` has the same, or 2 if it is
      transformed, and `w` has rank 5.
    - (C2) `outputs` and `taps` are 4 and 3, 2 and 5, or 2 and 3.
    - (C3) `pads` has two elements of at least 0 for each spatial dimension.
    - (C4) `groups` divides the channels of `x` and of the result.
    - (C5) `w` has the packed shape.
    - (C6) The result has the shape of the convolution; if `x` is transformed, it has the shape that
      `ttc.kernel.winograd_input` gives it.
    - (C7) `tile` has 1 to 14 tiles, and 8, 16 or 32 columns.
    - (C8) `frames`, or padding in front or at the back, need a transformed `x` and a result of rank 5 without `line`.
    - (C9) `line` is a spatial dimension, and no other one is padded.

    ```mlir
    %0 = ttc.kernel.winograd_conv %x, %w {outputs = 4 : i64, taps = 3 : i64,
        pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 14, 32>}
        : (tensor<1x56x56x64xf32>, tensor<1x2x36x64x32xf32>) -> tensor<1x56x56x64xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$x, Ttc_KernelTensor:$w, Variadic<Ttc_ValidTensor>:$valid,
    I64Attr:$outputs, I64Attr:$taps, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$tile,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$frames,
    OptionalAttr<I64Attr>:$line, DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$dilation,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// What `ttc.kernel.winograd_input` makes for a result of this type from `channels` channels.
    static ::mlir::RankedTensorType getTransformedType(::mlir::RankedTensorType result, int64_t channels,
        int64_t outputs, int64_t taps, std::optional<int64_t> line, int64_t dilation, int64_t frames);
  }];
  let hasVerifier = 1;
}

#endif // TTC_WINOGRADOPS_TD
