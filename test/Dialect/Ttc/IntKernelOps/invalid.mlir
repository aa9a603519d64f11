// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @pack_bytes(%w: tensor<6x4x3xi8>) {
  // diagnostic here:
  %0 = ttc.pack_bytes %w {kind = #ttc.pack_kind<conv>} : tensor<6x4x3xi8> -> tensor<1x6x3x1x4xi8>
  return
}

// change: tensor<6x4x3xi8> => tensor<4xi8>
// change: <conv> => <matmul>
// change: tensor<1x6x3x1x4xi8> => tensor<1x1x1x1x4xi8>
// expected-error {{'ttc.pack_bytes' op (C1) expected 'matmul' with an operand of rank 2 or 'conv' with one of rank 3 or more, found 'matmul' and 'tensor<4xi8>'}}
// expected-error {{failed to infer returned types}}

// change: tensor<6x4x3xi8> => tensor<5x4x3xi8>
// change: {kind => {groups = 2 : i64, kind
// change: tensor<1x6x3x1x4xi8> => tensor<2x3x3x1x4xi8>
// expected-error {{'ttc.pack_bytes' op (C2) expected 'groups' to divide dimension 0 of 'tensor<5x4x3xi8>', found 2}}
// expected-error {{failed to infer returned types}}

// change: {kind => {groups = 2 : i64, merged, kind
// change: tensor<1x6x3x1x4xi8> => tensor<2x3x3x1x4xi8>
// expected-error {{'ttc.pack_bytes' op (C3) expected 'merged' with 'conv' and one group, found 'conv' and 2}}
// expected-error {{failed to infer returned types}}

// -----

func.func @sum_c1(%w: tensor<6x4x3xi8>) {
  // expected-error@+2 {{'ttc.sum_bytes' op (C1) expected 'matmul' with an operand of rank 2 or 'conv' with one of rank 3 or more, found 'depthwise' and 'tensor<6x4x3xi8>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = ttc.sum_bytes %w {kind = #ttc.pack_kind<depthwise>} : tensor<6x4x3xi8> -> tensor<6xi32>
  return
}

// -----

func.func @int_gemm(%a: tensor<4x8xui8>, %b: tensor<1x1x2x16x4xi8>) {
  // diagnostic here:
  %0 = ttc.kernel.int_gemm %a, %b {dot = #ttc.byte_dot<plain>, tile = array<i64: 6, 16>} : (tensor<4x8xui8>, tensor<1x1x2x16x4xi8>) -> tensor<4x16xi32>
  return
}

// change: tensor<1x1x2x16x4xi8> => tensor<1x1x2x12x4xi8>
// change: tile = array<i64: 6, 16> => tile = array<i64: 6, 12>
// change: tensor<4x16xi32> => tensor<4x12xi32>
// expected-error {{'ttc.kernel.int_gemm' op (C1) expected 'tile' to be rows and a multiple of 8 columns, found [6, 12]}}

// change: tensor<4x16xi32> => tensor<1x4x16xi32>
// expected-error {{'ttc.kernel.int_gemm' op (C2) expected a and the result of the same rank, at least 2 or two more than 1 to 3 spatial dimensions, found ranks 2 and 3}}

// change: tensor<4x8xui8> => tensor<1x8x8x4xui8>
// change: tensor<1x1x2x16x4xi8> => tensor<1x1x9x16x4xi8>
// change: {dot => {kernel = array<i64: 3, 3>, strides = array<i64: 0, 1>, dot
// change: tensor<4x16xi32> => tensor<1x6x6x16xi32>
// expected-error {{'ttc.kernel.int_gemm' op (C3) expected values of at least 1 in 'strides', found [0, 1]}}

// change: tensor<4x8xui8> => tensor<1x8x8x4xui8>
// change: tensor<1x1x2x16x4xi8> => tensor<3x1x9x16x4xi8>
// change: {dot => {kernel = array<i64: 3, 3>, groups = 3 : i64, dot
// change: tensor<4x16xi32> => tensor<1x6x6x16xi32>
// expected-error {{'ttc.kernel.int_gemm' op (C4) expected 'groups' to divide the channels 4 and 16, and to be 1 without 'kernel', found 3}}

// change: tensor<4x16xi32> => tensor<5x16xi32>
// expected-error {{'ttc.kernel.int_gemm' op (C5) expected a result of shape [4, 16], found [5, 16]}}

// change: tensor<4x8xui8> => tensor<4x9xui8>
// expected-error {{'ttc.kernel.int_gemm' op (C6) expected b packed as [1, 1, 3, 16, 4], found [1, 1, 2, 16, 4]}}

// change: 1x1x2x16x4xi8>) { => 1x1x2x16x4xi8>, %z: tensor<15xi32>) {
// change: {dot => , %z {dot
// change: 1x1x2x16x4xi8>) -> => 1x1x2x16x4xi8>, tensor<15xi32>) ->
// expected-error {{'ttc.kernel.int_gemm' op (C7) expected 'b_zero' to have 16 elements, found 'tensor<15xi32>'}}

// change: {dot => {merged, dot
// expected-error {{'ttc.kernel.int_gemm' op (C8) expected 'merged' with a 'kernel' of one or two dimensions, one group, and no dilation along the last dimension}}

// change: {dot => {a_zero = 256 : i64, dot
// expected-error {{'ttc.kernel.int_gemm' op (C9) expected 'a_zero' to be a value of ui8, found 256}}

// change: 1x1x2x16x4xi8>) { => 1x1x2x16x4xi8>, %z: tensor<2xui8>) {
// change: {dot => zero %z {dot
// change: 1x1x2x16x4xi8>) -> => 1x1x2x16x4xi8>, tensor<2xui8>) ->
// expected-error {{'ttc.kernel.int_gemm' op (C10) expected 'zero' to have one element, found 'tensor<2xui8>'}}

// -----

func.func @gemm_c9_operand(%a: tensor<4x8xui8>, %b: tensor<1x1x2x16x4xi8>, %z: tensor<ui8>) {
  // expected-error@+1 {{'ttc.kernel.int_gemm' op (C9) expected 'a_zero' to be 0 beside 'zero', found 7}}
  %0 = ttc.kernel.int_gemm %a, %b zero %z {dot = #ttc.byte_dot<plain>, tile = array<i64: 6, 16>, a_zero = 7 : i64} : (tensor<4x8xui8>, tensor<1x1x2x16x4xi8>, tensor<ui8>) -> tensor<4x16xi32>
  return
}

// -----

func.func @int_depthwise_conv(%x: tensor<1x8x8x4xui8>, %w: tensor<9x4xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.int_depthwise_conv %x, %w {kernel = array<i64: 3, 3>} : (tensor<1x8x8x4xui8>, tensor<9x4xf32>) -> tensor<1x6x6x4xi32>
  return
}

// change: tensor<1x8x8x4xui8> => tensor<1x8x4xui8>
// change: tensor<1x6x6x4xi32> => tensor<1x6x4xi32>
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C1) expected 1 to 3 spatial dimensions and x and the result of rank 4, found ranks 3 and 3}}

