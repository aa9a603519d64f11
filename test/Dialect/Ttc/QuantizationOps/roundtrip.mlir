// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @quantize(%x: tensor<2x8xf32>, %s: tensor<f32>, %z: tensor<ui8>, %c: tensor<8xf32>, %i: tensor<8xi8>, %h: tensor<2x1xf16>, %hx: tensor<2x8xf16>, %w: tensor<1xi16>) {
  %0 = ttc.quantize %x, %s, %z : (tensor<2x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x8xui8>
  %1 = ttc.quantize %x, %c, %i : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xi8>) -> tensor<2x8xi8>
  %2 = ttc.quantize %hx, %h, %w : (tensor<2x8xf16>, tensor<2x1xf16>, tensor<1xi16>) -> tensor<2x8xi16>
  return
}

func.func @dequantize(%x: tensor<2x8xui8>, %s: tensor<f32>, %z: tensor<ui8>, %b: tensor<8xi32>, %c: tensor<8xf16>, %n: tensor<i32>) {
  %0 = ttc.dequantize %x, %s, %z : (tensor<2x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x8xf32>
  %1 = ttc.dequantize %b, %c, %n : (tensor<8xi32>, tensor<8xf16>, tensor<i32>) -> tensor<8xf16>
  return
}

func.func @products(%a: tensor<4x5x7xui8>, %b: tensor<7x3xi8>, %az: tensor<5x1xui8>, %bz: tensor<3xi8>, %x: tensor<1x4x9x9xui8>, %w: tensor<6x2x3x3xui8>, %xz: tensor<ui8>, %wz: tensor<6x1x1x1xui8>) {
  %0 = ttc.int_matmul %a, %b, %az, %bz : (tensor<4x5x7xui8>, tensor<7x3xi8>, tensor<5x1xui8>, tensor<3xi8>) -> tensor<4x5x3xi32>
  %1 = ttc.int_conv %x, %w, %xz, %wz {groups = 2, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x9x9xui8>, tensor<6x2x3x3xui8>, tensor<ui8>, tensor<6x1x1x1xui8>) -> tensor<1x6x5x5xi32>
  return
}
