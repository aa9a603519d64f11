// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @global_pools
// CHECK: ttc.reduce_mean %{{.*}} {axes = [2, 3], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
// CHECK: ttc.reduce_max %{{.*}} {axes = [1, 2], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x1x1x4xf32>
func.func @global_pools(%x: tensor<1x8x4x4xf32>) -> (tensor<1x8x1x1xf32>, tensor<1x1x1x4xf32>) {
  %0 = ttc.global_avg_pool %x : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %1 = ttc.global_max_pool %x {channels_last} : (tensor<1x8x4x4xf32>) -> tensor<1x1x1x4xf32>
  return %0, %1 : tensor<1x8x1x1xf32>, tensor<1x1x1x4xf32>
}

// CHECK-LABEL: func.func @pad_conv
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x8x8xf32>, %[[W:.*]]: tensor<6x4x3x3xf32>)
// CHECK-NEXT: ttc.conv %[[X]], %[[W]] {pads = [1, 3, 2, 1]}
func.func @pad_conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x9x10xf32> {
  %0 = ttc.pad %x {low = [0, 0, 1, 2], high = [0, 0, 2, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x11x10xf32>
  %1 = ttc.conv %0, %w {pads = [0, 1, 0, 1]} : (tensor<1x4x11x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x9x10xf32>
  return %1 : tensor<1x6x9x10xf32>
}

// Not zeros, and not spatial.
// CHECK-LABEL: func.func @keep_pad
// CHECK: ttc.pad
// CHECK: ttc.pad
func.func @keep_pad(%x: tensor<1x4x8x8xf32>, %y: tensor<1x3x8x8xf32>, %w: tensor<6x4x3x3xf32>) -> (tensor<1x6x8x6xf32>, tensor<1x6x6x6xf32>) {
  %0 = ttc.pad %x {low = [0, 0, 1, 0], high = [0, 0, 1, 0], value = 1.0} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x8xf32>
  %1 = ttc.conv %0, %w : (tensor<1x4x10x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x6xf32>
  %2 = ttc.pad %y {low = [0, 0, 0, 0], high = [0, 1, 0, 0]} : (tensor<1x3x8x8xf32>) -> tensor<1x4x8x8xf32>
  %3 = ttc.conv %2, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return %1, %3 : tensor<1x6x8x6xf32>, tensor<1x6x6x6xf32>
}
