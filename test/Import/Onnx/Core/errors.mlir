// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An error names the node, the op, the opset and what is supported. All errors of a model are
// reported together.
// RUN: split-file %s %t

// RUN: onnx-text %t/several.txt %t/several.onnx --name
// RUN: not ttc-translate --import-onnx %t/several.onnx 2>&1 | FileCheck %s --check-prefix=SEVERAL
//--- several.txt
<ir_version: 8, opset_import: ["" : 13, "com.example" : 1]>
g (float[2,3] x, string[2] s) => (float[2,3] y, float[2,3] z)
{
  a, k = NoSuchOp(x, x)
  b = com.example.Magic(a)
  c = Mish(x)
  d = Gemm(x)
  y = Relu<gain = 2.0>(x)
  z = Cast<to = 11>(c)
}
// SEVERAL: graph input 's' has element type string, which is not supported (supported: float, double, {{.*}}bool)
// SEVERAL: node 'NoSuchOp_0' (NoSuchOp, opset 13): the op is not supported; docs/onnx-ops.md (ttc-translate --list-onnx-ops) lists the supported ops
// SEVERAL: node 'Magic_1' (Magic, opset 1): ops of the domain 'com.example' are not supported (supported: ai.onnx{{.*}}, and functions of the model)
// SEVERAL: node 'Mish_2' (Mish, opset 13): the op is supported from opset 18 to {{[0-9]+}}
// SEVERAL: node 'Gemm_3' (Gemm, opset 13): the node has 1 inputs, expected 2 to 3
// SEVERAL: node 'Relu_4' (Relu, opset 13): attribute 'gain' is not supported

// RUN: onnx-text %t/attributes.txt %t/attributes.onnx --name
// RUN: not ttc-translate --import-onnx %t/attributes.onnx 2>&1 | FileCheck %s --check-prefix=ATTRIBUTES
//--- attributes.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,1,4,4] x, float[1,1,3,3] w, float[2,2] m) => (float[1,1,4,4] y)
<float[4] scales = {1, 1, 2, 2}>
{
  a = Conv<strides = 2>(x, w)
  b = Conv<strides = [2, 2, 2]>(x, w)
  c = Conv<pads = [-1, 0, 0, 0]>(x, w)
  d = Conv<auto_pad = "SAME">(x, w)
  e = Conv<kernel_shape = [5, 5]>(x, w)
  f = Softmax<axis = 7>(x)
  h = Transpose<perm = [0, 0, 1, 2]>(x)
  i = Concat(x, x)
  j = Resize<mode = "area">(x, , scales)
  k = MaxPool(x)
  l = BatchNormalization<training_mode = 1>(x, m, m, m, m)
}
// ATTRIBUTES: node 'Conv_0' (Conv, opset 13): expected attribute 'strides' to be of type INTS, found INT
// ATTRIBUTES: node 'Conv_1' (Conv, opset 13): expected attribute 'strides' to have 2 elements, found 3
// ATTRIBUTES: node 'Conv_2' (Conv, opset 13): attribute 'pads' has the element -1 (supported: 0 and more)
// ATTRIBUTES: node 'Conv_3' (Conv, opset 13): attribute 'auto_pad' is 'SAME' (supported: NOTSET, VALID, SAME_UPPER, SAME_LOWER)
// ATTRIBUTES: node 'Conv_4' (Conv, opset 13): attribute 'kernel_shape' [5, 5] contradicts the weights' [3, 3]
// ATTRIBUTES: node 'Softmax_5' (Softmax, opset 13): axis 7 is out of range for a tensor of rank 4
// ATTRIBUTES: node 'Transpose_6' (Transpose, opset 13): {{.*}}permutation
// ATTRIBUTES: node 'Concat_7' (Concat, opset 13): attribute 'axis' is missing
// ATTRIBUTES: node 'Resize_8' (Resize, opset 13): attribute 'mode' is 'area' (supported: nearest, linear, cubic)
// ATTRIBUTES: node 'MaxPool_9' (MaxPool, opset 13): expected attribute 'kernel_shape' to have 2 elements, found 0
// ATTRIBUTES: node 'BatchNormalization_10' (BatchNormalization, opset 13): expected input 1 (scale) to have the shape [1], found 'tensor<2x2xf32>'

// RUN: onnx-text %t/shapes.txt %t/shapes.onnx --name
// RUN: not ttc-translate --import-onnx %t/shapes.onnx 2>&1 | FileCheck %s --check-prefix=SHAPES
//--- shapes.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x, float[4,5] z, int64[2] n) => (float[2,3] y)
<int64[2] shape = {4, -1}, int64[1] huge = {4611686018427387904}, int64[1] negative = {-5}>
{
  a = Add(x, z)
  b = MatMul(x, z)
  c = Reshape(x, n)
  d = Reshape(x, shape)
  e = Expand(x, z)
  f = ConstantOfShape(huge)
  h = ConstantOfShape(negative)
  i = Squeeze(x, shape)
  k = And(x, x)
  y = Add(a, x)
}
// SHAPES: node 'Add_0' (Add, opset 13): {{.*}}[2, 3] and [4, 5]
// SHAPES: node 'MatMul_1' (MatMul, opset 13): {{.*}}3
// SHAPES: node 'Reshape_2' (Reshape, opset 13): expected input 1 (shape) to be constant, found a value that is computed at run time: ttc compiles static shapes
// SHAPES: node 'Reshape_3' (Reshape, opset 13): cannot reshape 'tensor<2x3xf32>' to [4, -1]
// SHAPES: node 'Expand_4' (Expand, opset 13): expected input 1 (shape) to hold integers, found 'tensor<4x5xf32>'
// SHAPES: node 'ConstantOfShape_5' (ConstantOfShape, opset 13): impossible shape [4611686018427387904]
// SHAPES: node 'ConstantOfShape_6' (ConstantOfShape, opset 13): impossible shape [-5]
// SHAPES: node 'Squeeze_7' (Squeeze, opset 13): axis 4 is out of range for a tensor of rank 2
// SHAPES: node 'And_8' (And, opset 13): {{.*}}bools
// Nodes that use a failed value are not reported.
// SHAPES-NOT: Add_9

