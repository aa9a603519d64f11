// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: ttc-opt %t/output.mlir --ttc-bind-states="state=past_*=present_*" --verify-diagnostics
// RUN: ttc-opt %t/type.mlir --ttc-bind-states="state=past_*=present_*" --verify-diagnostics
// RUN: ttc-opt %t/shared.mlir --ttc-bind-states="state=past_*=present_*" --verify-diagnostics
// RUN: ttc-opt %t/twice.mlir --ttc-bind-states="state=past_*=present_*,past_0=present_0" --verify-diagnostics
// RUN: ttc-opt %t/size.mlir --ttc-bind-states="state=past_*=present_*" --verify-diagnostics
// RUN: not ttc-opt %t/output.mlir --ttc-bind-states="state=cache_*=present_*" 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not ttc-opt %t/output.mlir --ttc-bind-states="state=past_*" 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not ttc-opt %t/output.mlir --ttc-bind-states="state=past_*=present" 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not ttc-opt %t/output.mlir --ttc-bind-states="state=*past*=*present*" 2>&1 | FileCheck %s --check-prefix=SYNTAX

// UNUSED: error: expected --state to name an input of an entry point, found 'cache_*', which none has
// UNUSED: note: the inputs of @main are 'x', 'past_0'
// SYNTAX: error: expected a state as input=output, with one '*' in both names or in none, found '

//--- output.mlir
// expected-error@+1 {{expected @main to have the output 'present_0', which replaces its input 'past_0' (past_*=present_*), found none}}
func.func @main(%x: tensor<4xf32> {ttc.name = "x"}, %a: tensor<4xf32> {ttc.name = "past_0"}) -> (tensor<4xf32> {ttc.name = "present_1"}) {
  return %a : tensor<4xf32>
}
//--- type.mlir
// expected-error@+2 {{expected output 'present_0' of the type of input 'past_0' ('tensor<4xf32>'), found 'tensor<5xf32>'}}
// expected-note@+1 {{a state has a fixed size: the model must write into a cache of the whole context, and not append to it}}
func.func @main(%a: tensor<4xf32> {ttc.name = "past_0"}, %b: tensor<5xf32>) -> (tensor<5xf32> {ttc.name = "present_0"}) {
  return %b : tensor<5xf32>
}
//--- shared.mlir
func.func @decode(%a: tensor<4xf32> {ttc.name = "past_0"}) -> (tensor<4xf32> {ttc.name = "present_0"}) {
  return %a : tensor<4xf32>
}
// expected-error@+1 {{expected input 'past_0' of one type in all entry points that share the state, found 'tensor<4xf32>' before and 'tensor<6xf32>' in @prefill}}
func.func @prefill(%a: tensor<6xf32> {ttc.name = "past_0"}) -> (tensor<6xf32> {ttc.name = "present_0"}) {
  return %a : tensor<6xf32>
}
//--- twice.mlir
// The first pair took it.
// expected-error@below {{expected --state to name an input of an entry point, found 'past_0', which none has}}
module {
  // expected-note@+1 {{the inputs of @main are none}}
  func.func @main(%a: tensor<4xf32> {ttc.name = "past_0"}) -> (tensor<4xf32> {ttc.name = "present_0"}) {
    return %a : tensor<4xf32>
  }
}
//--- size.mlir
// expected-error@+2 {{expected a state of one size in all runs, found 'past_0', whose size depends on rows}}
// expected-note@+1 {{give rows one size, such as --dim=rows:8, or keep a state of the largest size, of which each run writes a part}}
func.func @main.8(%a: tensor<8xf32> {ttc.name = "past_0", ttc.dims = affine_map<()[s0, s1] -> (s1)>}, %extents: tensor<2xi32> {ttc.name = "extents"})
    -> (tensor<8xf32> {ttc.name = "present_0"})
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "rows"], low = [1, 1], high = [4, 8]>} {
  return %a : tensor<8xf32>
}
