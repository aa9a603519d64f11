// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_ATTENTIONOPS_TD
#define TTC_ATTENTIONOPS_TD

include "dialects/Ttc/Programs/KernelOpBase.td"

def Ttc_KernelAttentionOp : Ttc_KernelOp<"attention", [AttrSizedOperandSegments, Ttc_MapsDimensions],
                                        ["getBounds"]> {
  let summary = "Attention of whole heads, whose scores are not stored";
  let description = [{
    softmax(scale * q k + mask) v, over the last dimension, for each element of the batch: `q` is
    [batch..., M, D], `k` [batch..., D, N], `v` [batch..., N, E], the optional `mask` broadcasts to
    [batch..., M, N] as NumPy's, and the logical result is [batch..., M, E]. Batch dimensions of 1
    broadcast.

    `q_view`, `k_view` and `v_view` say which strided view of the operand is meant; `result_view`, where
    the elements of the logical result go within the result's type.

    A workgroup has panels of `tile[1]` rows of `q`, transposed, and reads `k` and `v` of a head in blocks of about 126
    keys, so its scratch does not depend on the number of keys. The scores of a panel and a block stay in scratch until
    they have been multiplied by `v`. `tile[0]` is the most rows of the register tiles of both products: keys, and rows of the
    result. The largest score of a row so far is subtracted before exp; when a block has a larger one, what was summed before
    is multiplied by exp of the difference. The sum of a row divides the results, not the scores. The order
    of the sums depends on nothing but the number of a key.

    With `keys`, only the first keys count, as many as this number says, at least 1 and at most N: the result is that of
    an op on `k` [batch..., D, n] and `v` [batch..., n, E]. Nothing else of `k`, `v` and the last dimension of `mask` is read.

    With `nan_to_zero`, weights that are NaN count as 0, as exporters write it for rows of which a mask of infinities leaves
    no key. The weights of a row are all NaN, or none is.

    Constraints:
    - (C1) `tile` has 1 to 14 rows, and 16 or 32 columns.
    - (C2) The views have the shapes above: as many dimensions, at least two, and none is 0. Batch dimensions are
      those of the result, or 1.
    - (C3) Views stay within their tensors. `result_view` covers the result: its columns are consecutive and
      are the result's last dimension, and its other strides are multiples of their number.
    - (C4) `mask` broadcasts to [batch..., M, N], and has the dimension N.
    - (C5) At most three batch dimensions remain after those with consecutive strides are merged.
    - (C6) `scale` is finite.
    - (C7) `keys` is one number.

    ```mlir
    %0 = ttc.kernel.attention %q, %k, %v, %mask {scale = 1.250000e-01 : f32, tile = array<i64: 14, 32>}
        : (tensor<12x128x64xf32>, tensor<12x64x128xf32>, tensor<12x128x64xf32>, tensor<128x128xf32>)
          -> tensor<12x128x64xf32>
    %1 = ttc.kernel.attention %q, %k, %v keys(%n) {scale = 1.250000e-01 : f32, tile = array<i64: 14, 32>}
        : (tensor<12x128x64xf32>, tensor<12x64x128xf32>, tensor<12x128x64xf32>, tensor<1xi32>)
          -> tensor<12x128x64xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$q, Ttc_KernelTensor:$k, Ttc_KernelTensor:$v,
    Optional<Ttc_KernelTensor>:$mask, Optional<StaticShapeTensorOf<[I32]>>:$keys, F32Attr:$scale, DenseI64ArrayAttr:$tile,
    UnitAttr:$nan_to_zero,
    OptionalAttr<Ttc_ViewAttr>:$q_view,
    OptionalAttr<Ttc_ViewAttr>:$k_view,
    OptionalAttr<Ttc_ViewAttr>:$v_view,
    OptionalAttr<Ttc_ViewAttr>:$result_view);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat =
      "$q `,` $k `,` $v (`,` $mask^)? (`keys` `(` $keys^ `)`)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The view of an operand (q, k, v: 0, 1, 2), or of the result (3); the identity where none is given.
    ::mlir::ttc::ViewAttr getViewOrIdentity(unsigned index);
    /// Whether the kernel can walk the op with contiguous operands: (C5).
    bool hasLoops();
  }];
}

#endif // TTC_ATTENTIONOPS_TD
