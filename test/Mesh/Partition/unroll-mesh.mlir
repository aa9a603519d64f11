// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-unroll-mesh | FileCheck %s

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  // CHECK-LABEL: func.func @main(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32>
  func.func @main(%x: tensor<2x2xf32> {ttc.sharding = [["x"], []]}) -> (tensor<2x2xf32> {ttc.sharding = [["x"], []]}) {
    // CHECK: %[[X0:.*]] = ttc.slice %arg0 {sizes = [2, 2], starts = [0, 0], steps = [1, 1]}
    // CHECK: %[[X1:.*]] = ttc.slice %arg0 {sizes = [2, 2], starts = [2, 0], steps = [1, 1]}
    // CHECK: %[[C0:.*]] = ttc.constant dense<1.000000e+00>
    // CHECK: %[[C1:.*]] = ttc.constant dense<2.000000e+00>
    %0 = ttc.constant #ttc.shards<[dense<1.0> : tensor<2x2xf32>, dense<2.0> : tensor<2x2xf32>], [0, 1]>
    // CHECK: %[[A0:.*]] = ttc.add %[[X0]], %[[C0]]
    // CHECK: %[[A1:.*]] = ttc.add %[[X1]], %[[C1]]
    %1 = ttc.add %x, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    // CHECK: %[[S:.*]] = ttc.add %[[A0]], %[[A1]]
    // CHECK: %[[S2:.*]] = ttc.add %[[A0]], %[[A1]]
    %2 = ttc.all_reduce %1 {axes = ["x"]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    // CHECK: ttc.concat
    // CHECK: ttc.concat
    %3 = ttc.all_gather %2 {axes = ["x"], dimension = 0} : (tensor<2x2xf32>) -> tensor<4x2xf32>
    // CHECK: ttc.slice
    %4 = ttc.reduce_scatter %3 {axes = ["x"], dimension = 0} : (tensor<4x2xf32>) -> tensor<2x2xf32>
    // CHECK: %[[Y:.*]] = ttc.concat %{{.*}}, %{{.*}} {axis = 0} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    // CHECK: return %[[Y]]
    return %4 : tensor<2x2xf32>
  }
}
