// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --canonicalize | FileCheck %s

// Tensors without elements: what computes them is a constant.
// CHECK-LABEL: @results(
func.func @results(%e: tensor<0x3xf32>, %x: tensor<2x3xf32>) -> (tensor<0x3xf32>, tensor<3x0x2xf32>, tensor<0x3xf32>) {
  // CHECK-DAG: %[[A:.*]] = ttc.constant dense<> : tensor<0x3xf32>
  // CHECK-DAG: %[[B:.*]] = ttc.constant dense<> : tensor<3x0x2xf32>
  // CHECK: return %[[A]], %[[B]], %[[A]]
  %0 = ttc.relu %e : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %1 = ttc.reshape %e : (tensor<0x3xf32>) -> tensor<3x0x2xf32>
  %2 = ttc.slice %x {starts = [2, 0], sizes = [0, 3], steps = [1, 1]} : (tensor<2x3xf32>) -> tensor<0x3xf32>
  return %0, %1, %2 : tensor<0x3xf32>, tensor<3x0x2xf32>, tensor<0x3xf32>
}

// Parts without elements add nothing.
// CHECK-LABEL: @parts(
// CHECK-SAME:    %{{.*}}: tensor<0x3xf32>, %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<4x3xf32>)
func.func @parts(%e: tensor<0x3xf32>, %x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> (tensor<6x3xf32>, tensor<1x3xf32>, tensor<0x3xf32>, tensor<3x3xf32>) {
  // CHECK: %[[N:.*]] = ttc.constant dense<> : tensor<0x3xf32>
  // CHECK: %[[C:.*]] = ttc.concat %[[X]], %[[Y]] {axis = 0}
  %0 = ttc.concat %e, %x, %e, %y {axis = 0} : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  // CHECK: %[[S:.*]]:2 = ttc.split %[[Y]] {axis = 0, sizes = [1, 3]}
  %1, %2, %3 = ttc.split %y {axis = 0, sizes = [1, 0, 3]} : (tensor<4x3xf32>) -> (tensor<1x3xf32>, tensor<0x3xf32>, tensor<3x3xf32>)
  // CHECK: return %[[C]], %[[S]]#0, %[[N]], %[[S]]#1
  return %0, %1, %2, %3 : tensor<6x3xf32>, tensor<1x3xf32>, tensor<0x3xf32>, tensor<3x3xf32>
}

// Nothing is reduced to the identity of the reduction, whatever is not read.
// CHECK-LABEL: @identities(
func.func @identities(%e: tensor<0x3xf32>, %i: tensor<0x3xi8>, %u: tensor<0x3xui16>, %d: tensor<0x3xf64>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi8>, tensor<3xui16>, tensor<3xf64>) {
  // CHECK-DAG: %[[SUM:.*]] = ttc.constant dense<0.000000e+00> : tensor<3xf32>
  // CHECK-DAG: %[[PROD:.*]] = ttc.constant dense<1.000000e+00> : tensor<3xf32>
  // CHECK-DAG: %[[MEAN:.*]] = ttc.constant dense<{{0xFFC00000|0x7FC00000}}> : tensor<3xf32>
  // CHECK-DAG: %[[LARGEST:.*]] = ttc.constant dense<-128> : tensor<3xi8>
  // CHECK-DAG: %[[SMALLEST:.*]] = ttc.constant dense<65535> : tensor<3xui16>
  // CHECK-DAG: %[[LOWEST:.*]] = ttc.constant dense<0xFFF0000000000000> : tensor<3xf64>
  // CHECK: return %[[SUM]], %[[PROD]], %[[MEAN]], %[[LARGEST]], %[[SMALLEST]], %[[LOWEST]]
  %0 = ttc.reduce_sum %e {axes = [0]} : (tensor<0x3xf32>) -> tensor<3xf32>
  %1 = ttc.reduce_prod %e {axes = [0]} : (tensor<0x3xf32>) -> tensor<3xf32>
  %2 = ttc.reduce_mean %e {axes = [0]} : (tensor<0x3xf32>) -> tensor<3xf32>
  %3 = ttc.reduce_max %i {axes = [0]} : (tensor<0x3xi8>) -> tensor<3xi8>
  %4 = ttc.reduce_min %u {axes = [0]} : (tensor<0x3xui16>) -> tensor<3xui16>
  %5 = ttc.reduce_max %d {axes = [0]} : (tensor<0x3xf64>) -> tensor<3xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi8>, tensor<3xui16>, tensor<3xf64>
}

// Sums of no products.
// CHECK-LABEL: @matmul(
// CHECK-SAME:    %{{.*}}, %{{.*}}, %[[BIAS:.*]]: tensor<4xf32>)
func.func @matmul(%a: tensor<2x0xf32>, %b: tensor<0x4xf32>, %bias: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = ttc.constant dense<0.000000e+00> : tensor<2x4xf32>
  // CHECK-DAG: %[[WIDE:.*]] = ttc.expand %[[BIAS]]
  // CHECK: return %[[ZERO]], %[[WIDE]]
  %0 = ttc.matmul %a, %b : (tensor<2x0xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  %1 = ttc.matmul %a, %b, %bias : (tensor<2x0xf32>, tensor<0x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @int_matmul(
func.func @int_matmul(%a: tensor<3x2x0xui8>, %b: tensor<0x4xi8>, %az: tensor<ui8>, %bz: tensor<i8>) -> tensor<3x2x4xi32> {
  // CHECK: %[[ZERO:.*]] = ttc.constant dense<0> : tensor<3x2x4xi32>
  // CHECK: return %[[ZERO]]
  %0 = ttc.int_matmul %a, %b, %az, %bz : (tensor<3x2x0xui8>, tensor<0x4xi8>, tensor<ui8>, tensor<i8>) -> tensor<3x2x4xi32>
  return %0 : tensor<3x2x4xi32>
}
