// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-sink-shuffles --ttc-fold-constants --split-input-file | FileCheck %s
// RUN: ttc-opt %s --ttc-sink-shuffles --ttc-choose-kernels --split-input-file | FileCheck %s --check-prefix=KERNELS

// The depthwise convolution's weights and bias are shuffled back: channel 1 of x, which was channel 2 after the shuffle
// of two groups, has weight 3.
// CHECK-LABEL: @depthwise
// CHECK-DAG: %[[W:.*]] = ttc.constant dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}3.000000e+00]]], {{\[\[\[}}5.000000e+00]]], {{\[\[\[}}2.000000e+00]]], {{\[\[\[}}4.000000e+00]]], {{\[\[\[}}6.000000e+00]]]]>
// CHECK-DAG: %[[B:.*]] = ttc.constant dense<[1.000000e+01, 1.200000e+01, 1.400000e+01, 1.100000e+01, 1.300000e+01, 1.500000e+01]>
// CHECK: %[[D:.*]] = ttc.conv %arg0, %[[W]], %[[B]]
// CHECK: %[[R:.*]] = ttc.relu %[[D]]
// CHECK: %[[S:.*]] = ttc.reshape %[[R]] {{.*}} -> tensor<1x4x4x2x3xf32>
// CHECK: %[[T:.*]] = ttc.transpose %[[S]] {permutation = [0, 1, 2, 4, 3]}
// CHECK: %[[M:.*]] = ttc.reshape %[[T]] {{.*}} -> tensor<1x4x4x6xf32>
// CHECK: return %[[M]]
func.func @depthwise(%x: tensor<1x4x4x6xf32>) -> tensor<1x4x4x6xf32> {
  %w = ttc.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]], [[[5.0]]], [[[6.0]]]]> : tensor<6x1x1x1xf32>
  %b = ttc.constant dense<[10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<6xf32>
  %0 = ttc.reshape %x : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x2x3xf32>
  %1 = ttc.transpose %0 {permutation = [0, 1, 2, 4, 3]} : (tensor<1x4x4x2x3xf32>) -> tensor<1x4x4x3x2xf32>
  %2 = ttc.reshape %1 : (tensor<1x4x4x3x2xf32>) -> tensor<1x4x4x6xf32>
  %3 = ttc.conv %2, %w, %b {channels_last, groups = 6} : (tensor<1x4x4x6xf32>, tensor<6x1x1x1xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  %4 = ttc.relu %3 : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x6xf32>
  func.return %4 : tensor<1x4x4x6xf32>
}

// -----

// Through an elementwise op with a constant for each channel, into the order of the weights.
// CHECK-LABEL: @absorbed
// CHECK-DAG: %[[C:.*]] = ttc.constant dense<[1.000000e+00, 3.000000e+00, 2.000000e+00, 4.000000e+00]>
// CHECK-DAG: %[[W:.*]] = ttc.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}3.000000e+00]], {{\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]]]>
// CHECK-NOT: ttc.transpose
// CHECK: %[[M:.*]] = ttc.mul %arg0, %[[C]]
// CHECK: ttc.conv %[[M]], %[[W]]
func.func @absorbed(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x1xf32> {
  %c = ttc.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %w = ttc.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %0 = ttc.reshape %x : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x2x2xf32>
  %1 = ttc.transpose %0 {permutation = [0, 1, 2, 4, 3]} : (tensor<1x4x4x2x2xf32>) -> tensor<1x4x4x2x2xf32>
  %2 = ttc.reshape %1 : (tensor<1x4x4x2x2xf32>) -> tensor<1x4x4x4xf32>
  %3 = ttc.mul %2, %c : (tensor<1x4x4x4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %4 = ttc.conv %3, %w {channels_last} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x4x1xf32>
  func.return %4 : tensor<1x4x4x1xf32>
}

// -----

// A convolution of several groups reads through the shuffle.
// CHECK-LABEL: @groups
// CHECK: ttc.transpose
// KERNELS-LABEL: @groups
// KERNELS: ttc.kernel.gemm %arg0, %{{.*}} {{.*}}groups = 2 : i64, {{.*}}shuffle = 3 : i64
func.func @groups(%x: tensor<1x4x4x6xf32>, %w: tensor<8x3x1x1xf32>) -> tensor<1x4x4x8xf32> {
  %0 = ttc.reshape %x : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x3x2xf32>
  %1 = ttc.transpose %0 {permutation = [0, 1, 2, 4, 3]} : (tensor<1x4x4x3x2xf32>) -> tensor<1x4x4x2x3xf32>
  %2 = ttc.reshape %1 : (tensor<1x4x4x2x3xf32>) -> tensor<1x4x4x6xf32>
  %3 = ttc.conv %2, %w {channels_last, groups = 2} : (tensor<1x4x4x6xf32>, tensor<8x3x1x1xf32>) -> tensor<1x4x4x8xf32>
  func.return %3 : tensor<1x4x4x8xf32>
}

// -----

// What two ops use stays in front; so does a shuffle in front of weights that are not constant, and of a
// sum with what is not shuffled.
// CHECK-LABEL: @stays
// CHECK: %[[T:.*]] = ttc.transpose
// CHECK-NEXT: %[[S:.*]] = ttc.reshape %[[T]]
// CHECK-NEXT: %[[D:.*]] = ttc.conv %[[S]], %arg1
// CHECK-NEXT: %[[A:.*]] = ttc.add %[[D]], %[[S]]
// CHECK-NOT: ttc.transpose
// CHECK: return
func.func @stays(%x: tensor<1x4x4x6xf32>, %w: tensor<6x1x1x1xf32>) -> tensor<1x4x4x6xf32> {
  %0 = ttc.reshape %x : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x2x3xf32>
  %1 = ttc.transpose %0 {permutation = [0, 1, 2, 4, 3]} : (tensor<1x4x4x2x3xf32>) -> tensor<1x4x4x3x2xf32>
  %2 = ttc.reshape %1 : (tensor<1x4x4x3x2xf32>) -> tensor<1x4x4x6xf32>
  %3 = ttc.conv %2, %w {channels_last, groups = 6} : (tensor<1x4x4x6xf32>, tensor<6x1x1x1xf32>) -> tensor<1x4x4x6xf32>
  %4 = ttc.add %3, %2 : (tensor<1x4x4x6xf32>, tensor<1x4x4x6xf32>) -> tensor<1x4x4x6xf32>
  func.return %4 : tensor<1x4x4x6xf32>
}

// -----

// No shuffle of the last dimension: pixels are transposed, or three parts change places.
// CHECK-LABEL: @other_transposes
// CHECK-COUNT-2: ttc.transpose
// KERNELS-LABEL: @other_transposes
// KERNELS-NOT: shuffle
func.func @other_transposes(%x: tensor<1x4x4x8xf32>, %w: tensor<8x4x1x1xf32>)
    -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  %0 = ttc.reshape %x : (tensor<1x4x4x8xf32>) -> tensor<4x4x8xf32>
  %1 = ttc.transpose %0 {permutation = [1, 0, 2]} : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %2 = ttc.reshape %1 : (tensor<4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %3 = ttc.conv %2, %w {channels_last, groups = 2} : (tensor<1x4x4x8xf32>, tensor<8x4x1x1xf32>) -> tensor<1x4x4x8xf32>
  %4 = ttc.reshape %x : (tensor<1x4x4x8xf32>) -> tensor<16x2x2x2xf32>
  %5 = ttc.transpose %4 {permutation = [0, 3, 2, 1]} : (tensor<16x2x2x2xf32>) -> tensor<16x2x2x2xf32>
  %6 = ttc.reshape %5 : (tensor<16x2x2x2xf32>) -> tensor<1x4x4x8xf32>
  %7 = ttc.conv %6, %w {channels_last, groups = 2} : (tensor<1x4x4x8xf32>, tensor<8x4x1x1xf32>) -> tensor<1x4x4x8xf32>
  func.return %3, %7 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}
