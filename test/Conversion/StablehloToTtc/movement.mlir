// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// Dimensions in another order are transposed first.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<3x2xf32>) -> tensor<2x4x3xf32> {
  // CHECK: %[[t:.*]] = ttc.transpose %{{.*}} {permutation = [1, 0]}
  // CHECK: %[[r:.*]] = ttc.reshape %[[t]] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  // CHECK: ttc.expand %[[r]] : (tensor<2x1x3xf32>) -> tensor<2x4x3xf32>
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 2, 0>}> : (tensor<3x2xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<8x3xf32>) -> tensor<3x3xf32> {
  // CHECK: ttc.slice %{{.*}} {sizes = [3, 3], starts = [1, 0], steps = [2, 1]}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 7, 3>, strides = array<i64: 2, 1>}> : (tensor<8x3xf32>) -> tensor<3x3xf32>
  // CHECK: ttc.slice %{{.*}} {sizes = [3, 3], starts = [2, 0], steps = [-1, 1]}
  %1 = "stablehlo.reverse"(%0) <{dimensions = array<i64: 0>}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// Real and imaginary parts are moved alike.
// CHECK-LABEL: func.func @complex
func.func @complex(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  // CHECK: %[[re:.*]] = ttc.transpose %arg0
  // CHECK: %[[im:.*]] = ttc.transpose %arg1
  %1 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %2 = "stablehlo.real"(%1) : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
  %3 = "stablehlo.imag"(%1) : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
  // CHECK: return %[[re]], %[[im]]
  return %2, %3 : tensor<3x2xf32>, tensor<3x2xf32>
}
