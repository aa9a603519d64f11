// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --pass-pipeline='builtin.module(ttc.program(ttc-lower-programs))' --split-input-file --verify-diagnostics | FileCheck %s

// A program on shards computes one part; its entry finds the parts of workgroup k: (k / 2,
// k mod 2) of a grid of 4 x 2. The first operand is a slice of 2 x 8 of 16 columns in DRAM (2 * 16 * 4
// and 8 * 4 bytes), the second one the same for all, the result's row of shards is one core and its
// columns are half of what lies there.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK: ttc.program @add(%{{.*}}: tensor<2x8xf32> {{.*}} attributes {grid = 8 : i64, scratch_bytes = 0 : i64, shards = array<i64: 4, 2>}
ttc.program @add(
    %a: tensor<2x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>, ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, 1]>},
    %b: tensor<1xf32>)
    -> (tensor<2x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>, ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, 1]>})
    attributes {shards = array<i64: 4, 2>} {
  %0 = ttc.add %a, %b : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
  ttc.return %0 : tensor<2x8xf32>
}
// CHECK:      llvm.func @add(%[[OPERANDS:.*]]: !llvm.ptr, %[[BASE:.*]]: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %[[K:.*]]: i64)
// CHECK-DAG:    %[[COL:.*]] = llvm.urem %[[K]], %{{.*}} : i64
// CHECK-DAG:    %[[REST:.*]] = llvm.udiv %[[K]], %{{.*}} : i64
// CHECK-DAG:    %[[ROW:.*]] = llvm.urem %[[REST]], %{{.*}} : i64
// CHECK:        %[[PARTS:.*]] = llvm.alloca
// CHECK:        llvm.call @add.part(%[[PARTS]], %[[BASE]], %[[SCRATCH]], %{{.*}})
// CHECK:      llvm.func internal @add.part(
}

// -----

// The work of a part is done by one core: what would be 8 workgroups becomes a loop.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 1048576, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK: ttc.program @relu({{.*}} attributes {grid = 4 : i64, scratch_bytes = 0 : i64, shards = array<i64: 4>}
// CHECK: llvm.func @relu(
// CHECK: ^bb1(%[[N:.*]]: i64):
// CHECK:   llvm.call @relu.part({{.*}}, %[[N]])
// CHECK:   llvm.cond_br %{{.*}}, ^bb2, ^bb1
ttc.program @relu(%a: tensor<256x256xf32> {ttc.shard = #ttc.shard<
      tensor<1024x256xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    -> (tensor<256x256xf32> {ttc.shard = #ttc.shard<
      tensor<1024x256xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>} {
  %0 = ttc.relu %a : (tensor<256x256xf32>) -> tensor<256x256xf32>
  ttc.return %0 : tensor<256x256xf32>
}
}

// -----

// expected-error @+1 {{expected the module to have a target}}
module {
ttc.program @no_target(%a: tensor<2x8xf32>) -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>} {
  ttc.return %a : tensor<2x8xf32>
}
}
