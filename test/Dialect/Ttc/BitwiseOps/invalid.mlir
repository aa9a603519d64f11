// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @bit_and_c1(%a: tensor<4xi8>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.bit_and' op (C1) expected operands of the same element type, found 'i8' and 'i32'}}
  %r = ttc.bit_and %a, %b : (tensor<4xi8>, tensor<4xi32>) -> tensor<4xi8>
  return
}

// -----

func.func @bit_and_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{'ttc.bit_and' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.bit_and %a, %b : (tensor<2x4xi32>, tensor<3xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @bit_or_c1(%a: tensor<4xi8>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.bit_or' op (C1) expected operands of the same element type, found 'i8' and 'i32'}}
  %r = ttc.bit_or %a, %b : (tensor<4xi8>, tensor<4xi32>) -> tensor<4xi8>
  return
}

// -----

func.func @bit_or_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{'ttc.bit_or' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.bit_or %a, %b : (tensor<2x4xi32>, tensor<3xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @bit_xor_c1(%a: tensor<4xi8>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.bit_xor' op (C1) expected operands of the same element type, found 'i8' and 'i32'}}
  %r = ttc.bit_xor %a, %b : (tensor<4xi8>, tensor<4xi32>) -> tensor<4xi8>
  return
}

// -----

func.func @bit_xor_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{'ttc.bit_xor' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.bit_xor %a, %b : (tensor<2x4xi32>, tensor<3xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @shift_left_c1(%a: tensor<4xi8>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.shift_left' op (C1) expected operands of the same element type, found 'i8' and 'i32'}}
  %r = ttc.shift_left %a, %b : (tensor<4xi8>, tensor<4xi32>) -> tensor<4xi8>
  return
}

// -----

func.func @shift_left_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{'ttc.shift_left' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.shift_left %a, %b : (tensor<2x4xi32>, tensor<3xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @shift_right_c1(%a: tensor<4xi8>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.shift_right' op (C1) expected operands of the same element type, found 'i8' and 'i32'}}
  %r = ttc.shift_right %a, %b : (tensor<4xi8>, tensor<4xi32>) -> tensor<4xi8>
  return
}

// -----

func.func @shift_right_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{'ttc.shift_right' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.shift_right %a, %b : (tensor<2x4xi32>, tensor<3xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @integers_only(%a: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.bit_not' op operand #0 must be tensor of static shape and at most 2^40 elements of integers}}
  %r = ttc.bit_not %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bitcast_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.bitcast' op (C1) expected a result of shape [4], found 'tensor<2x2xi32>'}}
  %r = ttc.bitcast %a : (tensor<4xf32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @bitcast_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.bitcast' op (C2) expected element types of the same width, found 'f32' and 'i16'}}
  %r = ttc.bitcast %a : (tensor<4xf32>) -> tensor<4xi16>
  return
}
