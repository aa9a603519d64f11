// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants of one model run one at a time: their slots lie over each other, and those of another entry point do not.
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate=share-activations=false | FileCheck %s --check-prefixes=CHECK,APART
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate --ttc-encode-commands --ttc-size-trace-region --ttc-verify-plan | FileCheck %s --check-prefix=ENCODED

// CHECK-DAG: ttc.buffer slot @x : tensor<64xf32> in dram at 0x0 size 256
// CHECK-DAG: ttc.buffer slot @output0 : tensor<64xf32> in dram at 0x100 size 256

// SHARED-DAG: ttc.buffer slot @x_0 : tensor<32xf32> live [3, 7) in dram at 0x200 size 128
// SHARED-DAG: ttc.buffer slot @extents : tensor<1xi32> live [3, 7) in dram at 0x280 size 64
// SHARED-DAG: ttc.buffer slot @output0_1 : tensor<32xf32> live [3, 7) in dram at 0x2c0 size 128
// SHARED-DAG: ttc.buffer slot @x_2 : tensor<64xf32> live [7, 11) in dram at 0x200 size 256
// SHARED-DAG: ttc.buffer slot @extents_3 : tensor<1xi32> live [7, 11) in dram at 0x300 size 64
// SHARED-DAG: ttc.buffer slot @output0_4 : tensor<64xf32> live [7, 11) in dram at 0x340 size 256

// APART-DAG: ttc.buffer slot @x_0 : tensor<32xf32> in dram at 0x200 size 128
// APART-DAG: ttc.buffer slot @extents : tensor<1xi32> in dram at 0x280 size 64
// APART-DAG: ttc.buffer slot @output0_1 : tensor<32xf32> in dram at 0x2c0 size 128
// APART-DAG: ttc.buffer slot @x_2 : tensor<64xf32> in dram at 0x340 size 256

// Lifetimes in points of the encoded timeline: those of the entry point.
// ENCODED-DAG: ttc.buffer slot @x_0 : tensor<32xf32> live [4, 9) in dram at 0x200
// ENCODED-DAG: ttc.buffer slot @output0_1 : tensor<32xf32> live [4, 9) in dram at 0x2c0
// ENCODED-DAG: ttc.buffer slot @output0_4 : tensor<64xf32> live [9, 14) in dram at 0x340
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<32xf32>, tensor<1xi32>) -> tensor<32xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<64xf32>, tensor<1xi32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @h(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @other(%x: tensor<64xf32> {ttc.name = "x"}) -> tensor<64xf32> {
  %h = ttc.traced -> tensor<64xf32> {
    %d = ttc.to_device %x : tensor<64xf32> to tensor<64xf32>
    %0 = ttc.dispatch @h(%d) : (tensor<64xf32>) -> tensor<64xf32>
    %r = ttc.from_device %0 : tensor<64xf32> to tensor<64xf32>
    ttc.yield %r : tensor<64xf32>
  }
  return %h : tensor<64xf32>
}
func.func @main.32(%x: tensor<32xf32> {ttc.name = "x", ttc.dims = affine_map<()[s0] -> (s0)>},
                   %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<32xf32> {ttc.dims = affine_map<()[s0] -> (s0)>})
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [32]>} {
  %h = ttc.traced -> tensor<32xf32> {
    %d = ttc.to_device %x : tensor<32xf32> to tensor<32xf32>
    %e = ttc.to_device %extents : tensor<1xi32> to tensor<1xi32>
    %0 = ttc.dispatch @f(%d, %e) : (tensor<32xf32>, tensor<1xi32>) -> tensor<32xf32>
    %r = ttc.from_device %0 : tensor<32xf32> to tensor<32xf32>
    ttc.yield %r : tensor<32xf32>
  }
  return %h : tensor<32xf32>
}
func.func @main.64(%x: tensor<64xf32> {ttc.name = "x", ttc.dims = affine_map<()[s0] -> (s0)>},
                   %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<64xf32> {ttc.dims = affine_map<()[s0] -> (s0)>})
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [64]>} {
  %h = ttc.traced -> tensor<64xf32> {
    %d = ttc.to_device %x : tensor<64xf32> to tensor<64xf32>
    %e = ttc.to_device %extents : tensor<1xi32> to tensor<1xi32>
    %0 = ttc.dispatch @g(%d, %e) : (tensor<64xf32>, tensor<1xi32>) -> tensor<64xf32>
    %r = ttc.from_device %0 : tensor<64xf32> to tensor<64xf32>
    ttc.yield %r : tensor<64xf32>
  }
  return %h : tensor<64xf32>
}
}
