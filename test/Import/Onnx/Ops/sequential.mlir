// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters, sorts, running sums, and what is composed of them.
// RUN: split-file %s %t
// RUN: onnx-text %t/scatter.txt %t/scatter.onnx && ttc-translate --import-onnx %t/scatter.onnx | FileCheck %s --check-prefix=SCATTER
// RUN: onnx-text %t/scatter10.txt %t/scatter10.onnx && ttc-translate --import-onnx %t/scatter10.onnx | FileCheck %s --check-prefix=SCATTER10
// RUN: onnx-text %t/cache.txt %t/cache.onnx && ttc-translate --import-onnx %t/cache.onnx | FileCheck %s --check-prefix=CACHE
// RUN: onnx-text %t/sort.txt %t/sort.onnx && ttc-translate --import-onnx %t/sort.onnx | FileCheck %s --check-prefix=SORT
// RUN: onnx-text %t/topk9.txt %t/topk9.onnx && ttc-translate --import-onnx %t/topk9.onnx | FileCheck %s --check-prefix=TOPK9
// RUN: onnx-text %t/folded.txt %t/folded.onnx && ttc-translate --import-onnx %t/folded.onnx | FileCheck %s --check-prefix=FOLDED
// RUN: onnx-text %t/errors.txt %t/errors.onnx --name && not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS

//--- scatter.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[3,4] x, int64[2,4] i, float[2,4] u, int64[5,1] n, float[5,4] v) => (float[3,4] y, float[3,4] z)
{
  a = ScatterElements(x, i, u)
  y = ScatterElements<axis = -2, reduction = "mul">(a, i, u)
  b = ScatterND(x, n, v)
  z = ScatterND<reduction = "add">(b, n, v)
}
// SCATTER: ttc.scatter_elements %{{.*}} {axis = 0} : (tensor<3x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
// SCATTER-NEXT: ttc.scatter_elements %{{.*}} reduction mul {axis = 0}
// SCATTER-NEXT: ttc.scatter_nd %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<3x4xf32>
// SCATTER-NEXT: ttc.scatter_nd %{{.*}} reduction add :

//--- scatter10.txt
<ir_version: 8, opset_import: ["" : 10]>
g (float[3,4] x, int64[2,4] i, float[2,4] u) => (float[3,4] y)
{
  y = Scatter<axis = 1>(x, i, u)
}
// SCATTER10: ttc.scatter_elements %{{.*}} {axis = 1}

//--- cache.txt
<ir_version: 8, opset_import: ["" : 24]>
g (float[2,3,8,4] cache, float[2,3,2,4] update, int64[2] at) => (float[2,3,8,4] y, float[2,3,8,4] z)
{
  y = TensorScatter(cache, update)
  z = TensorScatter<mode = "circular">(cache, update, at)
}
// Without indices, the vectors are constant.
// CACHE: %[[I:.*]] = ttc.constant dense<{{.*}}> : tensor<2x3x2x3xi64>
// CACHE: ttc.scatter_nd %{{[0-9a-z]+}}, %[[I]], %{{[0-9a-z]+}} : (tensor<2x3x8x4xf32>, tensor<2x3x2x3xi64>, tensor<2x3x2x4xf32>)
// CACHE: ttc.mod
// CACHE: ttc.concat
// CACHE-NEXT: ttc.scatter_nd

//--- sort.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float[3,4] x, int64 axis, int64[4] lengths, float[2,3,3] m) => (float[3,2] y, int64[3,2] i, float[3,4] s, float[3,4] t, float[3,4] h, float[3,4] r, float[2] d)
<int64[1] k = {2}, int64 one = {-1}>
{
  y, i = TopK<largest = 0, sorted = 0>(x, k)
  s = CumSum<exclusive = 1>(x, one)
  t = CumSum(x, axis)
  h = Hardmax(x)
  r = ReverseSequence(x, lengths)
  d = Det(m)
}
// SORT: %[[I:.*]] = ttc.argsort %[[X:.*]] {axis = 1, count = 2} : (tensor<3x4xf32>) -> tensor<3x2xi64>
// SORT-NEXT: ttc.gather_elements %[[X]], %[[I]] {axis = 1}
// SORT-NEXT: ttc.cumulative sum %[[X]] {axis = 1, exclusive}
// An axis that is computed chooses among all.
// SORT: ttc.cumulative sum %[[X]] {axis = 0} :
// SORT: ttc.cumulative sum %[[X]] {axis = 1} :
// SORT-NEXT: ttc.where
// SORT: ttc.argsort %[[X]] {axis = 1, count = 1, largest}
// SORT: ttc.compare eq
// SORT-NEXT: ttc.cast
// SORT: ttc.gather_nd
// SORT: ttc.determinant

