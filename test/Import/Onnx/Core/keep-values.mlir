// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --keep-values adds a function whose results are those of all nodes; the model's own stays as it is.
// RUN: split-file %s %t
// RUN: onnx-text %t/model.txt %t/model.onnx --name
// RUN: ttc-translate --import-onnx %t/model.onnx --mlir-print-debuginfo=false > %t/plain.mlir
// RUN: ttc-translate --import-onnx %t/model.onnx --keep-values --mlir-print-debuginfo=false > %t/kept.mlir
// RUN: FileCheck %s < %t/kept.mlir
// CHECK: ttc.metadata = {"values/main" = "[{\22inputs\22:[\22x\22],\22name\22:\22a\22,\22node\22:\22Dropout_0\22,\22op\22:\22Dropout\22},{\22inputs\22:[\22a\22,\22c\22],\22name\22:\22b\22,\22node\22:\22Add_2\22,\22op\22:\22Add\22},{\22inputs\22:[\22b\22],\22name\22:\22u\22,\22node\22:\22Split_3\22,\22op\22:\22Split\22},
// CHECK: func.func @main(%arg0: tensor<4xf32> {ttc.name = "x"}) -> (tensor<2xf32> {ttc.name = "y"})
// CHECK: func.func @main.values(%arg0: tensor<4xf32> {ttc.name = "x"}) -> (tensor<4xf32> {ttc.name = "a"}, tensor<4xf32> {ttc.name = "b"}, tensor<2xf32> {ttc.name = "u"}, tensor<2xf32> {ttc.name = "v"}, tensor<2xf32> {ttc.name = "y"})
// RUN: sed '/@main.values/,$d; s/ attributes {.*} {/ {/' %t/kept.mlir > %t/kept-main.mlir
// RUN: grep -v '^}$' %t/plain.mlir | diff - %t/kept-main.mlir

// Only what a pattern selects: ops, nodes or values.
// RUN: ttc-translate --import-onnx %t/model.onnx --keep-values=Dropout,Spl*,y --mlir-print-debuginfo=false | FileCheck %s --check-prefix=ONLY
// ONLY: @main.values({{.*}}) -> (tensor<4xf32> {ttc.name = "a"}, tensor<2xf32> {ttc.name = "u"}, tensor<2xf32> {ttc.name = "v"}, tensor<2xf32> {ttc.name = "y"})
// RUN: ttc-translate --import-onnx %t/model.onnx --keep-values=Conv | FileCheck %s --check-prefix=NONE
// NONE-NOT: values
// RUN: not ttc-translate --import-onnx %t/model.onnx --keep-values=[ 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: --keep-values: '[':

// Results in functions have the names of their calls.
// RUN: onnx-text %t/call.txt %t/call.onnx
// RUN: ttc-translate --import-onnx %t/call.onnx --keep-values --mlir-print-debuginfo=false | FileCheck %s --check-prefix=CALL
// CALL: @main.values({{.*}}) -> (tensor<4xf32> {ttc.name = "y/h"}, tensor<4xf32> {ttc.name = "y/r"}, tensor<4xf32> {ttc.name = "y"})

//--- model.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x) => (float[2] y)
{
  a, unused = Dropout(x)
  c = Constant<value = float[1] {2.0}>()
  b = Add(a, c)
  u, v = Split(b)
  y = Mul(u, v)
}

//--- call.txt
<ir_version: 8, opset_import: ["" : 17, "f" : 1]>
g (float[4] x) => (float[4] y)
{
  y = f.twice(x)
}
<domain: "f", opset_import: ["" : 17]>
twice (x) => (r)
{
  h = Relu(x)
  r = Exp(h)
}
