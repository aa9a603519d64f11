// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and the outputs that replace them become states, which entry points share.
// RUN: ttc-opt %s --pass-pipeline="builtin.module(ttc-bind-states{state=past_*=present_*,position=next})" | FileCheck %s

// CHECK:      ttc.state @past_0_key : tensor<4xf32>
// CHECK-NEXT: ttc.state @past_1_key : tensor<8xf32>
// CHECK-NEXT: ttc.state @position : tensor<1xi32>

// CHECK: func.func @decode(%{{.*}}: tensor<4xf32> {ttc.state = @past_0_key}, %{{.*}}: tensor<1xf32> {ttc.name = "x"}, %{{.*}}: tensor<8xf32> {ttc.state = @past_1_key}, %{{.*}}: tensor<1xi32> {ttc.state = @position})
// CHECK-SAME: -> (tensor<8xf32> {ttc.state = @past_1_key}, tensor<1xi32> {ttc.state = @position}, tensor<4xf32> {ttc.state = @past_0_key}, tensor<1xf32> {ttc.name = "y"})
func.func @decode(%a: tensor<4xf32> {ttc.name = "past_0.key"}, %x: tensor<1xf32> {ttc.name = "x"},
                  %b: tensor<8xf32> {ttc.name = "past_1.key"}, %p: tensor<1xi32> {ttc.name = "position"})
    -> (tensor<8xf32> {ttc.name = "present_1.key"}, tensor<1xi32> {ttc.name = "next"},
        tensor<4xf32> {ttc.name = "present_0.key"}, tensor<1xf32> {ttc.name = "y"}) {
  return %b, %p, %a, %x : tensor<8xf32>, tensor<1xi32>, tensor<4xf32>, tensor<1xf32>
}
// CHECK: func.func @prefill(%{{.*}}: tensor<4xf32> {ttc.state = @past_0_key}) -> (tensor<4xf32> {ttc.state = @past_0_key})
func.func @prefill(%a: tensor<4xf32> {ttc.name = "past_0.key"}) -> (tensor<4xf32> {ttc.name = "present_0.key"}) {
  return %a : tensor<4xf32>
}
