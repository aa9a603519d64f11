// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-ttc-to-linalg | FileCheck %s

// Operands broadcast by their maps.
// CHECK-DAG: #[[MATRIX:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @broadcast(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[MATRIX]], #[[ROW]], #[[MATRIX]]], iterator_types = ["parallel", "parallel"]} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[EMPTY]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32,
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT: linalg.yield %[[S]]
func.func @broadcast(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Unsigned elements become signless ones, and keep their order.
// CHECK-LABEL: @unsigned(
// CHECK-SAME: %{{.*}}: tensor<4xi8>
// CHECK: arith.maxui %{{.*}} : i8
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  %0 = ttc.max %a, %b : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
