// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops: those with an op of their own, and those that are composed.
// RUN: split-file %s %t
// RUN: onnx-text %t/unary.txt %t/unary.onnx && ttc-translate --import-onnx %t/unary.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=UNARY
// RUN: onnx-text %t/alpha.txt %t/alpha.onnx && ttc-translate --import-onnx %t/alpha.onnx | FileCheck %s --check-prefix=ALPHA
// RUN: onnx-text %t/clip6.txt %t/clip6.onnx && ttc-translate --import-onnx %t/clip6.onnx | FileCheck %s --check-prefix=CLIP6
// RUN: onnx-text %t/clip13.txt %t/clip13.onnx && ttc-translate --import-onnx %t/clip13.onnx | FileCheck %s --check-prefix=CLIP13
// RUN: onnx-text %t/composed.txt %t/composed.onnx && ttc-translate --import-onnx %t/composed.onnx | FileCheck %s --check-prefix=COMPOSED
// RUN: onnx-text %t/dropout.txt %t/dropout.onnx && ttc-translate --import-onnx %t/dropout.onnx | FileCheck %s --check-prefix=DROPOUT
// RUN: onnx-text %t/binary.txt %t/binary.onnx && ttc-translate --import-onnx %t/binary.onnx | FileCheck %s --check-prefix=BINARY
// RUN: onnx-text %t/legacy.txt %t/legacy.onnx && ttc-translate --import-onnx %t/legacy.onnx | FileCheck %s --check-prefix=LEGACY
// RUN: onnx-text %t/prelu.txt %t/prelu.onnx && ttc-translate --import-onnx %t/prelu.onnx | FileCheck %s --check-prefix=PRELU
// RUN: onnx-text %t/prelu6.txt %t/prelu6.onnx && ttc-translate --import-onnx %t/prelu6.onnx | FileCheck %s --check-prefix=PRELU6

//--- unary.txt
<ir_version: 8, opset_import: ["" : 20]>
g (float[2,3] x) => (float[2,3] y, bool[2,3] z)
{
  a = Relu(x)
  b = Erf(a)
  c = Sigmoid(b)
  d = Tanh(c)
  e = Exp(d)
  f = Log(e)
  h = Sqrt(f)
  i = Reciprocal(h)
  j = Abs(i)
  k = Neg(j)
  l = HardSwish(k)
  m = Softplus(l)
  n = Softsign(m)
  o = Floor(n)
  p = Ceil(o)
  q = Round(p)
  r = Sign(q)
  s = Sin(r)
  t = Cos(s)
  u = Gelu(t)
  y = Gelu<approximate = "tanh">(u)
  v = Cast<to = 9>(y)
  z = Not(v)
}
// UNARY: func.func @main(%[[X:.*]]: tensor<2x3xf32> {ttc.name = "x"}) -> (tensor<2x3xf32> {ttc.name = "y"}, tensor<2x3xi1> {ttc.name = "z"})
// UNARY: ttc.relu %[[X]]
// UNARY-NEXT: ttc.erf
// UNARY-NEXT: ttc.sigmoid
// UNARY-NEXT: ttc.tanh
// UNARY-NEXT: ttc.exp
// UNARY-NEXT: ttc.log
// UNARY-NEXT: ttc.sqrt
// UNARY-NEXT: ttc.reciprocal
// UNARY-NEXT: ttc.abs
// UNARY-NEXT: ttc.neg
// UNARY-NEXT: ttc.hard_swish
// UNARY-NEXT: ttc.softplus
// UNARY-NEXT: ttc.softsign
// UNARY-NEXT: ttc.floor
// UNARY-NEXT: ttc.ceil
// UNARY-NEXT: ttc.round
// UNARY-NEXT: ttc.sign
// UNARY-NEXT: ttc.sin
// UNARY-NEXT: ttc.cos
// UNARY-NEXT: ttc.gelu %{{[0-9]+}} :
// UNARY-NEXT: ttc.gelu %{{[0-9]+}} approximate tanh
// UNARY-NEXT: ttc.cast %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
// UNARY-NEXT: ttc.not

//--- alpha.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x) => (float[2,3] y)
{
  a = LeakyRelu<alpha = 0.25>(x)
  b = LeakyRelu(a)
  c = Elu<alpha = 0.5>(b)
  d = Selu(c)
  y = HardSigmoid<alpha = 0.125>(d)
}
// ALPHA: ttc.leaky_relu %{{.*}} {alpha = 2.500000e-01}
// ALPHA: ttc.leaky_relu %{{[0-9]+}} :
// ALPHA: ttc.elu %{{.*}} {alpha = 5.000000e-01}
// ALPHA: ttc.selu %{{[0-9]+}} :
// ALPHA: ttc.hard_sigmoid %{{.*}} {alpha = 1.250000e-01}

//--- clip6.txt
<ir_version: 3, opset_import: ["" : 7]>
g (float[2] x) => (float[2] y)
{
  y = Clip<min = 0.0, max = 6.0>(x)
}
// CLIP6: ttc.clamp %{{.*}} {max = 6.000000e+00, min = 0.000000e+00}

//--- clip13.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x, float[1] low) => (float[2] y, float[2] z)
{
  six = Constant<value_float = 6.0>()
  y = Clip(x, , six)
  z = Clip(y, low, six)
}
// CLIP13: %[[Y:.*]] = ttc.clamp %{{.*}} {max = 6.000000e+00} :
// CLIP13: %[[M:.*]] = ttc.max %[[Y]], %arg1
// CLIP13: ttc.min %[[M]],

