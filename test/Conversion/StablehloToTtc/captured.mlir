// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// The body returns an argument of the function, which has the number of the body's update: it is no update.
// CHECK-LABEL: func.func @scatter
// CHECK: %[[NEW:.*]] = ttc.expand %arg1 : (tensor<f32>) -> tensor<1x1xf32>
// CHECK: ttc.scatter_nd %{{.*}}, %{{.*}}, %[[NEW]]
func.func @scatter(%x: tensor<4xf32>, %c: tensor<f32>, %i: tensor<1xi32>, %u: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<1xi32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Attributes in the form of older printers.
// CHECK-LABEL: func.func @argmax
// CHECK: ttc.argmax
func.func @argmax(%x: tensor<4xi32>) -> (tensor<i32>, tensor<i32>) {
  %places = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  %least = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %places, %least, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %p: tensor<i32>, %b: tensor<i32>, %q: tensor<i32>):
    %1 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = "stablehlo.or"(%1, %2) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %4 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = "stablehlo.compare"(%p, %q) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = "stablehlo.and"(%4, %5) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = "stablehlo.or"(%3, %6) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = "stablehlo.select"(%3, %a, %b) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %9 = "stablehlo.select"(%7, %p, %q) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%8, %9) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
