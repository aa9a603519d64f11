// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-expand-arithmetic --split-input-file | FileCheck %s

// Conversions of f16 are instructions where the CPU has F16C, and operations on bits elsewhere.
module @old attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64-v2", features = "", grid_rows = 1,
    grid_cols = 1, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-LABEL: func.func @half(
// CHECK:         arith.bitcast %{{.*}} : f16 to i16
// CHECK-NOT:     {{extf|truncf}}
// CHECK:         arith.bitcast %{{.*}} : i16 to f16
func.func @half(%x: f16) -> f16 {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to f16
  return %2 : f16
}
}

// -----

module @new attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", grid_rows = 1,
    grid_cols = 1, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-LABEL: func.func @half(
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to f16
  return %2 : f16
}
}
