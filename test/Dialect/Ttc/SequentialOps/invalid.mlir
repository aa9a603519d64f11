// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @scatter_elements(%d: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>) {
  // diagnostic here:
  %r = ttc.scatter_elements %d, %i, %u {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return
}

// change: tensor<4x2xf32> => tensor<4x2xi32>
// expected-error {{'ttc.scatter_elements' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}

// change: tensor<4x8xf32> => tensor<4x8xi1>
// change: tensor<4x2xf32> => tensor<4x2xi1>
// change: {axis => reduction add {axis
// expected-error {{'ttc.scatter_elements' op (C1) expected numbers to reduce, found 'tensor<4x8xi1>'}}

// change: tensor<4x2xi64> => tensor<4xi64>
// change: tensor<4x2xf32> => tensor<4xf32>
// change: axis = 1 => axis = 0
// expected-error {{'ttc.scatter_elements' op (C2) expected 'data' of 1 to 8 dimensions and 'indices' of as many, found 'tensor<4x8xf32>' and 'tensor<4xi64>'}}

// change: axis = 1 => axis = 2
// expected-error {{'ttc.scatter_elements' op (C3) expected an axis from 0 to 1, found 2}}

// change: tensor<4x2xf32> => tensor<4x3xf32>
// expected-error {{'ttc.scatter_elements' op (C4) expected 'updates' of shape [4, 2], found 'tensor<4x3xf32>'}}

// change: tensor<4x2xi64> => tensor<5x2xi64>
// change: tensor<4x2xf32> => tensor<5x2xf32>
// expected-error {{'ttc.scatter_elements' op (C4) expected 'indices' to be no larger than 'data' in dimension 0, found 'tensor<5x2xi64>' and 'tensor<4x8xf32>'}}

// -----

func.func @scatter_nd(%d: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) {
  // diagnostic here:
  %r = ttc.scatter_nd %d, %i, %u : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}

// change: tensor<3x8xf32> => tensor<3x8xf16>
// expected-error {{'ttc.scatter_nd' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: tensor<3x1xi64> => tensor<3x3xi64>
// change: tensor<3x8xf32> => tensor<3xf32>
// expected-error {{'ttc.scatter_nd' op (C2) expected the last dimension of 'indices' to be from 1 to 2, found 'tensor<3x3xi64>'}}

// change: tensor<3x8xf32> => tensor<3x4xf32>
// expected-error {{'ttc.scatter_nd' op (C3) expected 'updates' of shape [3, 8], found 'tensor<3x4xf32>'}}

// -----

func.func @cumulative_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.cumulative' op (C1) expected an axis from 0 to 1, found -1}}
  %r = ttc.cumulative sum %x {axis = -1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @argsort_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.argsort' op (C1) expected an axis from 0 to 1, found 2}}
  %r = ttc.argsort %x {axis = 2, count = 1} : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return
}

// -----

func.func @argsort_c1_size(%x: tensor<2147483648xi8>) {
  // expected-error@+1 {{'ttc.argsort' op (C1) expected at most 2147483647 elements along 'axis', found 'tensor<2147483648xi8>'}}
  %r = ttc.argsort %x {axis = 0, count = 1} : (tensor<2147483648xi8>) -> tensor<1xi64>
  return
}

// -----

func.func @argsort_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.argsort' op (C2) expected a 'count' from 0 to 8, found 9}}
  %r = ttc.argsort %x {axis = 1, count = 9} : (tensor<4x8xf32>) -> tensor<4x9xi64>
  return
}

// -----

func.func @non_max_suppression(%b: tensor<1x100x4xf32>, %s: tensor<1x3x100xf32>, %m: tensor<i64>, %t: tensor<f32>) {
  // diagnostic here:
  %r = ttc.non_max_suppression %b, %s, %m, %t, %t {rows = 30} : (tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<30x3xi64>
  return
}

// change: tensor<1x100x4xf32> => tensor<1x90x4xf32>
// expected-error {{'ttc.non_max_suppression' op (C1) expected boxes [batches, boxes, 4] and scores [batches, classes, boxes], found 'tensor<1x90x4xf32>' and 'tensor<1x3x100xf32>'}}

// change: tensor<i64> => tensor<2xi64>
// expected-error {{'ttc.non_max_suppression' op (C2) expected limits of one element, found 'tensor<2xi64>'}}

// change: rows = 30 => rows = -1
// expected-error {{'ttc.non_max_suppression' op (C3) expected 'rows' of at least 0, found -1}}

// -----

func.func @determinant_c1(%x: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'ttc.determinant' op (C1) expected square matrices in the last two dimensions, found 'tensor<4x3x2xf32>'}}
  %r = ttc.determinant %x : (tensor<4x3x2xf32>) -> tensor<4xf32>
  return
}
