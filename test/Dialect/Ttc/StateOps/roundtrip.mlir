// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK: ttc.state @cache : tensor<2x16x4xf16>
ttc.state @cache : tensor<2x16x4xf16>
// CHECK: ttc.state @flags : tensor<4xi1>
ttc.state @flags : tensor<4xi1>

// CHECK-LABEL: func.func @step(
// CHECK-SAME: tensor<2x16x4xf16> {ttc.state = @cache}) -> (tensor<2x16x4xf16> {ttc.state = @cache})
func.func @step(%cache: tensor<2x16x4xf16> {ttc.state = @cache}) -> (tensor<2x16x4xf16> {ttc.state = @cache}) {
  // CHECK: ttc.copy %{{.*}} : tensor<2x16x4xf16>
  %0 = ttc.copy %cache : tensor<2x16x4xf16>
  return %0 : tensor<2x16x4xf16>
}
