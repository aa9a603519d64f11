// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @matmul(%a: tensor<4x128x64xf32>, %b: tensor<32x64xf32>, %bias: tensor<32xf32>, %c: tensor<64x32xf32>, %i: tensor<2x3xi32>, %j: tensor<3x4xi32>) {
  %0 = ttc.matmul %a, %c : (tensor<4x128x64xf32>, tensor<64x32xf32>) -> tensor<4x128x32xf32>
  %1 = ttc.matmul %a, %b, %bias {transpose_b} : (tensor<4x128x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<4x128x32xf32>
  %2 = ttc.matmul %b, %b {transpose_a} : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %3 = ttc.matmul %i, %j : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  return
}

func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %g: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %x1: tensor<1x4x8xf32>, %w1: tensor<6x4x3xf32>, %x3: tensor<1x8x8x8x4xf32>, %w3: tensor<6x4x1x1x1xf32>) {
  %0 = ttc.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  %1 = ttc.conv %x, %g, %b {dilations = [2, 1], groups = 2, pads = [2, 1, 2, 1], strides = [2, 1]} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x8xf32>
  %2 = ttc.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, strides = [1, 1], dilations = [1, 1], groups = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32>
  // printed: %2 = ttc.conv %x, %w {pads = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32>
  %3 = ttc.conv %x1, %w1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  %4 = ttc.conv %x3, %w3 {channels_last} : (tensor<1x8x8x8x4xf32>, tensor<6x4x1x1x1xf32>) -> tensor<1x8x8x8x6xf32>
  return
}

func.func @conv_transpose(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>, %g: tensor<4x3x3x3xf32>, %b: tensor<6xf32>) {
  %0 = ttc.conv_transpose %x, %w {strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x16x16xf32>
  %1 = ttc.conv_transpose %x, %g, %b {groups = 2, output_padding = [1, 1], pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>, tensor<6xf32>) -> tensor<1x6x16x16xf32>
  return
}

func.func @pool(%x: tensor<1x4x8x8xf32>, %l: tensor<1x7x7x4xf32>, %i: tensor<1x4x8xi8>) {
  %0 = ttc.max_pool %x {kernel = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %1 = ttc.max_pool %l {ceil_mode, channels_last, kernel = [2, 2], strides = [2, 2]} : (tensor<1x7x7x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = ttc.max_pool %i {dilations = [3], kernel = [2]} : (tensor<1x4x8xi8>) -> tensor<1x4x5xi8>
  %3 = ttc.avg_pool %x {count_include_pad, kernel = [3, 3], pads = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %4 = ttc.avg_pool %x {kernel = [8, 8]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  %5 = ttc.global_avg_pool %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  %6 = ttc.global_max_pool %l {channels_last} : (tensor<1x7x7x4xf32>) -> tensor<1x1x1x4xf32>
  return
}
