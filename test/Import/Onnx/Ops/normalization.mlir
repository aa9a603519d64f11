// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations, softmax and reductions.
// RUN: split-file %s %t
// RUN: onnx-text %t/norm.txt %t/norm.onnx && ttc-translate --import-onnx %t/norm.onnx | FileCheck %s --check-prefix=NORM
// RUN: onnx-text %t/half.txt %t/half.onnx && ttc-translate --import-onnx %t/half.onnx | FileCheck %s --check-prefix=HALF
// RUN: onnx-text %t/group18.txt %t/group18.onnx && ttc-translate --import-onnx %t/group18.onnx | FileCheck %s --check-prefix=GROUP18
// RUN: onnx-text %t/rms.txt %t/rms.onnx && ttc-translate --import-onnx %t/rms.onnx | FileCheck %s --check-prefix=RMS
// RUN: onnx-text %t/softmax13.txt %t/softmax13.onnx && ttc-translate --import-onnx %t/softmax13.onnx | FileCheck %s --check-prefix=SOFTMAX13
// RUN: onnx-text %t/softmax11.txt %t/softmax11.onnx && ttc-translate --import-onnx %t/softmax11.onnx | FileCheck %s --check-prefix=SOFTMAX11
// RUN: onnx-text %t/reduce11.txt %t/reduce11.onnx && ttc-translate --import-onnx %t/reduce11.onnx | FileCheck %s --check-prefix=REDUCE11
// RUN: onnx-text %t/reduce18.txt %t/reduce18.onnx && ttc-translate --import-onnx %t/reduce18.onnx | FileCheck %s --check-prefix=REDUCE18

//--- norm.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,4,5,5] x, float[4] s, float[5] t) => (float[2,4,5,5] y)
{
  a = BatchNormalization<epsilon = 0.001, momentum = 0.9>(x, s, s, s, s)
  b = InstanceNormalization(a, s, s)
  c = LayerNormalization(b, t, t)
  d = LayerNormalization<axis = 2>(c, t)
  e = LRN<size = 3, alpha = 0.5>(d)
  f = LpNormalization<axis = 1, p = 1>(e)
  y = MeanVarianceNormalization(f)
}
// NORM: ttc.batch_norm %arg0, %arg1, %arg1, %arg1, %arg1 {epsilon = 1.000000e-03}
// NORM: ttc.instance_norm
// NORM: ttc.layer_norm %{{.*}}, %arg2, %arg2 {axis = 3
// NORM: %[[S:.*]] = ttc.expand %arg2 : (tensor<5xf32>) -> tensor<5x5xf32>
// NORM: ttc.layer_norm %{{.*}}, %[[S]] {axis = 2
// NORM: ttc.lrn %{{.*}} {alpha = 5.000000e-01, size = 3}
// NORM: ttc.abs
// NORM: ttc.reduce_sum %{{.*}} {axes = [1], keepdims}
// NORM: ttc.div
// NORM: ttc.reduce_mean %{{.*}} {axes = [0, 2, 3], keepdims}
// NORM: ttc.sqrt

// The epsilon of 1e-9 is zero in f16.
//--- half.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float16[2,4,5,5] x) => (float16[2,4,5,5] y)
{
  y = MeanVarianceNormalization(x)
}
// HALF: %[[X:.*]] = ttc.cast %arg0 : (tensor<2x4x5x5xf16>) -> tensor<2x4x5x5xf32>
// HALF: ttc.reduce_mean %[[X]]
// HALF: %[[E:.*]] = ttc.constant dense<9.99999971E-10> : tensor<f32>
// HALF: ttc.add %{{.*}}, %[[E]]
// HALF: ttc.cast %{{.*}} : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf16>

// One element of scale and bias for each group (18), or for each channel (21).
//--- group18.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,4,5] x, float[2] s) => (float[2,4,5] y)
{
  y = GroupNormalization<num_groups = 2>(x, s, s)
}
// GROUP18: ttc.expand %{{.*}} : (tensor<2x1xf32>) -> tensor<2x2xf32>
// GROUP18: %[[S:.*]] = ttc.reshape %{{.*}} : (tensor<2x2xf32>) -> tensor<4xf32>
// GROUP18: ttc.group_norm %arg0, %{{.*}} {groups = 2}

