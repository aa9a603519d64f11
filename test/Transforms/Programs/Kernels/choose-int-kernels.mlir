// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v3 --ttc-choose-kernels | FileCheck %s --check-prefixes=CHECK,MADD
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v4 --ttc-choose-kernels | FileCheck %s --check-prefixes=CHECK,MADD
// RUN: ttc-opt %s --ttc-set-target=target-cpu=icelake-server --ttc-choose-kernels | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: ttc-opt %s --ttc-set-target=target-cpu=alderlake --ttc-choose-kernels | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v2 --ttc-choose-kernels | FileCheck %s --check-prefixes=CHECK,PLAIN

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x8x8x16xui8>) -> tensor<1x8x8x8xi32> {
  %w = ttc.constant dense<1> : tensor<8x16x3x3xi8>
  %xz = ttc.constant dense<7> : tensor<ui8>
  %wz = ttc.constant dense<0> : tensor<i8>
  // CHECK: %[[G:.*]] = ttc.kernel.int_gemm %arg0, %{{.*}} {a_zero = 7 : i64
  // MADD-SAME: dot = #ttc.byte_dot<madd>
  // VNNI-SAME: dot = #ttc.byte_dot<vnni>
  // PLAIN-SAME: dot = #ttc.byte_dot<plain>
  // CHECK: ttc.sub %[[G]], %{{.*}} : (tensor<1x8x8x8xi32>, tensor<8xi32>)
  %0 = ttc.int_conv %x, %w, %xz, %wz {pads = [1, 1, 1, 1], channels_last}
      : (tensor<1x8x8x16xui8>, tensor<8x16x3x3xi8>, tensor<ui8>, tensor<i8>) -> tensor<1x8x8x8xi32>
  return %0 : tensor<1x8x8x8xi32>
}

// CHECK-LABEL: @image
func.func @image(%x: tensor<1x8x8x3xui8>) -> tensor<1x8x8x8xi32> {
  %w = ttc.constant dense<1> : tensor<8x3x3x3xi8>
  %xz = ttc.constant dense<0> : tensor<ui8>
  %wz = ttc.constant dense<0> : tensor<i8>
  // CHECK: %[[G:.*]] = ttc.kernel.int_gemm {{.*}} merged
  // CHECK-NOT: ttc.sub
  // CHECK: return %[[G]]
  %0 = ttc.int_conv %x, %w, %xz, %wz {pads = [1, 1, 1, 1], channels_last}
      : (tensor<1x8x8x3xui8>, tensor<8x3x3x3xi8>, tensor<ui8>, tensor<i8>) -> tensor<1x8x8x8xi32>
  return %0 : tensor<1x8x8x8xi32>
}

