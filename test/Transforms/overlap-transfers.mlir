// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of the traces signal behind the last access of an input and wait in front of the first of an
// output; host work between traces has its events around its step.
// RUN: ttc-opt %s --split-input-file --ttc-overlap-transfers --verify-diagnostics | FileCheck %s

// CHECK-LABEL: module @traced
// CHECK: ttc.trace @t0() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@x) into (@a)
// CHECK-NOT: ttc.cmd.signal
// CHECK: ttc.trace @t0_overlap() {
// CHECK-NEXT: ttc.cmd.dispatch @f(@x) into (@a)
// CHECK-NEXT: ttc.cmd.signal @main_consumed
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.wait @main_drained
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@y)
// CHECK-NEXT: ttc.cmd.end
// CHECK: ttc.schedule "single" queues 1 body {
// CHECK: ttc.enqueue.execute @t0 on 0
// CHECK: ttc.schedule "overlap-input" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.record @main_drained on 0
// CHECK-NEXT: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_overlap on 0
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT: ttc.enqueue.record @main_drained on 0
// CHECK-NEXT: }
// CHECK-NEXT: ttc.schedule "overlap-io" queues 2 prologue {
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_overlap on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK-NEXT: ttc.enqueue.wait @main_consumed on 1
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 1
// CHECK-NEXT: ttc.enqueue.record @main_written on 1
// CHECK-NEXT: ttc.enqueue.wait @main_computed on 1
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: } epilogue {
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_overlap on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0
// CHECK-NEXT: ttc.enqueue.wait @main_computed on 1
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 1
// CHECK-NEXT: ttc.enqueue.record @main_drained on 1
// CHECK-NEXT: }
module @traced attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  ttc.buffer activation @a : tensor<16xf32> live [1, 4) in dram at 0x80 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@a)
    ttc.cmd.barrier
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
  }
}

// -----

// The host reads the input in front of the trace and writes the output behind it.
// CHECK-LABEL: module @hosted
// CHECK-NOT: _overlap
// CHECK: ttc.schedule "overlap-io" queues 2 prologue {
// CHECK: } body {
// CHECK-NEXT: ttc.enqueue.wait @main_written on 0
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
  ttc.entry @main {
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

// CHECK-LABEL: module @echo
// CHECK-NOT: queues 2 {{prologue|body}}
module @echo attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  // expected-remark @+1 {{runs on one queue: @x is an input and an output, which cannot be written while the run before is not over}}
  ttc.entry @main {
    ttc.input "x" at @x : tensor<16xf32>
    ttc.output "y" at @x : tensor<16xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.read 0 from @x on 0
    }
  }
}

// -----

// expected-error @+1 {{expected a target with two command queues, found small with 1}}
module @one_queue attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
}
