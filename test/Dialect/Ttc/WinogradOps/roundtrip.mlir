// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: @image
func.func @image(%x: tensor<2x13x9x24xf32>, %w: tensor<40x12x3x3xf32>) -> tensor<2x13x9x40xf32> {
  // CHECK: ttc.pack_winograd %{{.*}} {groups = 2 : i64, nr = 16 : i64, outputs = 4 : i64} : tensor<40x12x3x3xf32> -> tensor<2x2x36x12x16xf32>
  %p = ttc.pack_winograd %w {outputs = 4 : i64, groups = 2 : i64, nr = 16 : i64}
      : tensor<40x12x3x3xf32> -> tensor<2x2x36x12x16xf32>
  // CHECK: ttc.kernel.winograd_conv %{{.*}}, %{{.*}} {groups = 2 : i64, outputs = 4 : i64, pads = array<i64: 1, 1, 1, 1>, taps = 3 : i64, tile = array<i64: 6, 16>} : (tensor<2x13x9x24xf32>, tensor<2x2x36x12x16xf32>) -> tensor<2x13x9x40xf32>
  %0 = ttc.kernel.winograd_conv %x, %p {outputs = 4 : i64, taps = 3 : i64, groups = 2 : i64,
      pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 6, 16>}
      : (tensor<2x13x9x24xf32>, tensor<2x2x36x12x16xf32>) -> tensor<2x13x9x40xf32>
  return %0 : tensor<2x13x9x40xf32>
}

// CHECK-LABEL: @transformed
func.func @transformed(%x: tensor<2x13x9x24xf32>, %w: tensor<40x24x5x5xf32>) -> tensor<2x12x7x40xf32> {
  // CHECK: ttc.pack_winograd %{{.*}} {nr = 32 : i64, outputs = 2 : i64} : tensor<40x24x5x5xf32> -> tensor<1x2x36x24x32xf32>
  %p = ttc.pack_winograd %w {outputs = 2 : i64, nr = 32 : i64} : tensor<40x24x5x5xf32> -> tensor<1x2x36x24x32xf32>
  // CHECK: ttc.kernel.winograd_input %{{.*}} {outputs = 2 : i64, pads = array<i64: 2, 1, 1, 1>, taps = 5 : i64} : (tensor<2x13x9x24xf32>) -> tensor<36x1168xf32>
  %t = ttc.kernel.winograd_input %x {outputs = 2 : i64, taps = 5 : i64, pads = array<i64: 2, 1, 1, 1>}
      : (tensor<2x13x9x24xf32>) -> tensor<36x1168xf32>
  // CHECK: ttc.kernel.winograd_conv {{.*}} : (tensor<36x1168xf32>, tensor<1x2x36x24x32xf32>) -> tensor<2x12x7x40xf32>
  %0 = ttc.kernel.winograd_conv %t, %p {outputs = 2 : i64, taps = 5 : i64,
      pads = array<i64: 2, 1, 1, 1>, tile = array<i64: 14, 32>}
      : (tensor<36x1168xf32>, tensor<1x2x36x24x32xf32>) -> tensor<2x12x7x40xf32>
  return %0 : tensor<2x12x7x40xf32>
}

// Each result sums three frames; one is padded on each side.
// CHECK-LABEL: @clip
func.func @clip(%x: tensor<2x5x13x9x24xf32>, %w: tensor<40x24x3x3x3xf32>) -> tensor<2x5x13x9x40xf32> {
  // CHECK: ttc.pack_winograd %{{.*}} {nr = 16 : i64, outputs = 4 : i64} : tensor<40x24x3x3x3xf32> -> tensor<1x3x36x72x16xf32>
  %p = ttc.pack_winograd %w {outputs = 4 : i64, nr = 16 : i64} : tensor<40x24x3x3x3xf32> -> tensor<1x3x36x72x16xf32>
  // CHECK: ttc.kernel.winograd_input %{{.*}} {outputs = 4 : i64, pads = array<i64: 1, 1, 1, 1, 1, 1>, taps = 3 : i64} : (tensor<2x5x13x9x24xf32>) -> tensor<36x4048xf32>
  %t = ttc.kernel.winograd_input %x {outputs = 4 : i64, taps = 3 : i64, pads = array<i64: 1, 1, 1, 1, 1, 1>}
      : (tensor<2x5x13x9x24xf32>) -> tensor<36x4048xf32>
  // CHECK: ttc.kernel.winograd_conv %{{.*}} {frames = 3 : i64, outputs = 4 : i64, pads = array<i64: 1, 1, 1, 1, 1, 1>, taps = 3 : i64, tile = array<i64: 6, 16>} : (tensor<36x4048xf32>, tensor<1x3x36x72x16xf32>) -> tensor<2x5x13x9x40xf32>
  %0 = ttc.kernel.winograd_conv %t, %p {outputs = 4 : i64, taps = 3 : i64, frames = 3 : i64,
      pads = array<i64: 1, 1, 1, 1, 1, 1>, tile = array<i64: 6, 16>}
      : (tensor<36x4048xf32>, tensor<1x3x36x72x16xf32>) -> tensor<2x5x13x9x40xf32>
  return %0 : tensor<2x5x13x9x40xf32>
}

// Taps in the lines only: tiles of four results that are two lines apart.
// CHECK-LABEL: @line
func.func @line(%x: tensor<2x13x9x24xf32>, %w: tensor<40x24x3x1xf32>) -> tensor<2x13x9x40xf32> {
  // CHECK: ttc.pack_winograd %{{.*}} {nr = 16 : i64, outputs = 4 : i64} : tensor<40x24x3x1xf32> -> tensor<1x3x6x24x16xf32>
  %p = ttc.pack_winograd %w {outputs = 4 : i64, nr = 16 : i64} : tensor<40x24x3x1xf32> -> tensor<1x3x6x24x16xf32>
  // CHECK: ttc.kernel.winograd_conv %{{.*}} {dilation = 2 : i64, line = 0 : i64, outputs = 4 : i64, pads = array<i64: 2, 0, 2, 0>, taps = 3 : i64, tile = array<i64: 6, 16>}
  %0 = ttc.kernel.winograd_conv %x, %p {outputs = 4 : i64, taps = 3 : i64, line = 0 : i64, dilation = 2 : i64,
      pads = array<i64: 2, 0, 2, 0>, tile = array<i64: 6, 16>}
      : (tensor<2x13x9x24xf32>, tensor<1x3x6x24x16xf32>) -> tensor<2x13x9x40xf32>
  return %0 : tensor<2x13x9x40xf32>
}
