// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-bind-buffers | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: ttc-opt %s --ttc-bind-buffers --ttc-preallocate | FileCheck %s --check-prefixes=CHECK,PLANNED

// A result takes the buffer of an operand if its program may overwrite the operand and nothing reads
// it later. It does not if the operand is read later (%a by @g), is a slot (%x), or shares its buffer
// with another operand that must not be overwritten.
// BOUND-DAG: ttc.buffer activation @t_0 : tensor<16xf32> in dram
// BOUND-DAG: ttc.buffer activation @t_1 : tensor<16xf32> in dram
// PLANNED-DAG: ttc.buffer activation @t_0 : tensor<16xf32> live [1, 4)
// PLANNED-DAG: ttc.buffer activation @t_1 : tensor<16xf32> live [2, 5)
// CHECK-LABEL: ttc.trace @t
// CHECK:         ttc.dispatch @f(%arg0) {ttc.buffer = [@t_0]}
// CHECK-NEXT:    ttc.dispatch @f(%{{.*}}) {ttc.buffer = [@t_1]}
// CHECK-NEXT:    ttc.dispatch @g(%{{.*}}, %{{.*}}) {ttc.buffer = [@t_1]}
// CHECK-NEXT:    ttc.dispatch @g(%{{.*}}, %{{.*}}) {ttc.buffer = [@t_2]}
// CHECK-NEXT:    ttc.dispatch @f(%{{.*}}) {ttc.buffer = [@y]}
// Each of several results takes the buffer of its own operand. Two do not take one buffer.
// CHECK-LABEL: ttc.trace @several
// CHECK:         ttc.dispatch @f(%arg0) {ttc.buffer = [@several_0]}
// CHECK-NEXT:    ttc.dispatch @f(%arg0) {ttc.buffer = [@several_1]}
// CHECK-NEXT:    ttc.dispatch @several_of(%{{.*}}, %{{.*}}) {ttc.buffer = [@several_0, @several_2, @several_1]}
// CHECK-NEXT:    ttc.dispatch @g(%{{.*}}, %{{.*}}) {ttc.buffer = [@several_2]}
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 1>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @several_of(tensor<16xf32>, tensor<16xf32>)
    -> (tensor<16xf32> {ttc.in_place = array<i64: 0>}, tensor<16xf32> {ttc.in_place = array<i64: 0>},
        tensor<16xf32> {ttc.in_place = array<i64: 1>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<16xf32> in dram
ttc.buffer slot @y : tensor<16xf32> in dram
ttc.trace @t(%x: tensor<16xf32> {ttc.buffer = @x}) -> (tensor<16xf32> {ttc.buffer = @y}) {
  %a = ttc.dispatch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %b = ttc.dispatch @f(%a) : (tensor<16xf32>) -> tensor<16xf32>
  %c = ttc.dispatch @g(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %d = ttc.dispatch @g(%c, %c) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %y = ttc.dispatch @f(%d) : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %y : tensor<16xf32>
}
ttc.buffer slot @z : tensor<16xf32> in dram
ttc.trace @several(%x: tensor<16xf32> {ttc.buffer = @x}) -> (tensor<16xf32> {ttc.buffer = @z}) {
  %a = ttc.dispatch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %b = ttc.dispatch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %c:3 = ttc.dispatch @several_of(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  %d = ttc.dispatch @g(%c#0, %c#1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %z = ttc.dispatch @g(%c#2, %d) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %z : tensor<16xf32>
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<16xf32>
  ttc.output "y" at @y : tensor<16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
ttc.entry @other {
  ttc.input "x" at @x : tensor<16xf32>
  ttc.output "z" at @z : tensor<16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @several on 0
    ttc.enqueue.read 0 from @z on 0
  }
}
}
