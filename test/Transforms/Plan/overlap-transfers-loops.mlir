// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop is never cut. What it reads is in use up to its end, and what it writes from its beginning on.
// RUN: ttc-opt %s --ttc-overlap-transfers | FileCheck %s

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {

// CHECK: ttc.trace @t0_part() {
// CHECK-NEXT: ttc.cmd.fill @y with 0 bytes 64
// CHECK-NEXT: ttc.cmd.end
// CHECK: ttc.trace @t0_part_0() {
// CHECK-NEXT: ttc.cmd.repeat carried (@y) bytes [64] times 9
// CHECK-NEXT: ttc.cmd.dispatch @two(@y, @x) into (@a)
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@y)
// CHECK-NEXT: ttc.cmd.end_repeat
// CHECK-NEXT: ttc.cmd.end
// CHECK: ttc.trace @t0_signals() {
// CHECK-NEXT: ttc.cmd.wait @main_drained
// CHECK-NEXT: ttc.cmd.fill @y
// CHECK-NEXT: ttc.cmd.repeat
// CHECK-NEXT: ttc.cmd.dispatch
// CHECK-NEXT: ttc.cmd.dispatch
// CHECK-NEXT: ttc.cmd.end_repeat
// CHECK-NEXT: ttc.cmd.signal @main_consumed
// CHECK-NEXT: ttc.cmd.dispatch @f(@y) into (@a)
// CHECK-NEXT: ttc.cmd.dispatch @f(@a) into (@y)
// CHECK-NEXT: ttc.cmd.end

// CHECK: ttc.schedule "single-untraced" queues 1 body {
// CHECK-NEXT: ttc.enqueue.write 0 to @x on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part_0 on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@y) into (@a) on 0
// CHECK-NEXT: ttc.enqueue.dispatch @f(@a) into (@y) on 0
// CHECK-NEXT: ttc.enqueue.read 0 from @y on 0
// CHECK: ttc.schedule "overlap-io" queues 2 prologue {
// CHECK: } body {
// CHECK:      ttc.enqueue.wait @main_written on 0
// CHECK-NEXT: ttc.enqueue.wait @main_drained on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part on 0
// CHECK-NEXT: ttc.enqueue.execute @t0_part_0 on 0
// CHECK-NEXT: ttc.enqueue.record @main_consumed on 0
// CHECK-NEXT: ttc.enqueue.execute @{{.*}} on 0
// CHECK-NEXT: ttc.enqueue.record @main_computed on 0

ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @two(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<16xf32> in dram at 0x1000 size 64
ttc.buffer slot @y : tensor<16xf32> in dram at 0x1040 size 64
ttc.buffer activation @a : tensor<16xf32> live [3, 8) in dram at 0x1080 size 64
ttc.trace @t0() {
  ttc.cmd.fill @y with 0 bytes 64
  ttc.cmd.repeat carried (@y) bytes [64] times 9
  ttc.cmd.dispatch @two(@y, @x) into (@a)
  ttc.cmd.dispatch @f(@a) into (@y)
  ttc.cmd.end_repeat
  ttc.cmd.dispatch @f(@y) into (@a)
  ttc.cmd.dispatch @f(@a) into (@y)
  ttc.cmd.end
}
ttc.entry @main attributes {wanted_schedules = ["single-untraced", "overlap-io", "overlap-io-signals"]} {
  ttc.input "x" at @x : tensor<16xf32>
  ttc.output "y" at @y : tensor<16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t0 on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
}
