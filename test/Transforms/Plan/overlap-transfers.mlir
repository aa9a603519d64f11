// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events follow the last command that touches a byte of an input's slot and precede the
// first that touches one of an output's: around steps of their own, or inside a copy of the trace.
// RUN: ttc-opt %s --split-input-file --ttc-overlap-transfers --verify-diagnostics | FileCheck %s

// CHECK-LABEL: module @forms
// CHECK: ttc.trace @t0() {
// CHECK-NOT: ttc.cmd.signal

// Neither head nor tail; and without the head only. No part begins or ends with a barrier.
// CHECK: ttc.trace @t0_part() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@b)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.dispatch @f(@b) into (@a + 64)
// CHECK-NEXT: ttc.cmd.end
// CHECK: ttc.trace @t0_part_0() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@b)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.dispatch @f(@b) into (@a + 64)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.dispatch @f(@a + 64) into (@y)
// CHECK-NEXT: ttc.cmd.end

// The signal is a barrier, too.
// CHECK: ttc.trace @t0_signals() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@x) into (@a)
// CHECK-NEXT: ttc.cmd.signal @main_consumed
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@b)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.dispatch @f(@b) into (@a + 64)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.wait @main_drained
// CHECK-NEXT: ttc.cmd.dispatch @f(@a + 64) into (@y)
// CHECK-NEXT: ttc.cmd.end

