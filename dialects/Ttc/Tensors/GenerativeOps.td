// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of models that generate a sequence token by token: their operands say how far it is.
#ifndef TTC_GENERATIVEOPS_TD
#define TTC_GENERATIVEOPS_TD

include "dialects/Ttc/Tensors/CacheOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

// How much it computes depends on the position, so it is not counted.
def Ttc_CachedAttentionOp : Ttc_InferredOp<"cached_attention", [
    AttrSizedOperandSegments, Ttc_ConvertsItself, Ttc_MapsDimensionsAndSizes]> {
  let summary = "attention of new tokens over a cache of keys and values";
  let description = !strconcat([{
    Row `m` of `qkv` belongs to the token at position `position + m`. It holds `heads` queries, `kv_heads` keys and
    `kv_heads` values of `D` elements each; `heads / kv_heads` consecutive queries share a key and a value.
    The key is rotated and written at its position into `keys`, the value into `values`. Then
    each query is rotated, and `y` is `softmax(scale * query . keys) values` over all positions up to the row's own.

    With `window`, only the last `window` positions count: those from `position + m - window + 1` to the row's own. What
    the caches hold at earlier positions is not read, or does not matter. With `soft_cap`, each score `s` becomes `soft_cap * tanh(s /
    soft_cap)` before the softmax. With `sinks`, each head of queries has one more score, its element of `sinks`, with a
    value of zeros: `exp` of it is added to the divisor of the softmax. Neither `scale` nor `soft_cap` changes it.

    `new_keys` and `new_values` are the caches after that, with all other elements as they were; they may be stored
    where `keys` and `values` are. The layouts are those in which the cache is read: 32 positions of an element of a key
    are neighbours, and 32 elements of a value. Caches of f16 store rounded elements, which all arithmetic sees as f32.
    Caches of i8 store 32 elements of a key or a value as `scale * i`: `scale` is the largest magnitude divided by 127,
    rounded to f16, and `i` is the nearest integer, from -127 to 127. The scales follow each block of 32 positions: in
    keys, a row of 32 scales for each 32 elements of a head; in values, one row of 32 scales.

    `rope` says which elements of a head are rotated together: `halves`, element `i` and element `i + D / 2`;
    `pairs`, elements `2 i` and `2 i + 1`. Row `p` of `cos_sin` has `D / 2` cosines, then as many sines, of
    the angles of position `p`.

    Only the first `count` rows are valid, or all of them without it. A row that is not, and one whose position is not
    within the cache, is written nowhere, and its `y` is 0. If `position` is negative, there is no valid row. The cost goes by
    the positions that are in use, not by the size of the cache.

    With `sequences`, there are caches of N sequences, and each has its `position`. If `sequences` has one element, all
    rows belong to that sequence. If it has M, row `m` belongs to sequence `sequences[m]`, and is at the `position`
    of that sequence. A row whose sequence is less than 0 or at least N is not valid, nor is one whose sequence a row before
    it has, where each row has its own.

    Constraints:}], Ttc_CacheConstraints, [{

    ```mlir
    %y, %new_keys, %new_values = ttc.cached_attention %qkv, %keys, %values, %position cos_sin %table
        rope pairs {heads = 9, kv_heads = 3, scale = 1.250000e-01}
        : (tensor<1x960xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>, tensor<1xi32>, tensor<2048x64xf32>)
          -> (tensor<1x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
    ```
  }]);
  let arguments = (ins Ttc_F32Tensor:$qkv, Ttc_CacheTensor:$keys, Ttc_CacheTensor:$values,
      Ttc_I32Tensor:$position, Optional<Ttc_F32Tensor>:$cos_sin, Optional<Ttc_I32Tensor>:$count,
      Optional<Ttc_I32Tensor>:$sequences, Optional<Ttc_F32Tensor>:$sinks, Ttc_I64Attr:$heads, Ttc_I64Attr:$kv_heads,
      F32Attr:$scale, DefaultValuedAttr<Ttc_RopeAttr, "Rope::None">:$rope, OptionalAttr<Ttc_I64Attr>:$window,
      OptionalAttr<F32Attr>:$soft_cap);
  let results = (outs Ttc_F32Tensor:$y, Ttc_CacheTensor:$new_keys, Ttc_CacheTensor:$new_values);
  let assemblyFormat = [{
    $qkv `,` $keys `,` $values `,` $position (`cos_sin` $cos_sin^)? (`count` $count^)?
    (`sequences` $sequences^)? (`sinks` $sinks^)? (`rope` $rope^)? custom<TensorAttributes>(attr-dict) `:`
    functional-type(operands, results)
  }];
  let hasCanonicalizeMethod = 1;
}

// How much it computes depends on what it is asked for, so it is not counted.
def Ttc_SampleOp : Ttc_InferredOp<"sample", [
    DeclareOpInterfaceMethods<Ttc_KernelOpInterface, ["hasEpilogue", "getUpdatedOperand"]>,
    Ttc_WholeTensors<"rows choose for sequences by number">]> {
  let summary = "the next token of a sequence";
  let description = [{
    Chooses a token from `logits`, as the `ttrt_sampling` of `ttrt/sampling.h` says that `sampling` holds: greedily (of equal
    logits, the one with the lower number), or at random after temperature, top-k and top-p, from a generator
    whose numbers depend on seed and counter alone. Logits of tokens in the last positions of `history`, up to
    `position`, may be penalised. A logit that is not a number is never chosen.

    The results are the state of the next step, which may be stored where the operands are: `new_token` is the
    chosen token, `new_position` is `position + 1`, where `new_history` holds the token. `new_sampling` has counted the number that was
    drawn; it is done if the token is a stop token, or if the next position is not within `history`. `emitted` is the
    token.

    If `sampling` is done, nothing changes, and `emitted` is -1. The same holds for a `position` that is not within
    `history`, and `new_sampling` is done.

    With `sequences`, there are states of N sequences, and row `b` of `logits` chooses for sequence `sequences[b]`. A row whose
    sequence is less than 0 or at least N, or is that of a row before it, changes nothing, and its `emitted` is -1.

    Constraints:
    - (C1) `logits` is [1, V] with V from 1 to 2^20; with `sequences`, [B, V], where B is from 1 to 1024.
    - (C2) `token` and `position` have one element in one dimension; with `sequences`, N, at least 1.
    - (C3) `sampling` is [64]; with `sequences`, [N, 64].
    - (C4) `history` is [T], T from 1 to 2^31 - 1; with `sequences`, [N, T].
    - (C5) `sequences` is [B].

    ```mlir
    %emitted, %new_token, %new_position, %new_sampling, %new_history =
        ttc.sample %logits, %token, %position, %sampling, %history
        : (tensor<1x49152xf32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<2048xi32>)
          -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<2048xi32>)
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$logits, Ttc_I32Tensor:$token, Ttc_I32Tensor:$position,
      Ttc_I32Tensor:$sampling, Ttc_I32Tensor:$history, Optional<Ttc_I32Tensor>:$sequences);
  let results = (outs Ttc_I32Tensor:$emitted, Ttc_I32Tensor:$new_token, Ttc_I32Tensor:$new_position,
      Ttc_I32Tensor:$new_sampling, Ttc_I32Tensor:$new_history);
  let assemblyFormat = [{
    $logits `,` $token `,` $position `,` $sampling `,` $history (`sequences` $sequences^)?
    custom<TensorAttributes>(attr-dict) `:` functional-type(operands, results)
  }];
}

#endif // TTC_GENERATIVEOPS_TD
