// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-ttc-to-linalg | FileCheck %s

// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: @transpose(
// CHECK: linalg.generic {indexing_maps = [#[[TURNED]], {{.*}} ins(%{{.*}} : tensor<2x8xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[X]]
func.func @transpose(%x: tensor<2x8xf32>) -> tensor<8x2xf32> {
  %0 = ttc.transpose %x {permutation = [1, 0]} : (tensor<2x8xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// CHECK-LABEL: @concat(
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [2, 8] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[FIRST]][0, 8] [2, 4] [1, 1]
func.func @concat(%x: tensor<2x8xf32>, %y: tensor<2x4xf32>) -> tensor<2x12xf32> {
  %0 = ttc.concat %x, %y {axis = 1} : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// A negative step reads backwards.
// CHECK-LABEL: @slice(
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[STEP:.*]] = arith.constant -2 : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[COLUMN]], %[[STEP]]
// CHECK: %[[START:.*]] = arith.constant 6 : index
// CHECK: %[[AT:.*]] = arith.addi %[[OFFSET]], %[[START]]
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %[[AT]]] : tensor<2x8xf32>
func.func @slice(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %0 = ttc.slice %x {starts = [0, 6], sizes = [2, 3], steps = [1, -2]} : (tensor<2x8xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
