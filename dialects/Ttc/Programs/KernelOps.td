// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_KERNELOPS_TD
#define TTC_KERNELOPS_TD

include "dialects/Ttc/Programs/KernelOpBase.td"

/// Weights, which a kernel converts to f32 when it loads them.
def Ttc_WeightTensor : StaticShapeTensorOf<[F32, F16, BF16, I8]>;

def Ttc_PackOp : Ttc_Op<"pack", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_KernelOpInterface, ["hasEpilogue"]>]> {
  let summary = "Weights in the order in which a kernel consumes them";
  let description = [{
    Packs weights as `[group][panel][k][nr]`: panels of `nr` output columns, each one linear
    stream over k, the last one filled with zeros. `kind` says what the operand is:

    - `matmul`: [K, N];  `matmul_transposed`: [N, K];
    - `conv`: [O, I/groups, kernel...], k runs over (kernel..., I/groups);
    - `conv_transpose`: [I, O/groups, kernel...], flipped, so that a convolution of the
      dilated input computes it;
    - `depthwise`: [C, 1, kernel...] becomes [kernel elements, C]; `nr` and `groups` are 1.

    Folded where the operand is constant; otherwise a kernel of its own.

    Constraints:
    - (C1) `matmul` and `matmul_transposed` take an operand of rank 2, the other kinds of 3 or more.
    - (C2) `conv`, `conv_transpose` and `depthwise`: `groups` divides the operand's dimension 0.
    - (C3) `depthwise`: dimension 1 of the operand is 1.

    ```mlir
    %p = ttc.pack %w {kind = #ttc.pack_kind<conv>, nr = 16 : i64}
        : tensor<64x32x3x3xf32> -> tensor<1x4x288x16xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$input, Ttc_PackKindAttr:$kind,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$nr);
  let results = (outs Ttc_KernelTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def Ttc_GemmRows : I64EnumAttr<"GemmRows", "how the rows of a gemm's A are found", [
    I64EnumAttrCase<"direct", 0>, I64EnumAttrCase<"table", 1>, I64EnumAttrCase<"copied", 2>]> {
  let cppNamespace = "::mlir::ttc";
  let genSpecializedAttr = 0;
}

def Ttc_GemmPlanAttr : Ttc_Attr<"GemmPlan", "gemm_plan"> {
  let summary = "How ttc.kernel.gemm walks its loops";
  let description = [{
    `rows` says how the kernel finds the rows of A:

    - `direct`: they are evenly strided (a product, a convolution of single pixels, or one whose windows are runs
      of a line);
    - `table`: by a table in scratch with one pointer for each row and tap;
    - `copied`: the input lines are copied into scratch with their padding, and the taps along the width
      are merged into one.

    `splits` is the grid: the parts that the batch, the row tiles and the panels are split into. `block` is the number
    of row tiles that are multiplied with all panels before the next ones are. With `depth`, a panel is walked in parts
    of that many k, each by all row tiles of the block before the next part: the part stays in L1 or L2. Sums wait in
    scratch, and are formed in the same order.

    Constraints:
    - (C1) `splits` has three elements of at least 1, `block` is at least 1, and `depth`, if it is there,
      at least 1.

    ```mlir
    #ttc.gemm_plan<rows = table, splits = [1, 4, 2], block = 3>
    ```
  }];
  let parameters = (ins
    EnumParameter<Ttc_GemmRows>:$rows,
    ArrayRefParameter<"int64_t">:$splits,
    "int64_t":$block,
    DefaultValuedParameter<"int64_t", "0">:$depth);
  let assemblyFormat = [{
    `<` `rows` `=` $rows `,` `splits` `=` `[` $splits `]` `,` `block` `=` $block
    (`,` `depth` `=` $depth^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Ttc_KernelMethod : I64EnumAttr<"KernelMethod", "how a product or a convolution is computed", [
    I64EnumAttrCase<"direct", 0>, I64EnumAttrCase<"winograd", 1>,
    I64EnumAttrCase<"winograd_transformed", 2>]> {
  let cppNamespace = "::mlir::ttc";
  let genSpecializedAttr = 0;
}

def Ttc_KernelChoiceAttr : Ttc_Attr<"KernelChoice", "kernel_choice"> {
  let summary = "The kernel of a product or a convolution";
  let description = [{
    What `--ttc-choose-kernels` decides about one op, and what a tuning file says about it:

    - `direct`: `ttc.kernel.gemm`;
    - `winograd`: `ttc.kernel.winograd_conv`, in which each workgroup transforms its own tiles of the image;
    - `winograd_transformed`: the same, after `ttc.kernel.winograd_input` has transformed the whole image.

    `tile` is the register tile: rows, and columns of a panel. `outputs` is the size of Winograd's tiles of results.

    Constraints:
    - (C1) `tile` has 1 to 14 rows, and 1, 8, 16, 32 or 48 columns (not 1 or 48 with Winograd's algorithm).
    - (C2) `outputs` is 2 or 4 with Winograd's algorithm, and 0 or absent without.

    ```mlir
    #ttc.kernel_choice<direct, tile = [8, 48]>
    #ttc.kernel_choice<winograd_transformed, tile = [14, 32], outputs = 4>
    ```
  }];
  let parameters = (ins
    EnumParameter<Ttc_KernelMethod>:$method,
    ArrayRefParameter<"int64_t">:$tile,
    DefaultValuedParameter<"int64_t", "0">:$outputs);
  let assemblyFormat = [{
    `<` $method `,` `tile` `=` `[` $tile `]` (`,` `outputs` `=` $outputs^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Ttc_KernelGemmOp : Ttc_KernelOp<"gemm", [Ttc_MapsDimensions, Ttc_Shardable,
    DeclareOpInterfaceMethods<Ttc_WindowKernelOpInterface, ["getSpatialDim", "getNumSpatialDims"]>],
    ["isPlanned", "getBounds"]> {
  let summary = "Matrix product and convolution as one implicit GEMM";
  let description = [{
    Without `kernel`: the product of `a` [batch..., M, K] and `b` [batch..., K, N], batch
    dimensions broadcasting as NumPy's. With `kernel` (one size for each spatial
    dimension): the convolution of the channels-last `a` [N, spatial..., C]; `pads` are begins,
    then ends; `input_dilation` puts d-1 zeros between input elements (conv_transpose).

    `packed`: `b` comes from `ttc.pack` as [group][panel][k][nr] and has no batch; without it,
    `b` is a run-time matrix whose panels are packed into scratch when they are used.
    `tile` is the register tile: rows, and columns of a panel (nr). With panels of one column, the kernel's vectors run
    along the depth.

    A packed `b` may be stored as f16, bf16 or i8. Its elements are converted to f32 when they are
    loaded, exactly, and all arithmetic is in f32. As i8, [group][panel][k + 4][nr], each panel ends with nr scales of f32: an
    element is multiplied by the scale of its column when it is loaded, and rounded to f32.

    `shuffle` is the number of groups of a channel shuffle through which the channels of `a` are read: as if `a` were
    seen as [..., shuffle, C / shuffle], its last two dimensions transposed, and merged again. The result has the bits
    that it has for an `a` that is shuffled in memory.

    `a_view`, `b_view` (run-time matrix only) say which strided view of the operand
    is meant; `result_view` where the elements of the logical result [batch..., M, N] go within
    the result's type. Its last stride is 1 and all others are multiples of N.

    Constraints:
    - (C1) `tile` has at least one row, and 1 column or a multiple of 8.
    - (C2) `a` and the result have at least two dimensions; with `kernel`, one to three spatial
      dimensions and two more.
    - (C3) Views stay within their tensors. `result_view` covers the result: its columns are
      consecutive and are the result's last dimension, and its other strides are multiples of N.
    - (C4) `kernel` requires `packed`, no `result_view`, and consecutive channels in `a_view`. With one
      group, up to two spatial dimensions and no dilated input, channels may be apart: the lines are
      copied then.
    - (C5) `kernel`, `strides`, `dilations` and `input_dilation` have one positive element for each
      spatial dimension, `pads` two.
    - (C6) `groups` divides the channels of `a` and of the result; without `kernel` it is 1.
    - (C7) The result has the shape of the convolution, or as many rows as `a`.
    - (C8) A packed `b` has the packed shape, as i8 also with scales, and no `b_view`. Otherwise `b` ends in [K, N], and the
      batch dimensions of `a` and `b` broadcast to those of the result.
    - (C9) At most three batch dimensions remain after those with consecutive strides are merged.
    - (C10) `plan`, which `--ttc-plan-gemms` adds before the op is lowered, has `rows` that are possible
      for `a`, and at most as many `splits` as there are batch elements, row tiles and panels. `block` is
      at most the number of row tiles. `depth` is at most that of the product, and requires `rows = direct` and
      `packed`.
    - (C11) A `b` that is not f32 is packed.
    - (C12) `shuffle` requires `kernel`, and divides the channels of `a`. The rows of its `plan` are not
      `copied`.
    - (C13) A `tile` of one column has at most 8 rows and requires `kernel`, an f32 `b`, one group of at most 4 columns,
      and consecutive channels in multiples of 16 without `shuffle`.

    ```mlir
    %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
        : (tensor<1x128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<1x128x768xf32>
    %1 = ttc.kernel.gemm %image, %filters {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
        tile = array<i64: 6, 16>}
        : (tensor<1x56x56x64xf32>, tensor<1x4x576x16xf32>) -> tensor<1x56x56x64xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$a, Ttc_WeightTensor:$b, Variadic<Ttc_ValidTensor>:$valid,
    DenseI64ArrayAttr:$tile, UnitAttr:$packed,
    OptionalAttr<DenseI64ArrayAttr>:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$pads,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    OptionalAttr<DenseI64ArrayAttr>:$input_dilation,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$shuffle,
    OptionalAttr<Ttc_ViewAttr>:$a_view,
    OptionalAttr<Ttc_ViewAttr>:$b_view,
    OptionalAttr<Ttc_ViewAttr>:$result_view,
    OptionalAttr<Ttc_GemmPlanAttr>:$plan,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The view of each operand and of the result, the identity where none is given.
    ::mlir::ttc::ViewAttr getAViewOrIdentity();
    ::mlir::ttc::ViewAttr getBViewOrIdentity();
    /// The products of an element of the result.
    int64_t getDepth();
    ::mlir::ttc::ViewAttr getResultViewOrIdentity();
  }];
}

def Ttc_KernelDepthwiseConvOp : Ttc_KernelOp<"depthwise_conv", [
    Ttc_MapsDimensions, Ttc_Shardable, DeclareOpInterfaceMethods<Ttc_WindowKernelOpInterface>],
    ["getMaxEpilogueConstants", "getBounds"]> {
  let summary = "Depthwise convolution, channels-last";
  let description = [{
    `x` is [N, spatial..., C], `w` comes from `ttc.pack` of kind `depthwise` as
    [kernel elements, C].

    Constraints:
    - (C1) `x` and the result have one to three spatial dimensions, and two more.
    - (C2) `kernel`, `strides` and `dilations` have one positive element for each spatial dimension,
      `pads` two.
    - (C3) `x` and the result have the same N and C.
    - (C4) `w` is [product of `kernel`, C].
    - (C5) The result has the spatial dimensions of the convolution.

    ```mlir
    %0 = ttc.kernel.depthwise_conv %x, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
        : (tensor<1x56x56x144xf32>, tensor<9x144xf32>) -> tensor<1x56x56x144xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$x, Ttc_KernelTensor:$w, Variadic<Ttc_ValidTensor>:$valid,
    DenseI64ArrayAttr:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$pads,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ttc_PoolKind : I64EnumAttr<"PoolKind", "how a window is reduced", [
    I64EnumAttrCase<"max", 0>, I64EnumAttrCase<"average", 1>]> {
  let cppNamespace = "::mlir::ttc";
  let genSpecializedAttr = 0;
}
def Ttc_PoolKindAttr : EnumAttr<Ttc_Dialect, Ttc_PoolKind, "pool_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Ttc_KernelPoolOp : Ttc_KernelOp<"pool", [Ttc_MapsDimensions, Ttc_Shardable,
    DeclareOpInterfaceMethods<Ttc_WindowKernelOpInterface, ["padsWith"]>], ["getBounds"]> {
  let summary = "Max or average pooling, channels-last";
  let description = [{
    `x` is [N, spatial..., C]. The result's spatial sizes may exceed what `pads` allow
    (ceil mode): windows are clipped at the end. An average divides by the elements inside `x`,
    with `count_include_pad` by those inside `x` and its padding. A global pool is one whose
    kernel is the whole image. Only the padding of a maximum, -inf, and of an average with `count_include_pad`
    may take the place of elements.

    Constraints:
    - (C1) `x` and the result have one to three spatial dimensions, and two more.
    - (C2) `kernel`, `strides` and `dilations` have one positive element for each spatial dimension,
      `pads` two.
    - (C3) `x` and the result have the same N and C.
    - (C4) Every window overlaps `x`.
    - (C5) An average with `valid` has `count_include_pad`.

    ```mlir
    %0 = ttc.kernel.pool %x {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
        : (tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$x, Variadic<Ttc_ValidTensor>:$valid, Ttc_PoolKindAttr:$kind,
    DenseI64ArrayAttr:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$pads,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    UnitAttr:$count_include_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_dims);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = [{
    $x (`valid` `(` $valid^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TTC_KERNELOPS_TD