// CHECK: ttc.entry @main {
// CHECK: ttc.schedule "single" queues 1 body {
// CHECK: ttc.enqueue.execute @t0 on 0
// CHECK: ttc.schedule "single-untraced" queues 1 body {
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a) into (@b) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@b) into (@a + 64) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a + 64) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT: }
// CHECK-NEXT: ttc.schedule "overlap-io" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part on 0
// CHECK-NEXT: ttc.enqueue.wait @main_drained on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a + 64) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK-NEXT: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_computed on 1
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part on 0
// CHECK-NEXT: ttc.enqueue.wait @main_drained on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a + 64) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK-NEXT: } epilogue {
// CHECK-NEXT: ttc.enqueue.wait @main_computed on 1
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: }
// CHECK-NEXT: ttc.schedule "overlap-input" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part_0 on 0
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT: }
// CHECK-NEXT: ttc.schedule "overlap-io-untraced" queues 2 prologue {
// CHECK: } body {
// CHECK: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a) into (@b) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@b) into (@a + 64) on 0
// CHECK-NEXT: ttc.enqueue.wait @main_drained on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a + 64) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK: ttc.schedule "overlap-input-untraced" queues 2 prologue {
// CHECK: ttc.enqueue.dispatch @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a) into (@b) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@b) into (@a + 64) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a + 64) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 0
// CHECK: ttc.schedule "overlap-io-signals" queues 2 prologue {
// CHECK: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_computed on 1
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_signals on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK-NEXT: } epilogue {
module @forms attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  ttc.buffer activation @a : tensor<32xf32> live [1, 8) in dram at 0x80 size 128
  ttc.buffer activation @b : tensor<16xf32> live [3, 6) in dram at 0x100 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@b) into (@a + 64)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a + 64) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main attributes {wanted_schedules = ["single-untraced", "overlap-io", "overlap-input", "overlap-io-untraced", "overlap-input-untraced", "overlap-io-signals"]} {
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

// A ring of slots: the body is a turn of it, each slot has events of its own, parts that touch no
// slot are the same.
// CHECK-LABEL: module @ring
// CHECK: ttc.trace @t0_part() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@b)
// CHECK-NEXT: ttc.cmd.end
// CHECK-NOT: ttc.trace @t0_part
// CHECK: ttc.trace @t0_signals() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@x) into (@a)
// CHECK-NEXT: ttc.cmd.signal @main_consumed
// CHECK: ttc.trace @t0_signals_slot1() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@x_slot1) into (@a)
// CHECK-NEXT: ttc.cmd.signal @main_consumed_slot1
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@b)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.wait @main_drained_slot1
// CHECK-NEXT: ttc.cmd.dispatch @f(@b) into (@y_slot1)
// CHECK-NEXT: ttc.cmd.end
// CHECK-NOT: ttc.trace
// CHECK: ttc.schedule "overlap-io" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained_slot1 on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK: ttc.enqueue.dispatch @f(@b) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK-NEXT: ttc.enqueue.write 0 to @x_slot1 on 1
// CHECK: ttc.enqueue.dispatch @f(@b) into (@y_slot1) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed_slot1 on 0
// CHECK-NEXT: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK: ttc.enqueue.read 0 from @y on 1
// CHECK: ttc.enqueue.execute @t0_part on 0
// CHECK: ttc.enqueue.wait @main_consumed_slot1 on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x_slot1 on 1
// CHECK-NEXT: ttc.enqueue.record @main_written_slot1 on 1
// CHECK-NEXT: ttc.enqueue.wait @main_computed_slot1 on 1
// CHECK-NEXT: ttc.enqueue.read 0 from @y_slot1 on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained_slot1 on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written_slot1 on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@x_slot1) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed_slot1 on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part on 0
// CHECK-NEXT: ttc.enqueue.wait @main_drained_slot1 on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@b) into (@y_slot1) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed_slot1 on 0
// CHECK-NEXT: } epilogue {
// CHECK: ttc.enqueue.read 0 from @y on 1
// CHECK: ttc.enqueue.read 0 from @y_slot1 on 1
// One queue needs no ring.
// CHECK: ttc.schedule "single-untraced" queues 1 body {
// CHECK-NOT: slot1
// CHECK: ttc.schedule "overlap-io-signals"
// CHECK: ttc.enqueue.execute @t0_signals on 0
// CHECK: ttc.enqueue.execute @t0_signals_slot1 on 0
module @ring attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  ttc.buffer slot @x_slot1 : tensor<16xf32> in dram at 0x80 size 64
  ttc.buffer slot @y_slot1 : tensor<16xf32> in dram at 0xc0 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 4) in dram at 0x100 size 64
  ttc.buffer activation @b : tensor<16xf32> live [3, 6) in dram at 0x140 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@b) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main attributes {wanted_schedules = ["overlap-io", "single-untraced", "overlap-io-signals"]} {
    ttc.input "x" at @x ring [@x_slot1] : tensor<16xf32>
    ttc.output "y" at @y ring [@y_slot1] : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// -----

// The host reads the input before the trace and writes the output after it.
// CHECK-LABEL: module @hosted
// CHECK-NOT: ttc.trace @t0_
// CHECK: ttc.schedule "overlap-io-signals" queues 2 prologue {
// CHECK: } body {
// CHECK: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.host @f(@x) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.execute @t0 on 0
// CHECK-NEXT: ttc.enqueue.wait @main_drained on 0
// CHECK-NEXT: ttc.enqueue.host @f(@b) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
module @hosted attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer host @x : tensor<16xf32> in host at 0x0 size 64
  ttc.buffer host @y : tensor<16xf32> in host at 0x40 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 4) in dram at 0x80 size 64
  ttc.buffer activation @b : tensor<16xf32> live [1, 4) in dram at 0xc0 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@a) into (@b)
    ttc.cmd.end
  }
  ttc.entry @main attributes {wanted_schedules = ["overlap-io-signals"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @y : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.host @f(@x) into (@a) on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.host @f(@b) into (@y) on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// -----

// Bytes count, not names: another buffer lies where the input's slot was, and a program's scratch
// where the output's will be.
// CHECK-LABEL: module @shared_bytes
// CHECK: ttc.trace @t0_signals() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@x) into (@a)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.wait @main_drained
// CHECK-NEXT: ttc.cmd.dispatch @g(@a) into (@over_x)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.dispatch @f(@over_x) into (@a)
// CHECK-NEXT: ttc.cmd.signal @main_consumed
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@y)
// CHECK-NEXT: ttc.cmd.end
module @shared_bytes attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 65 : i64}
  ttc.buffer slot @x : tensor<16xf32> live [0, 2) in l1 at 0x80 size 64
  ttc.buffer slot @y : tensor<16xf32> live [7, 9) in l1 at 0x40 size 64
  ttc.buffer activation @over_x : tensor<16xf32> live [3, 6) in l1 at 0xa0 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 8) in dram at 0x80 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@a) into (@over_x)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@over_x) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main attributes {wanted_schedules = ["overlap-io-signals"]} {
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

// CHECK-LABEL: module @echo
// CHECK-NOT: queues 2 {{prologue|body}}
// CHECK: ttc.schedule "single-untraced"
module @echo attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  // expected-remark @+1 {{runs on one queue: @x is an input and an output, which cannot be written before the previous run has ended}}
  ttc.entry @main attributes {wanted_schedules = ["overlap-io", "overlap-input", "single-untraced"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @x : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.read 0 from @x on 0
    }
  }
}

