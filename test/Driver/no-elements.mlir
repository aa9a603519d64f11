// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements are an error that says so.
// RUN: ttc-opt %s --split-input-file --ttc-trace-pipeline --verify-diagnostics

// expected-error @+1 {{expected inputs and outputs with at least one element, found 'tensor<0xf32>'}}
func.func @output(%x: tensor<4xf32>) -> tensor<0xf32> {
  %0 = ttc.slice %x {starts = [4], sizes = [0], steps = [1]} : (tensor<4xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @inside(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected tensors with at least one element, found 'tensor<0xf32>'}}
  %0 = ttc.slice %x {starts = [4], sizes = [0], steps = [1]} : (tensor<4xf32>) -> tensor<0xf32>
  // expected-error @+1 {{expected tensors with at least one element, found 'tensor<0xf32>'}}
  %1 = ttc.reduce_sum %0 {axes = [0], keepdims} : (tensor<0xf32>) -> tensor<1xf32>
  %2 = ttc.add %1, %y : (tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
