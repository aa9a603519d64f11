// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on quantised tensors: conversions are one op each, products are exact, and what follows them is
// elementwise. test/conformance compares their numbers.
// RUN: split-file %s %t

// RUN: onnx-text %t/linear.txt %t/linear.onnx --name
// RUN: ttc-translate --import-onnx %t/linear.onnx | FileCheck %s --check-prefix=LINEAR
//--- linear.txt
<ir_version: 8, opset_import: ["" : 21]>
g (float[2,3,4] x, float[3] s, uint8[3] z, uint8[2,3,4] q, float[2,3,2] sb) => (uint8[2,3,4] a, float[2,3,4] b, uint8[2,3,4] c, uint16[2,3,4] d, float[2,3,4] e)
<float one = {1}>
{
  a = QuantizeLinear(x, s, z)
  b = DequantizeLinear<axis = -2>(q, s, z)
  c = QuantizeLinear<axis = 2, block_size = 2>(x, sb)
  d = QuantizeLinear<output_dtype = 4>(x, one)
  e = DequantizeLinear<axis = 2, block_size = 3>(q, sb)
}
// LINEAR: ttc.quantize %arg0, {{.*}} : (tensor<2x3x4xf32>, tensor<3x1xf32>, tensor<3x1xui8>) -> tensor<2x3x4xui8>
// LINEAR: ttc.dequantize %arg3, {{.*}} : (tensor<2x3x4xui8>, tensor<3x1xf32>, tensor<3x1xui8>) -> tensor<2x3x4xf32>
// Blocks are a dimension.
// LINEAR: ttc.quantize {{.*}} : (tensor<2x3x2x2xf32>, tensor<2x3x2x1xf32>, tensor<ui8>) -> tensor<2x3x2x2xui8>
// Other types are composed.
// LINEAR: ttc.round
// LINEAR: ttc.cast {{.*}} -> tensor<2x3x4xui16>
// The last block may be smaller.
// LINEAR: %[[BLOCKS:.*]] = ttc.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
// LINEAR: ttc.gather %arg4, %[[BLOCKS]] {axis = 2} : (tensor<2x3x2xf32>, tensor<4xi32>) -> tensor<2x3x4xf32>

// RUN: onnx-text %t/products.txt %t/products.onnx --name
// RUN: ttc-translate --import-onnx %t/products.onnx | FileCheck %s --check-prefix=PRODUCTS
//--- products.txt
<ir_version: 8, opset_import: ["" : 21, "com.microsoft" : 1]>
g (uint8[4,8] a, int8[8,5] b, int8[5] bz, uint8[1,3,6,6] x, int8[2,3,3,3] w, float[2] ws, float[4,8] f) => (int32[4,5] y, uint8[1,2,4,4] c, uint8[4,8] q, float qs, uint8 qz, float[4,5] m)
<uint8 az = {7}, float xs = {0.5}, float ys = {2}, uint8 zero = {0}, int8 wz = {0}>
{
  y = MatMulInteger(a, b, az, bz)
  c = QLinearConv(x, xs, az, w, ws, wz, ys, zero)
  q, qs, qz = DynamicQuantizeLinear(f)
  m = com.microsoft.DynamicQuantizeMatMul(f, b, xs)
}
// PRODUCTS: ttc.int_matmul %arg0, %arg1, {{.*}} : (tensor<4x8xui8>, tensor<8x5xi8>, tensor<ui8>, tensor<5xi8>) -> tensor<4x5xi32>
// PRODUCTS: ttc.int_conv %arg3, %arg4, {{.*}} -> tensor<1x2x4x4xi32>
// PRODUCTS: ttc.cast
// PRODUCTS: ttc.mul
// PRODUCTS: ttc.quantize {{.*}} -> tensor<1x2x4x4xui8>
// PRODUCTS: ttc.reduce_max
// PRODUCTS: ttc.reduce_min
// PRODUCTS: ttc.quantize {{.*}} -> tensor<4x8xui8>
// PRODUCTS: ttc.int_matmul

