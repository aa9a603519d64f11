// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What static shapes make constant: shape arithmetic is gone after the import.
// RUN: split-file %s %t
// RUN: onnx-text %t/arith.txt %t/arith.onnx && ttc-translate --import-onnx %t/arith.onnx | FileCheck %s --check-prefix=ARITH
// RUN: onnx-text %t/make.txt %t/make.onnx && ttc-translate --import-onnx %t/make.onnx | FileCheck %s --check-prefix=MAKE
// RUN: onnx-text %t/unused.txt %t/unused.onnx && ttc-translate --import-onnx %t/unused.onnx | FileCheck %s --check-prefix=UNUSED
// RUN: onnx-text %t/types.txt %t/types.onnx && ttc-translate --import-onnx %t/types.onnx | FileCheck %s --check-prefix=TYPES

// As exporters flatten: Shape, Gather, Unsqueeze, Mul, Concat, Reshape.
//--- arith.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3,4] x) => (float[2,12] y, float[24] z, float[2,3,2] w)
<int64[1] axis = {0}, int64[1] last = {2}, int64[1] start = {0}>
{
  zero = Constant<value_int = 0>()
  one = Constant<value_int = 1>()
  two = Constant<value_int = 2>()
  shape = Shape(x)
  batch = Gather<axis = 0>(shape, zero)
  rows = Gather<axis = 0>(shape, one)
  columns = Gather<axis = 0>(shape, two)
  inner = Mul(rows, columns)
  batch1 = Unsqueeze(batch, axis)
  inner1 = Unsqueeze(inner, axis)
  wanted = Concat<axis = 0>(batch1, inner1)
  y = Reshape(x, wanted)
  size = Size(x)
  size1 = Unsqueeze(size, axis)
  z = Reshape(x, size1)
  half = Div(columns, two)
  cast = Cast<to = 6>(half)
  back = Cast<to = 7>(cast)
  half1 = Unsqueeze(back, axis)
  w = Slice(x, start, half1, last)
}
// ARITH: func.func @main
// ARITH-NEXT: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
// ARITH-NEXT: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<24xf32>
// ARITH-NEXT: ttc.slice %arg0 {sizes = [2, 3, 2]
// ARITH-NEXT: return

//--- make.txt
<ir_version: 8, opset_import: ["" : 15]>
g (float[3,3] x) => (float[2,2] a, int64[4] b, float[2] c, float[3,3] d, float[3,3] e, int64[1] f, float[] h)
<int64[2] shape = {2, 2}>
{
  start = Constant<value_int = 10>()
  limit = Constant<value_int = 3>()
  delta = Constant<value_int = -2>()
  a = ConstantOfShape<value = float[1] {0.5}>(shape)
  b = Range(start, limit, delta)
  c = Constant<value_floats = [1.5, 2.5]>()
  d = Trilu<upper = 0>(x)
  e = EyeLike<k = 1>(x)
  f = Shape<start = -1>(x)
  h = Constant<value_float = 3.0>()
}
// MAKE-DAG: ttc.constant dense<5.000000e-01> : tensor<2x2xf32>
// MAKE-DAG: ttc.constant dense<[10, 8, 6, 4]> : tensor<4xi64>
// MAKE-DAG: ttc.constant dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
// MAKE-DAG: %[[LOWER:.*]] = ttc.constant dense<{{\[\[}}true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
// MAKE-DAG: ttc.where %[[LOWER]], %arg0,
// MAKE-DAG: ttc.constant dense<3> : tensor<1xi64>
// MAKE-DAG: ttc.constant dense<3.000000e+00> : tensor<f32>

// Unused nodes and initializers produce no ops.
//--- unused.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y)
<float[2] w = {1.0, 2.0}>
{
  a = Add(x, w)
  y = Relu(x)
}
// UNUSED: func.func @main
// UNUSED-NEXT: ttc.relu
// UNUSED-NEXT: return

//--- types.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float16[2] a, bfloat16[2] b, int8[2] c, uint8[2] d, int16[2] e, int32[2] f, bool[2] h) => (float16[2] i, bfloat16[2] j, int8[2] k, uint8[2] l, int16[2] m, int32[2] n, bool[2] o)
<uint8[2] u = {255, 1}, bool[2] v = {1, 0}>
{
  f32 = Constant<value_floats = [1.0, 0.0]>()
  w = Cast<to = 10>(f32)
  i = Add(a, w)
  j = Add(b, b)
  k = Add(c, c)
  l = Add(d, u)
  m = Add(e, e)
  n = Add(f, f)
  o = And(h, v)
}
// TYPES: @main(%arg0: tensor<2xf16> {{.*}}, %arg1: tensor<2xbf16> {{.*}}, %arg2: tensor<2xi8> {{.*}}, %arg3: tensor<2xui8> {{.*}}, %arg4: tensor<2xi16> {{.*}}, %arg5: tensor<2xi32> {{.*}}, %arg6: tensor<2xi1>
// TYPES: ttc.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf16>
// TYPES: ttc.constant dense<[255, 1]> : tensor<2xui8>
// TYPES: ttc.constant dense<[true, false]> : tensor<2xi1>
