// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic dimensions, and --input-shape, which sets them.
// RUN: split-file %s %t
// RUN: onnx-text %t/dynamic.txt %t/dynamic.onnx
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: graph input 'x' has dynamic shape [N, 3], and only static shapes are supported; set it, for example with --dim=N:1, for all inputs that have these dimensions
// OPEN: graph input 'z' has dynamic shape [N, M]

// The example is what such an input usually has, not one token or pixel.
// RUN: onnx-text %t/likely.txt %t/likely.onnx
// RUN: not ttc-translate --import-onnx %t/likely.onnx 2>&1 | FileCheck %s --check-prefix=LIKELY
// LIKELY: with --dim=batch:1 --dim=sequence:128,
// LIKELY: with --dim=N:1 --dim=H:224 --dim=W:224,
// LIKELY: with --dim=N:1 --dim=height:224 --dim=width:224,
// LIKELY: with --dim=batch:1 --dim=samples:16000,
// LIKELY: with --dim=batch:1 --dim=time:128,
// LIKELY: with --dim=batch:1 --dim=past_length:0,
// RUN: ttc-translate --import-onnx %t/likely.onnx --dim=batch:1 --dim=sequence:128 --dim=N:1 --dim=H:224 --dim=W:64 --dim=height:1 --dim=width:1 --dim=samples:2 --dim=time:1 --dim=past_length:0 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=DIMS
// DIMS: tensor<1x128xi64> {ttc.name = "ids"}, {{.*}}tensor<1x3x224x64xf32> {ttc.name = "image"}
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --dim=N:5 --input-shape=z:6x3 --dim=Q:1 2>&1 | FileCheck %s --check-prefix=DIM-WRONG
// DIM-WRONG: --input-shape=z:6x3 contradicts --dim=N:5
// DIM-WRONG: --dim names 'Q', but the named dimensions of the graph's inputs are: N, M
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --dim=N:-1 2>&1 | FileCheck %s --check-prefix=DIM-FORM
// DIM-FORM: --dim: 'N:-1': expected a name and a size, such as sequence:128

// One input sets N for the others.
// RUN: ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=z:5x3 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=FIXED
// FIXED: @main(%arg0: tensor<5x3xf32> {ttc.name = "x"}, %arg1: tensor<5x3xf32> {ttc.name = "y"}, %arg2: tensor<5x3xf32> {ttc.name = "z"})

// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x4 --input-shape=z:6x3 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: --input-shape=x:5x4 contradicts the model, whose shape is [N, 3]
// Two sizes of a name say nothing about other inputs that have it.
// WRONG: graph input 'y' has dynamic shape [N, 3]

// Exporters give different dimensions the same name. Each input may have its own size.
// RUN: onnx-text %t/same.txt %t/same.onnx
// RUN: ttc-translate --import-onnx %t/same.onnx --input-shape=x:5x3 --input-shape=y:2x3 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=SAME
// SAME: @main(%arg0: tensor<5x3xf32> {ttc.name = "x"}, %arg1: tensor<2x3xf32> {ttc.name = "y"})

// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=z:5x3 --input-shape=q:1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: --input-shape names 'q', but the graph's inputs are: x, y, z

// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x 2>&1 | FileCheck %s --check-prefix=NOCOLON
// NOCOLON: --input-shape: 'x': expected name:1x3x224x224, found no colon
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:1xN 2>&1 | FileCheck %s --check-prefix=NONUMBER
// NONUMBER: 'x:1xN': expected name:1x3x224x224, found the dimension 'N'
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=x:5x3 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: found the name twice

//--- dynamic.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[N,3] x, float[N,3] y, float[N,M] z) => (float[N,3] r)
{
  s = Add(x, y)
  r = Add(s, z)
}

//--- same.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[N,3] x, float[N,3] y) => (float[M,3] r)
{
  r = Concat<axis = 0>(x, y)
}

//--- likely.txt
<ir_version: 8, opset_import: ["" : 13]>
g (int64[batch,sequence] ids, float[N,3,H,W] image, float[N,height,width,3] last, float[batch,samples] wave,
   float[batch,time,80] mel, float[batch,8,past_length,64] past) => (float[N,3,H,W] r)
{
  r = Relu(image)
}
