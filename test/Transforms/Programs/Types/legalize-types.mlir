// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-legalize-types -split-input-file --mlir-pass-statistics 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS < %t

// STATS: {{[1-9][0-9]*}} casts
// STATS: {{[1-9][0-9]*}} values

// Floats are bytes; conversions are by way of f32.
// CHECK-LABEL: func.func @floats(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xui8>) -> (tensor<4x8xf16>, tensor<4x8xui8>)
func.func @floats(%x: tensor<8x4xf8E5M2>) -> (tensor<4x8xf16>, tensor<4x8xf8E8M0FNU>) {
  // CHECK: %[[T:.*]] = ttc.transpose %[[X]] {permutation = [1, 0]} : (tensor<8x4xui8>) -> tensor<4x8xui8>
  %0 = ttc.transpose %x {permutation = [1, 0]} : (tensor<8x4xf8E5M2>) -> tensor<4x8xf8E5M2>
  // CHECK: %[[D:.*]] = ttc.decode_float %[[T]] {format = f8E5M2} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  // CHECK: %[[H:.*]] = ttc.cast %[[D]] : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %1 = ttc.cast %0 : (tensor<4x8xf8E5M2>) -> tensor<4x8xf16>
  // CHECK: %[[S:.*]] = ttc.cast %[[H]] : (tensor<4x8xf16>) -> tensor<4x8xf32>
  // CHECK: %[[E:.*]] = ttc.encode_float %[[S]] rounding down {format = f8E8M0FNU, saturate = false} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  %2 = ttc.cast %1 rounding down {saturate = false} : (tensor<4x8xf16>) -> tensor<4x8xf8E8M0FNU>
  // CHECK: return %[[H]], %[[E]]
  return %1, %2 : tensor<4x8xf16>, tensor<4x8xf8E8M0FNU>
}

// -----

// Between two floats: the second cast finds what the operand of the first stood for.
// CHECK-LABEL: func.func @chain(
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf4E2M1FN> {
  // CHECK: %[[A:.*]] = ttc.encode_float %{{.*}} {format = f8E4M3FN}
  // CHECK: %[[B:.*]] = ttc.decode_float %[[A]] {format = f8E4M3FN}
  // CHECK: ttc.encode_float %[[B]] {format = f4E2M1FN}
  %0 = ttc.cast %x : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %1 = ttc.cast %0 : (tensor<4xf8E4M3FN>) -> tensor<4xf4E2M1FN>
  return %1 : tensor<4xf4E2M1FN>
}

// -----

// The low bits of an input's integers count.
// CHECK-LABEL: func.func @integers(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi8>, %[[Y:.*]]: tensor<4xui8>)
func.func @integers(%x: tensor<4xi4>, %y: tensor<4xui2>) -> (tensor<4xf32>, tensor<4xi4>, tensor<4xui2>) {
  // CHECK-DAG: %[[A:.*]] = ttc.wrap_integer %[[X]] {width = 4} : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK-DAG: %[[B:.*]] = ttc.wrap_integer %[[Y]] {width = 2} : (tensor<4xui8>) -> tensor<4xui8>
  // CHECK: %[[F:.*]] = ttc.cast %[[A]] : (tensor<4xi8>) -> tensor<4xf32>
  %0 = ttc.cast %x : (tensor<4xi4>) -> tensor<4xf32>
  // CHECK: %[[I:.*]] = ttc.cast %[[B]] : (tensor<4xui8>) -> tensor<4xi8>
  // CHECK: %[[W:.*]] = ttc.wrap_integer %[[I]] {width = 4} : (tensor<4xi8>) -> tensor<4xi8>
  %1 = ttc.cast %y : (tensor<4xui2>) -> tensor<4xi4>
  // CHECK: return %[[F]], %[[W]], %[[B]]
  return %0, %1, %y : tensor<4xf32>, tensor<4xi4>, tensor<4xui2>
}

// -----

// Signed integers are extended.
// CHECK-LABEL: func.func @constants(
func.func @constants() -> (tensor<3xi4>, tensor<3xui4>, tensor<2xi2>, tensor<2xf8E4M3FN>) {
  // CHECK: ttc.constant dense<[1, -8, 7]> : tensor<3xi8>
  %0 = ttc.constant dense<[1, -8, 7]> : tensor<3xi4>
  // CHECK: ttc.constant dense<[1, 15, 7]> : tensor<3xui8>
  %1 = ttc.constant dense<[1, 15, 7]> : tensor<3xui4>
  // CHECK: ttc.constant dense<-1> : tensor<2xi8>
  %2 = ttc.constant dense<-1> : tensor<2xi2>
  // CHECK: ttc.constant dense<[56, 192]> : tensor<2xui8>
  %3 = ttc.constant dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>
  return %0, %1, %2, %3 : tensor<3xi4>, tensor<3xui4>, tensor<2xi2>, tensor<2xf8E4M3FN>
}

// -----

// Padding is a number of the element type.
// CHECK-LABEL: func.func @padding(
func.func @padding(%x: tensor<4xf8E4M3FN>) -> tensor<6xf8E4M3FN> {
  // CHECK: ttc.pad %{{.*}} {high = [1], low = [1], value = 5.600000e+01} : (tensor<4xui8>) -> tensor<6xui8>
  %0 = ttc.pad %x {high = [1], low = [1], value = 1.0} : (tensor<4xf8E4M3FN>) -> tensor<6xf8E4M3FN>
  return %0 : tensor<6xf8E4M3FN>
}
