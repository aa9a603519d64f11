// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | %roundtrip %s
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @bytes(%x: tensor<2x8xui8>, %y: tensor<2x8xf32>, %i: tensor<2x8xi8>) {
  %0 = ttc.decode_float %x {format = f8E4M3FN} : (tensor<2x8xui8>) -> tensor<2x8xf32>
  %1 = ttc.encode_float %y {format = f4E2M1FN} : (tensor<2x8xf32>) -> tensor<2x8xui8>
  %2 = ttc.encode_float %y rounding down {format = f8E8M0FNU, saturate = false}
     : (tensor<2x8xf32>) -> tensor<2x8xui8>
  %3 = ttc.wrap_integer %i {width = 4} : (tensor<2x8xi8>) -> tensor<2x8xi8>
  %4 = ttc.wrap_integer %x {width = 2} : (tensor<2x8xui8>) -> tensor<2x8xui8>
  return
}

// Elements that are moved and converted.
func.func @stored(%a: tensor<2x4xf8E5M2FNUZ>, %b: tensor<2x4xi4>, %c: tensor<2x4xi1>, %x: tensor<2x4xf64>) {
  %0 = ttc.transpose %a {permutation = [1, 0]} : (tensor<2x4xf8E5M2FNUZ>) -> tensor<4x2xf8E5M2FNUZ>
  %1 = ttc.where %c, %b, %b : (tensor<2x4xi1>, tensor<2x4xi4>, tensor<2x4xi4>) -> tensor<2x4xi4>
  %2 = ttc.cast %b : (tensor<2x4xi4>) -> tensor<2x4xui2>
  %3 = ttc.cast %x {saturate = false} : (tensor<2x4xf64>) -> tensor<2x4xf8E4M3FNUZ>
  %4 = ttc.cast %x rounding nearest : (tensor<2x4xf64>) -> tensor<2x4xf8E8M0FNU>
  %5 = ttc.constant dense<[1, -8, 7]> : tensor<3xi4>
  return
}
