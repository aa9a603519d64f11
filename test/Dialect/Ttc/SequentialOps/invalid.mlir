// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @scatter_elements_c1(%d: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xi32>) {
  // expected-error@+1 {{'ttc.scatter_elements' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.scatter_elements %d, %i, %u {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c1_bool(%d: tensor<4x8xi1>, %i: tensor<4x2xi64>, %u: tensor<4x2xi1>) {
  // expected-error@+1 {{'ttc.scatter_elements' op (C1) expected numbers to reduce, found 'tensor<4x8xi1>'}}
  %r = ttc.scatter_elements %d, %i, %u reduction add {axis = 1} : (tensor<4x8xi1>, tensor<4x2xi64>, tensor<4x2xi1>) -> tensor<4x8xi1>
  return
}

// -----

func.func @scatter_elements_c2(%d: tensor<4x8xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.scatter_elements' op (C2) expected 'data' of 1 to 8 dimensions and 'indices' of as many, found 'tensor<4x8xf32>' and 'tensor<4xi64>'}}
  %r = ttc.scatter_elements %d, %i, %u {axis = 0} : (tensor<4x8xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c3(%d: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>) {
  // expected-error@+1 {{'ttc.scatter_elements' op (C3) expected an axis from 0 to 1, found 2}}
  %r = ttc.scatter_elements %d, %i, %u {axis = 2} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c4(%d: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{'ttc.scatter_elements' op (C4) expected 'updates' of shape [4, 2], found 'tensor<4x3xf32>'}}
  %r = ttc.scatter_elements %d, %i, %u {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c4_larger(%d: tensor<4x8xf32>, %i: tensor<5x2xi64>, %u: tensor<5x2xf32>) {
  // expected-error@+1 {{'ttc.scatter_elements' op (C4) expected 'indices' to be no larger than 'data' in dimension 0, found 'tensor<5x2xi64>' and 'tensor<4x8xf32>'}}
  %r = ttc.scatter_elements %d, %i, %u {axis = 1} : (tensor<4x8xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_nd_c1(%d: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf16>) {
  // expected-error@+1 {{'ttc.scatter_nd' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}
  %r = ttc.scatter_nd %d, %i, %u : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_nd_c2(%d: tensor<4x8xf32>, %i: tensor<3x3xi64>, %u: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.scatter_nd' op (C2) expected the last dimension of 'indices' to be from 1 to 2, found 'tensor<3x3xi64>'}}
  %r = ttc.scatter_nd %d, %i, %u : (tensor<4x8xf32>, tensor<3x3xi64>, tensor<3xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_nd_c3(%d: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{'ttc.scatter_nd' op (C3) expected 'updates' of shape [3, 8], found 'tensor<3x4xf32>'}}
  %r = ttc.scatter_nd %d, %i, %u : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<4x8xf32>
  return
}

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

func.func @nms_c1(%b: tensor<1x90x4xf32>, %s: tensor<1x3x100xf32>, %m: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{'ttc.non_max_suppression' op (C1) expected boxes [batches, boxes, 4] and scores [batches, classes, boxes], found 'tensor<1x90x4xf32>' and 'tensor<1x3x100xf32>'}}
  %r = ttc.non_max_suppression %b, %s, %m, %t, %t {rows = 30} : (tensor<1x90x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<30x3xi64>
  return
}

// -----

func.func @nms_c2(%b: tensor<1x100x4xf32>, %s: tensor<1x3x100xf32>, %m: tensor<2xi64>, %t: tensor<f32>) {
  // expected-error@+1 {{'ttc.non_max_suppression' op (C2) expected limits of one element, found 'tensor<2xi64>'}}
  %r = ttc.non_max_suppression %b, %s, %m, %t, %t {rows = 30} : (tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<2xi64>, tensor<f32>, tensor<f32>) -> tensor<30x3xi64>
  return
}

// -----

func.func @nms_c3(%b: tensor<1x100x4xf32>, %s: tensor<1x3x100xf32>, %m: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{'ttc.non_max_suppression' op (C3) expected 'rows' of at least 0, found -1}}
  %r = ttc.non_max_suppression %b, %s, %m, %t, %t {rows = -1} : (tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<30x3xi64>
  return
}

// -----

func.func @determinant_c1(%x: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'ttc.determinant' op (C1) expected square matrices in the last two dimensions, found 'tensor<4x3x2xf32>'}}
  %r = ttc.determinant %x : (tensor<4x3x2xf32>) -> tensor<4xf32>
  return
}