// change: {kernel => {pads = array<i64: 1>, kernel
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C2) expected 4 values in 'pads', found 1}}

// change: tensor<1x6x6x4xi32> => tensor<1x6x6x5xi32>
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C3) expected x and the result with equal batch and channels, found [1, 8, 8, 4] and [1, 6, 6, 5]}}

// change: tensor<9x4xf32> => tensor<9x5xf32>
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C4) expected w of shape [9, 4], found [9, 5]}}

// change: tensor<1x6x6x4xi32> => tensor<1x6x7x4xi32>
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C5) expected result dimension 2 of 6, found 7}}

// change: {kernel => {x_zero = -1 : i64, kernel
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C6) expected 'x_zero' to be a value of ui8, found -1}}

// change: 9x4xf32>) { => 9x4xf32>, %z: tensor<4xui8>) {
// change: {kernel => zero %z {kernel
// change: 9x4xf32>) -> => 9x4xf32>, tensor<4xui8>) ->
// expected-error {{'ttc.kernel.int_depthwise_conv' op (C7) expected 'zero' to have one element, found 'tensor<4xui8>'}}

// -----

func.func @int_depthwise_dot(%x: tensor<1x8x8x4xui8>, %w: tensor<1x1x3x4x4xi8>) {
  // diagnostic here:
  %0 = ttc.kernel.int_depthwise_dot %x, %w {dot = #ttc.byte_dot<vnni>, kernel = array<i64: 3, 3>} : (tensor<1x8x8x4xui8>, tensor<1x1x3x4x4xi8>) -> tensor<1x6x6x4xi32>
  return
}

// change: tensor<1x8x8x4xui8> => tensor<1x8x4xui8>
// change: tensor<1x6x6x4xi32> => tensor<1x6x4xi32>
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C1) expected x and the result of rank 4, found ranks 3 and 3}}

// change: kernel = array<i64: 3, 3> => kernel = array<i64: 3>
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C2) expected 2 values in 'kernel', found 1}}

// change: {dot => {pads = array<i64: 1>, dot
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C2) expected 4 values in 'pads', found 1}}

// change: tensor<1x6x6x4xi32> => tensor<1x6x6x5xi32>
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C3) expected x and the result with equal batch and channels, found [1, 8, 8, 4] and [1, 6, 6, 5]}}

// change: tensor<1x8x8x4xui8> => tensor<1x9x8x4xui8>
// change: tensor<1x1x3x4x4xi8> => tensor<1x1x9x4x4xi8>
// change: kernel = array<i64: 3, 3> => kernel = array<i64: 9, 3>
// change: tensor<1x6x6x4xi32> => tensor<1x1x6x4xi32>
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C4) expected 'kernel' of at most 8 rows and 7 columns, found [9, 3]}}

// change: kernel = array<i64: 3, 3> => kernel = array<i64: 5, 3>
// change: tensor<1x6x6x4xi32> => tensor<1x4x6x4xi32>
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C5) expected w of shape [1, 1, 6, 4, 4], found [1, 1, 3, 4, 4]}}

// change: tensor<1x6x6x4xi32> => tensor<1x6x7x4xi32>
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C6) expected result dimension 2 of 6, found 7}}

// change: {dot => {x_zero = 256 : i64, dot
// expected-error {{'ttc.kernel.int_depthwise_dot' op (C7) expected 'x_zero' to be a value of ui8, found 256}}
