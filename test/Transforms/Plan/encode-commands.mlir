// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-encode-commands | FileCheck %s

// Lifetimes count barriers and the end.
// CHECK: ttc.buffer activation @a : tensor<16xf32> live [1, 5)
// CHECK: ttc.buffer activation @d : tensor<16xf32> live [4, 7)
// CHECK: ttc.buffer activation @c : tensor<16xf32> live [6, 8)

// A barrier stands where a command touches bytes of an earlier one and one of them writes: also
// where they only share bytes (@c lies where @a lay). Commands of one workgroup need none among
// each other.
// CHECK-LABEL: ttc.trace @t0() {
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@x) into (@a)
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@x) into (@b)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @two(@a, @b) into (@d)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @narrow(@d) into (@c)
// CHECK-NEXT:    ttc.cmd.dispatch @narrow(@c) into (@y)
// CHECK-NEXT:    ttc.cmd.end
// CHECK-NEXT:  }
ttc.program @wide(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.program @two(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.program @narrow(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
ttc.buffer activation @a : tensor<16xf32> live [1, 4) in dram at 0x80 size 64
ttc.buffer activation @b : tensor<16xf32> live [2, 4) in dram at 0xc0 size 64
ttc.buffer activation @d : tensor<16xf32> live [3, 5) in dram at 0x100 size 64
ttc.buffer activation @c : tensor<16xf32> live [4, 6) in dram at 0x80 size 64
ttc.trace @t0(%x: tensor<16xf32> {ttc.buffer = @x}) -> (tensor<16xf32> {ttc.buffer = @y}) {
  %a = ttc.dispatch @wide(%x) {ttc.buffer = [@a]} : (tensor<16xf32>) -> tensor<16xf32>
  %b = ttc.dispatch @wide(%x) {ttc.buffer = [@b]} : (tensor<16xf32>) -> tensor<16xf32>
  %d = ttc.dispatch @two(%a, %b) {ttc.buffer = [@d]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %c = ttc.dispatch @narrow(%d) {ttc.buffer = [@c]} : (tensor<16xf32>) -> tensor<16xf32>
  %y = ttc.dispatch @narrow(%c) {ttc.buffer = [@y]} : (tensor<16xf32>) -> tensor<16xf32>
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
