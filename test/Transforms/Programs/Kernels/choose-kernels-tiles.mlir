// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register tiles for AVX-512.
// RUN: ttc-opt %s --ttc-choose-kernels | FileCheck %s

module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver4",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {

// Panels of three vectors where they leave little of the last one empty.
// CHECK-LABEL: @wide
func.func @wide(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %w = ttc.constant dense<0.5> : tensor<768x768xf32>
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 8, 48>
  %0 = ttc.matmul %x, %w : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}

// 64 columns would leave half of a second panel empty.
// CHECK-LABEL: @narrow
func.func @narrow(%x: tensor<128x768xf32>) -> tensor<128x64xf32> {
  %w = ttc.constant dense<0.5> : tensor<768x64xf32>
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 14, 32>
  %0 = ttc.matmul %x, %w : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// CHECK-LABEL: @one_vector
func.func @one_vector(%x: tensor<128x768xf32>) -> tensor<128x16xf32> {
  %w = ttc.constant dense<0.5> : tensor<768x16xf32>
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 14, 16>
  %0 = ttc.matmul %x, %w : (tensor<128x768xf32>, tensor<768x16xf32>) -> tensor<128x16xf32>
  return %0 : tensor<128x16xf32>
}

// Rows by a table of pointers.
// CHECK-LABEL: @window
func.func @window(%x: tensor<1x28x28x64xf32>) -> tensor<1x14x14x64xf32> {
  %w = ttc.constant dense<0.5> : tensor<64x64x3x3xf32>
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 12, 32>
  %0 = ttc.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x28x28x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x14x14x64xf32>
  return %0 : tensor<1x14x14x64xf32>
}

// A few columns: a panel of each, and vectors along the depth.
// CHECK-LABEL: @few_columns
func.func @few_columns(%x: tensor<1x32x32x32xf32>) -> tensor<1x32x32x3xf32> {
  %w = ttc.constant dense<0.25> : tensor<3x32x3x3xf32>
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 8, 1>{{.*}}tensor<1x3x288x1xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      channels_last} : (tensor<1x32x32x32xf32>, tensor<3x32x3x3xf32>) -> tensor<1x32x32x3xf32>
  return %0 : tensor<1x32x32x3xf32>
}
// Too few channels for a vector, and sums of lanes that would take longer.
// CHECK-LABEL: @few_channels
// CHECK-NOT: tile = array<i64: {{[0-9]+}}, 1>
func.func @few_channels(%x: tensor<1x32x32x8xf32>, %y: tensor<1x32x32x32xf32>) -> (tensor<1x32x32x3xf32>, tensor<1x32x32x4xf32>) {
  %w = ttc.constant dense<0.75> : tensor<3x8x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      channels_last} : (tensor<1x32x32x8xf32>, tensor<3x8x3x3xf32>) -> tensor<1x32x32x3xf32>
  %v = ttc.constant dense<1.25> : tensor<4x32x1x1xf32>
  %1 = ttc.conv %y, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      channels_last} : (tensor<1x32x32x32xf32>, tensor<4x32x1x1xf32>) -> tensor<1x32x32x4xf32>
  return %0, %1 : tensor<1x32x32x3xf32>, tensor<1x32x32x4xf32>
}
}