// RUN: onnx-text %t/graph.txt %t/graph.onnx --name
// RUN: not ttc-translate --import-onnx %t/graph.onnx 2>&1 | FileCheck %s --check-prefix=GRAPH
//--- graph.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x, float[2] x) => (float[2] y, float[2] nothing)
<float[2] w = {1, 2}, float[2] w = {1, 2}>
{
  a = Add(x, missing)
  x = Relu(x)
  b = Relu(c)
  c = Relu(b)
  y = Relu(x)
}
// GRAPH-DAG: initializer 'w' is defined twice
// GRAPH-DAG: graph input 'x' is defined twice
// GRAPH-DAG: value 'x' is defined twice (again by node 'Relu_1', Relu)
// GRAPH-DAG: node 'Add_0' (Add) uses 'missing', which no node, initializer or graph input defines
// GRAPH-DAG: the graph has a cycle through node 'Relu_{{[23]}}' (Relu)

// RUN: onnx-text %t/output.txt %t/output.onnx --name
// RUN: not ttc-translate --import-onnx %t/output.onnx 2>&1 | FileCheck %s --check-prefix=OUTPUT
//--- output.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x) => (int64[2] y, float[2] nothing)
{
  y = Relu(x)
}
// OUTPUT-DAG: graph output 'nothing' is not defined
// OUTPUT-DAG: graph output 'y' is declared as int64, but computed as 'tensor<2xf32>'

// Shapes of outputs are hints; one that cannot be is worth a word.
// RUN: onnx-text %t/hints.txt %t/hints.onnx
// RUN: ttc-translate --import-onnx %t/hints.onnx 2>&1 | FileCheck %s --check-prefix=HINTS
//--- hints.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x) => (float[N,3] good, float[2,4] sizes, float[6] rank)
{
  good = Relu(x)
  sizes = Exp(x)
  rank = Tanh(x)
}
// HINTS-NOT: 'good'
// HINTS: warning: graph output 'sizes' is declared as [2, 4], but computed as [2, 3]
// HINTS: warning: graph output 'rank' is declared as [6], but computed as [2, 3]
// HINTS: return

// A node without a name has that of what it makes.
// RUN: onnx-text %t/unnamed.txt %t/unnamed.onnx
// RUN: not ttc-translate --import-onnx %t/unnamed.onnx 2>&1 | FileCheck %s --check-prefix=UNNAMED
//--- unnamed.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x, string[2] d) => (float[2] y)
{
  a = Neg(d)
  b = Add(x, missing)
  x = Relu(b)
  e = Exp(y)
  y = Tanh(e)
}
// UNNAMED-DAG: graph input 'd' (of Neg node 'a') has element type string
// UNNAMED-DAG: value 'x' is defined twice (again by node 'x', Relu)
// UNNAMED-DAG: node 'b' (Add) uses 'missing'
// UNNAMED-DAG: the graph has a cycle through node '{{[ey]}}' ({{Exp|Tanh}})

// RUN: onnx-text %t/indices.txt %t/indices.onnx --name
// RUN: not ttc-translate --import-onnx %t/indices.onnx 2>&1 | FileCheck %s --check-prefix=INDICES
//--- indices.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,1,4,4] x) => (float[1,1,4,4] y, int64[1,1,4,4] i)
{
  y, i = Relu(x)
}
// INDICES: node 'Relu_0' (Relu, opset 13): output 1 ('i') is not supported (supported: the first 1)

// Nodes out of order are no error.
// RUN: onnx-text %t/unsorted.txt %t/unsorted.onnx
// RUN: ttc-translate --import-onnx %t/unsorted.onnx | FileCheck %s --check-prefix=UNSORTED
//--- unsorted.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y)
{
  y = Tanh(a)
  a = Relu(x)
}
// UNSORTED: ttc.relu
// UNSORTED-NEXT: ttc.tanh

// RUN: onnx-text %t/opset.txt %t/opset.onnx
// RUN: not ttc-translate --import-onnx %t/opset.onnx 2>&1 | FileCheck %s --check-prefix=OPSET
//--- opset.txt
<ir_version: 8, opset_import: ["" : 99]>
g (float[2] x) => (float[2] y)
{
  y = Tanh(x)
}
// OPSET: the model uses opset 99, which is too new (supported: 7 to {{[0-9]+}})
