// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the elementwise ops mean, seen in what their constants fold to.
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @integers
// CHECK-DAG: dense<[-4, 2, 0, 0]> : tensor<4xi32>
// CHECK-DAG: dense<[-1, 1, 0, 0]> : tensor<4xi32>
// CHECK-DAG: dense<[2, 1, 0, -1]> : tensor<4xi32>
// CHECK-DAG: dense<[-343, 25, 0, 1]> : tensor<4xi32>
// CHECK-DAG: dense<[0, -1, 1, 0]> : tensor<4xi32>
func.func @integers() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %b = ttc.constant dense<[2, 2, 0, 2147483647]> : tensor<4xi32>
  %c = ttc.constant dense<[-7, 5, 0, 1]> : tensor<4xi32>
  %d = ttc.constant dense<[3, 2, 4, -1]> : tensor<4xi32>
  // A division by zero gives 0, one towards zero.
  %q0 = ttc.constant dense<[-9, 5, 3, 0]> : tensor<4xi32>
  %q = ttc.div %q0, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %f = ttc.mod %c, %d {fmod} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %m0 = ttc.constant dense<[-7, 5, 0, 3]> : tensor<4xi32>
  %m1 = ttc.constant dense<[3, 2, 4, -4]> : tensor<4xi32>
  %m = ttc.mod %m0, %m1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %p = ttc.pow %c, %d : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %n0 = ttc.constant dense<[5, -1, -1, 0]> : tensor<4xi32>
  %n1 = ttc.constant dense<[-2, -3, -4, 70]> : tensor<4xi32>
  %n = ttc.pow %n0, %n1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %q, %f, %m, %p, %n : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// NaN stays NaN where a bound or a sign is all that the op looks at.
// CHECK-LABEL: func.func @nan
// CHECK-DAG: %[[A:.*]] = ttc.constant dense<[0x7FC00000, 0.000000e+00, 2.000000e+00]> : tensor<3xf32>
// CHECK-DAG: %[[B:.*]] = ttc.constant dense<[0x7FC00000, -1.000000e+00, 1.000000e+00]> : tensor<3xf32>
// CHECK: return %[[A]], %[[B]], %[[B]]
func.func @nan() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = ttc.constant dense<[0x7FC00000, -2.0, 2.0]> : tensor<3xf32>
  %0 = ttc.relu %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = ttc.clamp %x {min = -1.0, max = 1.0} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = ttc.sign %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Neither overflow on the way nor cancellation at its end.
// CHECK-LABEL: func.func @extremes
// CHECK-DAG: dense<[0.000000e+00, 5.000000e-01, 1.000000e+00]> : tensor<3xf32>
// CHECK-DAG: dense<[0.000000e+00, 0.693147182, 2.000000e+02]> : tensor<3xf32>
// CHECK-DAG: dense<[-1.000000e+00, 0.000000e+00, 2.000000e+02]> : tensor<3xf32>
// CHECK-DAG: dense<[{{-?}}0.000000e+00, 0.000000e+00, 2.000000e+02]> : tensor<3xf32>
// CHECK-DAG: dense<-9.99999{{.*}}E-7> : tensor<1xf32>
func.func @extremes() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) {
  %x = ttc.constant dense<[-200.0, 0.0, 200.0]> : tensor<3xf32>
  %tiny = ttc.constant dense<-1.0e-6> : tensor<1xf32>
  %0 = ttc.sigmoid %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = ttc.softplus %x : (tensor<3xf32>) -> tensor<3xf32>
  %2 = ttc.elu %x : (tensor<3xf32>) -> tensor<3xf32>
  %3 = ttc.gelu %x : (tensor<3xf32>) -> tensor<3xf32>
  %4 = ttc.gelu %x approximate tanh : (tensor<3xf32>) -> tensor<3xf32>
  %5 = ttc.elu %tiny : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @casts
// CHECK-DAG: dense<[2, -2, 0]> : tensor<3xi64>
// CHECK-DAG: dense<[true, true, false]> : tensor<3xi1>
// CHECK-DAG: dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<[255, 1]> : tensor<2xi32>
// CHECK-DAG: dense<[-1, 1]> : tensor<2xi8>
func.func @casts() -> (tensor<3xi64>, tensor<3xi1>, tensor<2xf32>, tensor<2xi32>, tensor<2xi8>) {
  %x = ttc.constant dense<[2.9, -2.9, 0.0]> : tensor<3xf32>
  %b = ttc.constant dense<[true, false]> : tensor<2xi1>
  %u = ttc.constant dense<[255, 1]> : tensor<2xui8>
  %0 = ttc.cast %x : (tensor<3xf32>) -> tensor<3xi64>
  %1 = ttc.cast %x : (tensor<3xf32>) -> tensor<3xi1>
  %2 = ttc.cast %b : (tensor<2xi1>) -> tensor<2xf32>
  %3 = ttc.cast %u : (tensor<2xui8>) -> tensor<2xi32>
  %4 = ttc.cast %u : (tensor<2xui8>) -> tensor<2xi8>
  return %0, %1, %2, %3, %4 : tensor<3xi64>, tensor<3xi1>, tensor<2xf32>, tensor<2xi32>, tensor<2xi8>
}

// CHECK-LABEL: func.func @comparisons
// CHECK-DAG: %[[NE:.*]] = ttc.constant dense<true> : tensor<2xi1>
// CHECK-DAG: %[[LT:.*]] = ttc.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG: %[[U:.*]] = ttc.constant dense<[false, true]> : tensor<2xi1>
// CHECK: return
func.func @comparisons() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %a = ttc.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %b = ttc.constant dense<2.0> : tensor<f32>
  %u = ttc.constant dense<[200, 1]> : tensor<2xui8>
  %v = ttc.constant dense<100> : tensor<ui8>
  %0 = ttc.compare ne %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %1 = ttc.compare lt %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %2 = ttc.compare lt %u, %v : (tensor<2xui8>, tensor<ui8>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// To nearest, halves to even; what is too large becomes infinite.
// CHECK-LABEL: func.func @reduce_precision
// CHECK-DAG: ttc.constant dense<[1.000000e+00, 1.015625, -6.553600e+04, 9.984000e+04]>
// CHECK-DAG: ttc.constant dense<[1.00390625, 1.01171875, -6.550400e+04, 0x7F800000]>
func.func @reduce_precision() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = ttc.constant dense<[1.00390625, 1.01171875, -65504.0, 1.0e5]> : tensor<4xf32>
  %0 = ttc.reduce_precision %x {to = bf16} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.reduce_precision %x {to = f16} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
