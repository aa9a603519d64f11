// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate --split-input-file --verify-diagnostics | FileCheck %s

// Tensors in L1 take an equal part of each core, at one offset, above the scratch of the
// command that runs, at the bottom: 128 bytes at point 3.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1, interleaved_l1 = true>} {
// CHECK-DAG: ttc.buffer slot @x : tensor<64xf32> in dram at 0x0 size 256
// CHECK-DAG: ttc.buffer activation @main_t0_0 : tensor<64xf32> live [1, 3) in l1 at 0x{{[0-9a-f]+}} size 128{{$}}
// CHECK-DAG: ttc.buffer activation @main_t0_1 : tensor<64xf32> live [2, 4) in l1 at 0x{{80|100}} size 128{{$}}
// CHECK-DAG: ttc.buffer activation @main_t0_2 : tensor<64xf32> live [3, 5) in l1 at 0x{{80|100}} size 128{{$}}
// CHECK-DAG: ttc.buffer activation @main_t0_3 : tensor<64xf32> live [4, 6) in l1 at 0x0 size 128{{$}}
ttc.program @f(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 100 : i64}
func.func @main(%x: tensor<64xf32> {ttc.name = "x"}) -> (tensor<64xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<64xf32> {
    %d = ttc.to_device %x : tensor<64xf32> to tensor<64xf32>
    %m = ttc.to_memory %d : tensor<64xf32> to tensor<64xf32, #ttc.layout<l1>>
    %0 = ttc.dispatch @f(%m) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %1 = ttc.dispatch @g(%0) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %2 = ttc.dispatch @f(%1) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %3 = ttc.to_memory %2 : tensor<64xf32, #ttc.layout<l1>> to tensor<64xf32>
    %r = ttc.from_device %3 : tensor<64xf32> to tensor<64xf32>
    ttc.yield %r : tensor<64xf32>
  }
  return %h : tensor<64xf32>
}
}

// -----

// Two tensors and the scratch do not fit.
// expected-error @+1 {{needs 384 bytes of L1 on each core for 4 tensors and the scratch of programs, but small has 320}}
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 320, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 100 : i64}
func.func @main(%x: tensor<64xf32> {ttc.name = "x"}) -> (tensor<64xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<64xf32> {
    %d = ttc.to_device %x : tensor<64xf32> to tensor<64xf32>
    %m = ttc.to_memory %d : tensor<64xf32> to tensor<64xf32, #ttc.layout<l1>>
    // expected-note @+1 {{alive at the peak: @main_t0_1, activation of 128 bytes}}
    %0 = ttc.dispatch @f(%m) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    // expected-note @+2 {{alive at the peak: @main_t0_2, activation of 128 bytes}}
    // expected-note @+1 {{alive at the peak: scratch of 100 bytes}}
    %1 = ttc.dispatch @g(%0) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %2 = ttc.dispatch @f(%1) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %3 = ttc.to_memory %2 : tensor<64xf32, #ttc.layout<l1>> to tensor<64xf32>
    %r = ttc.from_device %3 : tensor<64xf32> to tensor<64xf32>
    ttc.yield %r : tensor<64xf32>
  }
  return %h : tensor<64xf32>
}
}

// -----

// A target whose L1s are the cores' own.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 100 : i64}
func.func @main(%x: tensor<64xf32> {ttc.name = "x"}) -> (tensor<64xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<64xf32> {
    %d = ttc.to_device %x : tensor<64xf32> to tensor<64xf32>
    // expected-error @+1 {{expected @main_t0_0 to be stored in dram, host memory or shards, found it interleaved in l1, which small does not do; drop the layout or the ttc.to_memory that asks for it}}
    %m = ttc.to_memory %d : tensor<64xf32> to tensor<64xf32, #ttc.layout<l1>>
    %0 = ttc.dispatch @f(%m) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %1 = ttc.dispatch @g(%0) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %2 = ttc.dispatch @f(%1) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %3 = ttc.to_memory %2 : tensor<64xf32, #ttc.layout<l1>> to tensor<64xf32>
    %r = ttc.from_device %3 : tensor<64xf32> to tensor<64xf32>
    ttc.yield %r : tensor<64xf32>
  }
  return %h : tensor<64xf32>
}
}
