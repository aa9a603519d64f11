// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @batch_norm(%x: tensor<1x8x4x4xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) {
  // diagnostic here:
  %r = ttc.batch_norm %x, %s, %b, %m, %v : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return
}

// change: 8xf32>) => 8xf16>)
// expected-error {{'ttc.batch_norm' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: tensor<1x8x4x4xf32> => tensor<8xf32>
// expected-error {{'ttc.batch_norm' op (C2) expected 'x' to have at least 2 dimensions, found 'tensor<8xf32>'}}

// change: : (tensor => {channels_last} : (tensor
// expected-error {{'ttc.batch_norm' op (C3) expected 'scale' to be a vector of 4 elements, found 'tensor<8xf32>'}}

// -----

func.func @batch_norm_c3(%x: tensor<1x8x4x4xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<4xf32>, %v: tensor<8xf32>) {
  // expected-error@+1 {{'ttc.batch_norm' op (C3) expected 'mean' to be a vector of 8 elements, found 'tensor<4xf32>'}}
  %r = ttc.batch_norm %x, %s, %b, %m, %v : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<1x8x4x4xf32>, %s: tensor<4xbf16>) {
  // expected-error@+1 {{'ttc.layer_norm' op (C1) expected operands of the same element type, found 'f32' and 'bf16'}}
  %r = ttc.layer_norm %x, %s {axis = 3} : (tensor<1x8x4x4xf32>, tensor<4xbf16>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<1x8x4x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.layer_norm' op (C2) expected an axis from 0 to 3, found -1}}
  %r = ttc.layer_norm %x, %s {axis = -1} : (tensor<1x8x4x4xf32>, tensor<4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<1x8x4x4xf32>, %s: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.layer_norm' op (C3) expected 'scale' and 'bias' of shape [4, 4], found 'tensor<4xf32>'}}
  %r = ttc.layer_norm %x, %s, %b {axis = 2} : (tensor<1x8x4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @group_norm(%x: tensor<1x8x4x4xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) {
  // diagnostic here:
  %r = ttc.group_norm %x, %s, %b {groups = 2} : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return
}

// change: 8xf32>, => 8xf16>,
// expected-error {{'ttc.group_norm' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: tensor<1x8x4x4xf32> => tensor<1x8xf32>
// expected-error {{'ttc.group_norm' op (C2) expected 'x' to have at least 3 dimensions, found 'tensor<1x8xf32>'}}

// change: 8xf32>) => 2xf32>)
// expected-error {{'ttc.group_norm' op (C3) expected 'bias' to be a vector of 8 elements, found 'tensor<2xf32>'}}

// change: groups = 2 => groups = 3
// expected-error {{'ttc.group_norm' op (C4) expected 'groups' to be positive and to divide the 8 channels, found 3}}

// -----

func.func @instance_norm(%x: tensor<1x8x4x4xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) {
  // diagnostic here:
  %r = ttc.instance_norm %x, %s, %b : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return
}

// change: 8xf32>, => 8xf16>,
// expected-error {{'ttc.instance_norm' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: tensor<1x8x4x4xf32> => tensor<1x8xf32>
// expected-error {{'ttc.instance_norm' op (C2) expected 'x' to have at least 3 dimensions, found 'tensor<1x8xf32>'}}

// change: 8xf32>, => 8x1xf32>,
// expected-error {{'ttc.instance_norm' op (C3) expected 'scale' to be a vector of 8 elements, found 'tensor<8x1xf32>'}}

// -----

func.func @lrn(%x: tensor<1x8x4x4xf32>) {
  // diagnostic here:
  %r = ttc.lrn %x {size = 5} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// change: tensor<1x8x4x4xf32> => tensor<1x8xf32>
// expected-error {{'ttc.lrn' op (C1) expected 'x' to have at least 3 dimensions, found 'tensor<1x8xf32>'}}

// change: size = 5 => size = 0
// expected-error {{'ttc.lrn' op (C2) expected 'size' to be positive, found 0}}

// -----

func.func @softmax_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.softmax' op (C1) expected an axis from 0 to 3, found 4}}
  %r = ttc.softmax %x {axis = 4} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.log_softmax' op (C1) expected an axis from 0 to 3, found -1}}
  %r = ttc.log_softmax %x {axis = -1} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}
