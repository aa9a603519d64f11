// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

func.func @traced_yield(%x: tensor<4xf32>) -> tensor<8xf32> {
  %r = ttc.traced -> tensor<8xf32> {
    // expected-error @+1 {{'ttc.traced' op (C1) expected values of the result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}
    ttc.yield %x : tensor<4xf32>
  }
  return %r : tensor<8xf32>
}

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

ttc.trace @result(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'ttc.trace' op (C1) expected values of the result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}
  ttc.yield %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'ttc.trace' op (C2) expected a trace of commands to have neither arguments nor results, found '(tensor<4xf32>) -> ()'}}
ttc.trace @arguments(%x: tensor<4xf32>) {
  ttc.cmd.end
}

// -----

ttc.trace @not_a_command() {
  // expected-error @+1 {{'ttc.trace' op (C2) expected nothing but commands, found ttc.constant}}
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  ttc.cmd.end
}

// -----

// expected-error @+1 {{'ttc.trace' op (C3) expected the stream's address and size together, found only the address}}
"ttc.trace"() <{sym_name = "half", function_type = () -> (), region_address = 64 : i64}> ({
  ttc.cmd.end
}) : () -> ()

// -----

// expected-error @+1 {{'ttc.trace' op (C3) expected the stream's address and size to be at least 0, found -64 and 8}}
ttc.trace @below region at dram -64 size 8 {
  ttc.cmd.end
}

// -----

// expected-error @+1 {{'ttc.trace' op (C3) expected a size of 8 bytes, the sum of its commands, found 16}}
ttc.trace @sum region at dram 64 size 16 {
  ttc.cmd.end
}

// -----

// expected-error @+1 {{'ttc.trace' op (C3) expected commands in a trace with an address in the trace region, found ops on tensors}}
ttc.trace @no_commands region at dram 64 size 16 {
  ttc.yield
}

// -----

func.func @no_trace(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.execute' op (C1) expected @t to be a ttc.trace, found none}}
  ttc.execute @t(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

ttc.trace @t(%x: tensor<4xf32>) -> tensor<4xf32> {
  ttc.yield %x : tensor<4xf32>
}
func.func @operand(%x: tensor<8xf32>) {
  // expected-error @+1 {{'ttc.execute' op (C2) expected operands of @t's input types ('tensor<4xf32>'), found ('tensor<8xf32>')}}
  %y = ttc.execute @t(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

ttc.trace @t(%x: tensor<4xf32>) -> tensor<4xf32> {
  ttc.yield %x : tensor<4xf32>
}
func.func @result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.execute' op (C2) expected results of @t's result types ('tensor<4xf32>'), found ('tensor<8xf32>')}}
  %y = ttc.execute @t(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.dispatch' op (C1) expected @p to be a ttc.program, found none}}
  ttc.cmd.dispatch @p(@x) into (@x)
  ttc.cmd.end
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.dispatch' op (C2) expected 1 buffers for the inputs of @p, found 2}}
  ttc.cmd.dispatch @p(@x, @x) into (@x)
  ttc.cmd.end
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<8xf32>
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.dispatch' op (C2) expected @x to hold at least 32 bytes, found 16}}
  ttc.cmd.dispatch @p(@x) into (@x)
  ttc.cmd.end
}

// -----

ttc.program @p(tensor<4xf32>) -> (tensor<4xf32> {ttc.strided = #ttc.strided<row = 2, pitch = 4, alignment = 8>})
ttc.buffer slot @x : tensor<8xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.dispatch' op (C2) expected @x to hold at least 40 bytes, found 32}}
  ttc.cmd.dispatch @p(@x) into (@x + 16)
  ttc.cmd.end
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.dispatch' op (C3) expected one offset of 0 or more for each of 1 buffers, found [-16]}}
  ttc.cmd.dispatch @p(@x + -16) into (@x)
  ttc.cmd.end
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<8xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.copy' op (C1) expected @x to hold at least 32 bytes, found 16}}
  ttc.cmd.copy @y to @x bytes 32
  ttc.cmd.end
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.fill' op (C1) expected @x to hold at least 17 bytes, found 16}}
  ttc.cmd.fill @x with 0 bytes 17
  ttc.cmd.end
}

// -----

ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.signal' op (C1) expected @e to be a ttc.event, found none}}
  ttc.cmd.signal @e
  ttc.cmd.end
}

// -----

ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.wait' op (C1) expected @e to be a ttc.event, found none}}
  ttc.cmd.wait @e
  ttc.cmd.end
}
