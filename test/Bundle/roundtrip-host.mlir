// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle with host functions, read as IR and written again, is the same file; so is one without code.
// RUN: ttc-opt %s --ttc-trace-pipeline=target-cpu=x86-64-v2 | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttrun check %t.ttcb
// RUN: ttc-translate --bundle-to-ttc --mlir-print-debuginfo %t.ttcb -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb
// RUN: ttc-opt %s --ttc-trace-pipeline="target=wormhole_n150 target-cpu=x86-64-v2" | ttc-translate --ttc-to-bundle -o %t.chip.ttcb
// RUN: ttrun check %t.chip.ttcb
// RUN: ttc-translate --bundle-to-ttc --mlir-print-debuginfo %t.chip.ttcb -o %t.chip.mlir
// RUN: ttc-translate --ttc-to-bundle %t.chip.mlir -o %t.chip.again.ttcb
// RUN: cmp %t.chip.ttcb %t.chip.again.ttcb

// CHECK: ttc.program @com_acme_Split_2(tensor<1x4xf32>, tensor<3xi64>) -> (tensor<1x2xf32>, tensor<2xi8>)
// CHECK-SAME: host_function = #ttc.host_function<name = "com.acme.Split", version = 18, attributes = {axis = -1 : i64, modes = ["a", ""], numbers = array<f32: 5.000000e-01>, scale = 2.000000e+00 : f32, sizes = array<i64: 2, 62>, table = dense<{{.*}}> : tensor<1x3xi8>, text = "t"}, absent_inputs = [1, 2], absent_outputs = [0]>
// CHECK: ttc.enqueue.host @com_acme_Split_2(@main_v0, @sizes) into (@y, @z) on 0
func.func @main(%x: tensor<1x4xf32> {ttc.name = "x"}) -> (tensor<1x2xf32> {ttc.name = "y"}, tensor<2xi8> {ttc.name = "z"}) {
  %s = ttc.constant dense_resource<sizes> : tensor<3xi64>
  %0 = ttc.relu %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1:2 = ttc.host_call #ttc.host_function<name = "com.acme.Split", version = 18, attributes = {
       axis = -1 : i64, scale = 2.0 : f32, text = "t", sizes = array<i64: 2, 62>,
       numbers = array<f32: 0.5>, modes = ["a", ""], table = dense<[[1, 2, 3]]> : tensor<1x3xi8>},
       absent_inputs = [1, 2], absent_outputs = [0]>(%0, %s)
     : (tensor<1x4xf32>, tensor<3xi64>) -> (tensor<1x2xf32>, tensor<2xi8>)
  return %1#0, %1#1 : tensor<1x2xf32>, tensor<2xi8>
}
{-#
  dialect_resources: {builtin: {sizes: "0x08000000010000000000000002000000000000000300000000000000"}}
#-}
