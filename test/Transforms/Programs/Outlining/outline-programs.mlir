// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-outline-programs --mlir-print-debuginfo | FileCheck %s

// Equal bodies are one program, whatever their locations; equal names are told apart.
// CHECK-LABEL: @main
func.func @main(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  // CHECK: %[[A:.*]] = ttc.dispatch @relu_4x8(%{{.*}}) : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc(#[[LOC1:.*]])
  %0 = ttc.fusion (%a = %x : tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
    %r = ttc.relu %a : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("relu_1")
    ttc.yield %r : tensor<1x4x8xf32>
  } loc("relu_1")
  // CHECK: %[[B:.*]] = ttc.dispatch @relu_4x8(%[[A]]) : {{.*}} loc(#[[LOC2:.*]])
  %1 = ttc.fusion (%a = %0 : tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
    %r = ttc.relu %a : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("relu_2")
    ttc.yield %r : tensor<1x4x8xf32>
  } loc("relu_2")
  // CHECK: %[[C:.*]] = ttc.dispatch @add_4x8(%[[B]], %[[A]])
  %2 = ttc.fusion (%a = %1 : tensor<1x4x8xf32>, %b = %0 : tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
    %r = ttc.add %a, %b : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
    ttc.yield %r : tensor<1x4x8xf32>
  }
  // The other order of operands is another program.
  // CHECK: %[[D:.*]] = ttc.dispatch @add_4x8_0(%[[C]], %[[A]])
  %3 = ttc.fusion (%a = %2 : tensor<1x4x8xf32>, %b = %0 : tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
    %r = ttc.add %b, %a : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
    ttc.yield %r : tensor<1x4x8xf32>
  }
  // CHECK: ttc.dispatch @add_2ops_tanh_4x8(%[[D]])
  %4 = ttc.fusion (%a = %3 : tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
    %c = ttc.constant dense<1.0> : tensor<f32>
    %r = ttc.add %a, %c : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<1x4x8xf32>
    %s = ttc.relu %r : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
    %t = ttc.exp %s : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
    %u = ttc.tanh %t : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
    ttc.yield %u : tensor<1x4x8xf32>
  }
  return %4 : tensor<1x4x8xf32>
}
// Bodies of which other elements count are other programs.
// CHECK-LABEL: @within
// CHECK: %[[A:.*]] = ttc.dispatch @exp_4x8(%{{.*}}, %{{.*}})
// CHECK: ttc.dispatch @exp_4x8_{{[0-9]}}(%[[A]], %{{.*}})
func.func @within(%x: tensor<4x8xf32>, %n: tensor<1xi32>) -> tensor<4x8xf32> {
  %0 = ttc.fusion (%a = %x : tensor<4x8xf32>, %m = %n : tensor<1xi32>) -> tensor<4x8xf32> attributes {within = #ttc.within<argument = 1, sizes = [4, 8], bounds = ()[s0] -> (s0, 8)>} {
    %r = ttc.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ttc.yield %r : tensor<4x8xf32>
  }
  %1 = ttc.fusion (%a = %0 : tensor<4x8xf32>, %m = %n : tensor<1xi32>) -> tensor<4x8xf32> attributes {within = #ttc.within<argument = 1, sizes = [4, 8], bounds = ()[s0] -> (s0 - 1, 8)>} {
    %r = ttc.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ttc.yield %r : tensor<4x8xf32>
  }
  return %1 : tensor<4x8xf32>
}
// CHECK: ttc.program private @relu_4x8(%[[A:.*]]: tensor<1x4x8xf32>{{.*}}) -> tensor<1x4x8xf32> {
// CHECK-NEXT: %[[R:.*]] = ttc.relu %[[A]]
// CHECK-NEXT: ttc.return %[[R]]
// CHECK: ttc.program private @add_4x8(
// CHECK: ttc.program private @add_4x8_0(
// CHECK: ttc.program private @add_2ops_tanh_4x8(
// CHECK-NEXT: ttc.constant
// CHECK: ttc.program private @exp_4x8(%{{.*}}) -> (tensor<4x8xf32> {ttc.within = #ttc.within<argument = 1, sizes = [4, 8], bounds = ()[s0] -> (s0, 8)>})
// CHECK: ttc.program private @exp_4x8_{{[0-9]}}(
// CHECK-NOT: ttc.program
// CHECK-DAG: #[[LOC1]] = loc("relu_1")
// CHECK-DAG: #[[LOC2]] = loc("relu_2")
