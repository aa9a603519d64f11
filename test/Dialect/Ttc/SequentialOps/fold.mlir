// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sequential ops mean, seen in what their constants fold to.
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// The last of two updates counts; -1 is the last element; 4 and -5 are no elements.
// CHECK-LABEL: func.func @scatter_elements
// CHECK-DAG: dense<[20, 0, 0, 30]> : tensor<4xi32>
// CHECK-DAG: dense<[31, 1, 1, 31]> : tensor<4xi32>
// CHECK-DAG: dense<[20, 1, 1, 30]> : tensor<4xi32>
func.func @scatter_elements() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = ttc.constant dense<0> : tensor<4xi32>
  %one = ttc.constant dense<1> : tensor<4xi32>
  %i = ttc.constant dense<[0, -1, 4, -5, 0]> : tensor<5xi64>
  %u = ttc.constant dense<[10, 30, 5, 6, 20]> : tensor<5xi32>
  %0 = ttc.scatter_elements %zero, %i, %u {axis = 0} : (tensor<4xi32>, tensor<5xi64>, tensor<5xi32>) -> tensor<4xi32>
  %1 = ttc.scatter_elements %one, %i, %u reduction add {axis = 0} : (tensor<4xi32>, tensor<5xi64>, tensor<5xi32>) -> tensor<4xi32>
  %2 = ttc.scatter_elements %one, %i, %u reduction max {axis = 0} : (tensor<4xi32>, tensor<5xi64>, tensor<5xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @scatter_nd
// CHECK-DAG: dense<{{\[}}[0, 0], [5, 6], [3, 4]]> : tensor<3x2xui8>
// CHECK-DAG: dense<{{\[}}[1, 4], [1, 1], [1, 4]]> : tensor<3x2xui8>
func.func @scatter_nd() -> (tensor<3x2xui8>, tensor<3x2xui8>) {
  %zero = ttc.constant dense<0> : tensor<3x2xui8>
  %one = ttc.constant dense<1> : tensor<3x2xui8>
  %i = ttc.constant dense<[[1], [2], [1]]> : tensor<3x1xi32>
  %u = ttc.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>
  %j = ttc.constant dense<[[0, 1], [2, -1], [3, 0]]> : tensor<3x2xi32>
  %four = ttc.constant dense<4> : tensor<3xui8>
  %0 = ttc.scatter_nd %zero, %i, %u : (tensor<3x2xui8>, tensor<3x1xi32>, tensor<3x2xui8>) -> tensor<3x2xui8>
  %1 = ttc.scatter_nd %one, %j, %four reduction mul : (tensor<3x2xui8>, tensor<3x2xi32>, tensor<3xui8>) -> tensor<3x2xui8>
  return %0, %1 : tensor<3x2xui8>, tensor<3x2xui8>
}

// Nothing to write.
// CHECK-LABEL: func.func @no_updates
// CHECK-SAME: (%[[D:.*]]: tensor<4xf32>, %{{.*}})
// CHECK-NEXT: return %[[D]]
func.func @no_updates(%d: tensor<4xf32>, %i: tensor<0xi64>, %u: tensor<0xf32>) -> tensor<4xf32> {
  %0 = ttc.scatter_elements %d, %i, %u {axis = 0} : (tensor<4xf32>, tensor<0xi64>, tensor<0xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Integers wrap around.
// CHECK-LABEL: func.func @cumulative
// CHECK-DAG: dense<[100, -56, -53]> : tensor<3xi8>
// CHECK-DAG: dense<[103, 3, 0]> : tensor<3xi8>
// CHECK-DAG: dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 8.000000e+00]]> : tensor<2x2xf16>
func.func @cumulative() -> (tensor<3xi8>, tensor<3xi8>, tensor<2x2xf16>) {
  %x = ttc.constant dense<[100, 100, 3]> : tensor<3xi8>
  %y = ttc.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %0 = ttc.cumulative sum %x {axis = 0} : (tensor<3xi8>) -> tensor<3xi8>
  %1 = ttc.cumulative sum %x {axis = 0, exclusive, reverse} : (tensor<3xi8>) -> tensor<3xi8>
  %2 = ttc.cumulative prod %y {axis = 0} : (tensor<2x2xf16>) -> tensor<2x2xf16>
  return %0, %1, %2 : tensor<3xi8>, tensor<3xi8>, tensor<2x2xf16>
}

// Equal elements stay in order, zeros of both signs are equal, NaN is the largest.
// CHECK-LABEL: func.func @argsort
// CHECK-DAG: dense<[4, 1, 3, 0, 2]> : tensor<5xi64>
// CHECK-DAG: dense<[2, 0, 1]> : tensor<3xi64>
// CHECK-DAG: dense<[1, 2, 0]> : tensor<3xi64>
func.func @argsort() -> (tensor<5xi64>, tensor<3xi64>, tensor<3xi64>) {
  %x = ttc.constant dense<[2.0, 0.0, 0x7FC00000, -0.0, -1.0]> : tensor<5xf32>
  %y = ttc.constant dense<[200, 3, 100]> : tensor<3xui8>
  %0 = ttc.argsort %x {axis = 0, count = 5} : (tensor<5xf32>) -> tensor<5xi64>
  %1 = ttc.argsort %x {axis = 0, count = 3, largest} : (tensor<5xf32>) -> tensor<3xi64>
  %2 = ttc.argsort %y {axis = 0, count = 3} : (tensor<3xui8>) -> tensor<3xi64>
  return %0, %1, %2 : tensor<5xi64>, tensor<3xi64>, tensor<3xi64>
}

// The second box overlaps the first; the third does not; the score of the fourth is too low.
// CHECK-LABEL: func.func @non_max_suppression
// CHECK: dense<{{\[}}[0, 0, 1], [0, 0, 2], [-1, -1, -1]]> : tensor<3x3xi64>
func.func @non_max_suppression() -> tensor<3x3xi64> {
  %b = ttc.constant dense<[[[0.0, 0.0, 1.0, 1.0], [1.0, 1.1, 0.0, 0.1], [0.0, 10.0, 1.0, 11.0], [5.0, 5.0, 6.0, 6.0]]]> : tensor<1x4x4xf32>
  %s = ttc.constant dense<[[[0.8, 0.9, 0.7, 0.1]]]> : tensor<1x1x4xf32>
  %m = ttc.constant dense<3> : tensor<i64>
  %t = ttc.constant dense<0.5> : tensor<f32>
  %0 = ttc.non_max_suppression %b, %s, %m, %t, %t {rows = 3} : (tensor<1x4x4xf32>, tensor<1x1x4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<3x3xi64>
  return %0 : tensor<3x3xi64>
}

// CHECK-LABEL: func.func @determinant
// CHECK: dense<[-2.000000e+00, -1.000000e+00, -0.000000e+00]> : tensor<3xf32>
func.func @determinant() -> tensor<3xf32> {
  %x = ttc.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 2.0], [2.0, 4.0]]]> : tensor<3x2x2xf32>
  %0 = ttc.determinant %x : (tensor<3x2x2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
