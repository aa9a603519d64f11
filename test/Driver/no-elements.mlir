// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements: inputs and outputs may be ones, and nothing is computed with others.
// RUN: ttc-opt %s --ttc-trace-pipeline -o %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.ttcb
// RUN: ttrun check %t.ttcb
// RUN: ttrun run %t.ttcb --random=1 | FileCheck %s
// RUN: ttc-translate --bundle-to-ttc %t.ttcb | FileCheck %s --check-prefix=BACK

// BACK: ttc.buffer {{.*}}tensor<0x3xf32>

// CHECK: f32[0, 3]
func.func @main(%x: tensor<0x3xf32> {ttc.name = "none"}, %y: tensor<2x3xf32> {ttc.name = "y"})
    -> (tensor<2x3xf32> {ttc.name = "joined"}, tensor<0x3xf32> {ttc.name = "relu"},
        tensor<0x3xf32> {ttc.name = "same"}, tensor<3xf32> {ttc.name = "sum"}) {
  %0 = ttc.concat %x, %y {axis = 0} : (tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = ttc.exp %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = ttc.relu %x : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %3 = ttc.reduce_sum %x {axes = [0]} : (tensor<0x3xf32>) -> tensor<3xf32>
  return %1, %2, %x, %3 : tensor<2x3xf32>, tensor<0x3xf32>, tensor<0x3xf32>, tensor<3xf32>
}
