// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic on shapes that models compute with.
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// From the shape [2, 3, 4]: its first size, and the product of the others.
// CHECK-LABEL: func.func @flatten_shape
// CHECK-NEXT: %[[S:.*]] = ttc.constant dense<[2, 12]> : tensor<2xi64>
// CHECK-NEXT: return %[[S]]
func.func @flatten_shape() -> tensor<2xi64> {
  %shape = ttc.constant dense<[2, 3, 4]> : tensor<3xi64>
  %zero = ttc.constant dense<0> : tensor<1xi64>
  %first = ttc.gather %shape, %zero {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %rest = ttc.slice %shape {starts = [1], sizes = [2], steps = [1]} : (tensor<3xi64>) -> tensor<2xi64>
  %count = ttc.reduce_prod %rest {axes = [0], keepdims} : (tensor<2xi64>) -> tensor<1xi64>
  %0 = ttc.concat %first, %count {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @moves
// CHECK-DAG: dense<{{\[\[}}1, 4], [2, 5], [3, 6{{\]\]}}> : tensor<3x2xi64>
// CHECK-DAG: dense<[3, 1]> : tensor<2xi64>
// CHECK-DAG: dense<[9, 1, 2, 3, 9]> : tensor<5xi64>
// CHECK-DAG: dense<[1, 2, 1, 2]> : tensor<4xi64>
// CHECK-DAG: dense<{{\[\[}}1, 2], [1, 2{{\]\]}}> : tensor<2x2xi64>
func.func @moves() -> (tensor<3x2xi64>, tensor<2xi64>, tensor<5xi64>, tensor<4xi64>, tensor<2x2xi64>) {
  %m = ttc.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %v = ttc.constant dense<[1, 2, 3]> : tensor<3xi64>
  %w = ttc.constant dense<[1, 2]> : tensor<2xi64>
  %0 = ttc.transpose %m {permutation = [1, 0]} : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %1 = ttc.slice %v {starts = [2], sizes = [2], steps = [-2]} : (tensor<3xi64>) -> tensor<2xi64>
  %2 = ttc.pad %v {low = [1], high = [1], value = 9.0} : (tensor<3xi64>) -> tensor<5xi64>
  %3 = ttc.tile %w {repeats = [2]} : (tensor<2xi64>) -> tensor<4xi64>
  %4 = ttc.expand %w : (tensor<2xi64>) -> tensor<2x2xi64>
  return %0, %1, %2, %3, %4 : tensor<3x2xi64>, tensor<2xi64>, tensor<5xi64>, tensor<4xi64>, tensor<2x2xi64>
}

// CHECK-LABEL: func.func @gathers
// CHECK-DAG: dense<[3, 1]> : tensor<2xi64>
// CHECK-DAG: dense<{{\[\[}}2], [4{{\]\]}}> : tensor<2x1xi64>
// CHECK-DAG: dense<[6, 1]> : tensor<2xi64>
func.func @gathers() -> (tensor<2xi64>, tensor<2x1xi64>, tensor<2xi64>) {
  %m = ttc.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %v = ttc.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = ttc.constant dense<[-1, 0]> : tensor<2xi64>
  %e = ttc.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %n = ttc.constant dense<[[1, 2], [0, -3]]> : tensor<2x2xi64>
  %0 = ttc.gather %v, %i {axis = 0} : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  %1 = ttc.gather_elements %m, %e {axis = 1} : (tensor<2x3xi64>, tensor<2x1xi64>) -> tensor<2x1xi64>
  %2 = ttc.gather_nd %m, %n : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2xi64>
  return %0, %1, %2 : tensor<2xi64>, tensor<2x1xi64>, tensor<2xi64>
}

// Larger constants are left to --ttc-fold-constants.
// CHECK-LABEL: func.func @large
// CHECK: ttc.relu
func.func @large() -> tensor<4097xf32> {
  %x = ttc.constant dense<1.0> : tensor<4097xf32>
  %0 = ttc.relu %x : (tensor<4097xf32>) -> tensor<4097xf32>
  return %0 : tensor<4097xf32>
}
