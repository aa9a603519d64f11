// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions with the same weights need them in one packed form.
// RUN: ttc-opt %s --ttc-choose-kernels --split-input-file | FileCheck %s
// RUN: ttc-opt %s --ttc-choose-kernels --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 2 shared - Ops decided with those of other functions

// The most rows choose the columns of the tile: alone, 16 rows would have a tile of 14 x 32.
module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver5",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 1048576, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {
// CHECK-LABEL: @few
// CHECK: ttc.pack {{.*}}nr = 48 : i64
// CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 8, 48>
// Other weights, which only this function has.
// CHECK: ttc.pack {{.*}}nr = 32 : i64
func.func @few(%x: tensor<16x96xf32>) -> tensor<16x96xf32> {
  %w = ttc.constant dense<1.5> : tensor<96x96xf32>
  %0 = ttc.matmul %x, %w : (tensor<16x96xf32>, tensor<96x96xf32>) -> tensor<16x96xf32>
  %v = ttc.constant dense<2.5> : tensor<96x96xf32>
  %1 = ttc.matmul %0, %v : (tensor<16x96xf32>, tensor<96x96xf32>) -> tensor<16x96xf32>
  return %1 : tensor<16x96xf32>
}
// CHECK-LABEL: @many
// CHECK: ttc.pack {{.*}}nr = 48 : i64
// CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 8, 48>
func.func @many(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %w = ttc.constant dense<1.5> : tensor<96x96xf32>
  %0 = ttc.matmul %x, %w : (tensor<64x96xf32>, tensor<96x96xf32>) -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}
}

// -----

// A small image alone would be convolved directly. A large one gains more by Winograd's algorithm than that loses, and both
// transform their tiles as suits them. What computes the weights may differ in nothing.
module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {
// CHECK-LABEL: @small
// CHECK: ttc.pack_winograd {{.*}}{nr = 16 : i64, outputs = 4 : i64}
func.func @small(%x: tensor<1x4x4x256xf32>) -> tensor<1x4x4x256xf32> {
  %c = ttc.constant dense<0.5> : tensor<3x256x256x3xf32>
  %w = ttc.transpose %c {permutation = array<i64: 1, 2, 3, 0>} : (tensor<3x256x256x3xf32>) -> tensor<256x256x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last}
      : (tensor<1x4x4x256xf32>, tensor<256x256x3x3xf32>) -> tensor<1x4x4x256xf32>
  return %0 : tensor<1x4x4x256xf32>
}
// CHECK-LABEL: @large
// CHECK: ttc.pack_winograd {{.*}}{nr = 16 : i64, outputs = 4 : i64}
func.func @large(%x: tensor<1x56x56x256xf32>) -> tensor<1x56x56x256xf32> {
  %c = ttc.constant dense<0.5> : tensor<3x256x256x3xf32>
  %w = ttc.transpose %c {permutation = array<i64: 1, 2, 3, 0>} : (tensor<3x256x256x3xf32>) -> tensor<256x256x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last}
      : (tensor<1x56x56x256xf32>, tensor<256x256x3x3xf32>) -> tensor<1x56x56x256xf32>
  return %0 : tensor<1x56x56x256xf32>
}
}

// -----

module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {
// CHECK-LABEL: @alone
// CHECK: ttc.pack {{.*}}kind = #ttc.pack_kind<conv>
func.func @alone(%x: tensor<1x4x4x256xf32>) -> tensor<1x4x4x256xf32> {
  %others = ttc.constant dense<0.5> : tensor<4096x2048xf32>
  %c = ttc.constant dense<0.5> : tensor<3x256x256x3xf32>
  %w = ttc.transpose %c {permutation = array<i64: 1, 2, 3, 0>} : (tensor<3x256x256x3xf32>) -> tensor<256x256x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last}
      : (tensor<1x4x4x256xf32>, tensor<256x256x3x3xf32>) -> tensor<1x4x4x256xf32>
  return %0 : tensor<1x4x4x256xf32>
}
}
