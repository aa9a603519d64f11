// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CONVERSION_PASSES_TD
#define TTC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTtcToLinalg : Pass<"convert-ttc-to-linalg"> {
  let summary = "Tensor ops of ttc to linalg, tensor, arith and math";
  let description = [{
    Every op of level 1 becomes `linalg.generic` and `linalg.fill` on tensors with bodies in
    arith and math. Elementwise ops all go one way, through `ElementwiseOpInterface`. Unsigned
    element types become signless ones; the ops' meaning stays. Sums of f16 and bf16 elements
    are made in f32.

    ```mlir
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    // becomes
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %e = tensor.empty() : tensor<4x8xf32>
      %0 = linalg.generic {indexing_maps = [#rows_columns, #columns, #rows_columns],
                           iterator_types = ["parallel", "parallel"]}
          ins(%a, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
        ^bb0(%x: f32, %y: f32, %out: f32):
          %s = arith.addf %x, %y : f32
          linalg.yield %s : f32
      } -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // TTC_CONVERSION_PASSES_TD
