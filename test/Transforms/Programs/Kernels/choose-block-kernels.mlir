// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --ttc-set-target=target-cpu=x86-64-v3 --ttc-choose-kernels --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: ttc-opt %s --split-input-file --ttc-set-target=target-cpu=znver4 --ttc-choose-kernels --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,VNNI

// CHECK-LABEL: func.func @tied
func.func @tied(%x: tensor<1x64xf32>, %g: tensor<64xf32>, %t: tensor<2xi32>) -> (tensor<1x2xf32>, tensor<2x64xf32>) {
  %w = ttc.constant dense<7> : tensor<136xi8>
  // Small weights are packed at once, and equal results are one constant.
  // CHECK: ttc.constant dense_resource<{{.*}}> : tensor<1x1088xi8>
  // CHECK-NOT: ttc.constant
  // AVX2: ttc.kernel.block_matmul q8_0 %{{.*}} norm %{{.*}} activations int8 {dot = #ttc.byte_dot<madd>}
  // VNNI: ttc.kernel.block_matmul q8_0 %{{.*}} norm %{{.*}} activations int8 {dot = #ttc.byte_dot<vnni>}
  %0 = ttc.block_matmul q8_0 %x, %w norm %g activations int8 : (tensor<1x64xf32>, tensor<136xi8>, tensor<64xf32>) -> tensor<1x2xf32>
  // CHECK: ttc.kernel.block_gather q8_0 %{{.*}}, %{{.*}} {rows = 2 : i64}
  %1 = ttc.block_gather q8_0 %w, %t {columns = 64} : (tensor<136xi8>, tensor<2xi32>) -> tensor<2x64xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<2x64xf32>
}

// -----

// CHECK-LABEL: func.func @gated
func.func @gated(%x: tensor<4x64xf32>) -> tensor<4x3xf32> {
  // CHECK: ttc.constant {{.*}} : tensor<2x640xi8>
  // CHECK: ttc.kernel.block_matmul q4_1 {{.*}}, gated}
  %w = ttc.constant dense<1> : tensor<240xi8>
  %0 = ttc.block_matmul q4_1 %x, %w {gated} : (tensor<4x64xf32>, tensor<240xi8>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @experts
func.func @experts(%x: tensor<2x64xf32>, %e: tensor<4xi32>, %n: tensor<1xi32>) -> tensor<4x16xf32> {
  // CHECK: ttc.constant {{.*}} : tensor<6x640xi8>
  // AVX2: ttc.kernel.expert_matmul q4_1 {{.*}} count %{{.*}} activations int8 {dot = #ttc.byte_dot<madd>, expert_count = 3 : i64, gated}
  // VNNI: ttc.kernel.expert_matmul q4_1 {{.*}} count %{{.*}} activations int8 {dot = #ttc.byte_dot<vnni>, expert_count = 3 : i64, gated}
  %w = ttc.constant dense<1> : tensor<3840xi8>
  %0 = ttc.expert_matmul q4_1 %x, %w, %e count %n activations int8 {expert_count = 3, gated}
      : (tensor<2x64xf32>, tensor<3840xi8>, tensor<4xi32>, tensor<1xi32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

func.func @no_constant_experts(%x: tensor<1x64xf32>, %w: tensor<640xi8>, %e: tensor<1xi32>) -> tensor<1x16xf32> {
  // expected-error@+1 {{'ttc.expert_matmul' op expected weights that are known while compiling, found 'tensor<640xi8>' that is computed}}
  %0 = ttc.expert_matmul q4_1 %x, %w, %e {expert_count = 1} : (tensor<1x64xf32>, tensor<640xi8>, tensor<1xi32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}

// -----

func.func @not_constant(%x: tensor<1x64xf32>, %w: tensor<80xi8>) -> tensor<1x2xf32> {
  // expected-error@+1 {{'ttc.block_matmul' op expected weights that are known while compiling, found 'tensor<80xi8>' that is computed}}
  %0 = ttc.block_matmul q4_1 %x, %w : (tensor<1x64xf32>, tensor<80xi8>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