//--- rms.txt
<ir_version: 8, opset_import: ["" : 23]>
g (float[2,4] x, float[4] s, float[2,4,3] z, float[4] c) => (float[2,4] y, float[2,4,3] w)
{
  y = RMSNormalization(x, s)
  w = GroupNormalization<num_groups = 2>(z, c, c)
}
// RMS: ttc.mul %arg0, %arg0
// RMS: ttc.reduce_mean %{{.*}} {axes = [1], keepdims}
// RMS: ttc.rsqrt
// RMS: ttc.mul %{{.*}}, %arg1
// RMS: ttc.group_norm %arg2, %arg3, %arg3

//--- softmax13.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3,4] x) => (float[2,3,4] y)
{
  a = Softmax(x)
  y = LogSoftmax<axis = 1>(a)
}
// SOFTMAX13: ttc.softmax %arg0 {axis = 2}
// SOFTMAX13: ttc.log_softmax %{{.*}} {axis = 1}

// Everything from the axis on was one vector.
//--- softmax11.txt
<ir_version: 8, opset_import: ["" : 11]>
g (float[2,3,4] x, float[1,10,1,1] z) => (float[2,3,4] y, float[1,10,1,1] w)
{
  y = Softmax(x)
  w = Softmax(z)
}
// SOFTMAX11: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
// SOFTMAX11: ttc.softmax %{{.*}} {axis = 1} : (tensor<2x12xf32>)
// SOFTMAX11: ttc.reshape %{{.*}} -> tensor<2x3x4xf32>
// SOFTMAX11: ttc.softmax %arg1 {axis = 1} : (tensor<1x10x1x1xf32>)

//--- reduce11.txt
<ir_version: 8, opset_import: ["" : 11]>
g (float[2,3,4] x) => (float[2,4] a, float[1,1,1] b, float[2,3] c, int64[2,1,4] d)
{
  a = ReduceMean<axes = [-2], keepdims = 0>(x)
  b = ReduceSum(x)
  c = ReduceL2<axes = [2], keepdims = 0>(x)
  d = ArgMax<axis = 1>(x)
}
// REDUCE11: ttc.reduce_mean %arg0 {axes = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
// REDUCE11: ttc.reduce_sum %arg0 {axes = [0, 1, 2], keepdims}
// REDUCE11: ttc.mul %arg0, %arg0
// REDUCE11: ttc.reduce_sum %{{.*}} {axes = [2]}
// REDUCE11: ttc.sqrt
// REDUCE11: ttc.argmax %arg0 {axis = 1, keepdims}

//--- reduce18.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,3] x) => (float[2] y, float[2,1] l, float[1,1] m, float[1,3] n)
<int64[1] one = {1}, int64[1] zero = {0}>
{
  a = ReduceSum<noop_with_empty_axes = 1>(x)
  y = ReduceMax<keepdims = 0>(a, one)
  l = ReduceLogSumExp(x, one)
  m = ReduceMin(x)
  n = ReduceProd(x, zero)
}
// REDUCE18-NOT: reduce_sum %arg0
// REDUCE18: ttc.reduce_max %arg0 {axes = [1]}
// An infinite maximum counts as the largest finite number.
// REDUCE18: %[[FOUND:.*]] = ttc.reduce_max %arg0 {axes = [1], keepdims}
// REDUCE18: %[[BOUNDED:.*]] = ttc.max %[[FOUND]]
// REDUCE18: %[[MAX:.*]] = ttc.min %[[BOUNDED]]
// REDUCE18: ttc.sub %arg0, %[[MAX]]
// REDUCE18: ttc.exp
// REDUCE18: ttc.reduce_sum
// REDUCE18: ttc.log
// REDUCE18: ttc.add %{{.*}}, %[[MAX]]
// REDUCE18: ttc.reduce_min %arg0 {axes = [0, 1], keepdims}
// REDUCE18: ttc.reduce_prod
