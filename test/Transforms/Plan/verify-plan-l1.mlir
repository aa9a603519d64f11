// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One good plan with tensors in L1, then copies of it with one thing wrong each.
// RUN: %variants %s | ttc-opt --ttc-verify-plan --split-input-file --verify-diagnostics

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 64 : i64}
  ttc.program @g(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> live [0, 2) in l1 at 0x40 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 4) in l1 at 0x80 size 64
  ttc.buffer activation @b : tensor<16xf32> live [3, 6) in l1 at 0x0 size 64 shards 1
  ttc.trace @t0 region at dram 0xfff80 size 120 {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@b) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @y : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// Interleaved in the bytes of a shard.
// change: at 0x80 => at 0x0
// expected-note {{the other buffer}}
// expected-error at ttc.buffer activation @b {{expected buffers that are alive at one time to be apart, found @a ([0x0, 0x40), alive in [1, 4)) and @b ([0x0, 0x40), alive in [3, 6))}}

// Scratch over what is alive.
// change: at 0x40 => at 0x0
// expected-error at ttc.cmd.dispatch @f( {{expected the scratch of 64 bytes to be apart from buffers alive at point 1 of the timeline, found @x at [0x0, 0x40)}}

// Beyond the end of L1.
// change: at 0x80 => at 0x1000
// expected-error {{expected @a to end inside the L1 of 4096 bytes, found [0x1000, 0x1040)}}

// More shards than cores.
// change: shards 1 => shards 3
// expected-error {{expected @b to have a shard on each of up to 2 cores, found 3}}

// A target whose L1s are the cores' own.
// change: 1, interleaved_l1 = true => 1
// expected-error at ttc.buffer slot @x {{expected a target that interleaves over L1, where @x is stored, found one that does not}}

// A slot that is read when its lifetime is over.
// change: @a) into => @x) into
// expected-error {{expected @x to be alive at point 3 of the timeline, found it [0x40, 0x80), alive in [0, 2)}}

// -----

// Scratch of one command, and then a tensor in its bytes, with nothing between.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 64 : i64}
  ttc.program @g(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> live [0, 3) in l1 at 0x40 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 3) in l1 at 0x80 size 64
  ttc.buffer activation @b : tensor<16xf32> live [2, 5) in l1 at 0x0 size 64 shards 1
  ttc.trace @t0 region at dram 0xfff80 size 112 {
    // expected-note@+1 {{the earlier command}}
    ttc.cmd.dispatch @f(@x) into (@a)
    // expected-error@+1 {{expected a barrier between this command, which writes @b at [0x0, 0x40), and an earlier one, which writes scratch at [0x0, 0x40)}}
    ttc.cmd.dispatch @g(@x) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@b) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @y : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// -----

// The same by one workgroup each: core 0 does both, one after the other, and its scratch is its own.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 64 : i64}
  ttc.program @g(tensor<16xf32>) -> tensor<32xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
  ttc.program @h(tensor<32xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> live [0, 3) in l1 at 0x40 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 3) in l1 at 0x80 size 64
  ttc.buffer activation @b : tensor<32xf32> live [2, 4) in l1 at 0x0 size 64
  ttc.trace @t0 region at dram 0xfff80 size 104 {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.dispatch @g(@x) into (@b)
    ttc.cmd.dispatch @h(@b) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @y : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// Scratch of several workgroups, of which other cores have some; core 0's tensor is interleaved over them.
// change: 1 : i64, scratch_bytes = 64 => 4 : i64, scratch_bytes = 64
// expected-note at ttc.cmd.dispatch @f( {{the earlier command}}
// expected-error at ttc.cmd.dispatch @g( {{expected a barrier between this command, which writes @b at [0x0, 0x40), and an earlier one, which writes scratch at [0x0, 0x40)}}
