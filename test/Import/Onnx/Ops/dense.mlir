// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions, pools, matrix products.
// RUN: split-file %s %t
// RUN: onnx-text %t/conv.txt %t/conv.onnx && ttc-translate --import-onnx %t/conv.onnx | FileCheck %s --check-prefix=CONV
// RUN: onnx-text %t/autopad.txt %t/autopad.onnx && ttc-translate --import-onnx %t/autopad.onnx | FileCheck %s --check-prefix=AUTOPAD
// RUN: onnx-text %t/transpose.txt %t/transpose.onnx && ttc-translate --import-onnx %t/transpose.onnx | FileCheck %s --check-prefix=TRANSPOSE
// RUN: onnx-text %t/pool.txt %t/pool.onnx && ttc-translate --import-onnx %t/pool.onnx | FileCheck %s --check-prefix=POOL
// RUN: onnx-text %t/gemm.txt %t/gemm.onnx && ttc-translate --import-onnx %t/gemm.onnx | FileCheck %s --check-prefix=GEMM
// RUN: onnx-text %t/matmul.txt %t/matmul.onnx && ttc-translate --import-onnx %t/matmul.onnx | FileCheck %s --check-prefix=MATMUL

//--- conv.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4,8,8] x, float[6,2,3,3] w, float[6] b, float[1,4,9] s, float[4,4,3] v) => (float[1,6,4,4] y, float[1,4,7] z)
{
  y = Conv<group = 2, kernel_shape = [3,3], pads = [1,1,1,1], strides = [2,2]>(x, w, b)
  z = Conv(s, v)
}
// CONV: ttc.conv %arg0, %arg1, %arg2 {groups = 2, pads = [1, 1, 1, 1], strides = [2, 2]}
// CONV-SAME: -> tensor<1x6x4x4xf32>
// CONV: ttc.conv %arg3, %arg4 : {{.*}} -> tensor<1x4x7xf32>

// The odd row of padding goes to the end (SAME_UPPER) or to the start (SAME_LOWER).
//--- autopad.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,1,6,6] x, float[1,1,3,3] w) => (float[1,1,3,3] u, float[1,1,3,3] l, float[1,1,2,2] v, float[1,1,3,3] p)
{
  u = Conv<auto_pad = "SAME_UPPER", strides = [2,2]>(x, w)
  l = Conv<auto_pad = "SAME_LOWER", strides = [2,2]>(x, w)
  v = Conv<auto_pad = "VALID", strides = [2,2]>(x, w)
  p = MaxPool<auto_pad = "SAME_UPPER", kernel_shape = [3,3], strides = [2,2]>(x)
}
// AUTOPAD: ttc.conv {{.*}}pads = [0, 0, 1, 1]{{.*}} -> tensor<1x1x3x3xf32>
// AUTOPAD: ttc.conv {{.*}}pads = [1, 1, 0, 0]{{.*}} -> tensor<1x1x3x3xf32>
// AUTOPAD: ttc.conv {{.*}} {strides = [2, 2]} {{.*}} -> tensor<1x1x2x2xf32>
// AUTOPAD: ttc.max_pool {{.*}}pads = [0, 0, 1, 1]{{.*}} -> tensor<1x1x3x3xf32>

//--- transpose.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,2,4,4] x, float[2,3,3,3] w, float[3] b) => (float[1,3,8,8] y, float[1,3,8,8] s, float[1,3,8,8] o)
{
  y = ConvTranspose<strides = [2,2], pads = [1,1,1,1], output_padding = [1,1]>(x, w, b)
  s = ConvTranspose<strides = [2,2], auto_pad = "SAME_UPPER">(x, w)
  o = ConvTranspose<strides = [2,2], output_shape = [8,8]>(x, w)
}
// TRANSPOSE: ttc.conv_transpose %arg0, %arg1, %arg2 {{.*}}output_padding = [1, 1], pads = [1, 1, 1, 1], strides = [2, 2]{{.*}} -> tensor<1x3x8x8xf32>
// TRANSPOSE: ttc.conv_transpose %arg0, %arg1 {{.*}}pads = [0, 0, 1, 1]{{.*}} -> tensor<1x3x8x8xf32>
// TRANSPOSE: ttc.conv_transpose %arg0, %arg1 {{.*}}pads = [1, 1, 0, 0]{{.*}} -> tensor<1x3x8x8xf32>

//--- pool.txt
<ir_version: 8, opset_import: ["" : 12]>
g (float[1,2,7,7] x) => (float[1,2,3,3] a, float[1,2,3,3] b, float[1,2,1,1] c, float[1,2,1,1] d)
{
  a = MaxPool<kernel_shape = [3,3], strides = [2,2], storage_order = 0>(x)
  b = AveragePool<kernel_shape = [2,2], strides = [2,2], ceil_mode = 0, count_include_pad = 1>(x)
  c = GlobalAveragePool(x)
  d = GlobalMaxPool(x)
}
// POOL: ttc.max_pool %arg0 {kernel = [3, 3], strides = [2, 2]}
// POOL: ttc.avg_pool %arg0 {count_include_pad
// POOL: ttc.global_avg_pool %arg0
// POOL: ttc.global_max_pool %arg0

//--- gemm.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] a, float[4,3] b, float[4] c) => (float[2,4] y, float[2,4] z)
{
  y = Gemm<transB = 1>(a, b, c)
  z = Gemm<transB = 1, alpha = 0.5, beta = 2.0>(a, b, c)
}
// GEMM: ttc.matmul %arg0, %arg1, %arg2 {transpose_b}
// GEMM: %[[C:.*]] = ttc.mul %arg2,
// GEMM: %[[AB:.*]] = ttc.matmul %arg0, %arg1 {transpose_b}
// GEMM: %[[SCALED:.*]] = ttc.mul %[[AB]],
// GEMM: ttc.add %[[SCALED]], %[[C]]

// Vectors are rows on the left and columns on the right.
//--- matmul.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[5,2,3] a, float[3,4] b, float[3] v) => (float[5,2,4] ab, float[5,2] av, float[4] vb, float[] vv)
{
  ab = MatMul(a, b)
  av = MatMul(a, v)
  vb = MatMul(v, b)
  vv = MatMul(v, v)
}
// MATMUL: ttc.matmul %arg0, %arg1 : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
// MATMUL: ttc.reshape %{{.*}} : (tensor<5x2x1xf32>) -> tensor<5x2xf32>
// MATMUL: ttc.reshape %{{.*}} : (tensor<1x4xf32>) -> tensor<4xf32>
// MATMUL: ttc.reshape %{{.*}} : (tensor<1x1xf32>) -> tensor<f32>
