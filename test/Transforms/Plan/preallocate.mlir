// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate --split-input-file | FileCheck %s

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {

// Constants at the bottom, equal ones once, in the order of their use; slots on the next page;
// activations share bytes where their lifetimes are apart; a reshape has no buffer.
// CHECK-DAG: ttc.buffer constant @{{.*}} : tensor<20xf32> = dense<1.000000e+00> : tensor<20xf32> in dram at 0x0 size 128
// CHECK-DAG: ttc.buffer slot @x : tensor<20xf32> in dram at 0x1000 size 128
// CHECK-DAG: ttc.buffer slot @y : tensor<5x4xf32> in dram at 0x1080 size 128
// CHECK-DAG: ttc.buffer activation @main_t0_0 : tensor<20xf32> live [1, 3) in dram at 0x1100 size 128
// CHECK-DAG: ttc.buffer activation @main_t0_1 : tensor<20xf32> live [2, 4) in dram at 0x1180 size 128
// CHECK-DAG: ttc.buffer activation @main_t0_2 : tensor<20xf32> live [3, 5) in dram at 0x1100 size 128
// CHECK-NOT: ttc.buffer
// CHECK-LABEL: ttc.trace @main_t0
// CHECK:         ttc.dispatch @f({{.*}}) {ttc.buffer = [@main_t0_0]}
// CHECK:         ttc.dispatch @f({{.*}}) {ttc.buffer = [@main_t0_1]}
// CHECK:         ttc.dispatch @f({{.*}}) {ttc.buffer = [@main_t0_2]}
// CHECK:         ttc.dispatch @f({{.*}}) {ttc.buffer = [@y]}
// CHECK:         ttc.reshape
ttc.program @f(tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @main(%x: tensor<20xf32> {ttc.name = "x"}) -> (tensor<5x4xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<5x4xf32> {
    %d = ttc.to_device %x : tensor<20xf32> to tensor<20xf32>
    %w = ttc.constant dense<1.0> : tensor<20xf32>
    %v = ttc.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<20xf32>
    %0 = ttc.dispatch @f(%d, %w) : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %1 = ttc.dispatch @f(%0, %v) : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %2 = ttc.dispatch @f(%1, %w) : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %3 = ttc.dispatch @f(%2, %w) : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %s = ttc.reshape %3 : (tensor<20xf32>) -> tensor<5x4xf32>
    %r = ttc.from_device %s : tensor<5x4xf32> to tensor<5x4xf32>
    ttc.yield %r : tensor<5x4xf32>
  }
  return %h : tensor<5x4xf32>
}
}
