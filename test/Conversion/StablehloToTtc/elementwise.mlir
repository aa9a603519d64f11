// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// CHECK-LABEL: func.func @unary
// CHECK-NOT: stablehlo
func.func @unary(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: ttc.abs
  %0 = "stablehlo.abs"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.exp
  %1 = "stablehlo.exponential"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.sigmoid
  %2 = "stablehlo.logistic"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.round
  %3 = "stablehlo.round_nearest_even"(%2) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.erf
  %4 = "chlo.erf"(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// A constant that is one number everywhere becomes a tensor of rank 0.
// CHECK-LABEL: func.func @number
func.func @number(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = "stablehlo.constant"() <{value = dense<0.0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  // CHECK: %[[zero:.*]] = ttc.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: ttc.max %{{.*}}, %[[zero]]
  %0 = "stablehlo.maximum"(%x, %c) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @bools
func.func @bools(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: ttc.or
  %0 = "stablehlo.add"(%a, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: ttc.and
  %1 = "stablehlo.multiply"(%0, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: ttc.xor
  %2 = "stablehlo.xor"(%1, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: ttc.not
  %3 = "stablehlo.not"(%2) : (tensor<4xi1>) -> tensor<4xi1>
  return %3 : tensor<4xi1>
}

// The sign of a shifted number decides what comes in from the left, whatever the type of the source.
// CHECK-LABEL: func.func @shifts
func.func @shifts(%a: tensor<4xi32>, %b: tensor<4xui32>) -> (tensor<4xi32>, tensor<4xui32>) {
  // CHECK: ttc.shift_right {{.*}} : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %0 = "stablehlo.shift_right_logical"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: ttc.shift_right {{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = "stablehlo.shift_right_arithmetic"(%b, %b) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0, %1 : tensor<4xi32>, tensor<4xui32>
}

// A quotient by zero is chosen only where the divisor may be zero.
// CHECK-LABEL: func.func @divide
func.func @divide(%a: tensor<2xi32>, %b: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  // CHECK: ttc.div
  // CHECK: ttc.where
  %0 = "stablehlo.divide"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %c = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi32>}> : () -> tensor<2xi32>
  // CHECK: ttc.div
  // CHECK-NOT: ttc.where
  %1 = "stablehlo.divide"(%a, %c) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @compare
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
  // CHECK: ttc.compare ge {{.*}} : (tensor<4xf32>, tensor<4xf32>)
  %0 = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: ttc.compare lt {{.*}} : (tensor<4xi32>, tensor<4xi32>)
  %1 = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}
