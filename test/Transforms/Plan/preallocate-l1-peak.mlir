// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate | FileCheck %s

// L1 is planned as low as it can be, not only so that all fits: 192, 128, 192, 256 and 128 bytes of each core, each
// from its command up to the last that reads it, take 576 bytes, as many as live at point 3. First-fit takes 768.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1, interleaved_l1 = true>} {
// CHECK-DAG: live [1, 4) in l1 at 0x{{0|40|80|c0|100|140|180}} size 192{{$}}
// CHECK-DAG: live [2, 5) in l1 at 0x{{0|40|80|c0|100|140|180|1c0}} size 128{{$}}
// CHECK-DAG: live [3, 6) in l1 at 0x{{0|40|80|c0|100|140|180}} size 192{{$}}
// CHECK-DAG: live [4, 6) in l1 at 0x{{0|40|80|c0|100|140}} size 256{{$}}
// CHECK-DAG: live [5, 7) in l1 at 0x{{0|40|80|c0|100|140|180|1c0}} size 128{{$}}
ttc.program @p0(tensor<64xf32>) -> tensor<96xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @p1(tensor<96xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @p2(tensor<96xf32>, tensor<64xf32>) -> tensor<96xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @p3(tensor<64xf32>, tensor<96xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @p4(tensor<96xf32>, tensor<128xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @p5(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @main(%x: tensor<64xf32> {ttc.name = "x"}) -> (tensor<64xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<64xf32> {
    %d = ttc.to_device %x : tensor<64xf32> to tensor<64xf32>
    %0 = ttc.dispatch @p0(%d) : (tensor<64xf32>) -> tensor<96xf32, #ttc.layout<l1>>
    %1 = ttc.dispatch @p1(%0) : (tensor<96xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %2 = ttc.dispatch @p2(%0, %1) : (tensor<96xf32, #ttc.layout<l1>>, tensor<64xf32, #ttc.layout<l1>>) -> tensor<96xf32, #ttc.layout<l1>>
    %3 = ttc.dispatch @p3(%1, %2) : (tensor<64xf32, #ttc.layout<l1>>, tensor<96xf32, #ttc.layout<l1>>) -> tensor<128xf32, #ttc.layout<l1>>
    %4 = ttc.dispatch @p4(%2, %3) : (tensor<96xf32, #ttc.layout<l1>>, tensor<128xf32, #ttc.layout<l1>>) -> tensor<64xf32, #ttc.layout<l1>>
    %5 = ttc.dispatch @p5(%4) : (tensor<64xf32, #ttc.layout<l1>>) -> tensor<64xf32>
    %r = ttc.from_device %5 : tensor<64xf32> to tensor<64xf32>
    ttc.yield %r : tensor<64xf32>
  }
  return %h : tensor<64xf32>
}
}