//--- topk9.txt
<ir_version: 8, opset_import: ["" : 9]>
g (float[3,4] x) => (float[3,2] y, int64[3,2] i)
{
  y, i = TopK<k = 2>(x)
}
// TOPK9: ttc.argsort %{{.*}} {axis = 1, count = 2, largest}

//--- folded.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[5,2] x) => (float[2,2] y, float[0,2] z, int64[2,3] n, float[3] u, int64[3] f, int64[5] g, int64[3] c, float[3] v)
<bool[4] keep = {0, 1, 0, 1}, bool[0] none = {}, int64[2,2] m = {0, 7, 7, 7}, float[5] a = {2, 1, 2, 4, 1}>
{
  y = Compress<axis = 0>(x, keep)
  z = Compress<axis = 0>(x, none)
  n = NonZero(m)
  u, f, g, c = Unique(a)
  v = Unique<sorted = 0>(a)
}
// FOLDED-DAG: dense<[1, 3]> : tensor<2xi64>
// FOLDED-DAG: dense<{{\[}}[0, 1, 1], [1, 0, 1]]> : tensor<2x3xi64>
// FOLDED-DAG: dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]> : tensor<3xf32>
// FOLDED-DAG: dense<[1, 0, 3]> : tensor<3xi64>
// FOLDED-DAG: dense<[1, 0, 1, 2, 0]> : tensor<5xi64>
// FOLDED-DAG: dense<[2, 2, 1]> : tensor<3xi64>
// FOLDED-DAG: dense<[2.000000e+00, 1.000000e+00, 4.000000e+00]> : tensor<3xf32>
// FOLDED-DAG: ttc.gather %arg0, {{.*}} {axis = 0} : (tensor<5x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
// FOLDED-DAG: ttc.gather %arg0, {{.*}} {axis = 0} : (tensor<5x2xf32>, tensor<0xi64>) -> tensor<0x2xf32>

//--- errors.txt
<ir_version: 8, opset_import: ["" : 24]>
g (float[3,4] x, float[2,3,8,4] cache, int64[2,4] i, float[2,4] u, int64[1] k, bool[3] keep) => (float[3,4] y)
{
  a = ScatterElements<reduction = "sub">(x, i, u)
  b = ScatterND(x, i, u)
  c = TensorScatter<mode = "spiral">(cache, cache)
  d = TensorScatter(cache, x)
  e, f = TopK(x, k)
  h = ReverseSequence<batch_axis = 0>(x, k)
  l = NonZero(x)
  m = Compress<axis = 0>(x, keep)
  y = Relu(x)
}
// ERRORS: node 'ScatterElements_0' (ScatterElements, opset 24): expected attribute 'reduction' none, add, mul, max or min, found 'sub'
// ERRORS: node 'ScatterND_1' (ScatterND, opset 24): {{.*}}(C2) expected the last dimension of 'indices' to be from 1 to 2, found 'tensor<2x4xi64>'
// ERRORS: node 'TensorScatter_2' (TensorScatter, opset 24): expected attribute 'mode' linear or circular, found 'spiral'
// ERRORS: node 'TensorScatter_3' (TensorScatter, opset 24): expected an update that differs from the cache in a smaller dimension 2 only, which is not the batch, found 'tensor<3x4xf32>' and 'tensor<2x3x8x4xf32>'
// ERRORS: node 'TopK_4' (TopK, opset 24): expected input 1 (K) to be constant
// ERRORS: node 'ReverseSequence_5' (ReverseSequence, opset 24): expected an input of rank 2 or more, and time_axis and batch_axis 0 and 1 in any order, found 'tensor<3x4xf32>', 0 and 0
// ERRORS: node 'NonZero_6' (NonZero, opset 24): the size of the output depends on data that is computed at run time: expected a declared size, found none (declare one of at most 12 entries in the model or by --value-shape; unused entries are one past the end of each dimension)
// ERRORS: node 'Compress_7' (Compress, opset 24): the size of the output depends on data that is computed at run time: expected a declared size, found none (declare one of at most 3 entries in the model or by --value-shape; unused entries are 0)
