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
// CLOSED: node 'Reshape_0' (Reshape, opset 18): expected input 1 (shape) to be constant

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
// WRONG: node 'Reshape_0' (Reshape, opset 18): the shape is computed at run time, and the declared one, [4, 2], does not fit 'tensor<2x3xf32>'
// WRONG: node 'Tile_1' (Tile, opset 18): expected input 1 (repeats) to be constant
// WRONG: node 'Tile_2' (Tile, opset 18): the repeats are computed at run time, and the declared shape [5, 3] is no multiple of 'tensor<2x3xf32>'
// WRONG: node 'Slice_3' (Slice, opset 18): bounds are computed at run time, and the declared shape [3, 3] is not inside 'tensor<2x3xf32>'
// WRONG: node 'ReduceMax_4' (ReduceMax, opset 18): the axes are computed at run time, and the declared shape [7] does not tell which of the axes of 'tensor<2x3xf32>' are reduced
