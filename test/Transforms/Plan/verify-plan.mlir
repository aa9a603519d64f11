// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One good plan, then copies of it with one thing wrong each.
// RUN: %variants %s | ttc-opt --ttc-verify-plan --split-input-file --verify-diagnostics

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer constant @w : tensor<1xf32> = dense<1.0> : tensor<1xf32> in dram at 0x0 size 64
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1040 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 4) in dram at 0x1080 size 64
  ttc.buffer activation @b : tensor<16xf32> live [3, 6) in dram at 0x10c0 size 64
  ttc.trace @t0 region at dram 0xfff80 size 120 {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@b) into (@y)
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

// Two buffers that are alive at one time.
// change: at 0x10c0 => at 0x1080
// expected-note at ttc.buffer activation @a {{the other buffer}}
// expected-error {{expected buffers that are alive at one time to be apart, found @a ([0x1080, 0x10c0), alive in [1, 4)) and @b ([0x1080, 0x10c0), alive in [3, 6))}}

// An address without alignment.
// change: at 0x10c0 => at 0x10a0
// expected-error {{expected @b to take some bytes at multiples of 64, found [0x10a0, 0x10e0)}}

// A buffer in the pages of the trace region.
// change: at 0x10c0 => at 0xff040
// expected-error {{expected @b to end below the pages of the trace region at 0xff000}}

// A slot in the pages of the constants.
// change: at 0x1040 => at 0x40
// expected-error {{expected @y to be above the pages of the constants, which end at 0x1000}}

// A lifetime that ends too early.
// change: live [3, 6) => live [3, 5)
// expected-error at ttc.cmd.dispatch @f(@b) {{expected @b to be alive at point 5 of the timeline}}

// A lifetime that begins too late.
// change: live [1, 4) => live [2, 4)
// expected-error at ttc.cmd.dispatch @f(@x) {{expected @a to be alive at point 1 of the timeline}}

// A read of what nothing has written.
// change: @x) into => @y) into
// expected-error {{expected @y to be written before it is read}}

// A command that writes what it reads.
// change: into (@b => into (@a
// expected-error {{expected a command to write nothing else that it accesses}}

// A stream that leaves a gap.
// change: dram 0xfff80 => dram 0xfff40
// expected-error {{expected the stream to end at 0x100000, found 0xfffc0}}

// -----

// A missing barrier.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer constant @w : tensor<1xf32> = dense<1.0> : tensor<1xf32> in dram at 0x0 size 64
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x1040 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 3) in dram at 0x1080 size 64
  ttc.buffer activation @b : tensor<16xf32> live [2, 5) in dram at 0x10c0 size 64
  ttc.trace @t0 region at dram 0xfff80 size 112 {
    // expected-note@+1 {{the earlier command}}
    ttc.cmd.dispatch @f(@x) into (@a)
    // expected-error@+1 {{expected a barrier between this command, which reads @a at [0x1080, 0x10c0), and an earlier one, which writes @a}}
    ttc.cmd.dispatch @f(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@b) into (@y)
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

// A missing barrier in a trace that only another schedule executes.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 4) in dram at 0x80 size 64
  ttc.trace @t0 region at dram 0xfff00 size 80 {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a) into (@y)
    ttc.cmd.end
  }
  ttc.trace @t1 region at dram 0xfff80 size 72 {
    // expected-note@+1 {{the earlier command}}
    ttc.cmd.dispatch @f(@x) into (@a)
    // expected-error@+1 {{expected a barrier between this command, which reads @a at [0x80, 0xc0), and an earlier one, which writes @a}}
    ttc.cmd.dispatch @f(@a) into (@y)
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
    ttc.schedule "other" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t1 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}
