// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C1) expected at least one operand, found none}}
  "ttc.loop_begin"() {iterations = 3 : i64} : () -> ()
  "ttc.loop_end"() : () -> ()
  return
}

// -----

func.func @main(%x: tensor<0xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C1) expected operands of at least one element, found 'tensor<0xf32>'}}
  %0 = ttc.loop_begin %x times 3 : tensor<0xf32>
  %1 = ttc.loop_end %0 : tensor<0xf32>
  return
}

// -----

func.func @main(%x: tensor<4x4xf32, #ttc.layout<l1, interleaved>>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C1) expected operands without a layout, found 'tensor<4x4xf32, #ttc.layout<l1>>'}}
  %0 = ttc.loop_begin %x times 3 : tensor<4x4xf32, #ttc.layout<l1, interleaved>>
  %1 = ttc.loop_end %0 : tensor<4x4xf32, #ttc.layout<l1, interleaved>>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C2) expected results of the operands' types ('tensor<4xf32>'), found ('tensor<5xf32>')}}
  %0 = "ttc.loop_begin"(%x) {iterations = 3 : i64} : (tensor<4xf32>) -> tensor<5xf32>
  %1 = ttc.loop_end %0 : tensor<5xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C3) expected 1 to 1099511627776 iterations, found 0}}
  %0 = ttc.loop_begin %x times 0 : tensor<4xf32>
  %1 = ttc.loop_end %0 : tensor<4xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C3) expected 1 to 1099511627776 iterations, found 1099511627777}}
  %0 = ttc.loop_begin %x times 1099511627777 : tensor<4xf32>
  %1 = ttc.loop_end %0 : tensor<4xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C4) expected a flag of one element of one byte, found 'tensor<4xf32>'}}
  %0 = ttc.loop_begin %x while at_most 3 : tensor<4xf32>
  %1 = ttc.loop_end %0 : tensor<4xf32>
  return
}

// -----

func.func @main(%x: tensor<i1>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C5) expected 'while' with 'fails_at_limit', found 'times'}}
  %0 = ttc.loop_begin %x times 3 fails_at_limit : tensor<i1>
  %1 = ttc.loop_end %0 : tensor<i1>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C6) expected a ttc.loop_end that ends the loop, found none}}
  %0 = ttc.loop_begin %x times 3 : tensor<4xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_begin' op (C6) expected loops within at most 7 others, found 8}}
  %0 = ttc.loop_begin %x times 3 : tensor<4xf32>
  %1 = ttc.loop_begin %0 times 3 : tensor<4xf32>
  %2 = ttc.loop_begin %1 times 3 : tensor<4xf32>
  %3 = ttc.loop_begin %2 times 3 : tensor<4xf32>
  %4 = ttc.loop_begin %3 times 3 : tensor<4xf32>
  %5 = ttc.loop_begin %4 times 3 : tensor<4xf32>
  %6 = ttc.loop_begin %5 times 3 : tensor<4xf32>
  %7 = ttc.loop_begin %6 times 3 : tensor<4xf32>
  %8 = ttc.loop_begin %7 times 3 : tensor<4xf32>
  %9 = ttc.loop_end %8 : tensor<4xf32>
  %10 = ttc.loop_end %9 : tensor<4xf32>
  %11 = ttc.loop_end %10 : tensor<4xf32>
  %12 = ttc.loop_end %11 : tensor<4xf32>
  %13 = ttc.loop_end %12 : tensor<4xf32>
  %14 = ttc.loop_end %13 : tensor<4xf32>
  %15 = ttc.loop_end %14 : tensor<4xf32>
  %16 = ttc.loop_end %15 : tensor<4xf32>
  %17 = ttc.loop_end %16 : tensor<4xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.loop_end' op (C1) expected a ttc.loop_begin before it that begins the loop, found none}}
  %0 = ttc.loop_end %x : tensor<4xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  %0 = ttc.loop_begin %x times 3 : tensor<4xf32>
  // expected-error@+1 {{'ttc.loop_end' op (C2) expected operands of the types with which the loop begins ('tensor<4xf32>'), found ('tensor<5xf32>')}}
  %1 = ttc.loop_end %y : tensor<5xf32>
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{'ttc.fill' op (C1) expected a tensor of at least one element and without shards, found 'tensor<0xf32>'}}
  %0 = ttc.fill with 0 : tensor<0xf32>
  return
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C1) expected as many sizes as buffers (1), found 2}}
  ttc.cmd.repeat carried (@x) bytes [16, 4] times 10
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C1) expected different buffers, found @x twice}}
  ttc.cmd.repeat carried (@x, @x) bytes [16, 4] times 10
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C1) expected at least 1 byte of a buffer, found 0}}
  ttc.cmd.repeat carried (@x) bytes [0] times 10
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C1) expected @x to hold at least 80 bytes, found 64}}
  ttc.cmd.repeat carried (@x) bytes [80] times 10
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.buffer activation @go : tensor<i1> in dram at 0x1040 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C2) expected the flag to be carried, found @go}}
  ttc.cmd.repeat carried (@x) bytes [16] while @go at_most 10
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C3) expected 1 to 1099511627776 iterations, found 0}}
  ttc.cmd.repeat carried (@x) bytes [16] times 0
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C4) expected 'while' with 'fails_at_limit', found 'times'}}
  ttc.cmd.repeat carried (@x) bytes [16] times 3 fails_at_limit
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C5) expected a ttc.cmd.end_repeat that ends the loop, found none}}
  ttc.cmd.repeat carried (@x) bytes [16] times 3
  ttc.cmd.fill @x with 0 bytes 16
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  // expected-error@+1 {{'ttc.cmd.repeat' op (C5) expected at least one command in the loop, found none}}
  ttc.cmd.repeat carried (@x) bytes [16] times 3
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.event @done
ttc.trace @commands() {
  ttc.cmd.repeat carried (@x) bytes [16] times 3
  ttc.cmd.fill @x with 0 bytes 16
  // expected-error@+1 {{'ttc.cmd.repeat' op (C6) expected dispatches, copies, fills, barriers and loops in a loop, found ttc.cmd.signal}}
  ttc.cmd.signal @done
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.trace @commands() {
  ttc.cmd.fill @x with 0 bytes 16
  // expected-error@+1 {{'ttc.cmd.end_repeat' op (C1) expected a ttc.cmd.repeat before it that begins the loop, found none}}
  ttc.cmd.end_repeat
  ttc.cmd.end
}

// -----

func.func @check(%flag: tensor<2xi1>) {
  // expected-error@+1 {{'ttc.fail_if' op (C1) expected a flag of one element of one byte without a layout, found 'tensor<2xi1>'}}
  %0 = ttc.fail_if %flag : tensor<2xi1>
  return
}

// -----

func.func @check(%flag: tensor<i32>) {
  // expected-error@+1 {{'ttc.fail_if' op (C1) expected a flag of one element of one byte without a layout, found 'tensor<i32>'}}
  %0 = ttc.fail_if %flag : tensor<i32>
  return
}

// -----

func.func @check(%flag: tensor<i1>) {
  // expected-error@+1 {{'ttc.fail_if' op (C2) expected a result of the flag's type 'tensor<i1>', found 'tensor<1xi1>'}}
  %0 = "ttc.fail_if"(%flag) : (tensor<i1>) -> tensor<1xi1>
  return
}
