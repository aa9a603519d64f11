// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: @masked
func.func @masked(%q: tensor<12x128x64xf32>, %k: tensor<12x64x100xf32>, %v: tensor<12x100x40xf32>, %mask: tensor<128x100xf32>) -> tensor<12x128x40xf32> {
  // CHECK: ttc.kernel.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.250000e-01 : f32, tile = array<i64: 14, 32>} : (tensor<12x128x64xf32>, tensor<12x64x100xf32>, tensor<12x100x40xf32>, tensor<128x100xf32>) -> tensor<12x128x40xf32>
  %0 = ttc.kernel.attention %q, %k, %v, %mask {scale = 0.125 : f32, tile = array<i64: 14, 32>}
      : (tensor<12x128x64xf32>, tensor<12x64x100xf32>, tensor<12x100x40xf32>, tensor<128x100xf32>) -> tensor<12x128x40xf32>
  return %0 : tensor<12x128x40xf32>
}

// Heads as an encoder stores them.
// CHECK-LABEL: @views
func.func @views(%q: tensor<1x128x768xf32>, %k: tensor<1x128x768xf32>, %v: tensor<1x128x768xf32>) -> tensor<1x128x12x64xf32> {
  // CHECK: ttc.kernel.attention %{{.*}}, %{{.*}}, %{{.*}} {k_view = #ttc.view<shape = [1, 12, 64, 128], strides = [98304, 64, 1, 768], offset = 0>, q_view = {{.*}}, result_view = {{.*}}, scale = 1.000000e+00 : f32, tile = array<i64: 6, 16>, v_view = {{.*}}}
  %0 = ttc.kernel.attention %q, %k, %v {scale = 1.0 : f32, tile = array<i64: 6, 16>,
      q_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>,
      k_view = #ttc.view<shape = [1, 12, 64, 128], strides = [98304, 64, 1, 768], offset = 0>,
      v_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>,
      result_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>}
      : (tensor<1x128x768xf32>, tensor<1x128x768xf32>, tensor<1x128x768xf32>) -> tensor<1x128x12x64xf32>
  return %0 : tensor<1x128x12x64xf32>
}

// Keys up to a number.
// CHECK-LABEL: @keys
func.func @keys(%q: tensor<12x128x64xf32>, %k: tensor<12x64x100xf32>, %v: tensor<12x100x40xf32>, %mask: tensor<128x100xf32>, %n: tensor<1xi32>) -> (tensor<12x128x40xf32>, tensor<12x128x40xf32>) {
  // CHECK: ttc.kernel.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} keys(%{{.*}}) {scale = 1.250000e-01 : f32, tile = array<i64: 14, 32>} : (tensor<12x128x64xf32>, tensor<12x64x100xf32>, tensor<12x100x40xf32>, tensor<128x100xf32>, tensor<1xi32>) -> tensor<12x128x40xf32>
  %0 = ttc.kernel.attention %q, %k, %v, %mask keys(%n) {scale = 0.125 : f32, tile = array<i64: 14, 32>}
      : (tensor<12x128x64xf32>, tensor<12x64x100xf32>, tensor<12x100x40xf32>, tensor<128x100xf32>, tensor<1xi32>) -> tensor<12x128x40xf32>
  // CHECK: ttc.kernel.attention %{{.*}}, %{{.*}}, %{{.*}} keys(%{{.*}}) {scale
  %1 = ttc.kernel.attention %q, %k, %v keys(%n) {scale = 0.125 : f32, tile = array<i64: 14, 32>}
      : (tensor<12x128x64xf32>, tensor<12x64x100xf32>, tensor<12x100x40xf32>, tensor<1xi32>) -> tensor<12x128x40xf32>
  return %0, %1 : tensor<12x128x40xf32>, tensor<12x128x40xf32>
}
