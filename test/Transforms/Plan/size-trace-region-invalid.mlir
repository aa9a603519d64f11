// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-size-trace-region=trace-region-size=127 --verify-diagnostics --split-input-file

// expected-error@+1 {{expected a trace region of at least 128 bytes (32 on each of 4 banks), found trace-region-size=127}}
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 4, dram_bank_bytes = 262144,
    dram_alignment = 32, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  // expected-note@+1 {{the stream of @t0 takes 64 bytes}}
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@y)
    ttc.cmd.barrier
    ttc.cmd.end
  }
  // expected-note@+1 {{the stream of @t1 takes 64 bytes}}
  ttc.trace @t1() {
    ttc.cmd.fill @x with 0 bytes 64
    ttc.cmd.end
  }
}

// -----

// Schedules other than the default one have streams of their own.
// expected-error@+2 {{expected a trace region of at least 192 bytes, found trace-region-size=127}}
// expected-note@+1 {{with the default schedule only (--schedules) 64 bytes are enough}}
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 262144,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  // expected-note@+1 {{the stream of @t0 takes 64 bytes}}
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@y)
    ttc.cmd.end
  }
  // expected-note@+1 {{the stream of @t1 takes 128 bytes}}
  ttc.trace @t1() {
    ttc.cmd.dispatch @f(@x) into (@y)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@x) into (@y)
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
    ttc.schedule "twice" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t1 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// -----

// The buffers end where the pages of the streams begin, and one of them lies higher.
// expected-error@+1 {{needs 1044544 bytes of DRAM for buffers and 4096 for the trace region, but small has 1048576}}
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  // expected-note@+1 {{alive at the peak: @x, slot of 64 bytes}}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  // expected-note@+1 {{alive at the peak: @a, activation of 1044480 bytes}}
  ttc.buffer activation @a : tensor<261120xf32> live [1, 3) in dram at 0x40 size 1044480
  ttc.buffer activation @b : tensor<16xf32> live [3, 4) in dram at 0x40 size 64
  ttc.trace @t0() {
    ttc.cmd.fill @x with 0 bytes 64
    ttc.cmd.end
  }
}
