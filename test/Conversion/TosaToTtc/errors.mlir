// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-tosa-to-ttc --split-input-file --verify-diagnostics

// expected-note @below {{give the function's arguments and results static types, and run --tosa-infer-shapes first}}
func.func @dynamic(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error @below {{expected static shapes, found 'tensor<?x3xf32>'}}
  %0 = tosa.abs %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  // expected-error @below {{expected static shapes, found 'tensor<?x3xf32>'}}
  %1 = tosa.abs %0 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// -----

func.func @zero_point(%x: tensor<2xf32>, %zp: tensor<1xf32>) -> tensor<2xf32> {
  // expected-error @below {{failed to legalize operation 'tosa.negate'}}
  // expected-error @below {{op a zero point must be a constant with one element}}
  %0 = tosa.negate %x, %zp, %zp : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @no_such_op(%x: tensor<2x3xi8>, %t: tensor<256xi8>) -> tensor<2x3xi8> {
  // expected-error @below {{failed to legalize operation 'tosa.table'}}
  %0 = tosa.table %x, %t : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}
