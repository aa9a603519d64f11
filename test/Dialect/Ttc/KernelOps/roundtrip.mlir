// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%x: tensor<1x128x768xf32>, %w: tensor<768x768xf32>) -> tensor<1x128x768xf32> {
  // CHECK: ttc.pack %{{.*}} {kind = #ttc.pack_kind<matmul>, nr = 16 : i64} : tensor<768x768xf32> -> tensor<1x48x768x16xf32>
  %p = ttc.pack %w {kind = #ttc.pack_kind<matmul>, nr = 16 : i64} : tensor<768x768xf32> -> tensor<1x48x768x16xf32>
  // CHECK: ttc.kernel.gemm %{{.*}}, %{{.*}} {packed, tile = array<i64: 6, 16>}
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<1x128x768xf32>
  return %0 : tensor<1x128x768xf32>
}

// CHECK-LABEL: @narrow
func.func @narrow(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xi8>) -> tensor<4x16xf32> {
  // CHECK: ttc.kernel.gemm {{.*}} : (tensor<4x8xf32>, tensor<1x1x8x16xi8>) -> tensor<4x16xf32>
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<4x8xf32>, tensor<1x1x8x16xi8>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: @attention_scores
func.func @attention_scores(%q: tensor<1x128x12x64xf32>, %k: tensor<1x128x12x64xf32>)
    -> tensor<1x12x128x128xf32> {
  // CHECK: a_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>
  %0 = ttc.kernel.gemm %q, %k {tile = array<i64: 6, 16>,
      a_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>,
      b_view = #ttc.view<shape = [1, 12, 64, 128], strides = [98304, 64, 1, 768], offset = 0>}
      : (tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>) -> tensor<1x12x128x128xf32>
  return %0 : tensor<1x12x128x128xf32>
}

// CHECK-LABEL: @attention_values
func.func @attention_values(%p: tensor<1x12x128x128xf32>, %v: tensor<1x128x12x64xf32>)
    -> tensor<1x128x12x64xf32> {
  // CHECK: result_view = #ttc.view<shape = [1, 12, 128, 64]
  %0 = ttc.kernel.gemm %p, %v {tile = array<i64: 6, 16>,
      b_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>,
      result_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>}
      : (tensor<1x12x128x128xf32>, tensor<1x128x12x64xf32>) -> tensor<1x128x12x64xf32>
  return %0 : tensor<1x128x12x64xf32>
}

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x56x56x64xf32>, %w: tensor<96x32x3x3xf32>) -> tensor<1x28x28x96xf32> {
  %p = ttc.pack %w {kind = #ttc.pack_kind<conv>, groups = 2 : i64, nr = 16 : i64}
      : tensor<96x32x3x3xf32> -> tensor<2x3x288x16xf32>
  // CHECK: ttc.kernel.gemm %{{.*}} {groups = 2 : i64, kernel = array<i64: 3, 3>, packed, pads = array<i64: 1, 1, 1, 1>, plan = #ttc.gemm_plan<rows = table, splits = [1, 2, 3], block = 4>, strides
  %0 = ttc.kernel.gemm %x, %p {packed, groups = 2 : i64, kernel = array<i64: 3, 3>,
      strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 6, 16>,
      plan = #ttc.gemm_plan<rows = table, splits = [1, 2, 3], block = 4>}
      : (tensor<1x56x56x64xf32>, tensor<2x3x288x16xf32>) -> tensor<1x28x28x96xf32>
  return %0 : tensor<1x28x28x96xf32>
}

// CHECK-LABEL: @depthwise
func.func @depthwise(%x: tensor<1x56x56x144xf32>, %w: tensor<144x1x3x3xf32>)
    -> tensor<1x56x56x144xf32> {
  %p = ttc.pack %w {kind = #ttc.pack_kind<depthwise>} : tensor<144x1x3x3xf32> -> tensor<9x144xf32>
  // CHECK: ttc.kernel.depthwise_conv
  %0 = ttc.kernel.depthwise_conv %x, %p {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x56x56x144xf32>, tensor<9x144xf32>) -> tensor<1x56x56x144xf32>
  return %0 : tensor<1x56x56x144xf32>
}

// CHECK-LABEL: @pool
func.func @pool(%x: tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32> {
  // CHECK: ttc.kernel.pool %{{.*}} {kernel = array<i64: 3, 3>, kind = #ttc.pool_kind<max>
  %0 = ttc.kernel.pool %x {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>,
      strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}

// CHECK-LABEL: @valid
func.func @valid(%x: tensor<1x8x8x8xf32>, %w: tensor<1x1x72x16xf32>, %d: tensor<9x8xf32>, %n: tensor<1xi32>, %m: tensor<1xi32>) {
  // CHECK: ttc.kernel.gemm %{{.*}}, %{{.*}} valid(%{{.*}}, %{{.*}}) {{{.*}}valid_dims = array<i64: 0, 1>}
  %0 = ttc.kernel.gemm %x, %w valid(%n, %m) {packed, kernel = array<i64: 3, 3>, tile = array<i64: 6, 16>, valid_dims = array<i64: 0, 1>}
      : (tensor<1x8x8x8xf32>, tensor<1x1x72x16xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x6x6x16xf32>
  // CHECK: ttc.kernel.depthwise_conv %{{.*}}, %{{.*}} valid(%{{.*}}) {{{.*}}valid_dims = array<i64: 1>}
  %1 = ttc.kernel.depthwise_conv %x, %d valid(%n) {kernel = array<i64: 3, 3>, valid_dims = array<i64: 1>}
      : (tensor<1x8x8x8xf32>, tensor<9x8xf32>, tensor<1xi32>) -> tensor<1x6x6x8xf32>
  // CHECK: ttc.kernel.pool %{{.*}} valid(%{{.*}}) {{{.*}}valid_dims = array<i64: 0>}
  %2 = ttc.kernel.pool %x valid(%n) {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>, valid_dims = array<i64: 0>}
      : (tensor<1x8x8x8xf32>, tensor<1xi32>) -> tensor<1x6x6x8xf32>
  return
}

// CHECK: func.func private @choices() attributes {a = #ttc.kernel_choice<direct, tile = [8, 48]>, b = #ttc.kernel_choice<winograd_transformed, tile = [14, 32], outputs = 4>}
func.func private @choices() attributes {a = #ttc.kernel_choice<direct, tile = [8, 48]>,
    b = #ttc.kernel_choice<winograd_transformed, tile = [14, 32], outputs = 4>}
