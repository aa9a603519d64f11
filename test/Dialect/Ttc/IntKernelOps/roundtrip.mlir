// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%x: tensor<1x128x30xui8>, %w: tensor<30x40xui8>, %z: tensor<40xi32>) -> (tensor<1x128x40xi32>, tensor<40xi32>) {
  // CHECK: ttc.pack_bytes %{{.*}} {kind = #ttc.pack_kind<matmul>, nr = 16 : i64} : tensor<30x40xui8> -> tensor<1x3x8x16x4xi8>
  %p = ttc.pack_bytes %w {kind = #ttc.pack_kind<matmul>, nr = 16 : i64} : tensor<30x40xui8> -> tensor<1x3x8x16x4xi8>
  // CHECK: ttc.sum_bytes %{{.*}} {kind = #ttc.pack_kind<matmul>} : tensor<30x40xui8> -> tensor<40xi32>
  %s = ttc.sum_bytes %w {kind = #ttc.pack_kind<matmul>} : tensor<30x40xui8> -> tensor<40xi32>
  // CHECK: ttc.kernel.int_gemm %{{.*}}, %{{.*}}, %{{.*}} {dot = #ttc.byte_dot<vnni>, tile = array<i64: 14, 16>} : (tensor<1x128x30xui8>, tensor<1x3x8x16x4xi8>, tensor<40xi32>) -> tensor<1x128x40xi32>
  %0 = ttc.kernel.int_gemm %x, %p, %z {dot = #ttc.byte_dot<vnni>, tile = array<i64: 14, 16>}
      : (tensor<1x128x30xui8>, tensor<1x3x8x16x4xi8>, tensor<40xi32>) -> tensor<1x128x40xi32>
  return %0, %s : tensor<1x128x40xi32>, tensor<40xi32>
}

// CHECK-LABEL: @convolutions
func.func @convolutions(%x: tensor<1x9x9x3xui8>, %w: tensor<6x3x3x3xi8>, %d: tensor<9x3xf32>) -> (tensor<1x5x5x6xi32>, tensor<1x9x9x3xi32>) {
  // CHECK: ttc.pack_bytes %{{.*}} {kind = #ttc.pack_kind<conv>, merged, nr = 16 : i64} : tensor<6x3x3x3xi8> -> tensor<1x1x9x16x4xi8>
  %p = ttc.pack_bytes %w {kind = #ttc.pack_kind<conv>, nr = 16 : i64, merged} : tensor<6x3x3x3xi8> -> tensor<1x1x9x16x4xi8>
  // CHECK: ttc.kernel.int_gemm %{{.*}}, %{{.*}} {a_zero = 7 : i64, {{.*}}kernel = array<i64: 3, 3>, merged, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>
  %0 = ttc.kernel.int_gemm %x, %p {dot = #ttc.byte_dot<madd>, tile = array<i64: 14, 16>, a_zero = 7 : i64, merged,
      kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<1x9x9x3xui8>, tensor<1x1x9x16x4xi8>) -> tensor<1x5x5x6xi32>
  // CHECK: ttc.kernel.int_depthwise_conv %{{.*}}, %{{.*}} {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, x_zero = 128 : i64} : (tensor<1x9x9x3xui8>, tensor<9x3xf32>) -> tensor<1x9x9x3xi32>
  %1 = ttc.kernel.int_depthwise_conv %x, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, x_zero = 128 : i64}
      : (tensor<1x9x9x3xui8>, tensor<9x3xf32>) -> tensor<1x9x9x3xi32>
  return %0, %1 : tensor<1x5x5x6xi32>, tensor<1x9x9x3xi32>
}

// CHECK-LABEL: @depthwise_dot
func.func @depthwise_dot(%x: tensor<2x9x9x3xui8>, %w: tensor<1x1x6x3x4xi8>) -> tensor<2x9x5x3xi32> {
  // CHECK: ttc.kernel.int_depthwise_dot %{{.*}}, %{{.*}} {dot = #ttc.byte_dot<vnni>, kernel = array<i64: 5, 3>, pads = array<i64: 2, 1, 2, 1>, strides = array<i64: 1, 2>, x_zero = 128 : i64} : (tensor<2x9x9x3xui8>, tensor<1x1x6x3x4xi8>) -> tensor<2x9x5x3xi32>
  %0 = ttc.kernel.int_depthwise_dot %x, %w {dot = #ttc.byte_dot<vnni>, kernel = array<i64: 5, 3>,
      pads = array<i64: 2, 1, 2, 1>, strides = array<i64: 1, 2>, x_zero = 128 : i64}
      : (tensor<2x9x9x3xui8>, tensor<1x1x6x3x4xi8>) -> tensor<2x9x5x3xi32>
  return %0 : tensor<2x9x5x3xi32>
}

// The zero point is only known at run time.
// CHECK-LABEL: @run_time_zero
func.func @run_time_zero(%x: tensor<1x9x9x3xui8>, %p: tensor<1x1x9x16x4xi8>, %c: tensor<6xi32>, %z: tensor<ui8>, %d: tensor<9x3xf32>) -> (tensor<1x9x9x6xi32>, tensor<1x9x9x6xi32>, tensor<1x9x9x3xi32>) {
  // CHECK: ttc.kernel.int_gemm %{{.*}}, %{{.*}} zero %{{.*}} {{{.*}}} : (tensor<1x9x9x3xui8>, tensor<1x1x9x16x4xi8>, tensor<ui8>) -> tensor<1x9x9x6xi32>
  %0 = ttc.kernel.int_gemm %x, %p zero %z {dot = #ttc.byte_dot<madd>, tile = array<i64: 14, 16>, kernel = array<i64: 3, 3>,
      pads = array<i64: 1, 1, 1, 1>} : (tensor<1x9x9x3xui8>, tensor<1x1x9x16x4xi8>, tensor<ui8>) -> tensor<1x9x9x6xi32>
  // CHECK: ttc.kernel.int_gemm %{{.*}}, %{{.*}}, %{{.*}} zero %{{.*}} {{{.*}}} : (tensor<1x9x9x3xui8>, tensor<1x1x9x16x4xi8>, tensor<6xi32>, tensor<ui8>) -> tensor<1x9x9x6xi32>
  %1 = ttc.kernel.int_gemm %x, %p, %c zero %z {dot = #ttc.byte_dot<madd>, tile = array<i64: 14, 16>, kernel = array<i64: 3, 3>,
      pads = array<i64: 1, 1, 1, 1>} : (tensor<1x9x9x3xui8>, tensor<1x1x9x16x4xi8>, tensor<6xi32>, tensor<ui8>) -> tensor<1x9x9x6xi32>
  // CHECK: ttc.kernel.int_depthwise_conv %{{.*}}, %{{.*}} zero %{{.*}} {{{.*}}} : (tensor<1x9x9x3xui8>, tensor<9x3xf32>, tensor<ui8>) -> tensor<1x9x9x3xi32>
  %2 = ttc.kernel.int_depthwise_conv %x, %d zero %z {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x9x9x3xui8>, tensor<9x3xf32>, tensor<ui8>) -> tensor<1x9x9x3xi32>
  return %0, %1, %2 : tensor<1x9x9x6xi32>, tensor<1x9x9x6xi32>, tensor<1x9x9x3xi32>
}