// -----

module @state attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.buffer state @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  // expected-remark @+1 {{runs on one queue: @x is state, which cannot be written before the previous run has ended}}
  ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @y : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// -----

module @one_queue attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  // expected-error @+1 {{expected a target with two command queues for "overlap-io", found small with 1}}
  ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @x : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.read 0 from @x on 0
    }
  }
}

// -----

module @unknown attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  // expected-error @+1 {{expected the name of a schedule that can be made, found "overlap"}}
  ttc.entry @main attributes {wanted_schedules = ["overlap"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @x : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.read 0 from @x on 0
    }
  }
}

// -----

module @unplanned attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  // expected-error @+1 {{expected every buffer to have an address, found none for @x; --ttc-preallocate gives it one}}
  ttc.buffer slot @x : tensor<16xf32> in dram
  ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @x : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.read 0 from @x on 0
    }
  }
}

// -----

// Somebody has written events already: what they order is not known.
module @events attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.event @e
  ttc.trace @t0() {
    ttc.cmd.signal @e
    ttc.cmd.end
  }
  // expected-remark @+1 {{has its first schedule alone: expected one of one queue, with a body alone and without events, found an event in @t0}}
  ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @x : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @x on 0
    }
  }
}

// -----

// Each input is written ahead as soon as it is consumed, whatever their order: @late holds up nothing
// but itself, and what is never read is free at once.
// CHECK-LABEL: module @inputs
// CHECK: ttc.trace @t0_signals() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@early) into (@a)
// CHECK-NEXT: ttc.cmd.signal @main_consumed1
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@b)
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.wait @main_drained
// CHECK-NEXT: ttc.cmd.dispatch @g(@b, @late) into (@y)
// CHECK-NEXT: ttc.cmd.signal @main_consumed2
// CHECK-NEXT: ttc.cmd.end
// CHECK: ttc.schedule "overlap-input" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed1 on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed2 on 0
// CHECK-NEXT: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 2 to @unread on 1
// CHECK-NEXT: ttc.enqueue.wait @main_consumed1 on 1
// CHECK-NEXT: ttc.enqueue.write 1 to @early on 1
// CHECK-NEXT: ttc.enqueue.wait @main_consumed2 on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @late on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@early) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed1 on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part on 0
// CHECK-NEXT: ttc.enqueue.dispatch @g(@b, @late) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed2 on 0
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 0
// CHECK: ttc.schedule "overlap-io-signals" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: ttc.enqueue.write 2 to @unread on 1
// CHECK-NEXT: ttc.enqueue.write 1 to @early on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @late on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_signals on 0
module @inputs attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @late : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @early : tensor<16xf32> in dram at 0x40 size 64
  ttc.buffer slot @unread : tensor<16xf32> in dram at 0x80 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0xc0 size 64
  ttc.buffer activation @a : tensor<16xf32> live [3, 6) in dram at 0x100 size 64
  ttc.buffer activation @b : tensor<16xf32> live [5, 8) in dram at 0x140 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@early) into (@a)
    ttc.cmd.barrier
    ttc.cmd.dispatch @f(@a) into (@b)
    ttc.cmd.barrier
    ttc.cmd.dispatch @g(@b, @late) into (@y)
    ttc.cmd.end
  }
  ttc.entry @main attributes {wanted_schedules = ["overlap-input", "overlap-io-signals"]} {
    ttc.input "late" at @late : tensor<16xf32>
    ttc.input "early" at @early : tensor<16xf32>
    ttc.input "unread" at @unread : tensor<16xf32>
    ttc.output "y" at @y : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @late on 0
      ttc.enqueue.write 1 to @early on 0
      ttc.enqueue.write 2 to @unread on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}
