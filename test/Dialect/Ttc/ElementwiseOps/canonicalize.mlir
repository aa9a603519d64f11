// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @neutral(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>,
                                            tensor<2x4xf32>, tensor<2x4xf32>) {
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %minus_zero = ttc.constant dense<-0.0> : tensor<f32>
  %one = ttc.constant dense<1.0> : tensor<4xf32>
  %0 = ttc.add %minus_zero, %x : (tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = ttc.sub %x, %zero : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %2 = ttc.mul %one, %x : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = ttc.div %x, %one : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = ttc.pow %x, %one : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// The neutral element still broadcasts.
// CHECK-LABEL: func.func @neutral_broadcasts
// CHECK: ttc.add
func.func @neutral_broadcasts(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = ttc.constant dense<0.0> : tensor<2x4xf32>
  %0 = ttc.add %x, %zero : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// 1 - x and 1 / x are no x; and -0 + 0 is 0.
// CHECK-LABEL: func.func @not_neutral
// CHECK: ttc.sub
// CHECK: ttc.div
// CHECK: ttc.add
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = ttc.constant dense<0.0> : tensor<4xf32>
  %one = ttc.constant dense<1.0> : tensor<4xf32>
  %0 = ttc.sub %zero, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.div %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @powers
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[SQUARE:.*]] = ttc.mul %[[X]], %[[X]]
// CHECK-DAG: ttc.mul %{{.*}}, %[[X]]
// CHECK-DAG: %[[INF:.*]] = ttc.constant dense<0x7F800000> : tensor<f32>
// CHECK-DAG: %[[ZERO:.*]] = ttc.constant dense<0.000000e+00> : tensor<f32>
// Powers of -0 have no sign, and those of -infinity are numbers.
// CHECK-DAG: ttc.add %[[X]], %[[ZERO]]
// CHECK-DAG: ttc.compare eq %[[X]], %{{.*}}
// CHECK-DAG: %[[ROOT:.*]] = ttc.sqrt
// CHECK-DAG: ttc.where %{{.*}}, %[[INF]], %[[ROOT]]
// CHECK-DAG: %[[INVERSE:.*]] = ttc.rsqrt
// CHECK-DAG: ttc.where %{{.*}}, %[[ZERO]], %[[INVERSE]]
// CHECK-DAG: ttc.reciprocal %[[X]]
// CHECK-NOT: ttc.pow
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = ttc.constant dense<2.0> : tensor<f32>
  %three = ttc.constant dense<3.0> : tensor<f32>
  %half = ttc.constant dense<0.5> : tensor<f32>
  %minushalf = ttc.constant dense<-0.5> : tensor<f32>
  %minusone = ttc.constant dense<-1.0> : tensor<f32>
  %0 = ttc.pow %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ttc.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = ttc.pow %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = ttc.pow %x, %minushalf : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = ttc.pow %x, %minusone : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Only where the product has the same bits as the quotient.
// CHECK-LABEL: func.func @divisions
// CHECK-DAG: %[[EIGHTH:.*]] = ttc.constant dense<1.250000e-01> : tensor<f32>
// CHECK-DAG: ttc.mul %{{.*}}, %[[EIGHTH]]
// CHECK-DAG: ttc.div
func.func @divisions(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %eight = ttc.constant dense<8.0> : tensor<f32>
  %three = ttc.constant dense<3.0> : tensor<f32>
  %0 = ttc.div %x, %eight : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ttc.div %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @bounds
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: ttc.relu %[[X]]
// CHECK-NEXT: ttc.clamp %[[X]] {max = 6.000000e+00, min = 0.000000e+00}
// CHECK-NEXT: ttc.clamp %[[X]] {max = 4.000000e+00, min = 4.000000e+00}
// CHECK-NEXT: ttc.clamp %[[X]] {max = 1.000000e+00, min = -1.000000e+00}
func.func @bounds(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = ttc.clamp %x {min = 0.0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.clamp %x {max = 6.0} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ttc.relu %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ttc.clamp %x {max = 2.0} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = ttc.clamp %4 {min = 4.0} : (tensor<4xf32>) -> tensor<4xf32>
  %low = ttc.constant dense<-1.0> : tensor<f32>
  %high = ttc.constant dense<1.0> : tensor<f32>
  %6 = ttc.max %low, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = ttc.min %6, %high : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xi1>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[B]]
func.func @identities(%x: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %0 = ttc.cast %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.neg %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ttc.clamp %x : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ttc.not %b : (tensor<4xi1>) -> tensor<4xi1>
  %5 = ttc.not %4 : (tensor<4xi1>) -> tensor<4xi1>
  return %0, %2, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @idempotent
// CHECK: %[[A:.*]] = ttc.abs
// CHECK-NEXT: return %[[A]]
func.func @idempotent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttc.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @known_condition
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @known_condition(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %true = ttc.constant dense<true> : tensor<i1>
  %false = ttc.constant dense<false> : tensor<4xi1>
  %0 = ttc.where %true, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.where %false, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @drop_expand
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<2x4xf32>)
// CHECK-NEXT: ttc.add %[[A]], %[[B]] : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @drop_expand(%a: tensor<4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = ttc.expand %a : (tensor<4xf32>) -> tensor<2x4xf32>
  %1 = ttc.add %0, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// One of the two must give the result its shape.
// CHECK-LABEL: func.func @keep_expand
// CHECK: %[[E:.*]] = ttc.expand
// CHECK-NEXT: ttc.add
func.func @keep_expand(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = ttc.expand %a : (tensor<4xf32>) -> tensor<2x4xf32>
  %1 = ttc.expand %b : (tensor<4xf32>) -> tensor<2x4xf32>
  %2 = ttc.add %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
