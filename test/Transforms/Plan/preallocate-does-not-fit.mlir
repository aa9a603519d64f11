// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate --verify-diagnostics --split-input-file

// What is needed, what is there, and what lives at the peak, largest first.
// expected-error@+1 {{needs 6144 bytes of DRAM (4096 constants, 1024 slots, 1024 activations), but tiny has 4096}}
module attributes {ttc.target = #ttc.target<
    name = "tiny", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 4096,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<128xf32>, tensor<1024xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
// expected-note@+1 {{alive at the peak: @x, slot of 512 bytes}}
func.func @main(%x: tensor<128xf32> {ttc.name = "x"}) -> (tensor<128xf32> {ttc.name = "y"}) {
  // expected-note@+1 {{alive at the peak: @y, slot of 512 bytes}}
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    // expected-note@+1 {{alive at the peak: @constant, constant of 4096 bytes}}
    %w = ttc.constant dense<1.0> : tensor<1024xf32>
    // expected-note@+1 {{alive at the peak: @main_t0_0, activation of 512 bytes}}
    %0 = ttc.dispatch @f(%d, %w) : (tensor<128xf32>, tensor<1024xf32>) -> tensor<128xf32>
    // expected-note@+1 {{alive at the peak: @main_t0_1, activation of 512 bytes}}
    %1 = ttc.dispatch @g(%0) : (tensor<128xf32>) -> tensor<128xf32>
    %2 = ttc.dispatch @g(%1) : (tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %2 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}

// -----

module attributes {ttc.target = #ttc.target<
    name = "tiny", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// expected-error@+1 {{needs 4160 bytes of L1 for scratch, but a core of tiny has 4096}}
ttc.program @f(tensor<8xf32>) -> tensor<8xf32> attributes {grid = 2 : i64, scratch_bytes = 4160 : i64}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %h = ttc.traced -> tensor<8xf32> {
    %d = ttc.to_device %x : tensor<8xf32> to tensor<8xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<8xf32>) -> tensor<8xf32>
    %r = ttc.from_device %0 : tensor<8xf32> to tensor<8xf32>
    ttc.yield %r : tensor<8xf32>
  }
  return %h : tensor<8xf32>
}
}
