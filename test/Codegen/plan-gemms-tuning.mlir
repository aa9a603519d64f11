// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-plan-gemms --split-input-file --verify-diagnostics | FileCheck %s

// Measured plans are taken; layouts are a part of what they are for. The attribute is gone then.
// CHECK-NOT: ttc.tuning
module attributes {ttc.tuning = {file = "f", entries = {
    "kernel.gemm (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {groups = 1 : i64, packed, tile = array<i64: 6, 16>}" = #ttc.gemm_plan<rows = direct, splits = [1, 1, 4], block = 1, depth = 384>}}} {
// CHECK-LABEL: ttc.program @contiguous
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 4], block = 1, depth = 384>
ttc.program @contiguous(%x: tensor<5x768xf32>, %w: tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32>
  ttc.return %0 : tensor<5x1024xf32>
}
// CHECK-LABEL: ttc.program @strided
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 8], block = 1>
ttc.program @strided(%x: tensor<5x768xf32> {ttc.strided = #ttc.strided<row = 768, pitch = 1024, alignment = 64>},
                     %w: tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32>
  ttc.return %0 : tensor<5x1024xf32>
}
}

// -----

module attributes {ttc.tuning = {file = "f.txt", entries = {
    "kernel.gemm (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {groups = 1 : i64, packed, tile = array<i64: 6, 16>}" = #ttc.gemm_plan<rows = direct, splits = [1, 2, 4], block = 1>}}} {
ttc.program @splits(%x: tensor<5x768xf32>, %w: tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {
  // expected-error @+1 {{tuning "f.txt", entry 'kernel.gemm (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {groups = 1 : i64, packed, tile = array<i64: 6, 16>}': 'ttc.kernel.gemm' op (C10) expected 'plan' to split the 1 row tiles into at most as many parts, found 2}}
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32>
  ttc.return %0 : tensor<5x1024xf32>
}
}

// -----

module attributes {ttc.tuning = {file = "f.txt", entries = {
    "kernel.gemm (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {groups = 1 : i64, packed, tile = array<i64: 6, 16>}" = #ttc.kernel_choice<direct, tile = [6, 16]>}}} {
ttc.program @kind(%x: tensor<5x768xf32>, %w: tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {
  // expected-error @+1 {{expected a #ttc.gemm_plan, found #ttc.kernel_choice<direct, tile = [6, 16]>}}
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32>
  ttc.return %0 : tensor<5x1024xf32>
}
}

// -----

// Scratch: one pointer for each row and tap, and partial sums, of all rows.
module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>, ttc.tuning = {file = "f.txt", entries = {
    "kernel.gemm (tensor<1x112x112x64xf32>, tensor<1x4x576x16xf32>) -> tensor<1x112x112x64xf32> {groups = 1 : i64, kernel = array<i64: 3, 3>, packed, pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 6, 16>}" = #ttc.gemm_plan<rows = table, splits = [1, 1, 1], block = 2091>}}} {
ttc.program @scratch(%x: tensor<1x112x112x64xf32>, %w: tensor<1x4x576x16xf32>) -> tensor<1x112x112x64xf32> {
  // expected-error @+1 {{expected a plan with scratch of at most 524288 bytes, the target's L1, found 903616}}
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
      tile = array<i64: 6, 16>}
      : (tensor<1x112x112x64xf32>, tensor<1x4x576x16xf32>) -> tensor<1x112x112x64xf32>
  ttc.return %0 : tensor<1x112x112x64xf32>
}
}
