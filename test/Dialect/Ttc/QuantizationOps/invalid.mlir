// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @quantize(%x: tensor<2x8xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // diagnostic here:
  %0 = ttc.quantize %x, %s, %z : (tensor<2x8xf32>, tensor<f32>, tensor<i8>) -> tensor<2x8xi8>
  return
}

// change: tensor<f32> => tensor<f16>
// expected-error {{'ttc.quantize' op (C1) expected 'scale' to have elements of 'f32', found 'tensor<f16>'}}

// change: tensor<i8> => tensor<ui8>
// expected-error {{'ttc.quantize' op (C2) expected 'zero_point' to have elements of 'i8', found 'tensor<ui8>'}}

// change: tensor<f32> => tensor<3x1x1xf32>
// expected-error {{'ttc.quantize' op (C3) expected 'scale' and 'zero_point' to broadcast to the shape [2, 8], found 'tensor<3x1x1xf32>' and 'tensor<i8>'}}

// change: tensor<i8> => tensor<4xi8>
// expected-error {{'ttc.quantize' op (C3) expected 'scale' and 'zero_point' to broadcast to the shape [2, 8], found 'tensor<f32>' and 'tensor<4xi8>'}}

// change: tensor<2x8xi8> => tensor<16xi8>
// expected-error {{'ttc.quantize' op (C4) expected a result of shape [2, 8], found 'tensor<16xi8>'}}

// change: tensor<2x8xf32> => tensor<4xf64>
// change: tensor<f32> => tensor<f64>
// change: tensor<i8> => tensor<ui8>
// change: tensor<2x8xi8> => tensor<4xui8>
// expected-error {{'ttc.quantize' op operand #0 must be tensor of static shape and at most 2^40 elements of floats (f32, f16, bf16), but got 'tensor<4xf64>'}}

// -----

func.func @dequantize_c1(%x: tensor<2x8xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error@+1 {{'ttc.dequantize' op (C1) expected 'zero_point' to have elements of 'i8', found 'tensor<ui8>'}}
  %0 = ttc.dequantize %x, %s, %z : (tensor<2x8xi8>, tensor<f32>, tensor<ui8>) -> tensor<2x8xf32>
  return
}

// -----

func.func @dequantize_c2(%x: tensor<2x8xi8>, %s: tensor<3xf32>, %z: tensor<i8>) {
  // expected-error@+1 {{'ttc.dequantize' op (C2) expected 'scale' to broadcast to the shape [2, 8], found 'tensor<3xf32>'}}
  %0 = ttc.dequantize %x, %s, %z : (tensor<2x8xi8>, tensor<3xf32>, tensor<i8>) -> tensor<2x8xf32>
  return
}

// -----

func.func @dequantize_c2_zero(%x: tensor<2x8xi8>, %s: tensor<f32>, %z: tensor<2x2x8xi8>) {
  // expected-error@+1 {{'ttc.dequantize' op (C2) expected 'zero_point' to broadcast to the shape [2, 8], found 'tensor<2x2x8xi8>'}}
  %0 = ttc.dequantize %x, %s, %z : (tensor<2x8xi8>, tensor<f32>, tensor<2x2x8xi8>) -> tensor<2x8xf32>
  return
}

// -----

func.func @int_matmul(%a: tensor<2x3xui8>, %b: tensor<3x4xi8>, %az: tensor<ui8>, %bz: tensor<i8>) {
  // diagnostic here:
  %0 = ttc.int_matmul %a, %b, %az, %bz : (tensor<2x3xui8>, tensor<3x4xi8>, tensor<ui8>, tensor<i8>) -> tensor<2x4xi32>
  return
}

// change: tensor<ui8> => tensor<i8>
// expected-error {{'ttc.int_matmul' op (C1) expected 'a_zero' to have elements of 'ui8', found 'tensor<i8>'}}

// change: tensor<2x3xui8> => tensor<3xui8>
// change: tensor<2x4xi32> => tensor<4xi32>
// expected-error {{'ttc.int_matmul' op (C2) expected operands of at least two dimensions, found 'tensor<3xui8>' and 'tensor<3x4xi8>'}}

