// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions compute alike from equal constants is evaluated once, and is one constant. (Smaller ones are folded.)
// RUN: ttc-opt %s --ttc-fold-constants | FileCheck %s
// RUN: ttc-opt %s --ttc-fold-constants --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT-DAG: 2 evaluated - Ops evaluated
// COUNT-DAG: 1 reused - Results that were those of equal ops

// CHECK-LABEL: @a
// CHECK: ttc.constant dense_resource<[[W:.*]]> : tensor<80x64xf32>
// CHECK-LABEL: @b
// CHECK: ttc.constant dense_resource<[[W]]> : tensor<80x64xf32>
// CHECK-LABEL: @other
// CHECK-NOT: dense_resource<[[W]]>
module {
func.func @a(%x: tensor<2x80xf32>) -> tensor<2x64xf32> {
  %a = ttc.constant dense<1.0> : tensor<40x64xf32>
  %b = ttc.constant dense<2.0> : tensor<40x64xf32>
  %w = ttc.concat %a, %b {axis = 0 : i64} : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<80x64xf32>
  %0 = ttc.matmul %x, %w : (tensor<2x80xf32>, tensor<80x64xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
func.func @b(%x: tensor<3x80xf32>) -> tensor<3x64xf32> {
  %a = ttc.constant dense<1.0> : tensor<40x64xf32>
  %b = ttc.constant dense<2.0> : tensor<40x64xf32>
  %w = ttc.concat %a, %b {axis = 0 : i64} : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<80x64xf32>
  %0 = ttc.matmul %x, %w : (tensor<3x80xf32>, tensor<80x64xf32>) -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}
func.func @other(%x: tensor<3x80xf32>) -> tensor<3x64xf32> {
  %a = ttc.constant dense<1.0> : tensor<40x64xf32>
  %b = ttc.constant dense<2.0> : tensor<40x64xf32>
  %w = ttc.concat %b, %a {axis = 0 : i64} : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<80x64xf32>
  %0 = ttc.matmul %x, %w : (tensor<3x80xf32>, tensor<80x64xf32>) -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}
}
