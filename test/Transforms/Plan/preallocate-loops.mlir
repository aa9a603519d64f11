// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each use of a value finds it in its buffer in all iterations; what one has left is not used after the loop.
// RUN: %variants %s | ttc-opt --ttc-preallocate --split-input-file --verify-diagnostics

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
  ttc.program @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<4xf32> in dram
  ttc.buffer slot @y : tensor<4xf32> in dram
  ttc.buffer activation @outside : tensor<4xf32> in dram
  ttc.buffer activation @inside : tensor<4xf32> in dram
  ttc.trace @t0(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}) {
    %o = ttc.dispatch @f(%x) {ttc.buffer = [@outside]} : (tensor<4xf32>) -> tensor<4xf32>
    %i = ttc.copy %x {ttc.buffer = [@y]} : tensor<4xf32>
    %v = ttc.loop_begin %i times 9 {ttc.buffer = [@y]} : tensor<4xf32>
    %a = ttc.dispatch @g(%v, %o) {ttc.buffer = [@inside]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = ttc.dispatch @f(%a) {ttc.buffer = [@y]} : (tensor<4xf32>) -> tensor<4xf32>
    %e = ttc.loop_end %n {ttc.buffer = [@y]} : tensor<4xf32>
    ttc.yield %e : tensor<4xf32>
  }
  ttc.entry @main {
    ttc.input "x" at @x : tensor<4xf32>
    ttc.output "y" at @y : tensor<4xf32>
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @x on 0
      ttc.enqueue.execute @t0 on 0
      ttc.enqueue.read 0 from @y on 0
    }
  }
}

// The second iteration finds another value where the one from before the loop was.
// change: ttc.dispatch @g(%v, %o) {ttc.buffer = [@inside]} => ttc.dispatch @g(%v, %o) {ttc.buffer = [@outside]}
// expected-error at ttc.dispatch @g {{expected operand 1 to be in @outside until here, found another value there}}
// expected-note at ttc.dispatch @g {{written here}}

// The next value is elsewhere.
// change: ttc.dispatch @f(%a) {ttc.buffer = [@y]} => ttc.dispatch @f(%a) {ttc.buffer = [@inside]}
// expected-error at ttc.loop_end {{expected value 0 of the loop in one buffer, found it in @y and @inside}}

// The initial value is elsewhere.
// change: ttc.copy %x {ttc.buffer = [@y]} => ttc.copy %x {ttc.buffer = [@inside]}
// expected-error at ttc.loop_begin {{expected value 0 of the loop in one buffer, found it in @y and @inside}}

// An iteration's value is used after the loop.
// change: ttc.yield %e => %z = ttc.dispatch @f(%a) {ttc.buffer = [@y]} : (tensor<4xf32>) -> tensor<4xf32>\n    ttc.yield %z
// expected-error at %z = {{expected operand 0 to be in @inside until here, found another value there}}
// expected-note at ttc.dispatch @g {{written here}}
