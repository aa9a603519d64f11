// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ops on bits mean, seen in what their constants fold to.
// RUN: ttc-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @logic
// CHECK-DAG: dense<[8, 0, -16]> : tensor<3xi8>
// CHECK-DAG: dense<[14, -1, -1]> : tensor<3xi8>
// CHECK-DAG: dense<[6, -1, 15]> : tensor<3xi8>
// CHECK-DAG: dense<[-13, -1, 0]> : tensor<3xi8>
func.func @logic() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) {
  %a = ttc.constant dense<[12, 0, -1]> : tensor<3xi8>
  %b = ttc.constant dense<[10, -1, -16]> : tensor<3xi8>
  %and = ttc.bit_and %a, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %or = ttc.bit_or %a, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %xor = ttc.bit_xor %a, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %not = ttc.bit_not %a : (tensor<3xi8>) -> tensor<3xi8>
  return %and, %or, %xor, %not : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
}

// A count of the width or more is defined; a negative one is such a count.
// CHECK-LABEL: func.func @shifts
// CHECK-DAG: dense<[-2, -128, 0, 0]> : tensor<4xi8>
// CHECK-DAG: dense<[-1, -1, -1, 0]> : tensor<4xi8>
// CHECK-DAG: dense<[127, 1, 0, 0]> : tensor<4xui8>
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xui8>) {
  %a = ttc.constant dense<[-1, -1, -1, 1]> : tensor<4xi8>
  %b = ttc.constant dense<[1, 7, 8, -1]> : tensor<4xi8>
  %u = ttc.constant dense<[255, 255, 255, 1]> : tensor<4xui8>
  %c = ttc.constant dense<[1, 7, 8, 255]> : tensor<4xui8>
  %left = ttc.shift_left %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %right = ttc.shift_right %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %logical = ttc.shift_right %u, %c : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %left, %right, %logical : tensor<4xi8>, tensor<4xi8>, tensor<4xui8>
}

// Every bit stays, also those of a NaN.
// CHECK-LABEL: func.func @bitcasts
// CHECK-DAG: dense<[1065353216, -2147483648]> : tensor<2xi32>
// CHECK-DAG: dense<[32513, -1024]> : tensor<2xi16>
// CHECK-DAG: dense<[1.000000e+00, 6.025390e-01]> : tensor<2xf16>
func.func @bitcasts() -> (tensor<2xi32>, tensor<2xi16>, tensor<2xf16>) {
  %f = ttc.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %n = ttc.constant dense<[0x7F01, 0xFC00]> : tensor<2xf16>
  %i = ttc.constant dense<[15360, 14546]> : tensor<2xi16>
  %0 = ttc.bitcast %f : (tensor<2xf32>) -> tensor<2xi32>
  %1 = ttc.bitcast %n : (tensor<2xf16>) -> tensor<2xi16>
  %2 = ttc.bitcast %i : (tensor<2xi16>) -> tensor<2xf16>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi16>, tensor<2xf16>
}

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @there_and_back(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ttc.bitcast %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
  %2 = ttc.bitcast %1 : (tensor<4xi32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