//--- composed.txt
<ir_version: 8, opset_import: ["" : 24]>
g (float[2,3] x) => (float[2,3] y, bool[2,3] z)
{
  a = Mish(x)
  b = Celu<alpha = 2.0>(a)
  c = ThresholdedRelu<alpha = 0.5>(b)
  d = Shrink<lambd = 0.5, bias = 0.25>(c)
  e = Swish(d)
  y = Tan(e)
  z = IsNaN(y)
}
// COMPOSED: %[[A0:.*]] = ttc.softplus %arg0
// COMPOSED: %[[A1:.*]] = ttc.tanh %[[A0]]
// COMPOSED: %[[A:.*]] = ttc.mul %arg0, %[[A1]]
// COMPOSED: %[[B0:.*]] = ttc.div %[[A]], %[[TWO:.*]] :
// COMPOSED: %[[B1:.*]] = ttc.elu %[[B0]] :
// COMPOSED: %[[B:.*]] = ttc.mul %[[B1]], %[[TWO]]
// COMPOSED: %[[C0:.*]] = ttc.compare gt %[[B]],
// COMPOSED: %[[C:.*]] = ttc.where %[[C0]], %[[B]],
// COMPOSED: ttc.sub %[[C]]
// COMPOSED: ttc.where
// COMPOSED: ttc.add %[[C]]
// COMPOSED: %[[D:.*]] = ttc.where
// COMPOSED: %[[E0:.*]] = ttc.sigmoid %[[D]]
// COMPOSED: %[[E:.*]] = ttc.mul %[[D]], %[[E0]]
// COMPOSED: ttc.sin %[[E]]
// COMPOSED: ttc.cos %[[E]]
// COMPOSED: %[[Y:.*]] = ttc.div
// COMPOSED: ttc.compare ne %[[Y]], %[[Y]]

//--- dropout.txt
<ir_version: 8, opset_import: ["" : 12]>
g (float[2] x) => (float[2] y, bool[2] mask)
{
  a = Identity(x)
  y, mask = Dropout(a)
}
// DROPOUT: %[[MASK:.*]] = ttc.constant dense<true> : tensor<2xi1>
// DROPOUT: return %arg0, %[[MASK]]

//--- binary.txt
<ir_version: 8, opset_import: ["" : 15]>
g (float[2,3] x, float[3] b, int64[2,3] n) => (float[2,3] y, int64[2,3] m, bool[2,3] z)
{
  s = Sub(x, b)
  d = Div(s, b)
  p = Pow(d, n)
  sum = Sum(p, b, x)
  mean = Mean(sum, b)
  max = Max(mean, b, x)
  min = Min(max)
  y = PRelu(min, b)
  q = Mod(n, n)
  m = Mul(q, n)
  lt = Less(x, b)
  ge = GreaterOrEqual(x, b)
  le = LessOrEqual(x, b)
  eq = Equal(x, b)
  gt = Greater(x, b)
  a1 = And(lt, ge)
  a2 = Or(a1, le)
  a3 = Xor(a2, eq)
  z = Where(gt, a3, a2)
}
// BINARY: ttc.sub %arg0, %arg1
// BINARY: ttc.div
// In a type that holds both.
// BINARY: %[[BASE:.*]] = ttc.cast %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf64>
// BINARY: %[[N:.*]] = ttc.cast %arg2 : (tensor<2x3xi64>) -> tensor<2x3xf64>
// BINARY: %[[POWER:.*]] = ttc.pow %[[BASE]], %[[N]]
// BINARY: ttc.cast %[[POWER]] : (tensor<2x3xf64>) -> tensor<2x3xf32>
// BINARY: ttc.add
// BINARY: ttc.add
// BINARY: %[[SUM:.*]] = ttc.add
// BINARY: ttc.div %[[SUM]], %{{.*}} : (tensor<2x3xf32>, tensor<f32>)
// BINARY: ttc.max
// BINARY: %[[MAX:.*]] = ttc.max
// BINARY: ttc.prelu %[[MAX]], %arg1
// BINARY: ttc.mod %arg2, %arg2
// BINARY: ttc.mul
// BINARY: ttc.compare lt %arg0, %arg1
// BINARY: ttc.compare ge %arg0, %arg1
// BINARY: ttc.compare le %arg0, %arg1
// BINARY: ttc.compare eq %arg0, %arg1
// BINARY: ttc.compare gt %arg0, %arg1
// BINARY: ttc.and
// BINARY: ttc.or
// BINARY: ttc.xor
// BINARY: ttc.where

// Before opset 7 operands broadcast on request, from an axis on.
//--- legacy.txt
<ir_version: 3, opset_import: ["" : 6]>
g (float[2,3,4] x, float[3] b) => (float[2,3,4] y)
{
  y = Add<broadcast = 1, axis = 1>(x, b)
}
// LEGACY: %[[B:.*]] = ttc.reshape %arg1 : (tensor<3xf32>) -> tensor<3x1xf32>
// LEGACY: ttc.add %arg0, %[[B]]

//--- prelu6.txt
<ir_version: 3, opset_import: ["" : 6]>
g (float[2,3,4] x, float[3] slope) => (float[2,3,4] y)
{
  y = PRelu(x, slope)
}
// PRELU6: %[[S:.*]] = ttc.reshape %arg1 : (tensor<3xf32>) -> tensor<3x1xf32>
// PRELU6: ttc.prelu %arg0, %[[S]]

// Integers need a comparison.
//--- prelu.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3,4] x, int64[2] n, float[1] given) => (float[2,3,4] a, float[2,3,4] b, int64[2] c)
<float[3,1] each = {0.5, 0.25, 2.0}, int64[1] two = {2}>
{
  a = PRelu(x, each)
  b = PRelu(x, given)
  c = PRelu(n, two)
}
// PRELU-LABEL: @main
// PRELU: ttc.prelu %arg0, %{{.*}} : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// PRELU: ttc.prelu %arg0, %arg2 : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
// PRELU: ttc.where