// CHECK-LABEL: @depthwise
func.func @depthwise(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi32> {
  %w = ttc.constant dense<1> : tensor<16x1x3x3xui8>
  %xz = ttc.constant dense<-7> : tensor<i8>
  %wz = ttc.constant dense<3> : tensor<16x1x1x1xui8>
  // CHECK: %[[X:.*]] = ttc.add %{{.*}}, %{{.*}} : (tensor<1x8x8x16xui8>, tensor<ui8>)
  // CHECK: ttc.kernel.int_depthwise_conv %[[X]], %{{.*}} x_zero = 121 : i64
  %0 = ttc.int_conv %x, %w, %xz, %wz {pads = [1, 1, 1, 1], groups = 16, channels_last}
      : (tensor<1x8x8x16xi8>, tensor<16x1x3x3xui8>, tensor<i8>, tensor<16x1x1x1xui8>) -> tensor<1x8x8x16xi32>
  return %0 : tensor<1x8x8x16xi32>
}

// Without zero points of the weights, columns of the window are dot products where the CPU has them.
// CHECK-LABEL: @depthwise_dot
func.func @depthwise_dot(%x: tensor<1x8x8x16xui8>) -> tensor<1x8x8x16xi32> {
  %w = ttc.constant dense<1> : tensor<16x1x5x3xi8>
  %xz = ttc.constant dense<7> : tensor<ui8>
  %wz = ttc.constant dense<0> : tensor<16x1x1x1xi8>
  // MADD: ttc.kernel.int_depthwise_conv
  // PLAIN: ttc.kernel.int_depthwise_conv
  // VNNI: ttc.kernel.int_depthwise_dot %arg0, %{{.*}}dot = #ttc.byte_dot<vnni>, {{.*}}x_zero = 7 : i64} : (tensor<1x8x8x16xui8>, tensor<1x1x6x16x4xi8>)
  %0 = ttc.int_conv %x, %w, %xz, %wz {pads = [2, 1, 2, 1], groups = 16, channels_last}
      : (tensor<1x8x8x16xui8>, tensor<16x1x5x3xi8>, tensor<ui8>, tensor<16x1x1x1xi8>) -> tensor<1x8x8x16xi32>
  return %0 : tensor<1x8x8x16xi32>
}

// A zero point that is known at run time only is an operand, of ui8. Without padding it is only subtracted.
// CHECK-LABEL: @given_zero
func.func @given_zero(%x: tensor<1x8x8x16xi8>, %xz: tensor<1xi8>) -> (tensor<1x8x8x8xi32>, tensor<1x6x6x8xi32>, tensor<1x8x8x16xi32>) {
  %w = ttc.constant dense<1> : tensor<8x16x3x3xi8>
  %d = ttc.constant dense<1> : tensor<16x1x3x3xi8>
  %wz = ttc.constant dense<0> : tensor<i8>
  // CHECK: %[[CAST:.*]] = ttc.cast %{{.*}} : (tensor<i8>) -> tensor<ui8>
  // CHECK: %[[Z:.*]] = ttc.add %[[CAST]], %{{.*}} : (tensor<ui8>, tensor<ui8>)
  // CHECK: %[[G:.*]] = ttc.kernel.int_gemm %{{.*}}, %{{.*}} zero %[[Z]] {
  // CHECK: ttc.sub %[[G]], %{{.*}} : (tensor<1x8x8x8xi32>, tensor<8xi32>)
  %0 = ttc.int_conv %x, %w, %xz, %wz {pads = [1, 1, 1, 1], channels_last}
      : (tensor<1x8x8x16xi8>, tensor<8x16x3x3xi8>, tensor<1xi8>, tensor<i8>) -> tensor<1x8x8x8xi32>
  // CHECK: %[[H:.*]] = ttc.kernel.int_gemm %{{[0-9]+}}, %{{[0-9]+}} {
  // CHECK: ttc.sub %[[H]], %{{.*}} : (tensor<1x6x6x8xi32>, tensor<8xi32>)
  %1 = ttc.int_conv %x, %w, %xz, %wz {channels_last}
      : (tensor<1x8x8x16xi8>, tensor<8x16x3x3xi8>, tensor<1xi8>, tensor<i8>) -> tensor<1x6x6x8xi32>
  // CHECK: ttc.kernel.int_depthwise_conv %{{.*}}, %{{.*}} zero %{{.*}} {
  %2 = ttc.int_conv %x, %d, %xz, %wz {pads = [1, 1, 1, 1], groups = 16, channels_last}
      : (tensor<1x8x8x16xi8>, tensor<16x1x3x3xi8>, tensor<1xi8>, tensor<i8>) -> tensor<1x8x8x16xi32>
  return %0, %1, %2 : tensor<1x8x8x8xi32>, tensor<1x6x6x8xi32>, tensor<1x8x8x16xi32>
}

// Zero points that are known at run time only, and one for each column of the weights.
// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<4x8xui8>, %az: tensor<ui8>, %bz: tensor<6xi8>) -> tensor<4x6xi32> {
  %b = ttc.constant dense<1> : tensor<8x6xi8>
  // CHECK: %[[Z:.*]] = ttc.cast %arg2 : (tensor<6xi8>) -> tensor<6xi32>
  // CHECK: %[[G:.*]] = ttc.kernel.int_gemm %arg0, %{{.*}}, %[[Z]]
  // CHECK: ttc.sub %[[G]]
  %0 = ttc.int_matmul %a, %b, %az, %bz
      : (tensor<4x8xui8>, tensor<8x6xi8>, tensor<ui8>, tensor<6xi8>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// Equal zero points need not be a splat.
// CHECK-LABEL: @resource
func.func @resource(%a: tensor<4x8xui8>, %az: tensor<ui8>) -> tensor<4x6xi32> {
  %b = ttc.constant dense<1> : tensor<8x6xi8>
  %bz = ttc.constant dense_resource<zeros> : tensor<6xi8>
  // CHECK: ttc.kernel.int_gemm {{.*}} : (tensor<4x8xui8>, tensor<1x1x2x{{[0-9]+}}x4xi8>) ->
  %0 = ttc.int_matmul %a, %b, %az, %bz
      : (tensor<4x8xui8>, tensor<8x6xi8>, tensor<ui8>, tensor<6xi8>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// Weights that are not constant, or have zero points within a sum, have no kernel.
// CHECK-LABEL: @no_kernel
func.func @no_kernel(%a: tensor<4x8xui8>, %b: tensor<8x6xi8>, %az: tensor<ui8>, %bz: tensor<8x1xi8>) -> (tensor<4x6xi32>, tensor<4x6xi32>) {
  // CHECK-COUNT-2: ttc.int_matmul
  %z = ttc.constant dense<0> : tensor<i8>
  %0 = ttc.int_matmul %a, %b, %az, %z
      : (tensor<4x8xui8>, tensor<8x6xi8>, tensor<ui8>, tensor<i8>) -> tensor<4x6xi32>
  %c = ttc.constant dense<1> : tensor<8x6xi8>
  %1 = ttc.int_matmul %a, %c, %az, %bz
      : (tensor<4x8xui8>, tensor<8x6xi8>, tensor<ui8>, tensor<8x1xi8>) -> tensor<4x6xi32>
  return %0, %1 : tensor<4x6xi32>, tensor<4x6xi32>
}

{-#
  dialect_resources: {
    builtin: {
      zeros: "0x01000000000000000000"
    }
  }
#-}
