// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{(C1) expected a name and a version of at least 0, found "" and 1}}
#f = #ttc.host_function<name = "", version = 1>

// -----

// expected-error @+1 {{(C1) expected a name and a version of at least 0, found "f" and -1}}
#f = #ttc.host_function<name = "f", version = -1>

// -----

// expected-error @+1 {{(C2) expected i64, f32, strings, arrays of these or tensors, found "a" = 1 : i32}}
#f = #ttc.host_function<name = "f", version = 1, attributes = {a = 1 : i32}>

// -----

// expected-error @+1 {{(C2) expected i64, f32, strings, arrays of these or tensors, found "a" = [1]}}
#f = #ttc.host_function<name = "f", version = 1, attributes = {a = [1]}>

// -----

// expected-error @+1 {{(C3) expected absent positions of at least 0 that ascend, found array<i64: 2, 2>}}
#f = #ttc.host_function<name = "f", version = 1, absent_inputs = [2, 2]>

// -----

// expected-error @+1 {{(C3) expected absent positions of at least 0 that ascend, found array<i64: -1>}}
#f = #ttc.host_function<name = "f", version = 1, absent_outputs = [-1]>

// -----

func.func @no_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.host_call' op (C1) expected at least one result, found none}}
  ttc.host_call #ttc.host_function<name = "f", version = 1>(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @absent_operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.host_call' op (C2) expected absent operands before the last of 1, found array<i64: 1>}}
  %y = ttc.host_call #ttc.host_function<name = "f", version = 1, absent_inputs = [1]>(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @absent_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.host_call' op (C2) expected absent results before the last of 1, found array<i64: 5>}}
  %y = ttc.host_call #ttc.host_function<name = "f", version = 1, absent_outputs = [5]>(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'ttc.program' op (C8) expected a program of contiguous operands, without code, for the host function f, found a body}}
ttc.program @body(%x: tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>} {
  ttc.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'ttc.program' op (C8) expected a program of contiguous operands, without code, for the host function f, found a grid of 2 and 0 bytes of scratch}}
ttc.program @grid(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>, grid = 2 : i64}

// -----

// expected-error @+1 {{for the host function f, found markers}}
ttc.program @markers(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>, markers}

// -----

// expected-error @+1 {{found operand 0 with ttc.strided}}
ttc.program @rows(tensor<4xf32> {ttc.strided = #ttc.strided<row = 2, pitch = 4, alignment = 8>}) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>}

// -----

// expected-error @+1 {{found result 0 with ttc.in_place}}
ttc.program @over(tensor<4xf32>) -> (tensor<4xf32> {ttc.in_place = array<i64: 0>}) attributes {host_function = #ttc.host_function<name = "f", version = 1>}

// -----

// expected-error @+1 {{found absent positions beyond its last operand or result}}
ttc.program @absent(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1, absent_inputs = [1]>}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>}
func.func @dispatched(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.dispatch' op (C3) expected a program with code, found @f, which the host function f computes: ttc.host_dispatch runs it}}
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>}
ttc.buffer slot @x : tensor<4xf32> in dram at 0x0 size 64
ttc.buffer slot @y : tensor<4xf32> in dram at 0x40 size 64
ttc.trace @t() {
  // expected-error @+1 {{'ttc.cmd.dispatch' op (C4) expected a program with code, found @f}}
  ttc.cmd.dispatch @f(@x) into (@y)
  ttc.cmd.end
}

// -----

ttc.program @f(tensor<4x64xf32>) -> tensor<4x64xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>}
func.func @to_memory(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{'ttc.to_memory' op (C3) expected a program with code, found @f}}
  %m = ttc.to_memory %x by @f : tensor<4x64xf32> to tensor<4x64xf32, #ttc.layout<l1>>
  return
}
