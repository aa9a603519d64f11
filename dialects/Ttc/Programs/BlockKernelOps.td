// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel ops on weights in the block formats of GGUF files.
#ifndef TTC_BLOCKKERNELOPS_TD
#define TTC_BLOCKKERNELOPS_TD

include "dialects/Ttc/Programs/KernelOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

def Ttc_IndexVector : StaticShapeTensorOf<[I32]>;

def Ttc_PackBlocksOp : Ttc_Op<"pack_blocks", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface, ["isAlwaysWorthEvaluating"]>]> {
  let summary = "Weights in blocks in the order in which a kernel consumes them";
  let description = [{
    Orders the rows of a matrix, as a GGUF file has them, in groups of 16 interleaved rows:
    [group][bytes]. Nothing is rounded; kernels/BlockFormats.h describes the bytes. Rows that the last group
    lacks are zeros. With `gated`, groups of the first half of the rows alternate with those of the second half.
    Folded where the operand is constant.

    Constraints:
    - (C1) `columns` is a positive multiple of the columns of a block (256 if the name ends in `_k`, for iq4_xs, tq1_0 and tq2_0; else 32).
    - (C2) `input` is a vector of one or more whole rows; with `gated`, of an even number.

    ```mlir
    %p = ttc.pack_blocks q4_1 %w {columns = 64 : i64} : tensor<3840xi8> -> tensor<6x640xi8>
    ```
  }];
  let arguments = (ins Ttc_SignedByteTensor:$input, Ttc_BlockFormatAttr:$format,
    I64Attr:$columns, UnitAttr:$gated);
  let results = (outs Ttc_SignedByteTensor:$output);
  let assemblyFormat = "$format $input attr-dict `:` type($input) `->` type($output)";
}

def Ttc_KernelBlockMatmulOp : Ttc_KernelOp<"block_matmul", [AttrSizedOperandSegments],
    ["hasEpilogue"]> {
  let summary = "Product with packed weights in a block format";
  let description = [{
    What `ttc.block_matmul` computes, with `w` from `ttc.pack_blocks`. Each workgroup normalises and
    quantises its rows of `x` into scratch, then walks its groups of 16 rows of `w`, which are unpacked in
    registers. One row of `x` reads every byte of `w` once, in order; several share what is unpacked.

    `dot` says by which instructions four products of bytes are summed, all of them exactly: `vnni`
    (vpdpbusd), `madd` (vpmaddubsw and vpmaddwd), or `plain` products in 32 bits for a CPU that has neither.

    Constraints:
    - (C1) `x` is [M, K], and K is a multiple of the columns of a block.
    - (C2) The result is [M, N].
    - (C3) `w` has the packed shape.
    - (C4) `norm` is a vector of K elements, `bias` one of N, `count` one of 1, and `residual` is [M, N].

    ```mlir
    %0 = ttc.kernel.block_matmul q4_1 %x, %w norm %g activations int8 {dot = #ttc.byte_dot<vnni>}
        : (tensor<1x64xf32>, tensor<6x640xi8>, tensor<64xf32>) -> tensor<1x96xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$x, Ttc_SignedByteTensor:$w,
    Optional<Ttc_KernelTensor>:$norm, Optional<Ttc_KernelTensor>:$bias,
    Optional<Ttc_KernelTensor>:$residual, Optional<Ttc_IndexVector>:$count,
    Ttc_BlockFormatAttr:$format, Ttc_ByteDotAttr:$dot,
    DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon,
    DefaultValuedAttr<Ttc_BlockActivationsAttr, "BlockActivations::F32">:$activations,
    UnitAttr:$gated);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = [{
    $format $x `,` $w (`norm` $norm^)? (`bias` $bias^)? (`residual` $residual^)?
    (`count` $count^)? (`activations` $activations^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ttc_KernelExpertMatmulOp : Ttc_KernelOp<"expert_matmul", [AttrSizedOperandSegments],
    ["hasEpilogue"]> {
  let summary = "Products of rows with the packed weights of the experts that they chose";
  let description = [{
    What `ttc.expert_matmul` computes, with `w` from `ttc.pack_blocks`. Each workgroup owns groups of 16 rows
    of every expert. It sorts the rows of the result by expert, and multiplies those of one expert as
    `ttc.kernel.block_matmul` does; a row has the same bits with whatever others it is multiplied, unless
    the format is f16 or bf16.

    Constraints:
    - (C1) `x` is [R, K], and K is a multiple of the columns of a block.
    - (C2) `experts` is a vector of M elements, a positive multiple of R, and the result is [M, N], N a
      positive multiple of 16.
    - (C3) `expert_count` is positive, and `w` has the packed shape of N rows for each expert.
    - (C4) `bias` is a vector of `expert_count` * N elements, absent with `gated`; `count` is one of 1.

    ```mlir
    %0 = ttc.kernel.expert_matmul q4_1 %x, %w, %e activations int8
        {dot = #ttc.byte_dot<vnni>, expert_count = 4 : i64}
        : (tensor<1x64xf32>, tensor<4x640xi8>, tensor<2xi32>) -> tensor<2x16xf32>
    ```
  }];
  let arguments = (ins Ttc_KernelTensor:$x, Ttc_SignedByteTensor:$w, Ttc_IndexVector:$experts,
    Optional<Ttc_KernelTensor>:$bias, Optional<Ttc_IndexVector>:$count,
    Ttc_BlockFormatAttr:$format, Ttc_ByteDotAttr:$dot, I64Attr:$expert_count,
    DefaultValuedAttr<Ttc_BlockActivationsAttr, "BlockActivations::F32">:$activations,
    UnitAttr:$gated);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = [{
    $format $x `,` $w `,` $experts (`bias` $bias^)? (`count` $count^)? (`activations` $activations^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ttc_KernelBlockGatherOp : Ttc_KernelOp<"block_gather", [], ["hasEpilogue"]> {
  let summary = "Rows of a packed matrix in a block format";
  let description = [{
    What `ttc.block_gather` computes, with `w` from `ttc.pack_blocks`: a matrix of `rows` rows.

    Constraints:
    - (C1) `tokens` is a vector of M elements, and the result is [M, K].
    - (C2) K is a multiple of the columns of a block.
    - (C3) `rows` is positive, and `w` has their packed shape.

    ```mlir
    %0 = ttc.kernel.block_gather q8_0 %w, %tokens {rows = 100 : i64}
        : (tensor<7x1088xi8>, tensor<2xi32>) -> tensor<2x64xf32>
    ```
  }];
  let arguments = (ins Ttc_SignedByteTensor:$w, Ttc_IndexVector:$tokens,
    Ttc_BlockFormatAttr:$format, I64Attr:$rows);
  let results = (outs Ttc_KernelTensor:$result);
  let assemblyFormat = "$format $w `,` $tokens attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // TTC_BLOCKKERNELOPS_TD
