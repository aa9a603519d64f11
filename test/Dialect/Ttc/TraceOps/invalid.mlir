// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.program @widen(tensor<4xf32>) -> tensor<8xf32>
ttc.program @strided(tensor<4xf32>) -> (tensor<4xf32> {ttc.strided = #ttc.strided<row = 2, pitch = 4, alignment = 8>})
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @two : tensor<8xf32> in dram
ttc.event @e
ttc.trace @commands region at dram 64 size 136 {
  ttc.cmd.dispatch @p(@x) into (@two + 16)
  ttc.cmd.copy @x to @two bytes 16
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.signal @e
  ttc.cmd.wait @e
  ttc.cmd.end
}
ttc.trace @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  ttc.yield %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %two: tensor<8xf32>) {
  %0 = ttc.execute @tensors(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.traced -> tensor<4xf32> {
    ttc.yield %0 : tensor<4xf32>
  }
  return
}

// change:     ttc.yield %0 : tensor<4xf32> => ttc.yield %two : tensor<8xf32>
// expected-error {{'ttc.traced' op (C1) expected values of the result types ('tensor<4xf32>'), found ('tensor<8xf32>')}}

// change: @tensors(%x: tensor<4xf32>) -> tensor<4xf32> => @tensors(%x: tensor<4xf32>) -> tensor<8xf32>
// expected-error at   ttc.yield %x {{'ttc.trace' op (C1) expected values of the result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}

// change: @commands region at dram 64 size 136 => @commands(%x: tensor<4xf32>)
// expected-error {{'ttc.trace' op (C2) expected a trace of commands to have neither arguments nor results, found '(tensor<4xf32>) -> ()'}}

// change: ttc.cmd.wait @e => %c = ttc.constant dense<1.0> : tensor<4xf32>
// expected-error {{'ttc.trace' op (C2) expected nothing but commands, found ttc.constant}}

// change: dram 64 => dram -64
// expected-error {{'ttc.trace' op (C3) expected the stream's address and size to be at least 0, found -64 and 136}}

// change: size 136 => size 144
// expected-error {{'ttc.trace' op (C3) expected a size of 136 bytes, the sum of its commands, found 144}}

// change: execute @tensors => execute @none
// expected-error {{'ttc.execute' op (C1) expected @none to be a ttc.trace, found none}}

// change: @tensors(%x) : (tensor<4xf32>) => @tensors(%two) : (tensor<8xf32>)
// expected-error {{'ttc.execute' op (C2) expected operands of @tensors's input types ('tensor<4xf32>'), found ('tensor<8xf32>')}}

// change: @tensors(%x) : (tensor<4xf32>) -> tensor<4xf32> => @tensors(%x) : (tensor<4xf32>) -> tensor<8xf32>
// change: %0 : tensor<4xf32> => %x : tensor<4xf32>
// expected-error {{'ttc.execute' op (C2) expected results of @tensors's result types ('tensor<4xf32>'), found ('tensor<8xf32>')}}

// change: dispatch @p( => dispatch @none(
// expected-error {{'ttc.cmd.dispatch' op (C1) expected @none to be a ttc.program, found none}}

// change: region at dram 64 size 136 => ()
// change: dispatch @p(@x) => dispatch @p(@x, @x)
// expected-error at dispatch {{'ttc.cmd.dispatch' op (C2) expected 1 buffers for the inputs of @p, found 2}}

// change: dispatch @p(@x) into (@two + 16) => dispatch @widen(@x) into (@x)
// expected-error {{'ttc.cmd.dispatch' op (C2) expected @x to hold at least 32 bytes, found 16}}

// change: dispatch @p( => dispatch @strided(
// expected-error {{'ttc.cmd.dispatch' op (C2) expected @two to hold at least 40 bytes, found 32}}

// change: dispatch @p(@x) => dispatch @p(@x + -16)
// expected-error {{'ttc.cmd.dispatch' op (C3) expected one offset of 0 or more for each of 1 buffers, found [-16]}}

// change: copy @x to @two bytes 16 => copy @two to @x bytes 32
// expected-error {{'ttc.cmd.copy' op (C1) expected @x to hold at least 32 bytes, found 16}}

// change: with 0 bytes 16 => with 0 bytes 17
// expected-error {{'ttc.cmd.fill' op (C1) expected @x to hold at least 17 bytes, found 16}}

// change: signal @e => signal @none
// expected-error {{'ttc.cmd.signal' op (C1) expected @none to be a ttc.event, found none}}

// change: wait @e => wait @none
// expected-error {{'ttc.cmd.wait' op (C1) expected @none to be a ttc.event, found none}}

// -----

func.func @traced_in_traced() {
  ttc.traced {
    // expected-error @+1 {{'ttc.traced' op (C2) expected no traced region in another one, found ttc.traced}}
    ttc.traced {
      ttc.yield
    }
    ttc.yield
  }
  return
}

// -----

// expected-error @+1 {{'ttc.trace' op (C3) expected the stream's address and size together, found only the address}}
"ttc.trace"() <{sym_name = "half", function_type = () -> (), region_address = 64 : i64}> ({
  ttc.cmd.end
}) : () -> ()

// -----

// expected-error @+1 {{'ttc.trace' op (C3) expected commands in a trace with an address in the trace region, found ops on tensors}}
ttc.trace @no_commands region at dram 64 size 16 {
  ttc.yield
}
