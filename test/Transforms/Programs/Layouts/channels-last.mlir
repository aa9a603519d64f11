// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-channels-last --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @chain
func.func @chain(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: %[[T:.*]] = ttc.transpose %{{.*}} {permutation = [0, 2, 3, 1]}
  // CHECK-NEXT: %[[C:.*]] = ttc.conv %[[T]], {{.*}}channels_last{{.*}} -> tensor<1x8x8x4xf32>
  // CHECK-NEXT: %[[R:.*]] = ttc.relu %[[C]]
  // CHECK-NEXT: %[[P:.*]] = ttc.max_pool %[[R]] {channels_last{{.*}} -> tensor<1x4x4x4xf32>
  // CHECK-NEXT: %[[Y:.*]] = ttc.transpose %[[P]] {permutation = [0, 3, 1, 2]}
  // CHECK-NEXT: return %[[Y]]
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
                        dilations = array<i64: 1, 1>}
     : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = ttc.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = ttc.max_pool %1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
                        pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
     : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return %2 : tensor<1x4x4x4xf32>
}

// -----

// Constants and small operands follow; two transposed operands need one transpose after the op.
// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<1x8x8x4xf32>, %y: tensor<1x8x8x4xf32>, %s: tensor<4x1x1xf32>)
    -> tensor<1x4x8x8xf32> {
  // CHECK-NOT: ttc.transpose
  // CHECK: %[[S:.*]] = ttc.reshape %{{.*}} : (tensor<4x1x1xf32>) -> tensor<1x1x1x4xf32>
  // CHECK: %[[M:.*]] = ttc.mul %{{.*}}, %[[S]]
  // CHECK: %[[A:.*]] = ttc.add %[[M]], %{{.*}}
  // CHECK: ttc.transpose %[[A]] {permutation = [0, 3, 1, 2]}
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %1 = ttc.transpose %y {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %2 = ttc.mul %0, %s : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %3 = ttc.add %2, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %3 : tensor<1x4x8x8xf32>
}

// -----

// One of two equal operands is transposed: nothing is to be gained.
// CHECK-LABEL: @no_gain
func.func @no_gain(%x: tensor<1x8x8x4xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK: %[[T:.*]] = ttc.transpose
  // CHECK: ttc.add %[[T]]
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %1 = ttc.add %0, %y : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// -----

// CHECK-LABEL: @permutable
func.func @permutable(%x: tensor<1x8x6x4xf32>) -> tensor<1x9xf32> {
  // CHECK: ttc.concat %{{.*}} {axis = 3} : {{.*}} -> tensor<1x8x6x8xf32>
  // CHECK: ttc.pad %{{.*}} {high = [0, 0, 0, 1], low = [0, 0, 0, 0]
  // CHECK: ttc.slice %{{.*}} {sizes = [1, 4, 6, 9]
  // CHECK: ttc.softmax %{{.*}} {axis = 3}
  // CHECK: ttc.reduce_mean %{{.*}} {axes = [1, 2]} : (tensor<1x4x6x9xf32>) -> tensor<1x9xf32>
  // CHECK-NEXT: return
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x8x6x4xf32>) -> tensor<1x4x8x6xf32>
  %1 = ttc.concat %0, %0 {axis = 1 : i64}
     : (tensor<1x4x8x6xf32>, tensor<1x4x8x6xf32>) -> tensor<1x8x8x6xf32>
  %2 = ttc.pad %1 {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>}
     : (tensor<1x8x8x6xf32>) -> tensor<1x9x8x6xf32>
  %3 = ttc.slice %2 {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 9, 4, 6>,
                     steps = array<i64: 1, 1, 2, 1>} : (tensor<1x9x8x6xf32>) -> tensor<1x9x4x6xf32>
  %4 = ttc.softmax %3 {axis = 1 : i64} : (tensor<1x9x4x6xf32>) -> tensor<1x9x4x6xf32>
  %5 = ttc.reduce_mean %4 {axes = array<i64: 2, 3>} : (tensor<1x9x4x6xf32>) -> tensor<1x9xf32>
  return %5 : tensor<1x9xf32>
}

// -----

// Dimensions that a reshape merges or splits move as one.
// CHECK-LABEL: @merge
func.func @merge(%x: tensor<1x4x6x8xf32>) -> tensor<1x24x8xf32> {
  // CHECK: %[[R:.*]] = ttc.reshape %{{.*}} : (tensor<1x4x6x8xf32>) -> tensor<1x24x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x4x6x8xf32>) -> tensor<1x8x4x6xf32>
  %1 = ttc.reshape %0 : (tensor<1x8x4x6xf32>) -> tensor<1x8x24xf32>
  %2 = ttc.transpose %1 {permutation = array<i64: 0, 2, 1>}
     : (tensor<1x8x24xf32>) -> tensor<1x24x8xf32>
  return %2 : tensor<1x24x8xf32>
}

// -----

// A shuffle of channels that are last moves them, and nothing else.
// CHECK-LABEL: @channel_shuffle
func.func @channel_shuffle(%x: tensor<1x5x5x6xf32>) -> tensor<1x5x5x6xf32> {
  // CHECK: %[[S:.*]] = ttc.reshape %{{.*}} : (tensor<1x5x5x6xf32>) -> tensor<1x5x5x2x3xf32>
  // CHECK-NEXT: %[[T:.*]] = ttc.transpose %[[S]] {permutation = [0, 1, 2, 4, 3]}
  // CHECK-NEXT: %[[R:.*]] = ttc.reshape %[[T]]
  // CHECK-NEXT: return %[[R]]
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x5x5x6xf32>) -> tensor<1x6x5x5xf32>
  %1 = ttc.reshape %0 : (tensor<1x6x5x5xf32>) -> tensor<1x2x3x5x5xf32>
  %2 = ttc.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>}
     : (tensor<1x2x3x5x5xf32>) -> tensor<1x3x2x5x5xf32>
  %3 = ttc.reshape %2 : (tensor<1x3x2x5x5xf32>) -> tensor<1x6x5x5xf32>
  %4 = ttc.transpose %3 {permutation = array<i64: 0, 2, 3, 1>}
     : (tensor<1x6x5x5xf32>) -> tensor<1x5x5x6xf32>
  return %4 : tensor<1x5x5x6xf32>
}

