// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-choose-kernels --split-input-file | FileCheck %s

// The tiles of a CPU with AVX2.
module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x8x8x4xf32>, %w: tensor<32x2x3x3xf32>, %b: tensor<32xf32>)
    -> tensor<1x8x8x32xf32> {
  // CHECK: %[[P:.*]] = ttc.pack %{{.*}} {groups = 2 : i64, kind = #ttc.pack_kind<conv>, nr = 16 : i64} : tensor<32x2x3x3xf32> -> tensor<2x1x18x16xf32>
  // CHECK: %[[G:.*]] = ttc.kernel.gemm %{{.*}}, %[[P]] {{.*}}groups = 2 : i64, kernel = array<i64: 3, 3>, packed, pads = array<i64: 1, 1, 1, 1>, {{.*}}tile = array<i64: 6, 16>}
  // CHECK: ttc.add %[[G]], %{{.*}} : (tensor<1x8x8x32xf32>, tensor<32xf32>)
  %0 = ttc.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, groups = 2 : i64, channels_last}
     : (tensor<1x8x8x4xf32>, tensor<32x2x3x3xf32>, tensor<32xf32>) -> tensor<1x8x8x32xf32>
  return %0 : tensor<1x8x8x32xf32>
}

// CHECK-LABEL: @depthwise
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x8x8x4xf32> {
  // CHECK: ttc.pack %{{.*}} {kind = #ttc.pack_kind<depthwise>} : tensor<4x1x3x3xf32> -> tensor<9x4xf32>
  // CHECK: ttc.kernel.depthwise_conv
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, groups = 4 : i64, channels_last}
     : (tensor<1x8x8x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// The convolution of the operand with zeros between its elements.
// CHECK-LABEL: @conv_transpose
func.func @conv_transpose(%x: tensor<1x4x4x8xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x8x4xf32> {
  // CHECK: ttc.pack %{{.*}} {kind = #ttc.pack_kind<conv_transpose>, nr = 8 : i64}
  // CHECK: ttc.kernel.gemm %{{.*}}input_dilation = array<i64: 2, 2>, {{.*}}pads = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1>
  %0 = ttc.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 1, 1>, channels_last}
     : (tensor<1x4x4x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// Three channels in planes: the kernel interleaves the lines that it copies. Channels of several groups,
// single pixels, and what another op reads, too, are transposed before.
// CHECK-LABEL: @planes
func.func @planes(%x: tensor<1x3x8x8xf32>, %y: tensor<1x4x8x8xf32>, %w: tensor<16x3x3x3xf32>,
    %v: tensor<16x2x3x3xf32>, %p: tensor<16x3x1x1xf32>)
    -> (tensor<1x6x6x16xf32>, tensor<1x6x6x16xf32>, tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) {
  // CHECK: ttc.kernel.gemm %arg0, %{{.*}} {a_view = #ttc.view<shape = [1, 8, 8, 3], strides = [192, 8, 1, 64], offset = 0>, {{.*}}kernel = array<i64: 3, 3>
  %0 = ttc.transpose %x {permutation = [0, 2, 3, 1]} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %1 = ttc.conv %0, %w {channels_last} : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>) -> tensor<1x6x6x16xf32>
  // CHECK: %[[Y:.*]] = ttc.transpose %arg1
  // CHECK: ttc.kernel.gemm %[[Y]], %{{[^v]*}}groups = 2
  %2 = ttc.transpose %y {permutation = [0, 2, 3, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
  %3 = ttc.conv %2, %v {channels_last, groups = 2} : (tensor<1x8x8x4xf32>, tensor<16x2x3x3xf32>) -> tensor<1x6x6x16xf32>
  // CHECK: %[[X:.*]] = ttc.transpose %arg0
  // CHECK: ttc.kernel.gemm %[[X]]
  // CHECK: ttc.kernel.gemm %[[X]]
  %4 = ttc.transpose %x {permutation = [0, 2, 3, 1]} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %5 = ttc.conv %4, %p {channels_last} : (tensor<1x8x8x3xf32>, tensor<16x3x1x1xf32>) -> tensor<1x8x8x16xf32>
  %6 = ttc.conv %4, %w {channels_last, pads = [1, 1, 1, 1]} : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>) -> tensor<1x8x8x16xf32>
  return %1, %3, %5, %6 : tensor<1x6x6x16xf32>, tensor<1x6x6x16xf32>, tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>
}

// Other transposes of few channels, images without elements, and windows of pixels that are apart.
// CHECK-LABEL: @no_planes
// CHECK-NOT: a_view
func.func @no_planes(%x: tensor<1x8x6x3xf32>, %y: tensor<0x3x8x8xf32>,
    %z: tensor<1x3x6x6xf32>, %w: tensor<16x3x3x3xf32>)
    -> (tensor<1x4x6x16xf32>, tensor<0x6x6x16xf32>, tensor<1x4x2x16xf32>) {
  %0 = ttc.transpose %x {permutation = [0, 2, 1, 3]} : (tensor<1x8x6x3xf32>) -> tensor<1x6x8x3xf32>
  %1 = ttc.conv %0, %w {channels_last} : (tensor<1x6x8x3xf32>, tensor<16x3x3x3xf32>) -> tensor<1x4x6x16xf32>
  %2 = ttc.transpose %y {permutation = [0, 2, 3, 1]} : (tensor<0x3x8x8xf32>) -> tensor<0x8x8x3xf32>
  %3 = ttc.conv %2, %w {channels_last} : (tensor<0x8x8x3xf32>, tensor<16x3x3x3xf32>) -> tensor<0x6x6x16xf32>
  %4 = ttc.transpose %z {permutation = [0, 2, 3, 1]} : (tensor<1x3x6x6xf32>) -> tensor<1x6x6x3xf32>
  %5 = ttc.conv %4, %w {channels_last, dilations = [1, 2]} : (tensor<1x6x6x3xf32>, tensor<16x3x3x3xf32>) -> tensor<1x4x2x16xf32>
  return %1, %3, %5 : tensor<1x4x6x16xf32>, tensor<0x6x6x16xf32>, tensor<1x4x2x16xf32>
}

// No kernel for these.
// CHECK-LABEL: @stays
func.func @stays(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x1x1xf32>, %a: tensor<4x4xf16>)
    -> (tensor<1x8x8x8xf32>, tensor<4x4xf16>) {
  // CHECK: ttc.conv
  // CHECK: ttc.matmul
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>}
     : (tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x8x8xf32>
  %1 = ttc.matmul %a, %a : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0, %1 : tensor<1x8x8x8xf32>, tensor<4x4xf16>
}

// CHECK-LABEL: @constant_weights
func.func @constant_weights(%x: tensor<1x3x2xf32>, %b: tensor<4xf32>) -> tensor<1x3x4xf32> {
  // Small weights are packed at once, by folding.
  // CHECK: %[[P:.*]] = ttc.constant dense<{{.*}}1.000000e+00, 3.000000e+00, 5.000000e+00, 7.000000e+00, 0.000000e+00{{.*}}> : tensor<1x1x2x8xf32>
  // CHECK: %[[G:.*]] = ttc.kernel.gemm %{{.*}}, %[[P]] {packed, tile = array<i64: 12, 8>}
  // CHECK: ttc.add %[[G]]
  %w = ttc.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %0 = ttc.matmul %x, %w, %b {transpose_b}
     : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4xf32>) -> tensor<1x3x4xf32>
  return %0 : tensor<1x3x4xf32>
}

// Heads are views of what the projections made; the result is stored token by token.
// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x8x32xf32>, %k: tensor<1x8x32xf32>, %v: tensor<1x8x32xf32>)
    -> tensor<1x8x32xf32> {
  // CHECK: %[[S:.*]] = ttc.kernel.gemm %{{.*}}, %{{.*}} {a_view = #ttc.view<shape = [1, 4, 8, 8], strides = [{{[0-9]+}}, 8, 32, 1], offset = 0>, b_view = #ttc.view<shape = [1, 4, 8, 8], strides = [{{[0-9]+}}, 8, 1, 32], offset = 0>
  // CHECK: ttc.kernel.gemm %[[S]], %{{.*}} {b_view = #ttc.view<shape = [1, 4, 8, 8], strides = [{{[0-9]+}}, 8, 32, 1], offset = 0>, result_view = #ttc.view<shape = [1, 4, 8, 8], strides = [{{[0-9]+}}, 8, 32, 1], offset = 0>
  // CHECK-SAME: -> tensor<1x8x4x8xf32>
  // CHECK-NOT: ttc.transpose
  %q0 = ttc.reshape %q : (tensor<1x8x32xf32>) -> tensor<1x8x4x8xf32>
  %q1 = ttc.transpose %q0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x4x8xf32>) -> tensor<1x4x8x8xf32>
  %k0 = ttc.reshape %k : (tensor<1x8x32xf32>) -> tensor<1x8x4x8xf32>
  %k1 = ttc.transpose %k0 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x8xf32>) -> tensor<1x4x8x8xf32>
  %v0 = ttc.reshape %v : (tensor<1x8x32xf32>) -> tensor<1x8x4x8xf32>
  %v1 = ttc.transpose %v0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x4x8xf32>) -> tensor<1x4x8x8xf32>
  %s = ttc.matmul %q1, %k1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %y = ttc.matmul %s, %v1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %t = ttc.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x4x8x8xf32>) -> tensor<1x8x4x8xf32>
  %r = ttc.reshape %t : (tensor<1x8x4x8xf32>) -> tensor<1x8x32xf32>
  return %r : tensor<1x8x32xf32>
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4xf32>) {
  // CHECK: ttc.kernel.pool %{{.*}}kind = #ttc.pool_kind<max>
  // CHECK: ttc.kernel.pool %{{.*}}count_include_pad{{.*}}kind = #ttc.pool_kind<average>
  // CHECK: %[[G:.*]] = ttc.kernel.pool %{{.*}}kernel = array<i64: 8, 8>, kind = #ttc.pool_kind<average>{{.*}} -> tensor<1x1x1x4xf32>
  // CHECK: ttc.reshape %[[G]] : (tensor<1x1x1x4xf32>) -> tensor<1x4xf32>
  %0 = ttc.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  %1 = ttc.avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, count_include_pad, channels_last}
     : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = ttc.reduce_mean %x {axes = array<i64: 1, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4xf32>
  return %0, %1, %2 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4xf32>
}

}

