// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file --ttc-split-stages=parallel=pipeline:x | FileCheck %s

// Each micro-batch is a part of the arguments, computed by the same programs. Collectives lose the axis, and constants
// that differ along it are those of each micro-batch.
module attributes {ttc.mesh = #ttc.mesh<[<name = "y", size = 2>, <name = "x", size = 2>, <name = "micro-batch", size = 2>]>} {
  // CHECK: ttc.mesh = #ttc.mesh<[<name = "y", size = 2>, <name = "x", size = 2>]>
  // CHECK: ttc.collective @all_reduce all_reduce direct sum f32 bytes 256 groups [array<i64: 0, 2>, array<i64: 1, 3>]
  ttc.collective @all_reduce all_reduce direct sum f32 bytes 256 groups [array<i64: 0, 4>, array<i64: 1, 5>, array<i64: 2, 6>, array<i64: 3, 7>]
  // CHECK: ttc.collective @permute permute direct sum f32 bytes 256 groups [array<i64: 0, 1>, array<i64: 2, 3>] sources [-1, 0]
  ttc.program private @first(%a: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
    %0 = ttc.add %a, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    ttc.return %0 : tensor<4x16xf32>
  }
  func.func @main(%x: tensor<4x16xf32> {ttc.sharding = [["y", "micro-batch"], []]}) -> (tensor<4x16xf32> {ttc.sharding = [["micro-batch"], []]}) {
    %c = ttc.constant #ttc.shards<[dense<1.0> : tensor<16xf32>, dense<2.0> : tensor<16xf32>], [0, 1, 0, 1, 0, 1, 0, 1]>
    %d = ttc.constant dense<3.0> : tensor<16xf32>
    %0 = ttc.dispatch @first(%x, %c) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %1 = ttc.exchange @all_reduce(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %2 = ttc.dispatch @first(%1, %d) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    return %2 : tensor<4x16xf32>
  }
  // CHECK-LABEL: func.func @main_0
  // CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32> {ttc.name = "input0", ttc.sharding = {{\[\[}}"y"], []]})
  // CHECK-SAME: ttc.devices = array<i64: 0, 2>
  // CHECK: %[[P:.*]]:2 = ttc.dispatch @split(%[[X]])
  // CHECK: %[[C0:.*]] = ttc.constant dense<1.0
  // CHECK: %[[A0:.*]] = ttc.dispatch @first(%[[P]]#0, %[[C0]])
  // CHECK: ttc.send @permute
  // CHECK: %[[C1:.*]] = ttc.constant dense<2.0
  // CHECK: ttc.dispatch @first(%[[P]]#1, %[[C1]])
  // CHECK: ttc.send @permute
  // CHECK-LABEL: func.func @main_1() -> (tensor<8x16xf32> {ttc.name = "output0"})
  // CHECK-SAME: ttc.devices = array<i64: 1, 3>
  // CHECK: ttc.receive @permute
  // CHECK: %[[Y0:.*]] = ttc.dispatch @first
  // CHECK: ttc.receive @permute
  // CHECK: %[[Y1:.*]] = ttc.dispatch @first
  // CHECK: %[[Y:.*]] = ttc.dispatch @concat(%[[Y0]], %[[Y1]])
  // CHECK: return %[[Y]]
  // CHECK: ttc.program private @split(%{{.*}}: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  // CHECK: ttc.split %{{.*}} {axis = 0, sizes = [4, 4]}
  // CHECK: ttc.program private @concat(%{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<4x16xf32>) -> tensor<8x16xf32>
}
