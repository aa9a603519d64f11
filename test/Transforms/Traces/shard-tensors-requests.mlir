// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-shard-tensors --split-input-file --verify-diagnostics | FileCheck %s
// Layouts that the IR asks for are honoured, whatever the flag says.

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
#height = #ttc.layout<l1, height_sharded, grid = [4, 1]>
#width = #ttc.layout<l1, width_sharded, grid = [1, 2]>

// A request for a dispatch's result; without a grid, it is as fine as possible.
module @of_dispatches attributes {ttc.target = #target} {
// CHECK-LABEL: ttc.trace @of_dispatches
// CHECK:         %[[A:.*]] = ttc.dispatch @relu_0(%arg0) : {{.*}} -> tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
// Rows to columns: four shards into two, in eight parts.
// CHECK-NEXT:    %[[M:.*]] = ttc.to_memory %[[A]] by @to_width_8x16
// CHECK-NEXT:    %[[B:.*]] = ttc.dispatch @relu_1(%[[M]]) : {{.*}} -> tensor<8x16xf32, #ttc.layout<l1, width_sharded, grid = [1, 2]>>
// CHECK-NEXT:    %[[C:.*]] = ttc.dispatch @relu_2(%[[B]]) : {{.*}} -> tensor<8x16xf32>
ttc.trace @of_dispatches(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %a = ttc.dispatch @relu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32, #ttc.layout<l1, height_sharded>>
  %b = ttc.dispatch @relu(%a) : (tensor<8x16xf32, #ttc.layout<l1, height_sharded>>) -> tensor<8x16xf32, #width>
  %c = ttc.dispatch @relu(%b) : (tensor<8x16xf32, #width>) -> tensor<8x16xf32>
  ttc.yield %c : tensor<8x16xf32>
}
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
// Workgroup (i, j) copies columns j of shard i to rows i of shard j.
// CHECK:       ttc.program private @to_width_8x16(
// CHECK-SAME:    tensor<2x8xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, 1]>, ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>})
// CHECK-SAME:    -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, width_sharded, grid = [1, 2]>>, partition = [0, 1]>})
// CHECK-SAME:    attributes {shards = array<i64: 4, 2>}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
#height = #ttc.layout<l1, height_sharded, grid = [4, 1]>

// With ttc.to_memory: what is made only to be moved is made there; an argument is moved.
module @of_moves attributes {ttc.target = #target} {
// CHECK-LABEL: ttc.trace @of_moves
// CHECK:         %[[M:.*]] = ttc.to_memory %arg0 by @to_height_8x16 : tensor<8x16xf32> to tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
// CHECK-NEXT:    %[[A:.*]] = ttc.dispatch @relu_0(%[[M]]) : {{.*}} -> tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
// CHECK-NEXT:    %[[B:.*]] = ttc.dispatch @relu_1(%[[A]]) : {{.*}} -> tensor<8x16xf32>
// CHECK-NEXT:    ttc.yield %[[B]]
ttc.trace @of_moves(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %m = ttc.to_memory %x : tensor<8x16xf32> to tensor<8x16xf32, #height>
  %a = ttc.dispatch @relu(%m) : (tensor<8x16xf32, #height>) -> tensor<8x16xf32>
  %n = ttc.to_memory %a : tensor<8x16xf32> to tensor<8x16xf32, #height>
  %b = ttc.dispatch @relu(%n) : (tensor<8x16xf32, #height>) -> tensor<8x16xf32>
  ttc.yield %b : tensor<8x16xf32>
}
ttc.program private @relu(%a: tensor<8x16xf32, #height>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32, #height>) -> tensor<8x16xf32, #height>
  %1 = ttc.add %0, %0 : (tensor<8x16xf32, #height>, tensor<8x16xf32, #height>) -> tensor<8x16xf32>
  ttc.return %1 : tensor<8x16xf32>
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
module attributes {ttc.target = #target} {
// expected-error @+1 {{expected arguments without shards, found 'tensor<8x16xf32, #ttc.layout<l1, height_sharded>>'; ttc.to_memory makes shards and joins them inside of the trace}}
ttc.trace @argument(%x: tensor<8x16xf32, #ttc.layout<l1, height_sharded>>) {
  ttc.yield
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
module attributes {ttc.target = #target} {
ttc.trace @too_many(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @+1 {{expected at most 4 shards, the cores of small, found 8}}
  %a = ttc.to_memory %x : tensor<8x16xf32> to tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>
  %b = ttc.to_memory %a : tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>> to tensor<8x16xf32>
  ttc.yield %b : tensor<8x16xf32>
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
module attributes {ttc.target = #target} {
ttc.trace @prime(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
  // expected-error @+1 {{expected a shape that height_sharded splits into equal parts for the cores of small, found 'tensor<7x16xf32>'}}
  %a = ttc.to_memory %x : tensor<7x16xf32> to tensor<7x16xf32, #ttc.layout<l1, height_sharded>>
  %b = ttc.to_memory %a : tensor<7x16xf32, #ttc.layout<l1, height_sharded>> to tensor<7x16xf32>
  ttc.yield %b : tensor<7x16xf32>
}
}
