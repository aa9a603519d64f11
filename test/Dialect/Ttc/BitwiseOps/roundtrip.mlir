// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @bits(%a: tensor<2x8xi32>, %b: tensor<8xi32>, %u: tensor<4xui8>, %f: tensor<4xf16>) {
  %0 = ttc.bit_and %a, %b : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  %1 = ttc.bit_or %a, %b : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  %2 = ttc.bit_xor %a, %b : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  %3 = ttc.shift_left %a, %b : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  %4 = ttc.shift_right %a, %b : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  %5 = ttc.shift_right %u, %u : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %6 = ttc.bit_not %u : (tensor<4xui8>) -> tensor<4xui8>
  %7 = ttc.bitcast %f : (tensor<4xf16>) -> tensor<4xi16>
  return
}
