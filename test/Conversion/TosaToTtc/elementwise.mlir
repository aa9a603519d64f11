// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-tosa-to-ttc | FileCheck %s

// CHECK-LABEL: @unary
// CHECK-NOT: tosa
func.func @unary(%x: tensor<2x3xf32>, %p: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  // CHECK: ttc.abs
  %0 = tosa.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.ceil
  %1 = tosa.ceil %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.cos
  %2 = tosa.cos %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.erf
  %3 = tosa.erf %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.exp
  %4 = tosa.exp %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.floor
  %5 = tosa.floor %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.log
  %6 = tosa.log %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.reciprocal
  %7 = tosa.reciprocal %6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.rsqrt
  %8 = tosa.rsqrt %7 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.sigmoid
  %9 = tosa.sigmoid %8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.sin
  %10 = tosa.sin %9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.tanh
  %11 = tosa.tanh %10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.clamp %{{.*}} {max = 6.000000e+00, min = 0.000000e+00}
  %12 = tosa.clamp %11 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.neg
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %13 = tosa.negate %12, %zp, %zp : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.not
  %14 = tosa.logical_not %p : (tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK-NEXT: return
  %15 = tosa.identity %14 : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return %13, %15 : tensor<2x3xf32>, tensor<2x3xi1>
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: ttc.add %arg0, %arg1
  %0 = tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.sub
  %1 = tosa.sub %0, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.mul
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %2 = tosa.mul %1, %b, %shift : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.pow
  %3 = tosa.pow %2, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.max
  %4 = tosa.maximum %3, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.min
  %5 = tosa.minimum %4, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: ttc.compare eq
  %6 = tosa.equal %5, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: ttc.compare gt
  %7 = tosa.greater %5, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: ttc.compare ge
  %8 = tosa.greater_equal %5, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: ttc.and
  %9 = tosa.logical_and %6, %7 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK-NEXT: ttc.or
  %10 = tosa.logical_or %9, %8 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK-NEXT: ttc.xor
  %11 = tosa.logical_xor %10, %7 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK-NEXT: ttc.where
  %12 = tosa.select %11, %5, %a : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %12 : tensor<2x3xf32>
}

// TOSA rounds floats to integers, ttc cuts off.
// CHECK-LABEL: @casts
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf16>) {
  // CHECK: %[[R:.*]] = ttc.round %arg0
  // CHECK: ttc.cast %[[R]] : (tensor<4xf32>) -> tensor<4xi32>
  %0 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK: ttc.cast %arg0 : (tensor<4xf32>) -> tensor<4xf16>
  %1 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  return %0, %1 : tensor<4xi32>, tensor<4xf16>
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x3xf32>, %p: tensor<2x3xi1>) -> (tensor<2x1xf32>, tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xi1>, tensor<2xi32>) {
  // CHECK: ttc.reduce_sum %arg0 {axes = [1], keepdims}
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // CHECK: ttc.reduce_max %arg0 {axes = [0], keepdims}
  %1 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  // CHECK: ttc.reduce_min
  %2 = tosa.reduce_min %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // CHECK: ttc.reduce_prod
  %3 = tosa.reduce_product %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // CHECK: %[[I:.*]] = ttc.cast %arg1 : (tensor<2x3xi1>) -> tensor<2x3xi8>
  // CHECK: %[[M:.*]] = ttc.reduce_max %[[I]]
  // CHECK: ttc.cast %[[M]] : (tensor<2x1xi8>) -> tensor<2x1xi1>
  %4 = tosa.reduce_any %p {axis = 1 : i32} : (tensor<2x3xi1>) -> tensor<2x1xi1>
  // CHECK: %[[A:.*]] = ttc.argmax %arg0 {axis = 1}
  // CHECK: ttc.cast %[[A]] : (tensor<2xi64>) -> tensor<2xi32>
  %5 = tosa.argmax %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x1xf32>, tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xi1>, tensor<2xi32>
}
