// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-encode-commands --split-input-file --verify-diagnostics | FileCheck %s

// Parts of a buffer are named by the bytes from its begin. Those that lie between each other's rows
// need no barrier; who reads both does.
// CHECK-LABEL: ttc.trace @t0() {
// CHECK-NEXT:    ttc.cmd.dispatch @left(@x) into (@c)
// CHECK-NEXT:    ttc.cmd.dispatch @left(@x) into (@c + 16)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @whole(@c) into (@y)
// CHECK-NEXT:    ttc.cmd.end
ttc.program @left(tensor<4x4xf32>) -> (tensor<4x4xf32> {ttc.strided = #ttc.strided<row = 4, pitch = 8, alignment = 16>}) attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.program @whole(tensor<4x8xf32>) -> tensor<4x8xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<4x4xf32> in dram at 0x0 size 64
ttc.buffer slot @y : tensor<4x8xf32> in dram at 0x80 size 128
ttc.buffer activation @c : tensor<4x8xf32> live [1, 4) in dram at 0x100 size 128
ttc.trace @t0(%x: tensor<4x4xf32> {ttc.buffer = @x}) -> (tensor<4x8xf32> {ttc.buffer = @y}) {
  %a = ttc.dispatch @left(%x) {ttc.buffer = [@c]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = ttc.dispatch @left(%x) {ttc.buffer = [@c]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = ttc.concat %a, %b {axis = 1, ttc.buffer = [@c]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %y = ttc.dispatch @whole(%c) {ttc.buffer = [@y]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.yield %y : tensor<4x8xf32>
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<4x4xf32>
  ttc.output "y" at @y : tensor<4x8xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t0 on 0
    ttc.enqueue.read 0 from @y on 0
  }
}

// -----

// A program that was not compiled for the rows in which its operand lies.
ttc.program @f(tensor<4x4xf32>) -> tensor<4x4xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<4x8xf32> in dram at 0x0 size 128
ttc.buffer slot @y : tensor<4x4xf32> in dram at 0x80 size 64
ttc.trace @t0(%x: tensor<4x8xf32> {ttc.buffer = @x}) -> (tensor<4x4xf32> {ttc.buffer = @y}) {
  %a = ttc.slice %x {starts = [0, 4], sizes = [4, 4], steps = [1, 1]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{expected an operand in rows of 16 elements, 16 apart, found rows of 4, 8 apart}}
  %y = ttc.dispatch @f(%a) {ttc.buffer = [@y]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  ttc.yield %y : tensor<4x4xf32>
}
