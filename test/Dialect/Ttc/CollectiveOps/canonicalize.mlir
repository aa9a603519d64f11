// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --canonicalize | FileCheck %s

// Parts of a sum that are gathered again are the sum.
// CHECK-LABEL: func.func @gather_of_reduce_scatter
func.func @gather_of_reduce_scatter(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: %[[SUM:.*]] = ttc.all_reduce %arg0 reduction max {axes = ["x"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = ttc.reduce_scatter %x reduction max {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = ttc.all_gather %0 {axes = ["x"], dimension = 1} : (tensor<4x4xf32>) -> tensor<4x8xf32>
  // Along other axes they are not.
  // CHECK: ttc.reduce_scatter
  // CHECK: %[[OTHER:.*]] = ttc.all_gather
  %2 = ttc.reduce_scatter %x {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %3 = ttc.all_gather %2 {axes = ["y"], dimension = 1} : (tensor<4x4xf32>) -> tensor<4x8xf32>
  // CHECK: return %[[SUM]], %[[OTHER]]
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @permutes
func.func @permutes(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[TWO:.*]] = ttc.permute %arg0 {axes = ["y"], sources = [2, 3, 0, 1]} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = ttc.permute %x {axes = ["y"], sources = [3, 0, 1, 2]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.permute %0 {axes = ["y"], sources = [3, 0, 1, 2]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.permute %x {axes = ["y"], sources = [0, 1, 2, 3]} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[TWO]], %arg0
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// A constant is the same on all devices unless it is #ttc.shards; a sum depends on their number.
// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = ttc.constant dense<3.0> : tensor<4xf32>
  %1 = ttc.constant #ttc.shards<[dense<1.0> : tensor<4xf32>, dense<2.0> : tensor<4xf32>], [0, 1]>
  // CHECK-DAG: %[[GATHERED:.*]] = ttc.constant dense<3.000000e+00> : tensor<8xf32>
  // CHECK-DAG: %[[SAME:.*]] = ttc.constant dense<3.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[SHARDS:.*]] = ttc.constant #ttc.shards
  %2 = ttc.all_reduce %0 reduction max {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ttc.all_gather %0 {axes = ["x"], dimension = 0} : (tensor<4xf32>) -> tensor<8xf32>
  // CHECK: %[[MAX:.*]] = ttc.all_reduce %[[SHARDS]]
  %4 = ttc.all_reduce %1 reduction max {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[SUM:.*]] = ttc.all_reduce %[[SAME]]
  %5 = ttc.all_reduce %0 {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[SAME]], %[[GATHERED]], %[[MAX]], %[[SUM]]
  return %2, %3, %4, %5 : tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}

// Sums of sums over the same devices are exchanged at once, and only what is needed of them.
// CHECK-LABEL: func.func @sums
func.func @sums(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  // CHECK: %[[BOTH:.*]] = ttc.add %arg0, %arg1
  // CHECK: %[[SUM:.*]] = ttc.all_reduce %[[BOTH]] {axes = ["x"]}
  %0 = ttc.all_reduce %x {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.all_reduce %y {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // Along other axes they stay.
  // CHECK: ttc.all_reduce %arg0 {axes = ["y"]}
  // CHECK: ttc.all_reduce %arg1 {axes = ["x"]}
  // CHECK: %[[OTHER:.*]] = ttc.add
  %3 = ttc.all_reduce %x {axes = ["y"]} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ttc.all_reduce %y {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = ttc.add %3, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[SLICE:.*]] = ttc.slice %arg0
  // CHECK: %[[PART:.*]] = ttc.all_reduce %[[SLICE]] reduction max {axes = ["x"]} : (tensor<2xf32>) -> tensor<2xf32>
  %6 = ttc.all_reduce %x reduction max {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = ttc.slice %6 {starts = [2], sizes = [2], steps = [1]} : (tensor<4xf32>) -> tensor<2xf32>
  // CHECK: return %[[SUM]], %[[OTHER]], %[[PART]]
  return %2, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// What is needed of a gathered tensor is sliced before it is gathered, along other dimensions than that.
// CHECK-LABEL: func.func @slices_of_gathers
func.func @slices_of_gathers(%x: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<8x4xf32>) {
  // CHECK: %[[SLICE:.*]] = ttc.slice %arg0 {sizes = [2, 8], starts = [1, 0], steps = [2, 1]} : (tensor<4x8xf32>) -> tensor<2x8xf32>
  // CHECK: %[[PART:.*]] = ttc.all_gather %[[SLICE]] {axes = ["x"], dimension = 1} : (tensor<2x8xf32>) -> tensor<2x16xf32>
  %0 = ttc.all_gather %x {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %1 = ttc.slice %0 {starts = [1, 0], sizes = [2, 16], steps = [2, 1]} : (tensor<4x16xf32>) -> tensor<2x16xf32>
  // CHECK: %[[ALL:.*]] = ttc.all_gather %arg0 {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x16xf32>
  // CHECK: %[[OTHER:.*]] = ttc.slice %[[ALL]]
  %2 = ttc.all_gather %x {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %3 = ttc.slice %2 {starts = [0, 6], sizes = [4, 4], steps = [1, 1]} : (tensor<4x16xf32>) -> tensor<4x4xf32>
  %4 = ttc.concat %3, %3 {axis = 0} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[TWICE:.*]] = ttc.concat %[[OTHER]], %[[OTHER]]
  // CHECK: return %[[PART]], %[[TWICE]]
  return %1, %4 : tensor<2x16xf32>, tensor<8x4xf32>
}
