// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --input-value makes a graph input a constant: of shapes, conditions, parameters.
// RUN: split-file %s %t
// RUN: onnx-text %t/model.txt %t/model.onnx
// RUN: ttc-translate --import-onnx %t/model.onnx --input-value=shape=[3,2] --input-value=c=true --input-value=s=0.5 --mlir-print-debuginfo=false | FileCheck %s
// CHECK: @main(%[[X:.*]]: tensor<2x3xf32> {ttc.name = "x"}, %{{.*}}: tensor<1xf32> {ttc.name = "v"}) -> {{.*}}tensor<3x2xf32>
// CHECK: %[[S:.*]] = ttc.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK: %[[M:.*]] = ttc.mul %[[X]], %[[S]]
// CHECK: ttc.reshape %[[M]]
// CHECK-NOT: ttc.where

// An array, whose shape sets a dynamic dimension.
// RUN: %python -c "import numpy, sys; numpy.save(sys.argv[1], numpy.array([3, 2])); numpy.save(sys.argv[2], numpy.array([3], numpy.int32))" %t/good.npy %t/int32.npy
// RUN: ttc-translate --import-onnx %t/model.onnx --input-value=shape=%t/good.npy --input-value=c=false | FileCheck %s --check-prefix=ARRAY
// ARRAY: ttc.reshape {{.*}} -> tensor<3x2xf32>

// RUN: not ttc-translate --import-onnx %t/model.onnx --input-value=shape=%t/int32.npy --input-value=c=2 --input-value=s=[1,2] --input-value=q=1 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: --input-value=c=2: expected a number of type 'i1', a list like [1, 2] or the path of an .npy file, found '2'
// WRONG: --input-value=shape={{.*}}int32.npy: expected elements of type 'i64', found NumPy's '<i4'
// WRONG: --input-value=s has 2 elements, but the input's shape is [2, 3]
// WRONG: --input-value names 'q', but the graph's inputs are: x, c, shape, s, v

// RUN: not ttc-translate --import-onnx %t/model.onnx --input-value=shape=%t/model.txt.npy --input-value=v=99999999999x 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: cannot read '{{.*}}model.txt.npy'
// RUN: cp %t/model.txt %t/damaged.npy
// RUN: not ttc-translate --import-onnx %t/model.onnx --input-value=shape=%t/damaged.npy 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: expected an array in NumPy's .npy format in '{{.*}}damaged.npy': not a .npy file

// RUN: not ttc-translate --import-onnx %t/model.onnx --input-value=shape 2>&1 | FileCheck %s --check-prefix=NOEQUAL
// NOEQUAL: --input-value: 'shape': expected name=16000, name=[1,2] or name=file.npy, found no =

//--- model.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x, bool c, int64[N] shape, float[2,3] s, float[1] v) => (float[3,2] y)
{
  m = Mul(x, s)
  r = If (c) <
    then_branch = t () => (float[2,3] a) { a = Identity(m) },
    else_branch = e () => (float[2,3] b) { b = Add(m, v) }>
  y = Reshape(r, shape)
}