// change: tensor<3x4xi8> => tensor<4x3xi8>
// change: tensor<2x4xi32> => tensor<2x3xi32>
// expected-error {{'ttc.int_matmul' op (C3) expected 'b' to have as many rows as 'a' has columns, 3, found 4}}

// change: tensor<2x3xui8> => tensor<2x2x3xui8>
// change: tensor<3x4xi8> => tensor<3x3x4xi8>
// change: tensor<2x4xi32> => tensor<3x2x4xi32>
// expected-error {{'ttc.int_matmul' op (C4) expected batch dimensions that broadcast, found [2] and [3]}}

// change: tensor<i8> => tensor<5xi8>
// expected-error {{'ttc.int_matmul' op (C5) expected 'b_zero' to broadcast to the shape [3, 4], found 'tensor<5xi8>'}}

// -----

func.func @int_conv(%x: tensor<1x4x8x8xui8>, %w: tensor<6x4x3x3xi8>, %xz: tensor<ui8>, %wz: tensor<i8>) {
  // diagnostic here:
  %0 = ttc.int_conv %x, %w, %xz, %wz : (tensor<1x4x8x8xui8>, tensor<6x4x3x3xi8>, tensor<ui8>, tensor<i8>) -> tensor<1x6x6x6xi32>
  return
}

// change: tensor<ui8> => tensor<i8>
// expected-error {{'ttc.int_conv' op (C1) expected 'x_zero' to have elements of 'ui8', found 'tensor<i8>'}}

// change: tensor<i8> => tensor<ui8>
// expected-error {{'ttc.int_conv' op (C1) expected 'w_zero' to have elements of 'i8', found 'tensor<ui8>'}}

// change: tensor<1x4x8x8xui8> => tensor<4x8xui8>
// change: tensor<6x4x3x3xi8> => tensor<6x4xi8>
// change: tensor<1x6x6x6xi32> => tensor<6xi32>
// expected-error {{'ttc.int_conv' op (C2) expected 'x' to have three to five dimensions, found 'tensor<4x8xui8>'}}

// change: tensor<6x4x3x3xi8> => tensor<6x4x3xi8>
// expected-error {{'ttc.int_conv' op (C2) expected 'w' to have as many dimensions as 'x', 4, found 'tensor<6x4x3xi8>'}}

// change: %wz : => %wz {strides = [0, 1]} :
// expected-error {{'ttc.int_conv' op (C3) expected 'strides' to have 2 elements that are at least 1, found [0, 1]}}

// change: %wz : => %wz {groups = 3} :
// expected-error {{'ttc.int_conv' op (C4) expected 'groups' to be positive and to divide 4 and 6 channels, found 3}}

// change: tensor<6x4x3x3xi8> => tensor<6x2x3x3xi8>
// expected-error {{'ttc.int_conv' op (C5) expected 'w' to have 4 input channels, found 'tensor<6x2x3x3xi8>'}}

// change: tensor<ui8> => tensor<4x1x1xui8>
// expected-error {{'ttc.int_conv' op (C6) expected 'x_zero' to have one element, found 'tensor<4x1x1xui8>'}}

// change: tensor<i8> => tensor<6xi8>
// expected-error {{'ttc.int_conv' op (C6) expected 'w_zero' to broadcast to the shape [6, 4, 3, 3], found 'tensor<6xi8>'}}

// change: tensor<6x4x3x3xi8> => tensor<6x4x9x3xi8>
// expected-error {{'ttc.int_conv' op (C7) expected the dilated kernel to be no larger than the padded operand in spatial dimension 0, found 9 and 8}}

// -----

func.func @dequantize_f64(%x: tensor<4xui8>, %s: tensor<f64>, %z: tensor<ui8>) {
  // expected-error@+1 {{'ttc.dequantize' op operand #1 must be tensor of static shape and at most 2^40 elements of floats (f32, f16, bf16), but got 'tensor<f64>'}}
  %0 = ttc.dequantize %x, %s, %z : (tensor<4xui8>, tensor<f64>, tensor<ui8>) -> tensor<4xf64>
  return
}
