// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: func.func @recurrence
func.func @recurrence(%lx: tensor<5x3x160xf32>, %lw: tensor<2x2x20x4x16xf32>, %ls: tensor<2x2x3x20xf32>, %p: tensor<2x60xf32>,
                      %gx: tensor<5x3x60xf32>, %gw: tensor<1x2x20x3x16xf32>, %s: tensor<1x1x3x20xf32>, %b: tensor<1x20xf32>,
                      %rx: tensor<5x3x20xf32>, %rw: tensor<1x2x20x1x16xf32>, %one: tensor<1xi32>, %each: tensor<3xi32>,
                      %bytes: tensor<2x2x5x4x16x4xi8>, %c: tensor<2x80xf32>, %z: tensor<2x80xi32>) {
  // CHECK: %{{.*}}, %{{.*}} = ttc.recurrence lstm %{{.*}}, %{{.*}}, %{{.*}} peepholes %{{.*}} lengths %{{.*}} : (tensor<5x3x160xf32>, tensor<2x2x20x4x16xf32>, tensor<2x2x3x20xf32>, tensor<2x60xf32>, tensor<3xi32>) -> (tensor<5x2x3x20xf32>, tensor<2x2x3x20xf32>)
  %0:2 = ttc.recurrence lstm %lx, %lw, %ls peepholes %p lengths %each
      : (tensor<5x3x160xf32>, tensor<2x2x20x4x16xf32>, tensor<2x2x3x20xf32>, tensor<2x60xf32>, tensor<3xi32>)
        -> (tensor<5x2x3x20xf32>, tensor<2x2x3x20xf32>)
  // CHECK: ttc.recurrence gru %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} {reverse} :
  %1:2 = ttc.recurrence gru %gx, %gw, %s bias %b {reverse}
      : (tensor<5x3x60xf32>, tensor<1x2x20x3x16xf32>, tensor<1x1x3x20xf32>, tensor<1x20xf32>)
        -> (tensor<5x1x3x20xf32>, tensor<1x1x3x20xf32>)
  // CHECK: ttc.recurrence rnn_tanh %{{.*}}, %{{.*}}, %{{.*}} lengths %{{.*}} sequences %{{.*}} :
  %2:2 = ttc.recurrence rnn_tanh %rx, %rw, %s lengths %one sequences %one
      : (tensor<5x3x20xf32>, tensor<1x2x20x1x16xf32>, tensor<1x1x3x20xf32>, tensor<1xi32>, tensor<1xi32>)
        -> (tensor<5x1x3x20xf32>, tensor<1x1x3x20xf32>)
  // CHECK: ttc.recurrence rnn_relu %{{.*}}, %{{.*}}, %{{.*}} :
  %3:2 = ttc.recurrence rnn_relu %rx, %rw, %s
      : (tensor<5x3x20xf32>, tensor<1x2x20x1x16xf32>, tensor<1x1x3x20xf32>)
        -> (tensor<5x1x3x20xf32>, tensor<1x1x3x20xf32>)
  // CHECK: ttc.recurrence lstm %{{.*}}, %{{.*}}, %{{.*}} scales %{{.*}} zeros %{{.*}} dot <vnni> lengths %{{.*}} :
  %4:2 = ttc.recurrence lstm %lx, %bytes, %ls scales %c zeros %z dot <vnni> lengths %one
      : (tensor<5x3x160xf32>, tensor<2x2x5x4x16x4xi8>, tensor<2x2x3x20xf32>, tensor<2x80xf32>, tensor<2x80xi32>, tensor<1xi32>)
        -> (tensor<5x2x3x20xf32>, tensor<2x2x3x20xf32>)
  return
}
