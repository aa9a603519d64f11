// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Core 0 executes a loop of commands of one workgroup as if it were one command; where others begin, and at
// their end, all cores wait for each other.
// RUN: ttc-opt %s --ttc-encode-commands | FileCheck %s

ttc.program @wide(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.program @narrow(tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
// The value from before the loop is needed up to its end, the home up to what reads it.
// CHECK: ttc.buffer activation @a : tensor<16xf32> live [1, 8)
// CHECK: ttc.buffer activation @b : tensor<16xf32> live [2, 10)
// CHECK: ttc.buffer activation @c : tensor<16xf32> live [5, 7)
ttc.buffer activation @a : tensor<16xf32> live [1, 6) in dram at 0x80 size 64
ttc.buffer activation @b : tensor<16xf32> live [2, 7) in dram at 0xc0 size 64
ttc.buffer activation @c : tensor<16xf32> live [4, 6) in dram at 0x100 size 64

// CHECK-LABEL: ttc.trace @t0() {
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@x) into (@a)
// CHECK-NEXT:    ttc.cmd.copy @x to @b bytes 64
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.repeat carried (@b) bytes [64] times 9
// CHECK-NEXT:    ttc.cmd.dispatch @narrow(@a) into (@c)
// CHECK-NEXT:    ttc.cmd.dispatch @narrow(@c) into (@b)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@b) into (@y)
// CHECK-NEXT:    ttc.cmd.end
// CHECK-NEXT:  }
ttc.trace @t0(%x: tensor<16xf32> {ttc.buffer = @x}) -> (tensor<16xf32> {ttc.buffer = @y}) {
  %a = ttc.dispatch @wide(%x) {ttc.buffer = [@a]} : (tensor<16xf32>) -> tensor<16xf32>
  %i = ttc.copy %x {ttc.buffer = [@b]} : tensor<16xf32>
  %v = ttc.loop_begin %i times 9 {ttc.buffer = [@b]} : tensor<16xf32>
  %c = ttc.dispatch @narrow(%a) {ttc.buffer = [@c]} : (tensor<16xf32>) -> tensor<16xf32>
  %n = ttc.dispatch @narrow(%c) {ttc.buffer = [@b]} : (tensor<16xf32>) -> tensor<16xf32>
  %e = ttc.loop_end %n {ttc.buffer = [@b]} : tensor<16xf32>
  %y = ttc.dispatch @wide(%e) {ttc.buffer = [@y]} : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %y : tensor<16xf32>
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

// Barriers in the loop, where its commands need them, and none around it. The inner loop is of one workgroup.
// CHECK-LABEL: ttc.trace @t1() {
// CHECK-NEXT:    ttc.cmd.fill @go with 72340172838076673 bytes 1
// CHECK-NEXT:    ttc.cmd.copy @x to @d bytes 64
// CHECK-NEXT:    ttc.cmd.repeat carried (@go, @d) bytes [1, 64] while @go at_most 7 fails_at_limit
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@d) into (@f)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.copy @f to @d bytes 64
// CHECK-NEXT:    ttc.cmd.repeat carried (@d) bytes [64] times 3
// CHECK-NEXT:    ttc.cmd.dispatch @narrow(@d) into (@d)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@d) into (@y)
// CHECK-NEXT:    ttc.cmd.end
ttc.buffer slot @go : tensor<i1> in dram at 0x140 size 64
ttc.buffer slot @d : tensor<16xf32> in dram at 0x180 size 64
ttc.buffer slot @f : tensor<16xf32> in dram at 0x1c0 size 64
ttc.trace @t1(%x: tensor<16xf32> {ttc.buffer = @x}) -> (tensor<16xf32> {ttc.buffer = @y}) {
  %go = ttc.fill with 72340172838076673 {ttc.buffer = [@go]} : tensor<i1>
  %i = ttc.copy %x {ttc.buffer = [@d]} : tensor<16xf32>
  %v:2 = ttc.loop_begin %go, %i while at_most 7 fails_at_limit {ttc.buffer = [@go, @d]} : tensor<i1>, tensor<16xf32>
  %f = ttc.dispatch @wide(%v#1) {ttc.buffer = [@f]} : (tensor<16xf32>) -> tensor<16xf32>
  %c = ttc.copy %f {ttc.buffer = [@d]} : tensor<16xf32>
  %w = ttc.loop_begin %c times 3 {ttc.buffer = [@d]} : tensor<16xf32>
  %n = ttc.dispatch @narrow(%w) {ttc.buffer = [@d]} : (tensor<16xf32>) -> tensor<16xf32>
  %g = ttc.loop_end %n {ttc.buffer = [@d]} : tensor<16xf32>
  %e:2 = ttc.loop_end %v#0, %g {ttc.buffer = [@go, @d]} : tensor<i1>, tensor<16xf32>
  %y = ttc.dispatch @wide(%e#1) {ttc.buffer = [@y]} : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %y : tensor<16xf32>
}

// A check is a loop that begins if its flag is set, and would not end.
// CHECK-LABEL: ttc.trace @t2() {
// CHECK-NEXT:    ttc.cmd.copy @flag to @seen bytes 1
// CHECK-NEXT:    ttc.cmd.repeat carried (@seen) bytes [1] while @seen at_most 1 fails_at_limit
// CHECK-NEXT:    ttc.cmd.copy @flag to @seen bytes 1
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.end
ttc.buffer slot @flag : tensor<i1> in dram at 0x200 size 64
ttc.buffer activation @seen : tensor<i1> live [18, 19) in dram at 0x240 size 64
ttc.trace @t2(%flag: tensor<i1> {ttc.buffer = @flag}) {
  %0 = ttc.fail_if %flag {ttc.buffer = [@seen]} : tensor<i1>
  ttc.yield
}
ttc.entry @check {
  ttc.input "flag" at @flag : tensor<i1>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @flag on 0
    ttc.enqueue.execute @t2 on 0
  }
}
