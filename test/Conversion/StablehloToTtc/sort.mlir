// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// A comparison of one key is a sort, and what moves with the key follows it.
// CHECK-LABEL: func.func @descending
func.func @descending(%x: tensor<3x8xi32>, %y: tensor<3x8xf32>) -> (tensor<3x8xi32>, tensor<3x8xf32>) {
  // CHECK: %[[p:.*]] = ttc.argsort %{{.*}} {axis = 1, count = 8, largest}
  // CHECK: ttc.gather_elements %{{.*}}, %[[p]] {axis = 1}
  // CHECK: ttc.gather_elements %{{.*}}, %[[p]] {axis = 1}
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %s = "stablehlo.compare"(%b, %a) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<3x8xi32>, tensor<3x8xf32>) -> (tensor<3x8xi32>, tensor<3x8xf32>)
  return %0#0, %0#1 : tensor<3x8xi32>, tensor<3x8xf32>
}

// Other comparators are computed for all pairs.
// CHECK-LABEL: func.func @general
func.func @general(%x: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: ttc.reduce_sum
  // CHECK: ttc.scatter_elements
  // CHECK: ttc.gather_elements
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = "stablehlo.subtract"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %s = "stablehlo.compare"(%d, %z) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%x: tensor<8xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  // CHECK: ttc.argsort %{{.*}} {axis = 0, count = 3, largest}
  %0:2 = "chlo.top_k"(%x) <{k = 3 : i64}> : (tensor<8xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xi32>
}
