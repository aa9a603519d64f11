// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// CHECK-LABEL: @weights
func.func @weights(%x: tensor<2x5x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x5x3xf32> {
  // CHECK: ttc.matmul %arg0, %arg1 : (tensor<2x5x4xf32>, tensor<4x3xf32>) -> tensor<2x5x3xf32>
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x5x4xf32>, tensor<4x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// Heads of attention: only the order of the batch needs a transpose.
// CHECK-LABEL: @heads
func.func @heads(%q: tensor<1x16x4x8xf32>, %k: tensor<1x16x4x8xf32>) -> tensor<1x4x16x16xf32> {
  // CHECK: %[[Q:.*]] = ttc.transpose %arg0 {permutation = [0, 2, 1, 3]}
  // CHECK: %[[K:.*]] = ttc.transpose %arg1 {permutation = [0, 2, 1, 3]}
  // CHECK: ttc.matmul %[[Q]], %[[K]] {transpose_b}
  %0 = "stablehlo.dot_general"(%q, %k) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<1x16x4x8xf32>, tensor<1x16x4x8xf32>) -> tensor<1x4x16x16xf32>
  return %0 : tensor<1x4x16x16xf32>
}

// CHECK-LABEL: @bytes
func.func @bytes(%x: tensor<5x4xi8>, %w: tensor<4x3xi8>) -> tensor<5x3xi32> {
  // CHECK: ttc.int_matmul
  %0 = "stablehlo.dot"(%x, %w) : (tensor<5x4xi8>, tensor<4x3xi8>) -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}

// CHECK-LABEL: @wider
func.func @wider(%x: tensor<5x4xbf16>, %w: tensor<4x3xbf16>) -> tensor<5x3xf32> {
  // CHECK-COUNT-2: ttc.cast {{.*}} -> tensor<{{.*}}xf32>
  // CHECK: ttc.matmul
  %0 = "stablehlo.dot"(%x, %w) : (tensor<5x4xbf16>, tensor<4x3xbf16>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @outer
func.func @outer(%x: tensor<2x5xf32>, %y: tensor<2x3xf32>) -> tensor<2x5x3xf32> {
  // CHECK: ttc.mul {{.*}} : (tensor<2x5x1xf32>, tensor<2x1x3xf32>) -> tensor<2x5x3xf32>
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0]>}> : (tensor<2x5xf32>, tensor<2x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// Nothing to sum is zero.
// CHECK-LABEL: @empty
func.func @empty(%x: tensor<5x0xf32>, %w: tensor<0x3xf32>) -> tensor<5x3xf32> {
  // CHECK: ttc.constant dense<0.000000e+00> : tensor<5x3xf32>
  %0 = "stablehlo.dot"(%x, %w) : (tensor<5x0xf32>, tensor<0x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>) -> tensor<1x4x4x16xf32> {
  // CHECK: %[[W:.*]] = ttc.transpose %arg1 {permutation = [3, 2, 0, 1]}
  // CHECK: ttc.conv %arg0, %[[W]] {channels_last, pads = [0, 0, 1, 1], strides = [2, 2]}
  %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// Negative padding removes elements before the convolution.
// CHECK-LABEL: @negative
func.func @negative(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // CHECK: %[[S:.*]] = ttc.slice %arg0 {sizes = [1, 3, 7], starts = [0, 0, 1], steps = [1, 1, 1]}
  // CHECK: %[[P:.*]] = ttc.pad %[[S]] {high = [0, 0, 1], low = [0, 0, 0]}
  // CHECK: ttc.conv %[[P]], %arg1
  %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// CHECK-LABEL: @transposed
func.func @transposed(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x15xf32> {
  // CHECK: ttc.conv_transpose {{.*}} {pads = [1, 1], strides = [2]}
  %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, lhs_dilation = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x15xf32>
  return %0 : tensor<1x4x15xf32>
}

// Groups of the batch are groups of features.
// CHECK-LABEL: @batch_groups
func.func @batch_groups(%x: tensor<4x3x8xf32>, %w: tensor<6x3x3xf32>) -> tensor<2x6x6xf32> {
  // CHECK: ttc.conv {{.*}} {groups = 2} : (tensor<2x6x8xf32>, tensor<6x3x3xf32>) -> tensor<2x6x6xf32>
  %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 2 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<4x3x8xf32>, tensor<6x3x3xf32>) -> tensor<2x6x6xf32>
  return %0 : tensor<2x6x6xf32>
}

// CHECK-LABEL: @integers
func.func @integers(%x: tensor<1x3x8xi32>, %w: tensor<4x3x3xi32>) -> tensor<1x4x6xi32> {
  // CHECK: ttc.concat {{.*}} -> tensor<1x1x9x6xi32>
  // CHECK: ttc.matmul
  %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<1x3x8xi32>, tensor<4x3x3xi32>) -> tensor<1x4x6xi32>
  return %0 : tensor<1x4x6xi32>
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<3xf32>, %v: tensor<f32>) -> (tensor<7xf32>, tensor<4xf32>) {
  %c = "stablehlo.constant"() <{value = dense<2.0> : tensor<f32>}> : () -> tensor<f32>
  // Between elements, a row each.
  // CHECK: ttc.pad {{.*}} {high = [0, 1], low = [0, 0], value = 2.000000e+00} : (tensor<3x1xf32>) -> tensor<3x2xf32>
  // CHECK: ttc.pad {{.*}} {high = [1], low = [1], value = 2.000000e+00} : (tensor<5xf32>) -> tensor<7xf32>
  %0 = "stablehlo.pad"(%x, %c) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  // By a number of the device.
  // CHECK: %[[V:.*]] = ttc.expand %arg1 : (tensor<f32>) -> tensor<2xf32>
  // CHECK: ttc.concat %[[V]], {{.*}} {axis = 0}
  %1 = "stablehlo.pad"(%x, %v) <{edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 2>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<7xf32>, tensor<4xf32>
}

// Dimensions in the raw form are 0 unless they are written.
// CHECK-LABEL: @raw_dimensions
func.func @raw_dimensions(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // CHECK: ttc.conv %arg0, %arg1 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %0 = "stablehlo.convolution"(%x, %w) <{dimension_numbers = #stablehlo.conv<raw input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_spatial_dimensions = [2], output_feature_dimension = 1, output_spatial_dimensions = [2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}
