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
