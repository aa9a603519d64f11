// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes, initializers and inputs keep their names as locations, which are printed by default; large
// initializers are resources with their names.
// RUN: split-file %s %t
// RUN: onnx-text %t/m.txt %t/m.onnx --name --raw=w:4096
// RUN: ttc-translate --import-onnx %t/m.onnx --mlir-print-local-scope | FileCheck %s
// CHECK: func.func @main(%arg0: tensor<4x32xf32> {ttc.name = "x"} loc("x"))
// CHECK: ttc.constant dense_resource<w> : tensor<32x32xf32> loc("w")
// CHECK: ttc.matmul {{.*}} loc("MatMul_0")
// CHECK: ttc.relu {{.*}} loc("Relu_1")

//--- m.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[4,32] x) => (float[4,32] y)
<float[32,32] w = {0}>
{
  a = MatMul(x, w)
  y = Relu(a)
}
