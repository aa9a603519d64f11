// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans with loops: a good one, then copies of it with one thing wrong each.
// RUN: %variants %s | ttc-opt --ttc-verify-plan --split-input-file --verify-diagnostics

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1040 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 11) in dram at 0x1080 size 64
  ttc.buffer activation @h : tensor<16xf32> live [2, 13) in dram at 0x10c0 size 64
  ttc.buffer activation @b : tensor<16xf32> live [5, 10) in dram at 0x1100 size 64
  ttc.trace @t0 region at dram 0xffec0 size 312 {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.copy @x to @h bytes 64
    ttc.cmd.repeat carried (@h) bytes [64] times 9
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@h, @a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.fill @h with 0 bytes 64
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@b) into (@h)
    ttc.cmd.end_repeat
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@h) into (@y)
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

// What iterations need from before the loop ends in it.
// change: live [1, 11) => live [1, 10)
// expected-error at ttc.cmd.dispatch @g {{expected @a, which is alive when the loop begins, to be alive at its end, at point 10 of the timeline, found it [0x1080, 0x10c0), alive in [1, 10)}}

// What the loop hands on ends with it.
// change: live [2, 13) => live [2, 11)
// expected-error at ttc.cmd.dispatch @f(@h) {{expected @h to be alive at point 12 of the timeline}}

// What an iteration has left is read after the loop.
// change: @f(@h) into (@y) => @f(@b) into (@y)
// change: live [5, 10) => live [5, 13)
// expected-error at ttc.cmd.dispatch @f(@b) into (@y) {{expected @b to be written before it is read, found no write}}

// A carried buffer has no value when the loop begins.
// change: ttc.cmd.copy @x to @h => ttc.cmd.copy @x to @y
// expected-error at ttc.cmd.repeat {{expected @h to be written before it is read, found no write}}

// A state is accessed in a loop.
// change: activation @a : tensor<16xf32> live [1, 11) => state @a : tensor<16xf32>
// expected-error at ttc.cmd.dispatch @g {{expected no access to a state in a loop, found one to @a}}
