// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-tosa-to-ttc | FileCheck %s

// CHECK-LABEL: @conv2d
func.func @conv2d(%x: tensor<1x8x8x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<1xf32>) -> tensor<1x4x4x16xf32> {
  // CHECK: %[[W:.*]] = ttc.transpose %arg1 {permutation = [0, 3, 1, 2]}
  // CHECK: %[[B:.*]] = ttc.expand %arg2 : (tensor<1xf32>) -> tensor<16xf32>
  // CHECK: ttc.conv %arg0, %[[W]], %[[B]] {channels_last, pads = [0, 0, 1, 1], strides = [2, 2]}
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x16xf32>
  return %y : tensor<1x4x4x16xf32>
}

// CHECK-LABEL: @depthwise
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x2xf32>, %b: tensor<8xf32>) -> tensor<1x6x6x8xf32> {
  // CHECK: %[[T:.*]] = ttc.transpose %arg1 {permutation = [2, 3, 0, 1]}
  // CHECK: %[[W:.*]] = ttc.reshape %[[T]] : (tensor<4x2x3x3xf32>) -> tensor<8x1x3x3xf32>
  // CHECK: ttc.conv %arg0, %[[W]], %arg2 {channels_last, groups = 4}
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.depthwise_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x6x8xf32>
  return %y : tensor<1x6x6x8xf32>
}

// CHECK-LABEL: @conv3d
func.func @conv3d(%x: tensor<1x4x8x8x3xf32>, %w: tensor<5x1x1x1x3xf32>, %b: tensor<5xf32>) -> tensor<1x4x8x8x5xf32> {
  // CHECK: ttc.transpose %arg1 {permutation = [0, 4, 1, 2, 3]}
  // CHECK: ttc.conv
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv3d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x4x8x8x3xf32>, tensor<5x1x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x8x8x5xf32>
  return %y : tensor<1x4x8x8x5xf32>
}

// out_pad that cuts off is padding; out_pad that adds has the bias as well.
// CHECK-LABEL: @transpose_conv2d
func.func @transpose_conv2d(%x: tensor<1x4x4x3xf32>, %w: tensor<2x3x3x3xf32>, %b: tensor<2xf32>) -> (tensor<1x7x7x2xf32>, tensor<1x10x9x2xf32>) {
  // CHECK: %[[W:.*]] = ttc.transpose %arg1 {permutation = [3, 0, 1, 2]}
  // CHECK: ttc.conv_transpose %arg0, %[[W]], %arg2 {channels_last,{{.*}}pads = [1, 1, 1, 1]
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.transpose_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: -1, -1, -1, -1>, stride = array<i64: 2, 2>} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x7x2xf32>
  // CHECK: %[[C:.*]] = ttc.conv_transpose %arg0, %{{[0-9]+}} {
  // CHECK: %[[P:.*]] = ttc.pad %[[C]] {high = [0, 1, 0, 0], low = [0, 0, 0, 0]}
  // CHECK: ttc.add %[[P]], %arg2
  %z = tosa.transpose_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x9x2xf32>
  return %y, %z : tensor<1x7x7x2xf32>, tensor<1x10x9x2xf32>
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  // CHECK: ttc.max_pool %arg0 {channels_last, kernel = [2, 2], strides = [2, 2]}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  // CHECK: ttc.avg_pool %arg0 {channels_last, kernel = [3, 3], pads = [1, 1, 0, 0], strides = [2, 2]}
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %1 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  // CHECK-NEXT: ttc.matmul %arg0, %arg1
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.matmul %a, %b, %zp, %zp : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}
