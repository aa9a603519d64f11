// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-encode-commands --split-input-file --verify-diagnostics | FileCheck %s

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
#height = #ttc.layout<l1, height_sharded, grid = [4, 1]>

// Commands of equal grids, each workgroup on the shard of its core, need no barrier, also where a shard
// takes the bytes of another one. A command of another grid does, and one that reads all shards.
module attributes {ttc.target = #target} {
// CHECK-LABEL: ttc.trace @t0() {
// CHECK-NEXT:    ttc.cmd.dispatch @cut(@x) into (@a)
// CHECK-NEXT:    ttc.cmd.dispatch @own(@a) into (@b)
// CHECK-NEXT:    ttc.cmd.dispatch @own(@b) into (@c)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @finer(@c) into (@d)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @own(@d) into (@e)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @all(@e) into (@y)
// CHECK-NEXT:    ttc.cmd.end
ttc.program @cut(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>})
    -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.program @own(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, -1]>})
    -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.program @finer(tensor<2x8xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, 1]>})
    -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, 1]>})
    attributes {shards = array<i64: 4, 2>, grid = 8 : i64, scratch_bytes = 0 : i64}
ttc.program @all(tensor<8x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [-1, -1]>})
    -> tensor<8x16xf32> attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<8x16xf32> in dram at 0x0 size 512
ttc.buffer slot @y : tensor<8x16xf32> in dram at 0x200 size 512
ttc.buffer activation @a : tensor<8x16xf32> live [1, 3) in l1 at 0x100 size 128 shards 4
ttc.buffer activation @b : tensor<8x16xf32> live [2, 4) in l1 at 0x180 size 128 shards 4
ttc.buffer activation @c : tensor<8x16xf32> live [3, 5) in l1 at 0x100 size 128 shards 4
ttc.buffer activation @d : tensor<8x16xf32> live [4, 6) in l1 at 0x180 size 128 shards 4
ttc.buffer activation @e : tensor<8x16xf32> live [5, 7) in l1 at 0x200 size 128 shards 4
ttc.trace @t0(%x: tensor<8x16xf32> {ttc.buffer = @x}) -> (tensor<8x16xf32> {ttc.buffer = @y}) {
  %a = ttc.dispatch @cut(%x) {ttc.buffer = [@a]} : (tensor<8x16xf32>) -> tensor<8x16xf32, #height>
  %b = ttc.dispatch @own(%a) {ttc.buffer = [@b]} : (tensor<8x16xf32, #height>) -> tensor<8x16xf32, #height>
  %c = ttc.dispatch @own(%b) {ttc.buffer = [@c]} : (tensor<8x16xf32, #height>) -> tensor<8x16xf32, #height>
  %d = ttc.dispatch @finer(%c) {ttc.buffer = [@d]} : (tensor<8x16xf32, #height>) -> tensor<8x16xf32, #height>
  %e = ttc.dispatch @own(%d) {ttc.buffer = [@e]} : (tensor<8x16xf32, #height>) -> tensor<8x16xf32, #height>
  %y = ttc.dispatch @all(%e) {ttc.buffer = [@y]} : (tensor<8x16xf32, #height>) -> tensor<8x16xf32>
  ttc.yield %y : tensor<8x16xf32>
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<8x16xf32>
  ttc.output "y" at @y : tensor<8x16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t0 on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>
#height = #ttc.layout<l1, height_sharded, grid = [4, 1]>

// A program that was not made for shards.
module attributes {ttc.target = #target} {
ttc.program @f(tensor<8x16xf32>) -> tensor<8x16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<8x16xf32> in dram at 0x0 size 512
ttc.buffer slot @y : tensor<8x16xf32> in dram at 0x200 size 512
ttc.buffer activation @a : tensor<8x16xf32> live [1, 3) in l1 at 0x100 size 128 shards 4
ttc.trace @t0(%x: tensor<8x16xf32> {ttc.buffer = @x}) -> (tensor<8x16xf32> {ttc.buffer = @y}) {
  // expected-error @+1 {{expected a result without shards, found #ttc.layout<l1, height_sharded, grid = [4, 1]>; --ttc-shard-tensors makes programs on shards}}
  %a = ttc.dispatch @f(%x) {ttc.buffer = [@a]} : (tensor<8x16xf32>) -> tensor<8x16xf32, #height>
  %y = ttc.dispatch @f(%a) {ttc.buffer = [@y]} : (tensor<8x16xf32, #height>) -> tensor<8x16xf32>
  ttc.yield %y : tensor<8x16xf32>
}
}
