// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the commands of a plan may share a buffer: in place, and in rows that lie between each other's.
// RUN: %variants %s | ttc-opt --ttc-verify-plan --split-input-file --verify-diagnostics

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1040 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 6) in dram at 0x1080 size 64
  ttc.trace @t0 region at dram 0xfff80 size 120 {
    ttc.cmd.dispatch @g(@x) into (@a)
    ttc.cmd.barrier
    // diagnostic here:
    ttc.cmd.dispatch @f(@a) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@a) into (@y)
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

// The program does not say that it may write over its operand.
// change: -> (tensor => -> tensor
// change: {ttc.in_place = array<i64: 0>}) =>
// expected-error {{expected a command to write nothing else that it accesses, found @a and @a to share bytes}}

// -----

// Two strips of one grid of rows need no barrier between them.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> (tensor<16xf32> {ttc.strided = #ttc.strided<row = 4, pitch = 8, alignment = 16>}) attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<16xf32> {ttc.strided = #ttc.strided<row = 4, pitch = 8, alignment = 16>}, tensor<16xf32> {ttc.strided = #ttc.strided<row = 4, pitch = 8, alignment = 16>}) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1040 size 64
  ttc.buffer activation @a : tensor<32xf32> live [1, 5) in dram at 0x1080 size 128
  ttc.trace @t0 region at dram 0xfff80 size 120 {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.dispatch @f(@x) into (@a + 16)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@a, @a + 16) into (@y)
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

// Strips that overlap do.
// change: (@a + 16 => (@a + 8
// expected-note at ttc.cmd.dispatch @f(@x) into (@a) {{the earlier command}}
// expected-error {{expected a barrier between this command, which writes @a at}}

// -----

// Bytes between the rows of a strip need no barrier, either: @c is read while @a is written around it.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @copy(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @f(tensor<64xf32>) -> (tensor<64xf32> {ttc.strided = #ttc.strided<row = 16, pitch = 32, alignment = 64>}) attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<64xf32> {ttc.strided = #ttc.strided<row = 16, pitch = 32, alignment = 64>}) -> tensor<64xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<64xf32> in dram at 0x1000 size 256
  ttc.buffer slot @z : tensor<16xf32> in dram at 0x1100 size 64
  ttc.buffer slot @y : tensor<64xf32> in dram at 0x1140 size 256
  ttc.buffer slot @w : tensor<16xf32> in dram at 0x1240 size 64
  ttc.buffer activation @c : tensor<16xf32> live [2, 5) in dram at 0x1340 size 64
  ttc.buffer activation @a : tensor<128xf32> live [5, 8) in dram at 0x1280 size 512
  ttc.trace @t0 region at dram 0xfff40 size 152 {
    ttc.cmd.dispatch @copy(@z) into (@c)
    ttc.cmd.barrier
    ttc.cmd.dispatch @copy(@c) into (@w)
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@a) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main {
    ttc.input "x" at @x : tensor<64xf32>
    ttc.input "z" at @z : tensor<16xf32>
    ttc.output "y" at @y : tensor<64xf32>
    ttc.output "w" at @w : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.write 1 to @z on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
      ttc.enqueue.read 1 from @w on 0
    }
  }
}

// The bytes are the first row's,
// change: in dram at 0x1340 => in dram at 0x1280
// expected-note at ttc.cmd.dispatch @copy(@c) into (@w) {{the earlier command}}
// expected-error at ttc.cmd.dispatch @f( {{expected a barrier between this command, which writes @a at}}

// or the last row's.
// change: in dram at 0x1340 => in dram at 0x1400
// expected-note at ttc.cmd.dispatch @copy(@c) into (@w) {{the earlier command}}
// expected-error at ttc.cmd.dispatch @f( {{expected a barrier between this command, which writes @a at}}
