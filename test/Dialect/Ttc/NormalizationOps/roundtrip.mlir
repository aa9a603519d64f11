// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @norms(%x: tensor<1x8x4x4xf32>, %l: tensor<1x4x4x8xf32>, %s: tensor<8xf32>, %ln: tensor<4x4xf32>, %h: tensor<1x128x768xf32>, %hs: tensor<768xf32>) {
  %0 = ttc.batch_norm %x, %s, %s, %s, %s : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %1 = ttc.batch_norm %l, %s, %s, %s, %s {channels_last, epsilon = 1.000000e-03} : (tensor<1x4x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x4x8xf32>
  %2 = ttc.layer_norm %h, %hs, %hs {axis = 2, epsilon = 9.99999996E-13} : (tensor<1x128x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x128x768xf32>
  %3 = ttc.layer_norm %x, %ln {axis = 2} : (tensor<1x8x4x4xf32>, tensor<4x4xf32>) -> tensor<1x8x4x4xf32>
  %4 = ttc.group_norm %x, %s, %s {groups = 4} : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %5 = ttc.instance_norm %x, %s, %s : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %6 = ttc.lrn %x {alpha = 2.000000e-04, beta = 5.000000e-01, bias = 2.000000e+00, size = 5} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %7 = ttc.softmax %x {axis = 1} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %8 = ttc.log_softmax %x {axis = 3} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}
