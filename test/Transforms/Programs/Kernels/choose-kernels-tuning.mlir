// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-choose-kernels --split-input-file --verify-diagnostics | FileCheck %s
// Where Winograd's algorithm is off, what was measured about it is not followed.
// RUN: not ttc-opt %s --ttc-choose-kernels=winograd=false --split-input-file 2>/dev/null | FileCheck %s --check-prefix=OFF
// OFF: @winograd
// OFF-NOT: winograd
// OFF: tile = array<i64: 6, 16>
// OFF: @direct

#haswell = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>

module attributes {ttc.target = #haswell, ttc.tuning = {file = "f", entries = {
    "conv (tensor<1x14x14x64xf32>, constant tensor<64x64x3x3xf32>) -> tensor<1x14x14x64xf32> {channels_last, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}" = #ttc.kernel_choice<winograd, tile = [12, 8], outputs = 2>,
    "conv (tensor<1x56x56x64xf32>, constant tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32> {channels_last, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}" = #ttc.kernel_choice<direct, tile = [5, 16]>}}} {

// CHECK-LABEL: @winograd
func.func @winograd(%x: tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32> {
  %w = ttc.constant dense<1.5> : tensor<64x64x3x3xf32>
  // CHECK: ttc.pack_winograd %{{.*}} {nr = 8 : i64, outputs = 2 : i64}
  // CHECK-NOT: winograd_input
  // CHECK: ttc.kernel.winograd_conv %{{.*}} {{{.*}}outputs = 2 : i64, {{.*}}tile = array<i64: 12, 8>}
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x14x14x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x14x14x64xf32>
  return %0 : tensor<1x14x14x64xf32>
}

// CHECK-LABEL: @direct
func.func @direct(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
  %w = ttc.constant dense<2.5> : tensor<64x64x3x3xf32>
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 5, 16>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}

// There is no entry for weights that are not constant.
// CHECK-LABEL: @other
func.func @other(%x: tensor<1x56x56x64xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32> {
  // CHECK: ttc.kernel.gemm {{.*}}tile = array<i64: 6, 16>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}
}

// -----

// Wider than the vectors of the CPU have room for.
module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>, ttc.tuning = {file = "f.txt", entries = {
    "matmul (tensor<8x64xf32>, constant tensor<64x48xf32>) -> tensor<8x48xf32> {}" = #ttc.kernel_choice<direct, tile = [8, 48]>}}} {
func.func @columns(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %w = ttc.constant dense<3.5> : tensor<64x48xf32>
  // expected-error @+1 {{tuning "f.txt", entry 'matmul (tensor<8x64xf32>, constant tensor<64x48xf32>) -> tensor<8x48xf32> {}': expected a tile of columns in multiples of the CPU's 8 lanes, at most 16, found 48}}
  %0 = ttc.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
}

// -----

module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>, ttc.tuning = {file = "f.txt", entries = {
    "matmul (tensor<8x64xf32>, constant tensor<64x48xf32>) -> tensor<8x48xf32> {}" = #ttc.kernel_choice<winograd, tile = [6, 16], outputs = 4>}}} {
func.func @winograd(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %w = ttc.constant dense<4.5> : tensor<64x48xf32>
  // expected-error @+1 {{expected 'direct', because Winograd's algorithm does not compute this op in tiles of 4, found 'winograd'}}
  %0 = ttc.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
}

// -----

module attributes {ttc.tuning = {file = "f.txt", entries = {
    "matmul (tensor<8x64xf32>, constant tensor<64x48xf32>) -> tensor<8x48xf32> {}" = #ttc.gemm_plan<rows = direct, splits = [1, 1, 1], block = 1>}}} {
func.func @kind(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %w = ttc.constant dense<5.5> : tensor<64x48xf32>
  // expected-error @+1 {{expected a #ttc.kernel_choice, found #ttc.gemm_plan<rows = direct, splits = [1, 1, 1], block = 1>}}
  %0 = ttc.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
}

// -----

// Each workgroup keeps its tiles of 2,048 channels at 36 points in scratch.
module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>, ttc.tuning = {file = "f.txt", entries = {
    "conv (tensor<1x14x14x2048xf32>, constant tensor<64x2048x3x3xf32>) -> tensor<1x14x14x64xf32> {channels_last, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}" = #ttc.kernel_choice<winograd, tile = [6, 16], outputs = 4>}}} {
func.func @scratch(%x: tensor<1x14x14x2048xf32>) -> tensor<1x14x14x64xf32> {
  %w = ttc.constant dense<6.5> : tensor<64x2048x3x3xf32>
  // expected-error @+1 {{tuning "f.txt": expected Winograd's algorithm with scratch of at most 524288 bytes, the target's L1, found}}
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x14x14x2048xf32>, tensor<64x2048x3x3xf32>) -> tensor<1x14x14x64xf32>
  return %0 : tensor<1x14x14x64xf32>
}
}
