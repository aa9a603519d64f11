// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @reduce(%x: tensor<1x8x4x4xf32>, %i: tensor<4x10xi32>) {
  %0 = ttc.reduce_sum %x {axes = [2, 3], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %1 = ttc.reduce_mean %x {axes = [2, 3], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %2 = ttc.reduce_max %x {axes = [2, 3], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %3 = ttc.reduce_min %x {axes = [2, 3], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %4 = ttc.reduce_prod %x {axes = [2, 3], keepdims} : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %5 = ttc.reduce_sum %i {axes = [1]} : (tensor<4x10xi32>) -> tensor<4xi32>
  %6 = ttc.reduce_max %i {axes = [0, 1]} : (tensor<4x10xi32>) -> tensor<i32>
  %7 = ttc.argmax %i {axis = 1, keepdims} : (tensor<4x10xi32>) -> tensor<4x1xi64>
  %8 = ttc.argmin %i {axis = 0, select_last} : (tensor<4x10xi32>) -> tensor<10xi64>
  return
}
