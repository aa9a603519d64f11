// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants of a model: one function for sizes up to those of its tensors. Level 1, right after import.
#ifndef TTC_SHAPES_PASSES_TD
#define TTC_SHAPES_PASSES_TD

include "mlir/Pass/PassBase.td"

def MaskPadding : Pass<"ttc-mask-padding", "::mlir::ModuleOp"> {
  let summary = "Keeps what lies beyond the extents of a variant out of its results";
  let description = [{
    The tensors of a variant (`ttc.variant`) have the sizes of its bucket. How much of them is valid is known in each run: the
    last argument has the extents, and `ttc.dims` says how the sizes of arguments depend on them. The rest, the padding,
    may hold anything. By the loops of ops (`DimensionMapOpInterface`) and the rules of those that need more
    (`ExtentOpInterface`), the pass finds the padding of every value, and how it could reach a valid element:

    | op | what happens to the padding |
    |---|---|
    | elementwise, batches, rows of a product | stays padding |
    | sum, product of matrices, convolution | its operands are 0 there |
    | softmax, maximum; minimum; product | -inf, or the lowest number; +inf; 1 |
    | mean | 0, and the sum is divided by the extent |
    | slices that begin at a computed place (`ttc.numbers`), what follows padding in a concatenation, `reflect` at the end | elements are gathered by indices that are computed from the extents |
    | updates that are written by index | their indices are out of range, so they are left out |
    | dimensions that were merged, in results and ops that count places | the gaps between valid elements are closed, by such indices |
    | anything else | an error that names the op, the dimension, and what was expected |

    A value is masked once, after the op that computes it, by a `ttc.where` that later passes fuse into that op's
    program. The mask of a dimension is computed once in a run. Through ops that only move elements, it is moved up.

    Results get `ttc.dims`. Where an importer has recorded the shapes at other extents (`ttc.probed`), they must be those that
    the pass computes.

    ```mlir
    func.func @main.64(%x: tensor<64x8xf32> {ttc.dims = affine_map<()[s0] -> (s0, 8)>}, %extents: tensor<1xi32>)
        -> tensor<8xf32> attributes {ttc.variant = ...} {
      %0 = ttc.exp %x : (tensor<64x8xf32>) -> tensor<64x8xf32>
      %1 = ttc.reduce_sum %0 {axes = [0]} : (tensor<64x8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // becomes
      %zero = ttc.constant dense<0.0> : tensor<f32>
      %iota = ttc.constant dense<[0, 1, 2, ...]> : tensor<64xi32>
      %0 = ttc.compare lt %iota, %extents : (tensor<64xi32>, tensor<1xi32>) -> tensor<64xi1>
      %valid = ttc.reshape %0 : (tensor<64xi1>) -> tensor<64x1xi1>
      %1 = ttc.exp %x : (tensor<64x8xf32>) -> tensor<64x8xf32>
      %2 = ttc.where %valid, %1, %zero : (tensor<64x1xi1>, tensor<64x8xf32>, tensor<f32>) -> tensor<64x8xf32>
      %3 = ttc.reduce_sum %2 {axes = [0]} : (tensor<64x8xf32>) -> tensor<8xf32>
      return %3 : tensor<8xf32>
    ```

    Counters (`--mlir-pass-statistics`): `masks`, `rewritten` (ops that were replaced by others).
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

#endif // TTC_SHAPES_PASSES_TD
