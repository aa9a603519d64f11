// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @single_elements
// CHECK-SAME: (%[[X:.*]]: tensor<4x1x1xf32>)
// CHECK-NEXT: ttc.reshape %[[X]] : (tensor<4x1x1xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %{{.*}}, %[[X]], %[[X]]
func.func @single_elements(%x: tensor<4x1x1xf32>) -> (tensor<4xf32>, tensor<4x1x1xf32>, tensor<4x1x1xf32>) {
  %0 = ttc.reduce_mean %x {axes = [1, 2]} : (tensor<4x1x1xf32>) -> tensor<4xf32>
  %1 = ttc.reduce_prod %x {axes = [1, 2], keepdims} : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %2 = ttc.reduce_sum %x {axes = []} : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4x1x1xf32>, tensor<4x1x1xf32>
}

// CHECK-LABEL: func.func @some_single_elements
// CHECK: ttc.reduce_max %{{.*}} {axes = [0], keepdims}
// CHECK: ttc.reduce_min %{{.*}} {axes = [0, 1]}
func.func @some_single_elements(%x: tensor<4x1x2xf32>) -> (tensor<1x1x2xf32>, tensor<2xf32>) {
  %0 = ttc.reduce_max %x {axes = [0, 1], keepdims} : (tensor<4x1x2xf32>) -> tensor<1x1x2xf32>
  %1 = ttc.reduce_min %x {axes = [0, 1]} : (tensor<4x1x2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<1x1x2xf32>, tensor<2xf32>
}
