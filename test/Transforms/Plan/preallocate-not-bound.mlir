// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-preallocate --verify-diagnostics --split-input-file
// RUN: ttc-opt %s --ttc-place-tensors --verify-diagnostics --split-input-file

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 1>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<16xf32> in dram
ttc.buffer slot @y : tensor<16xf32> in dram
ttc.trace @t(%x: tensor<16xf32> {ttc.buffer = @x}) -> (tensor<16xf32> {ttc.buffer = @y}) {
  // expected-error @+1 {{expected operands and results that are bound to buffers; --ttc-bind-buffers binds them}}
  %a = ttc.dispatch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y = ttc.dispatch @f(%a) : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %y : tensor<16xf32>
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
}

// -----

// A value that is overwritten before its last use.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<16xf32>) -> (tensor<16xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer state @s : tensor<16xf32> in dram
ttc.buffer slot @y : tensor<16xf32> in dram
ttc.trace @t(%s: tensor<16xf32> {ttc.buffer = @s}) -> (tensor<16xf32> {ttc.buffer = @s}, tensor<16xf32> {ttc.buffer = @y}) {
  // expected-note @+1 {{written here}}
  %a = ttc.dispatch @f(%s) {ttc.buffer = [@s]} : (tensor<16xf32>) -> tensor<16xf32>
  // expected-error @+1 {{expected operand 0 to be in @s until here, found another value there}}
  %y = ttc.dispatch @f(%s) {ttc.buffer = [@y]} : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %a, %y : tensor<16xf32>, tensor<16xf32>
}
ttc.entry @main {
  ttc.output "y" at @y : tensor<16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
}
