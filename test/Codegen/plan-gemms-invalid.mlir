// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-plan-gemms --split-input-file --verify-diagnostics

// The view's rows of 16 elements cross the operand's rows of 8, which are stored apart.
ttc.program @layout(%a: tensor<16x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>},
                    %b: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // expected-error@+1 {{'ttc.kernel.gemm' op expected operands and a result in layouts that its views can follow}}
  %0 = ttc.kernel.gemm %a, %b {tile = array<i64: 6, 16>,
      a_view = #ttc.view<shape = [8, 16], strides = [16, 1], offset = 0>}
      : (tensor<16x8xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
