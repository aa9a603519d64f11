// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float ops of com.microsoft.
// RUN: split-file %s %t
// RUN: onnx-text %t/fused.txt %t/fused.onnx && ttc-translate --import-onnx %t/fused.onnx | FileCheck %s --check-prefix=FUSED
// RUN: onnx-text %t/norm.txt %t/norm.onnx && ttc-translate --import-onnx %t/norm.onnx | FileCheck %s --check-prefix=NORM
// RUN: onnx-text %t/errors.txt %t/errors.onnx --name
// RUN: not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS

//--- fused.txt
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1,3,6,6] x, float[4,3,3,3] w, float[4,5] a, float[4] v, float[5] u) => (float[1,4,4,4] y, float[4] b, float[5] z)
{
  y = com.microsoft.FusedConv<activation = "LeakyRelu", activation_params = [0.2]>(x, w)
  b = com.microsoft.FusedMatMul<alpha = 0.5, transB = 1>(u, a)
  c = com.microsoft.FusedMatMul<transA = 1>(a, v)
  d = com.microsoft.QuickGelu(c)
  z = com.microsoft.FastGelu(d, d)
}
// FUSED: ttc.conv
// FUSED: ttc.leaky_relu %{{.*}} {alpha = 2.000000e-01}
// FUSED: ttc.matmul %{{.*}} {transpose_b} : (tensor<1x5xf32>, tensor<4x5xf32>)
// FUSED: ttc.matmul %{{.*}} {transpose_a} : (tensor<4x5xf32>, tensor<4x1xf32>)
// FUSED: ttc.sigmoid
// FUSED: ttc.gelu %{{.*}} approximate tanh

//--- norm.txt
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2,3,8] x, float[8] s) => (float[2,3,8] y, float[2,3,8] sum)
{
  y, , , sum = com.microsoft.SkipLayerNormalization(x, x, s, s, s)
}
// NORM: %[[A:.*]] = ttc.add %arg0, %arg0
// NORM: %[[SUM:.*]] = ttc.add %[[A]], %arg1
// NORM: %[[Y:.*]] = ttc.layer_norm %[[SUM]], %arg1, %arg1 {axis = 2, epsilon = {{.*}}}
// NORM: return %[[Y]], %[[SUM]]

//--- errors.txt
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2,3,8] x, float[2,3,7] odd, float[4,5] a) => (float[2,3,8] y)
{
  b = com.microsoft.FusedGemm<activation = "Magic", transB = 1>(a, a)
  c = com.microsoft.BiasSplitGelu(odd, odd)
  d = com.microsoft.CDist<metric = "far">(a, a)
  y = com.microsoft.GroupNorm<groups = 2, activation = 3>(x, x, x)
}
// ERRORS: node 'FusedGemm_0' (FusedGemm,{{.*}}: activation 'Magic' is not supported (supported: Affine, Clip,
// ERRORS: node 'BiasSplitGelu_1' (BiasSplitGelu,{{.*}}: expected the input to have an even last dimension, found 'tensor<2x3x7xf32>'
// ERRORS: node 'CDist_2' (CDist,{{.*}}: attribute 'metric' is 'far' (supported: euclidean, sqeuclidean)
// ERRORS: node 'GroupNorm_3' (GroupNorm,{{.*}}: attribute 'activation' is 3 (supported: 0, 1)
