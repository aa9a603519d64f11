// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An input that shapes a result may be computed at run time if the model declares the shape.
// RUN: split-file %s %t
// RUN: onnx-text %t/declared.txt %t/declared.onnx
// RUN: ttc-translate --import-onnx %t/declared.onnx --mlir-print-debuginfo=false | FileCheck %s
//--- declared.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,3] x, int64[2] s, int64[1] a, int64 k) => (float[3,2] r, float[4,3] t, float[2,2] sl, float[2] m, float[2,3] u)
{
  r = Reshape(x, s)
  t = Tile(x, s)
  sl = Slice(x, s, s)
  m = ReduceMax<keepdims = 0>(x, a)
  u = Trilu(x, k)
}
// CHECK: @main(%[[X:[a-z0-9]+]]: tensor<2x3xf32> {{.*}}, %[[S:[a-z0-9]+]]: tensor<2xi64> {{.*}}, %[[A:[a-z0-9]+]]: tensor<1xi64>
// CHECK: %[[R:.*]] = ttc.reshape %[[X]] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: %[[EACH:.*]] = ttc.constant dense<-1> : tensor<2xi64>
// CHECK-NEXT: ttc.compare eq %[[S]], %[[EACH]]
// CHECK: %[[OTHER:.*]] = ttc.not %{{.*}} : (tensor<i1>) -> tensor<i1>
// CHECK: ttc.fail_if %[[OTHER]] : tensor<i1>
// CHECK: ttc.fail_if
// CHECK: %[[T:.*]] = ttc.tile %[[X]] {repeats = [2, 1]}
// CHECK: ttc.reduce_max %[[X]] {axes = [1]} : (tensor<2x3xf32>) -> tensor<2xf32>

// --value-shape declares what the model does not.
// RUN: onnx-text %t/open.txt %t/open.onnx --name
// RUN: ttc-translate --import-onnx %t/open.onnx --value-shape=r:3x2 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=OPEN
// RUN: not ttc-translate --import-onnx %t/open.onnx 2>&1 | FileCheck %s --check-prefix=CLOSED
//--- open.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,3] x, int64[2] s) => (float[N,M] y)
{
  r = Reshape(x, s)
  y = Exp(r)
}
// OPEN: ttc.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CLOSED: node 'Reshape_0' (Reshape, opset 18): expected input 1 (shape) to be constant, found a value that is computed at run time: ttc compiles static shapes (--input-value=s=[NUMBER,...] makes it constant) (--value-shape=r:SHAPE sets it)

// RUN: onnx-text %t/wrong.txt %t/wrong.onnx --name
// RUN: not ttc-translate --import-onnx %t/wrong.onnx 2>&1 | FileCheck %s --check-prefix=WRONG
//--- wrong.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,3] x, int64[2] s, int64[1] a) => (float[4,2] r, float[N,3] t, float[5,3] u, float[3,3] v, float[7] m)
{
  r = Reshape(x, s)
  t = Tile(x, s)
  u = Tile(x, s)
  v = Slice(x, a, a)
  m = ReduceMax<keepdims = 0>(x, a)
}
// WRONG: node 'Reshape_0' (Reshape, opset 18): the shape is computed at run time, and the declared one, [4, 2], does not fit 'tensor<2x3xf32>' (--value-shape=r:SHAPE sets it)
// WRONG: node 'Tile_1' (Tile, opset 18): expected input 1 (repeats) to be constant
// WRONG: node 'Tile_2' (Tile, opset 18): the repeats are computed at run time, and the declared shape [5, 3] is no multiple of 'tensor<2x3xf32>' (--value-shape=u:SHAPE sets it)
// WRONG: node 'Slice_3' (Slice, opset 18): bounds are computed at run time, and the declared shape [3, 3] is not inside 'tensor<2x3xf32>' (--value-shape=v:SHAPE sets it)
// WRONG: node 'ReduceMax_4' (ReduceMax, opset 18): the axes are computed at run time, and the declared shape [7] does not tell which of the axes of 'tensor<2x3xf32>' are reduced (--value-shape=m:SHAPE sets it)

// The option overrides a declaration.
// RUN: not ttc-translate --import-onnx %t/wrong.onnx --value-shape=r:3x2 --value-shape=v:2x1 2>&1 | FileCheck %s --check-prefix=OVERRIDDEN
// OVERRIDDEN-NOT: node '{{Reshape_0|Slice_3}}'

// A range or a slice of another size than declared fails the run. Where no run fails, it shows: it is NaN, or the integer
// farthest from zero.
// An input that is no parameter of a few elements is not proposed.
// RUN: onnx-text %t/range.txt %t/range.onnx --name
// RUN: ttc-translate --import-onnx %t/range.onnx --value-shape=r:4 --value-shape=p:3 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=RANGE
// RUN: not ttc-translate --import-onnx %t/range.onnx 2>&1 | FileCheck %s --check-prefix=LIMIT
//--- range.txt
<ir_version: 8, opset_import: ["" : 18]>
g (int64 n, float[32] x) => (int64[K] r, float[L] p)
<int64 zero = {0}, int64 one = {1}, float start = {0}, float step = {1}>
{
  r = Range(zero, n, one)
  m = ReduceMax<keepdims = 0>(x)
  p = Range(start, m, step)
}
// RANGE-DAG: %[[LEAST:.*]] = ttc.constant dense<-9223372036854775808> : tensor<i64>
// RANGE-DAG: ttc.where %{{.*}}, %{{.*}}, %[[LEAST]] : (tensor<i1>, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// RANGE-DAG: %[[NAN:.*]] = ttc.constant dense<0x7FC00000> : tensor<f32>
// RANGE-DAG: ttc.where %{{.*}}, %{{.*}}, %[[NAN]] : (tensor<i1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// LIMIT: node 'Range_0' (Range, opset 18): expected input 1 (limit) to be constant, found a value that is computed at run time: ttc compiles static shapes (--input-value=n=NUMBER makes it constant) (--value-shape=r:SHAPE sets it)
// LIMIT: node 'Range_2' (Range, opset 18): expected input 1 (limit) to be constant, found a value that is computed at run time: ttc compiles static shapes (--value-shape=p:SHAPE sets it)
