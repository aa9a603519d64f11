// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices exchange stays in DRAM, also an input that is exchanged as it is; all else moves to L1.
// RUN: ttc-opt %s "--pass-pipeline=builtin.module(ttc-hoist-io,ttc-schedule-queues,ttc-bind-buffers,ttc-place-tensors)" | FileCheck %s

// CHECK-DAG: ttc.buffer slot @x : tensor<128xf32> in dram
// CHECK-DAG: ttc.buffer slot @z : tensor<128xf32> in l1
// CHECK-DAG: ttc.buffer activation @main_t0_0 : tensor<128xf32> in dram
// CHECK-DAG: ttc.buffer activation @main_t0_1 : tensor<128xf32> in l1
// CHECK-DAG: ttc.buffer activation @main_t0_2 : tensor<128xf32> in dram
// CHECK-DAG: ttc.buffer activation @main_t0_3 : tensor<128xf32> in dram
// CHECK-NOT: ttc.to_memory
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>, ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.collective @sum all_reduce direct sum f32 bytes 512 groups [array<i64: 0, 1>]
ttc.program @f(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @main(%x: tensor<128xf32> {ttc.name = "x"}, %z: tensor<128xf32> {ttc.name = "z"}) -> (tensor<128xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<128xf32> {
    %dx = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %dz = ttc.to_device %z : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.exchange @sum(%dx) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = ttc.dispatch @g(%dz, %0) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %2 = ttc.dispatch @g(%dz, %1) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %3 = ttc.exchange @sum(%2) : (tensor<128xf32>) -> tensor<128xf32>
    %4 = ttc.dispatch @g(%3, %1) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %4 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}
