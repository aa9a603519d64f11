// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @sequential(%d: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>, %v: tensor<4xf32>,
                      %x: tensor<4x3x3xf32>, %b: tensor<1x100x4xf32>, %s: tensor<1x3x100xf32>,
                      %m: tensor<i64>, %t: tensor<f32>) {
  %0 = ttc.scatter_elements %d, %i, %u {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %1 = ttc.scatter_elements %d, %i, %u reduction max {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %2 = ttc.scatter_nd %d, %i, %v : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4xf32>) -> tensor<4x8xf32>
  %3 = ttc.scatter_nd %d, %i, %v reduction add : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4xf32>) -> tensor<4x8xf32>
  %4 = ttc.cumulative sum %d {axis = 1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = ttc.cumulative prod %d {axis = 0, exclusive, reverse} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = ttc.argsort %d {axis = 1, count = 3} : (tensor<4x8xf32>) -> tensor<4x3xi64>
  %7 = ttc.argsort %d {axis = 0, count = 4, largest} : (tensor<4x8xf32>) -> tensor<4x8xi64>
  %8 = ttc.non_max_suppression %b, %s, %m, %t, %t {center_point, rows = 30} : (tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<30x3xi64>
  %9 = ttc.determinant %x : (tensor<4x3x3xf32>) -> tensor<4xf32>
  return
}