// -----

// A panel of all rows of the right operand would not fit into scratch. Packed weights have no such limit.
// CHECK-LABEL: @deep
// CHECK-SAME: %[[A:.*]]: tensor<20x6000xf32>, %[[B:.*]]: tensor<6000x24xf32>, %[[BIAS:.*]]: tensor<24xf32>
// CHECK: %[[S:.*]] = ttc.slice %[[B]]
// CHECK: %[[P:.*]] = ttc.kernel.gemm %[[A]], %[[S]] {a_view = #ttc.view<shape = [20, 2000], strides = [6000, 1], offset = 0>, tile
// CHECK: %[[Q:.*]] = ttc.kernel.gemm %[[A]], %[[B]] {a_view = #ttc.view<shape = [20, 2000], strides = [6000, 1], offset = 2000>, b_view = #ttc.view<shape = [2000, 24], strides = [24, 1], offset = 48000>
// CHECK: %[[PQ:.*]] = ttc.add %[[P]], %[[Q]]
// CHECK: %[[R:.*]] = ttc.kernel.gemm
// CHECK: %[[PQR:.*]] = ttc.add %[[PQ]], %[[R]]
// CHECK: ttc.add %[[PQR]], %[[BIAS]]
// CHECK: ttc.kernel.gemm %[[A]], %{{.*}} {packed, tile
func.func @deep(%a: tensor<20x6000xf32>, %b: tensor<6000x24xf32>, %bias: tensor<24xf32>) -> (tensor<20x24xf32>, tensor<20x24xf32>) {
  %0 = ttc.matmul %a, %b, %bias : (tensor<20x6000xf32>, tensor<6000x24xf32>, tensor<24xf32>) -> tensor<20x24xf32>
  %w = ttc.constant dense<1.0> : tensor<6000x24xf32>
  %1 = ttc.matmul %a, %w : (tensor<20x6000xf32>, tensor<6000x24xf32>) -> tensor<20x24xf32>
  return %0, %1 : tensor<20x24xf32>, tensor<20x24xf32>
}
