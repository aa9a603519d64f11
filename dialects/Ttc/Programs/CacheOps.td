// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ttc.cached_attention becomes.
#ifndef TTC_CACHEOPS_TD
#define TTC_CACHEOPS_TD

include "dialects/Ttc/Programs/KernelOpBase.td"
include "dialects/Ttc/Tensors/CacheOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

defvar Ttc_CacheOperands = (ins Ttc_F32Tensor:$qkv, Ttc_CacheTensor:$keys, Ttc_CacheTensor:$values,
    Ttc_I32Tensor:$position, Optional<Ttc_F32Tensor>:$cos_sin, Optional<Ttc_I32Tensor>:$count,
    Optional<Ttc_I32Tensor>:$sequences, Optional<Ttc_F32Tensor>:$sinks, Ttc_I64Attr:$heads, Ttc_I64Attr:$kv_heads,
    F32Attr:$scale, DefaultValuedAttr<Ttc_RopeAttr, "Rope::None">:$rope, OptionalAttr<Ttc_I64Attr>:$window,
    OptionalAttr<F32Attr>:$soft_cap);

// How much these ops compute depends on the position, so they are not counted.
class Ttc_CacheKernelOp<string mnemonic, list<string> methods = []>
    : Ttc_Op<"kernel." # mnemonic, [Pure, AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<Ttc_KernelOpInterface, !listconcat(["hasEpilogue"], methods)>]> {
  let assemblyFormat = [{
    $qkv `,` $keys `,` $values `,` $position (`cos_sin` $cos_sin^)? (`count` $count^)?
    (`sequences` $sequences^)? (`sinks` $sinks^)? (`rope` $rope^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ttc_KernelDecodeAttentionOp : Ttc_CacheKernelOp<"decode_attention", ["getUpdatedOperand"]> {
  let summary = "Attention of a token of each sequence over its cache, which it updates";
  let description = !strconcat([{
    `ttc.cached_attention` of one row, or of rows that have sequences of their own. For each row, the positions up to the token's that count are split into `splits` parts
    of nearly as many blocks of 32, for each group of query heads that share keys; a workgroup has one part. The
    workgroup that has the last block writes the new key and value into it.

    With one part, `out` is [M, `heads` * D]. Otherwise it holds partial results for
    `ttc.kernel.combine_attention`.

    Constraints:}], Ttc_CacheConstraints, [{
    - (C8) `qkv` has one row, or `sequences` has M elements.
    - (C9) `splits` is at least 1, and `out` is [`splits`, M * `heads`, D + 16], or [M, `heads` * D] if it is 1.
      `new_keys` and `new_values` have the types of `keys` and `values`.

    ```mlir
    %partials, %new_keys, %new_values = ttc.kernel.decode_attention %qkv, %keys, %values, %position cos_sin %table
        rope pairs {heads = 9 : i64, kv_heads = 3 : i64, scale = 1.250000e-01 : f32, splits = 4 : i64}
        : (tensor<1x960xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>, tensor<1xi32>, tensor<2048x64xf32>)
          -> (tensor<4x9x80xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
    ```
  }]);
  let arguments = !con(Ttc_CacheOperands, (ins Ttc_I64Attr:$splits));
  let results = (outs Ttc_F32Tensor:$out, Ttc_CacheTensor:$new_keys, Ttc_CacheTensor:$new_values);
}

def Ttc_KernelCombineAttentionOp : Ttc_Op<"kernel.combine_attention", [Pure,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_KernelOpInterface, ["hasEpilogue"]>]> {
  let summary = "Attention from the results of parts of the positions";
  let description = [{
    Each part of a head in `partials` has D sums of weighted values, the largest score, and the sum of the
    weights, which are relative to that score; 14 elements more are not used. The parts are combined one after the other. A head
    without positions becomes 0.

    Constraints:
    - (C1) `partials` is [parts, heads, D + 16], D is a multiple of 32, and none of them is 0. `rows` is at least 1 and divides
      heads, and `out` is [rows, heads / rows * D].

    ```mlir
    %y = ttc.kernel.combine_attention %partials : (tensor<4x9x80xf32>) -> tensor<1x576xf32>
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$partials, DefaultValuedAttr<Ttc_I64Attr, "1">:$rows);
  let results = (outs Ttc_F32Tensor:$out);
  let assemblyFormat = "$partials attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Ttc_KernelUpdateCacheOp : Ttc_CacheKernelOp<"update_cache", ["getUpdatedOperand"]> {
  let summary = "Keys and values of new tokens in a cache";
  let description = !strconcat([{
    The caches of `ttc.cached_attention`, without its attention. Blocks of 32 positions are dealt to
    the workgroups.

    Constraints:}], Ttc_CacheConstraints, [{
    - (C8) `sequences` has one element.
    - (C9) `new_keys` and `new_values` have the types of `keys` and `values`.

    ```mlir
    %new_keys, %new_values = ttc.kernel.update_cache %qkv, %keys, %values, %position count %n
        {heads = 9 : i64, kv_heads = 3 : i64, scale = 1.250000e-01 : f32}
        : (tensor<16x960xf32>, tensor<3x64x64x32xf32>, tensor<3x2x2048x32xf32>, tensor<1xi32>, tensor<1xi32>)
          -> (tensor<3x64x64x32xf32>, tensor<3x2x2048x32xf32>)
    ```
  }]);
  let arguments = Ttc_CacheOperands;
  let results = (outs Ttc_CacheTensor:$new_keys, Ttc_CacheTensor:$new_values);
}

def Ttc_KernelPrefillAttentionOp : Ttc_CacheKernelOp<"prefill_attention"> {
  let summary = "Attention of several tokens over a cache that holds them";
  let description = !strconcat([{
    The attention of `ttc.cached_attention`, from caches that `ttc.kernel.update_cache` has updated.
    Tiles of rows are dealt to the workgroups, for each group of query heads that share keys.

    Constraints:}], Ttc_CacheConstraints, [{
    - (C8) `sequences` has one element.
    - (C9) `y` is [M, `heads` * D].

    ```mlir
    %y = ttc.kernel.prefill_attention %qkv, %keys, %values, %position count %n
        {heads = 9 : i64, kv_heads = 3 : i64, scale = 1.250000e-01 : f32}
        : (tensor<16x960xf32>, tensor<3x64x64x32xf32>, tensor<3x2x2048x32xf32>, tensor<1xi32>, tensor<1xi32>)
          -> tensor<16x576xf32>
    ```
  }]);
  let arguments = Ttc_CacheOperands;
  let results = (outs Ttc_F32Tensor:$y);
}

#endif // TTC_CACHEOPS_TD
