// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points are planned together: constants once, slots apart, activations over each other's.
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate=share-activations=false | FileCheck %s --check-prefixes=CHECK,APART

// CHECK-DAG: ttc.buffer constant @constant : tensor<16xf32> = dense<1.000000e+00> : tensor<16xf32> in dram at 0x0 size 64
// CHECK-DAG: ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
// CHECK-DAG: ttc.buffer slot @output0 : tensor<16xf32> in dram at 0x1040 size 64
// CHECK-DAG: ttc.buffer slot @x_0 : tensor<16xf32> in dram at 0x1080 size 64
// CHECK-DAG: ttc.buffer slot @output0_1 : tensor<16xf32> in dram at 0x10c0 size 64
// CHECK-DAG: ttc.buffer activation @a_t0_0 : tensor<16xf32> live [1, 3) in dram at 0x1100 size 64
// SHARED-DAG: ttc.buffer activation @b_t0_0 : tensor<16xf32> live [5, 7) in dram at 0x1100 size 64
// APART-DAG: ttc.buffer activation @b_t0_0 : tensor<16xf32> live [5, 7) in dram at 0x1140 size 64
// CHECK-NOT: ttc.buffer constant
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @a(%x: tensor<16xf32> {ttc.name = "x"}) -> tensor<16xf32> {
  %h = ttc.traced -> tensor<16xf32> {
    %d = ttc.to_device %x : tensor<16xf32> to tensor<16xf32>
    %w = ttc.constant dense<1.0> : tensor<16xf32>
    %0 = ttc.dispatch @f(%d, %w) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %1 = ttc.dispatch @f(%0, %w) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %r = ttc.from_device %1 : tensor<16xf32> to tensor<16xf32>
    ttc.yield %r : tensor<16xf32>
  }
  return %h : tensor<16xf32>
}
func.func @b(%x: tensor<16xf32> {ttc.name = "x"}) -> tensor<16xf32> {
  %h = ttc.traced -> tensor<16xf32> {
    %d = ttc.to_device %x : tensor<16xf32> to tensor<16xf32>
    %w = ttc.constant dense<1.0> : tensor<16xf32>
    %0 = ttc.dispatch @f(%d, %w) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %1 = ttc.dispatch @f(%0, %w) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %r = ttc.from_device %1 : tensor<16xf32> to tensor<16xf32>
    ttc.yield %r : tensor<16xf32>
  }
  return %h : tensor<16xf32>
}
}
