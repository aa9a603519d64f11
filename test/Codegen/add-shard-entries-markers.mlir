// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --pass-pipeline='builtin.module(ttc.program(ttc-lower-programs))' | FileCheck %s

// The parts of a shard are workgroups of the program for one part: they share the core's markers.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 1048576, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK: ttc.program @relu({{.*}} attributes {grid = 4 : i64, markers, scratch_bytes = 4160 : i64, shards = array<i64: 4>}
// CHECK: llvm.func @relu(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %{{.*}}: i64) attributes {{.*}}ttc.scratch_bytes = 4160 : i64, ttc.workgroups = 4 : i64
// CHECK:   llvm.call @relu.part({{.*}}, %[[SCRATCH]], %{{.*}})
// CHECK: llvm.func internal @relu.part(
// CHECK:   llvm.call @ttc_kernel_begin_main
// CHECK:   llvm.call @relu.body
// CHECK:   llvm.call @ttc_kernel_end_main
ttc.program @relu(%a: tensor<64x256xf32> {ttc.shard = #ttc.shard<tensor<256x256xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    -> (tensor<64x256xf32> {ttc.shard = #ttc.shard<tensor<256x256xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {markers, shards = array<i64: 4>} {
  %0 = ttc.relu %a : (tensor<64x256xf32>) -> tensor<64x256xf32>
  ttc.return %0 : tensor<64x256xf32>
}
}
