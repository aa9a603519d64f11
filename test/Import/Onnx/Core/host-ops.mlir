// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that --host-ops names become host calls; their results have declared types.
// RUN: split-file %s %t
// RUN: onnx-text %t/model.txt %t/model.onnx
// RUN: ttc-translate --import-onnx %t/model.onnx --host-ops=com.acme.*,Erf --mlir-print-debuginfo=false | FileCheck %s
// CHECK: %[[A:.*]] = ttc.host_call <name = "com.acme.Resample", version = 3, attributes = {factor = 1.500000e+00 : f32, kinds = ["a", "b"], mode = "linear", sizes = array<i64: 2, 3>, steps = array<f32: 5.000000e-01, 1.000000e+00>, times = 2 : i64}, absent_inputs = [1]>(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
// CHECK: %[[B:.*]] = ttc.host_call <name = "Erf", version = 17>(%[[A]]) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[C:.*]]:2 = ttc.host_call <name = "com.acme.Pick", version = 3>(%[[B]]) : (tensor<2x4xf32>) -> (tensor<3xi64>, tensor<1xf32>)
// CHECK: return %[[C]]#0, %[[C]]#1

// RUN: not ttc-translate --import-onnx %t/model.onnx --host-ops=com.acme.Pick 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: Resample
// OTHER: ops of the domain 'com.acme' are not supported

// RUN: onnx-text %t/open.txt %t/open.onnx
// RUN: not ttc-translate --import-onnx %t/open.onnx --host-ops=com.acme.* 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: node 'y' (Scale, opset 3): expected the type and shape of its output 'y' to be known, because a host function computes it; declare it in the model's value_info, or set it, for example with --host-result=y:f32:1x3x224x224
// RUN: ttc-translate --import-onnx %t/open.onnx --host-ops=com.acme.* --host-result=y:i32:2x2 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=GIVEN
// GIVEN: ttc.host_call <name = "com.acme.Scale", version = 3>(%arg0) : (tensor<4xf32>) -> tensor<2x2xi32>

// RUN: not ttc-translate --import-onnx %t/open.onnx --host-ops=[ 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: --host-ops: '[':
// RUN: not ttc-translate --import-onnx %t/open.onnx --host-result=y:2x2 2>&1 | FileCheck %s --check-prefix=NOTYPE
// NOTYPE: --host-result: 'y:2x2': expected name:f32:1x3x224x224, found fewer than two colons
// RUN: not ttc-translate --import-onnx %t/open.onnx --host-result=y:f31:2x2 2>&1 | FileCheck %s --check-prefix=BADTYPE
// BADTYPE: found the element type 'f31' (known: f64, f32,
// RUN: not ttc-translate --import-onnx %t/open.onnx --host-result=y:f32:2xN 2>&1 | FileCheck %s --check-prefix=BADDIM
// BADDIM: found the dimension 'N'
// RUN: not ttc-translate --import-onnx %t/open.onnx --host-result=y:f32:2 --host-result=y:f32:2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: found the value twice

//--- model.txt
<ir_version: 8, opset_import: ["" : 17, "com.acme" : 3]>
g (float[4] x) => (int64[3] i, float[1] s) <float[2,4] a, float[2,4] b>
{
  a = com.acme.Resample<factor: float = 1.5, kinds: strings = ["a", "b"], mode: string = "linear", sizes: ints = [2, 3], steps: floats = [0.5, 1.0], times: int = 2>(x, , x)
  b = Erf(a)
  i, s = com.acme.Pick(b)
}

//--- open.txt
<ir_version: 8, opset_import: ["" : 17, "com.acme" : 3]>
g (float[4] x) => (z)
{
  y = com.acme.Scale(x)
  z = Identity(y)
}