// Weights of bytes stay bytes, however few they are; an i32 bias is a number.
// RUN: onnx-text %t/weights.txt %t/weights.onnx --name
// RUN: ttc-translate --import-onnx %t/weights.onnx | FileCheck %s --check-prefix=WEIGHTS
//--- weights.txt
<ir_version: 8, opset_import: ["" : 21]>
g (float[1,2,6,6] x) => (float[1,2,6,6] y)
<int8[2,2,1,1] w = {1, -2, 3, 4}, float[2] ws = {0.5, 2}, int8[2] wz = {0, 0}, int32[2] b = {5, 7}, int32[2] bz = {0, 0}>
{
  wr = DequantizeLinear<axis = 0>(w, ws, wz)
  br = DequantizeLinear<axis = 0>(b, ws, bz)
  y = Conv(x, wr, br)
}
// WEIGHTS: %[[W:.*]] = ttc.dequantize {{.*}} -> tensor<2x2x1x1xf32>
// WEIGHTS-NOT: ttc.dequantize
// WEIGHTS: ttc.conv %arg0, %[[W]], %{{.*}} :

// RUN: onnx-text %t/errors.txt %t/errors.onnx --name
// RUN: not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS
//--- errors.txt
<ir_version: 8, opset_import: ["" : 21, "com.microsoft" : 1]>
g (float[2,3,4] x, float[3] s, float[5] t, uint8[3] z, uint8[2,3,4] q, uint8[4,8] a, int8[8,5] b, uint8[6,2,8] packed) => (float[2,3,4] y)
<uint8 az = {7}, float one = {1}, float[2] two = {1, 2}, float[12] scales = {1,2,3,4,5,6,7,8,9,10,11,12}>
{
  c = QuantizeLinear(x, t)
  d = QuantizeLinear(x, s, az)
  e = QuantizeLinear<output_dtype = 3>(x, s, z)
  f = DequantizeLinear<block_size = 3, axis = 2>(q, s)
  h = MatMulInteger(a, b, z)
  i = QLinearMatMul(a, one, az, b, t, az, two, az)
  j = com.microsoft.MatMulNBits<K = 32, N = 6, bits = 3, block_size = 16>(x, packed, scales)
  k = com.microsoft.MatMulNBits<K = 32, N = 6, bits = 4, block_size = 16>(x, packed, scales)
  l = com.microsoft.QLinearConcat<axis = 0>(one, az, a, one, az, b)
  y = Relu(x)
}
// ERRORS: node 'QuantizeLinear_0' (QuantizeLinear, opset 21): expected the scale to have one element or 3, one for each of dimension 1, found 'tensor<5xf32>'
// ERRORS: node 'QuantizeLinear_2' (QuantizeLinear, opset 21): attribute 'output_dtype' is 'i8', which is not the type of the zero point 'tensor<3xui8>'
// ERRORS: node 'DequantizeLinear_3' (DequantizeLinear, opset 21): expected the scale of blocks of 3 to have the shape [2, 3, 2], found 'tensor<3xf32>'
// ERRORS: node 'MatMulInteger_4' (MatMulInteger, opset 21): expected the zero point of a to have one element or one for each row of 'tensor<4x8xui8>', found 'tensor<3xui8>'
// ERRORS: node 'MatMulNBits_6' (MatMulNBits, {{.*}}): attribute 'bits' is 3 (supported: 2, 4, 8)
// ERRORS: node 'MatMulNBits_7' (MatMulNBits, {{.*}}): expected rows of 32 numbers, and bytes of 6 columns of 2 blocks of 16 numbers of 4 bits each, found 'tensor<2x3x4xf32>'
// ERRORS: node 'QLinearConcat_8' (QLinearConcat, {{.*}}): expected a scale and a zero point for the result and for each tensor, found 6 inputs
