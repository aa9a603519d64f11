// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @reduce_sum_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_sum' op (C1) expected axes from 0 to 3 in increasing order, found [3, 2]}}
  %r = ttc.reduce_sum %x {axes = [3, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @reduce_mean_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_mean' op (C1) expected axes from 0 to 3 in increasing order, found [3, 2]}}
  %r = ttc.reduce_mean %x {axes = [3, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @reduce_max_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_max' op (C1) expected axes from 0 to 3 in increasing order, found [3, 2]}}
  %r = ttc.reduce_max %x {axes = [3, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @reduce_min_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_min' op (C1) expected axes from 0 to 3 in increasing order, found [3, 2]}}
  %r = ttc.reduce_min %x {axes = [3, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @reduce_prod_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_prod' op (C1) expected axes from 0 to 3 in increasing order, found [3, 2]}}
  %r = ttc.reduce_prod %x {axes = [3, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @reduce_axis(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_sum' op (C1) expected axes from 0 to 3 in increasing order, found [-1]}}
  %r = ttc.reduce_sum %x {axes = [-1]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4xf32>
  return
}

// -----

func.func @reduce_result(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reduce_sum' op expected result 0 to be 'tensor<1x8xf32>', found 'tensor<1x8x1x1xf32>'}}
  %r = ttc.reduce_sum %x {axes = [2, 3]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  return
}

// -----

func.func @argmax_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.argmax' op (C1) expected an axis from 0 to 3, found 4}}
  %r = ttc.argmax %x {axis = 4} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4xi64>
  return
}

// -----

func.func @argmin_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.argmin' op (C1) expected an axis from 0 to 3, found -2}}
  %r = ttc.argmin %x {axis = -2} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4xi64>
  return
}
