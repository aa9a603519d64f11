// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-mesh=mesh=2 --ttc-expose-dimensions | FileCheck %s
// RUN: ttc-opt %s --ttc-expose-dimensions | FileCheck %s --check-prefix=SAME

// SAME-LABEL: func.func @keys
// SAME: ttc.reshape
// CHECK-LABEL: func.func @keys
// CHECK-NEXT: %[[Y:.*]] = ttc.transpose %arg0 {permutation = [0, 1, 3, 2]} : (tensor<2x4x6x8xf32>) -> tensor<2x4x8x6xf32>
// CHECK-NEXT: return %[[Y]]
func.func @keys(%k: tensor<2x4x6x8xf32>) -> tensor<2x4x8x6xf32> {
  %0 = ttc.reshape %k : (tensor<2x4x6x8xf32>) -> tensor<8x6x8xf32>
  %1 = ttc.transpose %0 {permutation = [0, 2, 1]} : (tensor<8x6x8xf32>) -> tensor<8x8x6xf32>
  %2 = ttc.reshape %1 : (tensor<8x8x6xf32>) -> tensor<2x4x8x6xf32>
  return %2 : tensor<2x4x8x6xf32>
}

// The first dimension moves; others are merged.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<2x4x6x8xf32>) -> (tensor<6x8x8xf32>, tensor<2x8x24xf32>) {
  // CHECK: ttc.reshape %arg0
  // CHECK-NEXT: ttc.transpose
  // CHECK-NEXT: ttc.reshape %arg0
  // CHECK-NEXT: ttc.transpose
  %0 = ttc.reshape %x : (tensor<2x4x6x8xf32>) -> tensor<8x6x8xf32>
  %1 = ttc.transpose %0 {permutation = [1, 0, 2]} : (tensor<8x6x8xf32>) -> tensor<6x8x8xf32>
  %2 = ttc.reshape %x : (tensor<2x4x6x8xf32>) -> tensor<2x24x8xf32>
  %3 = ttc.transpose %2 {permutation = [0, 2, 1]} : (tensor<2x24x8xf32>) -> tensor<2x8x24xf32>
  return %1, %3 : tensor<6x8x8xf32>, tensor<2x8x24xf32>
}

// CHECK-LABEL: func.func @gathers
func.func @gathers(%x: tensor<2x2xi1>, %y: tensor<4x3xf32>) -> (tensor<2x1x2xi1>, tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<2xi1>) {
  %positions = ttc.constant dense<[[[[0, 0], [0, 1]]], [[[1, 0], [1, 1]]]]> : tensor<2x1x2x2xi64>
  %numbers = ttc.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
  %swapped = ttc.constant dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>
  %some = ttc.constant dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>
  // CHECK: ttc.reshape %arg0 : (tensor<2x2xi1>) -> tensor<2x1x2xi1>
  %0 = ttc.gather_nd %x, %positions : (tensor<2x2xi1>, tensor<2x1x2x2xi64>) -> tensor<2x1x2xi1>
  // CHECK: ttc.reshape %arg1 : (tensor<4x3xf32>) -> tensor<2x2x3xf32>
  %1 = ttc.gather %y, %numbers {axis = 0} : (tensor<4x3xf32>, tensor<2x2xi64>) -> tensor<2x2x3xf32>
  // CHECK: ttc.gather %arg1
  %2 = ttc.gather %y, %swapped {axis = 0} : (tensor<4x3xf32>, tensor<2x2xi64>) -> tensor<2x2x3xf32>
  // CHECK: ttc.gather_nd %arg0
  %3 = ttc.gather_nd %x, %some : (tensor<2x2xi1>, tensor<2x2xi64>) -> tensor<2xi1>
  return %0, %1, %2, %3 : tensor<2x1x2xi1>, tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<2xi1>
}
