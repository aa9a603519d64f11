// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-shard-tensors=shard=height --split-input-file | FileCheck %s --check-prefixes=CHECK,HEIGHT
// RUN: ttc-opt %s --ttc-shard-tensors=shard=width --split-input-file | FileCheck %s --check-prefixes=CHECK,WIDTH
// RUN: ttc-opt %s --ttc-shard-tensors=shard=block --split-input-file | FileCheck %s --check-prefixes=CHECK,BLOCK
// RUN: ttc-opt %s --ttc-shard-tensors --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: not ttc-opt %s --ttc-shard-tensors=shard=depth --split-input-file 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: for the --shard option: expected none, height, width or block, found 'depth'
// RUN: sed s/grid_rows.=.2/grid_rows=1/ %s | sed s/grid_cols.=.2/grid_cols=1/ | ttc-opt --ttc-shard-tensors=shard=width --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: warning: no tensor was sharded by width; remarks give the reasons
// RUN: ttc-opt %s --ttc-shard-tensors --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// A chain of elementwise programs: slices in, shards between, slices out. One operand broadcasts, so
// the columns' vector is partitioned with the width only.
module @chain attributes {ttc.target = #target} {
// NONE-LABEL: ttc.trace @chain
// NONE-NOT:     #ttc.layout
// CHECK-LABEL: ttc.trace @chain
// HEIGHT:        %[[A:.*]] = ttc.dispatch @relu_0(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
// WIDTH:         %[[A:.*]] = ttc.dispatch @relu_0(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32, #ttc.layout<l1, width_sharded, grid = [1, 4]>>
// BLOCK:         %[[A:.*]] = ttc.dispatch @relu_0(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32, #ttc.layout<l1, block_sharded, grid = [2, 2]>>
// CHECK-NEXT:    %[[B:.*]] = ttc.dispatch @add_{{[0-9]}}(%[[A]], %arg1)
// CHECK-NEXT:    %[[C:.*]] = ttc.dispatch @relu_{{[0-9]}}(%[[B]]) : {{.*}} -> tensor<8x16xf32>{{$}}
// CHECK-NEXT:    ttc.yield %[[C]]
ttc.trace @chain(%x: tensor<8x16xf32>, %v: tensor<16xf32>) -> tensor<8x16xf32> {
  %a = ttc.dispatch @relu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %b = ttc.dispatch @add(%a, %v) : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %c = ttc.dispatch @relu(%b) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.yield %c : tensor<8x16xf32>
}
// The programs without shards are gone.
// CHECK-NOT:   ttc.program private @relu(
// HEIGHT:      ttc.program private @relu_0(%{{.*}}: tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>})
// HEIGHT-SAME:   -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>}) attributes {shards = array<i64: 4>}
// HEIGHT-NEXT:   ttc.relu %{{.*}} : (tensor<2x16xf32>) -> tensor<2x16xf32>
// HEIGHT:      ttc.program private @add_{{[0-9]}}(%{{.*}}: tensor<2x16xf32> {{.*}}, %{{.*}}: tensor<16xf32>)
// A slice of columns lies in rows.
// WIDTH:       ttc.program private @relu_0(%{{.*}}: tensor<8x4xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [-1, 0]>, ttc.strided = #ttc.strided<row = 4, pitch = 16, alignment = 16>})
// WIDTH:       ttc.program private @add_{{[0-9]}}(%{{.*}}: tensor<8x4xf32> {{.*}}, %{{.*}}: tensor<4xf32> {ttc.shard = #ttc.shard<tensor<16xf32>, partition = [0]>})
// BLOCK:       ttc.program private @relu_0(%{{.*}}: tensor<4x8xf32> {{.*}}partition = [0, 1]>}) {{.*}}attributes {shards = array<i64: 2, 2>}
// BLOCK:       ttc.program private @add_{{[0-9]}}(%{{.*}}: tensor<4x8xf32> {{.*}}, %{{.*}}: tensor<8xf32> {ttc.shard = #ttc.shard<tensor<16xf32>, partition = [1]>})
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
ttc.program private @add(%a: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %c = ttc.constant dense<2.0> : tensor<8x16xf32>
  %0 = ttc.add %a, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %1 = ttc.mul %0, %c : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %1 : tensor<8x16xf32>
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// Softmax needs whole rows: where the width is partitioned it is not sharded, and its neighbours have no
// op to share a core with.
module @rows attributes {ttc.target = #target} {
// NONE-LABEL: ttc.trace @rows
// CHECK-LABEL: ttc.trace @rows
// HEIGHT:        ttc.dispatch @relu_0(%arg0) : {{.*}} -> tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
// HEIGHT-NEXT:   ttc.dispatch @softmax_{{[0-9]}}({{.*}}) : (tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>) -> tensor<8x16xf32>
// WIDTH:         ttc.dispatch @relu(%arg0)
// WIDTH-NEXT:    ttc.dispatch @softmax(
// BLOCK:         ttc.dispatch @relu(%arg0)
// BLOCK-NEXT:    ttc.dispatch @softmax(
ttc.trace @rows(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %a = ttc.dispatch @relu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %b = ttc.dispatch @softmax(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.yield %b : tensor<8x16xf32>
}
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
ttc.program private @softmax(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.softmax %a {axis = 1} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// Where a program takes no shards (a sum over all rows), what has them is joined. A reshape of whole
// rows lies where they lie.
module @joined attributes {ttc.target = #target} {
// NONE-LABEL: ttc.trace @joined
// CHECK-LABEL: ttc.trace @joined
// HEIGHT:        %[[A:.*]] = ttc.dispatch @relu_0(%arg0)
// HEIGHT-NEXT:   %[[V:.*]] = ttc.reshape %[[A]] : {{.*}} -> tensor<4x32xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
// HEIGHT-NEXT:   %[[B:.*]] = ttc.dispatch @exp_{{[0-9]}}(%[[V]])
// HEIGHT-NEXT:   %[[M:.*]] = ttc.to_memory %[[A]] by @to_whole_8x16 : tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>> to tensor<8x16xf32>
// HEIGHT-NEXT:   %[[C:.*]] = ttc.dispatch @sum(%[[M]])
// HEIGHT-NEXT:   ttc.yield %[[B]], %[[C]]
ttc.trace @joined(%x: tensor<8x16xf32>) -> (tensor<4x32xf32>, tensor<1x16xf32>) {
  %a = ttc.dispatch @relu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v = ttc.reshape %a : (tensor<8x16xf32>) -> tensor<4x32xf32>
  %b = ttc.dispatch @exp(%v) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %c = ttc.dispatch @sum(%a) : (tensor<8x16xf32>) -> tensor<1x16xf32>
  ttc.yield %b, %c : tensor<4x32xf32>, tensor<1x16xf32>
}
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
ttc.program private @exp(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %0 = ttc.exp %a : (tensor<4x32xf32>) -> tensor<4x32xf32>
  ttc.return %0 : tensor<4x32xf32>
}
ttc.program private @sum(%a: tensor<8x16xf32>) -> tensor<1x16xf32> {
  %0 = ttc.reduce_sum %a {axes = [0], keepdims} : (tensor<8x16xf32>) -> tensor<1x16xf32>
  ttc.return %0 : tensor<1x16xf32>
}
// HEIGHT:      ttc.program private @to_whole_8x16(%{{.*}}: tensor<2x16xf32> {{.*}}height_sharded{{.*}}) -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>}) attributes {shards = array<i64: 4>}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// A product: rows of A make rows of the result; columns come from whole panels of packed weights, of
// 8 here; every workgroup reads all of A then.
module @product attributes {ttc.target = #target} {
// NONE-LABEL: ttc.trace @product
// CHECK-LABEL: ttc.trace @product
// CHECK:         %[[A:.*]] = ttc.dispatch @gemm_0(%arg0, %arg1)
// CHECK-NEXT:    ttc.dispatch @relu_{{[0-9]}}(%[[A]])
ttc.trace @product(%x: tensor<8x4xf32>, %w: tensor<1x4x4x8xf32>) -> tensor<8x32xf32> {
  %a = ttc.dispatch @gemm(%x, %w) : (tensor<8x4xf32>, tensor<1x4x4x8xf32>) -> tensor<8x32xf32>
  %b = ttc.dispatch @relu(%a) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  ttc.yield %b : tensor<8x32xf32>
}
// HEIGHT:      ttc.program private @gemm_0(%{{.*}}: tensor<2x4xf32> {{{.*}}partition = [0, -1]>}, %{{.*}}: tensor<1x4x4x8xf32>) -> (tensor<2x32xf32>
// WIDTH:       ttc.program private @gemm_0(%{{.*}}: tensor<8x4xf32>, %{{.*}}: tensor<1x1x4x8xf32> {{{.*}}partition = [-1, 0, -1, -1]>}) -> (tensor<8x8xf32>
// BLOCK:       ttc.program private @gemm_0(%{{.*}}: tensor<4x4xf32> {{{.*}}partition = [0, -1]>}, %{{.*}}: tensor<1x2x4x8xf32> {{{.*}}partition = [-1, 1, -1, -1]>}) -> (tensor<4x16xf32>
ttc.program private @gemm(%a: tensor<8x4xf32>, %b: tensor<1x4x4x8xf32>) -> tensor<8x32xf32> {
  %0 = ttc.kernel.gemm %a, %b {packed, tile = array<i64: 6, 8>} : (tensor<8x4xf32>, tensor<1x4x4x8xf32>) -> tensor<8x32xf32>
  ttc.return %0 : tensor<8x32xf32>
}
ttc.program private @relu(%a: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = ttc.relu %a : (tensor<8x32xf32>) -> tensor<8x32xf32>
  ttc.return %0 : tensor<8x32xf32>
}
}