// -----

// CHECK-LABEL: @unit_dims
func.func @unit_dims(%x: tensor<1x7x1x4xf32>) -> tensor<1x4x7x1xf32> {
  // CHECK: ttc.transpose %{{.*}} {permutation = [0, 3, 1, 2]}
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x7x1x4xf32>) -> tensor<1x4x7x1xf32>
  return %0 : tensor<1x4x7x1xf32>
}

// CHECK-LABEL: @only_unit_dims
func.func @only_unit_dims(%x: tensor<1x1x1x4xf32>) -> tensor<1x4x1x1xf32> {
  // CHECK: ttc.reshape %{{.*}} : (tensor<1x1x1x4xf32>) -> tensor<1x4x1x1xf32>
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x1x1x4xf32>) -> tensor<1x4x1x1xf32>
  return %0 : tensor<1x4x1x1xf32>
}

// -----

// The weights of a flattened image take its transpose over.
// CHECK-LABEL: @flatten
func.func @flatten(%x: tensor<1x2x1x2xf32>) -> tensor<1x1xf32> {
  // CHECK: %[[W:.*]] = ttc.constant
  // CHECK: %[[F:.*]] = ttc.reshape %{{.*}} : (tensor<1x2x1x2xf32>) -> tensor<1x4xf32>
  // CHECK: ttc.matmul %[[F]], %{{.*}} : (tensor<1x4xf32>, tensor<4x1xf32>)
  %w = ttc.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %0 = ttc.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
     : (tensor<1x2x1x2xf32>) -> tensor<1x2x2x1xf32>
  %1 = ttc.reshape %0 : (tensor<1x2x2x1xf32>) -> tensor<1x4xf32>
  %2 = ttc.matmul %1, %w : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: @matrix_transpose
func.func @matrix_transpose(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  // CHECK: ttc.matmul %{{.*}}, %{{.*}} {transpose_b}
  %0 = ttc.transpose %b {permutation = array<i64: 0, 2, 1>}
     : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %1 = ttc.matmul %a, %0 : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}
