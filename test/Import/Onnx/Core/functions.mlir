// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the model defines are inlined, with the attributes of the call.
// RUN: split-file %s %t
// RUN: onnx-text %t/call.txt %t/call.onnx --name
// RUN: ttc-translate --import-onnx %t/call.onnx | FileCheck %s
//--- call.txt
<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
g (float[3] x) => (float[3] y, float[3] z)
{
  y = local.scaled<alpha = 0.5>(x)
  z = local.scaled(y)
}
<opset_import: ["" : 13], domain: "local">
scaled <alpha> (a) => (b)
{
  c = LeakyRelu<alpha: float = @alpha>(a)
  b = Exp(c)
}
// CHECK: @main(%[[X:.*]]: tensor<3xf32>
// CHECK: %[[C:.*]] = ttc.leaky_relu %[[X]] {alpha = 5.000000e-01} {{.*}} loc(#[[INNER:.*]])
// CHECK: %[[Y:.*]] = ttc.exp %[[C]]
// Without the attribute, the op's default applies.
// CHECK: ttc.leaky_relu %[[Y]] : {{.*}}
// CHECK: #[[INNER]] = loc("scaled_0/c")

// Constants of different calls are different.
// RUN: onnx-text %t/constants.txt %t/constants.onnx --name
// RUN: ttc-translate --import-onnx %t/constants.onnx | FileCheck %s --check-prefix=CONSTANTS
//--- constants.txt
<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
g (float[3] x) => (float[3] y)
{
  a = local.scale<by: tensor = float {2.0}>(x)
  b = local.scale<by: tensor = float {3.0}>(a)
  y = local.scale<by: tensor = float {4.0}>(b)
}
<opset_import: ["" : 13], domain: "local">
scale <by> (a) => (b)
{
  c = Constant<value: tensor = @by>()
  b = Mul(a, c)
}
// CONSTANTS: dense<2.000000e+00>
// CONSTANTS: dense<3.000000e+00>
// CONSTANTS: dense<4.000000e+00>

// An input that the call omits is omitted in the function, too.
// RUN: onnx-text %t/omitted.txt %t/omitted.onnx --name
// RUN: ttc-translate --import-onnx %t/omitted.onnx | FileCheck %s --check-prefix=OMITTED
//--- omitted.txt
<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
g (float[3] x, float low) => (float[3] y, float[3] z)
{
  y = local.clip(x, low)
  z = local.clip(x)
}
<opset_import: ["" : 13], domain: "local">
clip (a, low) => (b) { b = Clip(a, low) }
// OMITTED: %[[Y:.*]] = ttc.max
// OMITTED-NOT: ttc.max
// OMITTED: return %[[Y]], %

// RUN: onnx-text %t/wrong.txt %t/wrong.onnx --name
// RUN: not ttc-translate --import-onnx %t/wrong.onnx 2>&1 | FileCheck %s --check-prefix=WRONG
//--- wrong.txt
<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
g (float[3] x) => (float[3] y, float[3] z, float[3] w)
{
  y = local.endless(x)
  z = local.two(x, x)
  w = local.unknown(x)
}
<opset_import: ["" : 13, "local" : 1], domain: "local">
endless (a) => (b) { b = local.endless(a) }
<opset_import: ["" : 13], domain: "local">
two (a) => (b) { b = Magic(a) }
// WRONG: node 'unknown_2' (unknown, opset 1): ops of the domain 'local' are not supported (supported: ai.onnx{{.*}}, and functions of the model)
// WRONG: node 'endless_0/b/{{.*}}' (endless, opset 1): expected bodies and functions nested at most 64 deep, found more
// WRONG: node 'two_1' (two, opset 1): the call has 2 inputs and 1 outputs, expected at most the function's 1 and 1
