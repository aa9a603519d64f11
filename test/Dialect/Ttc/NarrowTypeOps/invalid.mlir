// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @wrap_integer_c1(%x: tensor<4xi8>) {
  // expected-error@+1 {{'ttc.wrap_integer' op (C1) expected 'width' from 1 to 7, found 8}}
  %r = ttc.wrap_integer %x {width = 8} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @format(%x: tensor<4xui8>) {
  // expected-error@+1 {{'ttc.decode_float' op attribute 'format' failed to satisfy constraint: type attribute of f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU or f4E2M1FN}}
  %r = ttc.decode_float %x {format = f16} : (tensor<4xui8>) -> tensor<4xf32>
  return
}

// -----

// Nothing computes with narrow elements.
func.func @add(%x: tensor<4xf8E5M2>) {
  // expected-error@+1 {{'ttc.add' op operand #0 must be tensor of static shape and at most 2^40 elements of numbers}}
  %r = ttc.add %x, %x : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return
}

// -----

// ... or puts them into programs: --ttc-legalize-types is missing.
ttc.program @f(tensor<4xi8>) -> tensor<4xi8>
func.func @dispatch(%x: tensor<4xi4>) {
  // expected-error@+1 {{'ttc.dispatch' op operand #0 must be variadic of tensor of static shape}}
  %r = ttc.dispatch @f(%x) : (tensor<4xi4>) -> tensor<4xi8>
  return
}
