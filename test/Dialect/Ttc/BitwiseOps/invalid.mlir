// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @binary(%a: tensor<2x4xi32>, %b: tensor<4xi32>) {
  // diagnostic here:
  %r = ttc.bit_and %a, %b : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
  return
}

// each: bit_and, bit_or, bit_xor, shift_left, shift_right
// change: ttc.bit_and => ttc.$each
// change: tensor<4xi32> => tensor<4xi8>
// expected-error {{'ttc.$each' op (C1) expected operands of the same element type, found 'i32' and 'i8'}}

// each: bit_and, bit_or, bit_xor, shift_left, shift_right
// change: ttc.bit_and => ttc.$each
// change: tensor<4xi32> => tensor<3xi32>
// expected-error {{'ttc.$each' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}

// -----

func.func @unary(%a: tensor<4xi32>) {
  %0 = ttc.bit_not %a : (tensor<4xi32>) -> tensor<4xi32>
  %1 = ttc.bitcast %a : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// change: tensor<4xi32> => tensor<4xf32>
// expected-error at bit_not {{'ttc.bit_not' op operand #0 must be tensor of static shape and at most 2^40 elements of integers}}

// change: tensor<4xf32> => tensor<2x2xf32>
// expected-error {{'ttc.bitcast' op (C1) expected a result of shape [4], found 'tensor<2x2xf32>'}}

// change: tensor<4xf32> => tensor<4xi16>
// expected-error {{'ttc.bitcast' op (C2) expected element types of the same width, found 'i32' and 'i16'}}
