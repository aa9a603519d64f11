// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with weights that stay in the block formats of GGUF files.
#ifndef TTC_BLOCKOPS_TD
#define TTC_BLOCKOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

/// The rows of a matrix as a file has them: rows x (blocks of a row) x (bytes of a block).
def Ttc_BlockBytes : Ttc_TensorOf<[I8], "bytes (i8)">;

def Ttc_BlockMatmulOp : Ttc_InferredOp<"block_matmul", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_MapsDimensions]> {
  let summary = "product with weights in a block format";
  let description = [{
    `y = n(x) W^T + bias + residual`. `w` holds the rows of W in `format`, byte by byte as a GGUF file has
    them. With `norm`, `n(x)` is the RMS norm of each row of `x`, `x / sqrt(mean(x * x) + epsilon) * norm`; without,
    `x` itself. With `gated`, W has the rows of a gate, then as many of a second factor, and the
    product is `silu(gate) * factor`.

    `activations` says what W is multiplied by. `f32`: numbers as exact as f32, blocks of 32 of them in fixed point
    of 24 bits (their error is 2^-24 of the largest in the block). `int8`: each block of 32 is rounded to
    8 bits, its largest number to 127. Sums within a block are exact; weights are never rounded. Formats
    f32, f16 and bf16 have no blocks: they are multiplied by f32 whatever `activations` says.

    With `count`, only the first `count` rows are computed; all others of `y` are 0. A product of no rows reads no weights.

    Constraints:
    - (C1) `x` is [M, K], with at least one element.
    - (C2) K is a multiple of the columns of a block (256 if the name ends in `_k`, for iq4_xs, tq1_0 and tq2_0; else 32).
    - (C3) `w` is a vector of one or more whole rows of K columns; with `gated`, of an even number.
    - (C4) `norm` is a vector of K elements.
    - (C5) `bias` is a vector of N elements, where N is the number of rows of W, with `gated` half of it.
    - (C6) `residual` is [M, N].
    - (C7) `count` has one element in one dimension.

    ```mlir
    %y = ttc.block_matmul q4_1 %x, %w norm %g residual %r activations int8 {epsilon = 1.0e-05}
       : (tensor<1x64xf32>, tensor<3840xi8>, tensor<64xf32>, tensor<1x96xf32>) -> tensor<1x96xf32>
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$x, Ttc_BlockBytes:$w, Optional<Ttc_F32Tensor>:$norm,
      Optional<Ttc_F32Tensor>:$bias, Optional<Ttc_F32Tensor>:$residual,
      Optional<Ttc_I32Tensor>:$count, Ttc_BlockFormatAttr:$format, DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon,
      DefaultValuedAttr<Ttc_BlockActivationsAttr, "BlockActivations::F32">:$activations,
      UnitAttr:$gated);
  let results = (outs Ttc_F32Tensor:$y);
  let assemblyFormat = [{
    $format $x `,` $w (`norm` $norm^)? (`bias` $bias^)? (`residual` $residual^)?
    (`count` $count^)? (`activations` $activations^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

def Ttc_ExpertMatmulOp : Ttc_InferredOp<"expert_matmul", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_MapsDimensions]> {
  let summary = "products of rows with the weights of the experts that they chose";
  let description = [{
    Row `i` of the result is the product of row `i / U` of `x` with the weights of expert `experts[i]`:
    each row of `x` is multiplied by U experts. `w` holds the rows of all experts one after the other, in `format`,
    byte by byte as a GGUF file has them. With `gated`, these are gates; as many rows of second factors
    follow, and the product is `silu(gate) * factor`. `bias` holds a vector for each expert. An expert below 0 is the first one,
    one beyond the last expert the last one. Only weights of experts that a row chose are read.

    `format` and `activations` are those of `ttc.block_matmul`. With `count`, only the first `count` rows of
    `y` are computed; all others are 0.

    Constraints:
    - (C1) `x` is [R, K], with at least one element.
    - (C2) K is a multiple of the columns of a block.
    - (C3) `w` is a vector of whole rows of K columns: for each of `expert_count` experts N of them, a
      positive multiple of 16; with `gated`, twice as many.
    - (C4) `experts` is a vector of M elements, a positive multiple U of R.
    - (C5) `bias` is a vector of `expert_count` * N elements, and absent with `gated`.
    - (C6) `count` has one element in one dimension.

    ```mlir
    %y = ttc.expert_matmul q4_1 %x, %w, %experts activations int8 {expert_count = 4}
       : (tensor<1x64xf32>, tensor<2560xi8>, tensor<2xi32>) -> tensor<2x16xf32>
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$x, Ttc_BlockBytes:$w, Ttc_I32Tensor:$experts,
      Optional<Ttc_F32Tensor>:$bias, Optional<Ttc_I32Tensor>:$count, Ttc_BlockFormatAttr:$format,
      Ttc_I64Attr:$expert_count,
      DefaultValuedAttr<Ttc_BlockActivationsAttr, "BlockActivations::F32">:$activations,
      UnitAttr:$gated);
  let results = (outs Ttc_F32Tensor:$y);
  let assemblyFormat = [{
    $format $x `,` $w `,` $experts (`bias` $bias^)? (`count` $count^)? (`activations` $activations^)?
    custom<TensorAttributes>(attr-dict) `:` functional-type(operands, results)
  }];
}

def Ttc_BlockGatherOp : Ttc_InferredOp<"block_gather", [
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_MapsDimensions]> {
  let summary = "rows of a matrix in a block format";
  let description = [{
    Row `i` of the result is row `tokens[i]` of the matrix in `w`, in f32. `w` holds rows of `columns`
    elements in `format`, byte by byte as a GGUF file has them. A token below 0 reads the first row, one beyond
    the last row the last one.

    Constraints:
    - (C1) `columns` is a positive multiple of the columns of a block (256 if the name ends in `_k`, for iq4_xs, tq1_0 and tq2_0; else 32).
    - (C2) `w` is a vector of one or more whole rows.
    - (C3) `tokens` is a vector.

    ```mlir
    %y = ttc.block_gather q8_0 %w, %tokens {columns = 64}
       : (tensor<6800xi8>, tensor<2xi32>) -> tensor<2x64xf32>
    ```
  }];
  let arguments = (ins Ttc_BlockBytes:$w, Ttc_I32Tensor:$tokens, Ttc_BlockFormatAttr:$format,
      Ttc_I64Attr:$columns);
  let results = (outs Ttc_F32Tensor:$y);
  let assemblyFormat = [{
    $format $w `,` $tokens custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

#endif // TTC_BLOCKOPS_TD
