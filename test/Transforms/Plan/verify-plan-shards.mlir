// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A good plan with shards, then copies of it with one thing wrong each.
// RUN: %variants %s | ttc-opt --ttc-verify-plan --split-input-file --verify-diagnostics

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @cut(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>})
      -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
      attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @own(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
      -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
      attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @all(tensor<8x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [-1, -1]>})
      -> tensor<8x16xf32> attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<8x16xf32> in dram at 0x0 size 512
  ttc.buffer slot @y : tensor<8x16xf32> in dram at 0x200 size 512
  ttc.buffer activation @a : tensor<8x16xf32> live [1, 3) in l1 at 0x100 size 128 shards 4
  ttc.buffer activation @b : tensor<8x16xf32> live [2, 5) in l1 at 0x180 size 128 shards 4
  ttc.trace @t0 region at dram 0xfff80 size 112 {
    ttc.cmd.dispatch @cut(@x) into (@a)
    ttc.cmd.dispatch @own(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @all(@b) into (@y)
    ttc.cmd.end
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

// Who reads all shards waits for all cores.
// change: live [2, 5) => live [2, 4)
// change: size 112 => size 104
// change: ttc.cmd.barrier =>
// expected-note at ttc.cmd.dispatch @own( {{the earlier command}}
// expected-error at ttc.cmd.dispatch @all( {{expected a barrier between this command, which reads @b at [0x180, 0x200), and an earlier one, which writes @b at [0x180, 0x200)}}

// More shards than cores.
// change: 0x100 size 128 shards 4 => 0x100 size 128 shards 8
// expected-error {{expected @a to have a shard on each of up to 4 cores, found 8}}

// -----

// Scratch is the running core's, which need not be the one that the bytes' shard belongs to.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @cut(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>})
      -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
      attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @own(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
      -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
      attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 64 : i64}
  ttc.program @all(tensor<8x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [-1, -1]>})
      -> tensor<8x16xf32> attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<8x16xf32> in dram at 0x0 size 512
  ttc.buffer slot @y : tensor<8x16xf32> in dram at 0x200 size 512
  ttc.buffer activation @a : tensor<8x16xf32> live [1, 3) in l1 at 0x0 size 128 shards 4
  ttc.buffer activation @b : tensor<8x16xf32> live [2, 5) in l1 at 0x180 size 128 shards 4
  ttc.trace @t0 region at dram 0xfff80 size 112 {
    ttc.cmd.dispatch @cut(@x) into (@a)
    // expected-error@+1 {{expected the scratch of 64 bytes to be apart from buffers alive at point 2 of the timeline, found @a at [0x0, 0x80)}}
    ttc.cmd.dispatch @own(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @all(@b) into (@y)
    ttc.cmd.end
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
