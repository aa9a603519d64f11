// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-decompose-conv-transpose --split-input-file | FileCheck %s
// RUN: ttc-opt %s --ttc-decompose-conv-transpose --mlir-pass-statistics --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// COUNTS: 1 convolutions
// COUNTS: 1 decomposed

// A kernel of the stride: each phase has one kernel element, and all read the same pixel. Channels are
// counted by rows, columns and channels of the result.
// CHECK-LABEL: @kernel_of_stride
// CHECK-SAME: %[[X:.*]]: tensor<1x1x3x3xf32>
// CHECK-COUNT-4: ttc.slice %{{.*}} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32>
// CHECK: %[[PHASES:.*]] = ttc.concat {{.*}} -> tensor<1x8x1x1xf32>
// CHECK: %[[W:.*]] = ttc.reshape %[[PHASES]] : (tensor<1x8x1x1xf32>) -> tensor<8x1x1x1xf32>
// CHECK: %[[B:.*]] = ttc.concat %[[BIAS:.*]], %[[BIAS]], %[[BIAS]], %[[BIAS]] {axis = 0}
// CHECK: %[[Y:.*]] = ttc.conv %[[X]], %[[W]], %[[B]] : {{.*}} -> tensor<1x8x3x3xf32>
// CHECK: ttc.depth_to_space %[[Y]] {block = [2, 2]} : (tensor<1x8x3x3xf32>) -> tensor<1x2x6x6xf32>
func.func @kernel_of_stride(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x6x6xf32> {
  %w = ttc.constant dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]> : tensor<1x2x2x2xf32>
  %b = ttc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = ttc.conv_transpose %x, %w, %b {strides = [2, 2]}
     : (tensor<1x1x3x3xf32>, tensor<1x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x6x6xf32>
  return %y : tensor<1x2x6x6xf32>
}

// -----

// Phases that read different windows are convolutions of their own, with no weight that is zero.
// COUNTS: 2 convolutions
// CHECK-LABEL: @two_windows
// CHECK: ttc.slice %{{.*}} {sizes = [1, 1, 2], starts = [0, 0, 3], steps = [1, 1, -2]}
// CHECK: ttc.conv %{{.*}} {pads = [1, 0]} : {{.*}} -> tensor<1x1x5xf32>
// CHECK: ttc.slice %{{.*}} {sizes = [1, 1, 2], starts = [0, 0, 2], steps = [1, 1, -2]}
// CHECK: ttc.conv %{{.*}} {pads = [0, 1]} : {{.*}} -> tensor<1x1x5xf32>
// CHECK: ttc.concat {{.*}} {axis = 1}
// CHECK: ttc.depth_to_space %{{.*}} {block = [2]} : (tensor<1x2x5xf32>) -> tensor<1x1x10xf32>
func.func @two_windows(%x: tensor<1x1x5xf32>) -> tensor<1x1x10xf32> {
  %w = ttc.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %y = ttc.conv_transpose %x, %w {strides = [2], pads = [1, 1]}
     : (tensor<1x1x5xf32>, tensor<1x1x4xf32>) -> tensor<1x1x10xf32>
  return %y : tensor<1x1x10xf32>
}

// -----

// The last phase has one element less: the result is cut.
// CHECK-LABEL: @cut
// CHECK: ttc.depth_to_space %{{.*}} {block = [2]} : (tensor<1x2x5xf32>) -> tensor<1x1x10xf32>
// CHECK: ttc.slice %{{.*}} {sizes = [1, 1, 9], starts = [0, 0, 0], steps = [1, 1, 1]}
func.func @cut(%x: tensor<1x1x5xf32>) -> tensor<1x1x9xf32> {
  %w = ttc.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %y = ttc.conv_transpose %x, %w {strides = [2], pads = [1, 1]}
     : (tensor<1x1x5xf32>, tensor<1x1x3xf32>) -> tensor<1x1x9xf32>
  return %y : tensor<1x1x9xf32>
}

// -----

// Weights in bytes stay bytes, with a scale for each channel.
// CHECK-LABEL: @bytes
// CHECK: %[[TAPS:.*]] = ttc.reshape %{{.*}} : (tensor<1x4x1xi8>) -> tensor<4x1x1xi8>
// CHECK: %[[SCALES:.*]] = ttc.reshape %{{.*}} : (tensor<4xf32>) -> tensor<4x1x1xf32>
// CHECK: ttc.dequantize %[[TAPS]], %[[SCALES]], %{{.*}} -> tensor<4x1x1xf32>
// CHECK: ttc.conv
func.func @bytes(%x: tensor<1x1x5xf32>) -> tensor<1x2x10xf32> {
  %w = ttc.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>
  %scale = ttc.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %zero = ttc.constant dense<0> : tensor<i8>
  %real = ttc.dequantize %w, %scale, %zero : (tensor<1x2x2xi8>, tensor<2x1xf32>, tensor<i8>) -> tensor<1x2x2xf32>
  %y = ttc.conv_transpose %x, %real {strides = [2]}
     : (tensor<1x1x5xf32>, tensor<1x2x2xf32>) -> tensor<1x2x10xf32>
  return %y : tensor<1x2x10xf32>
}

// -----

// Weights of run time; groups; no stride; a phase without a kernel element; a window that begins after
// the first element.
// CHECK-LABEL: @others
// CHECK-COUNT-5: ttc.conv_transpose
func.func @others(%x: tensor<1x2x5xf32>, %w: tensor<2x1x2xf32>) -> (tensor<1x1x10xf32>, tensor<1x2x10xf32>, tensor<1x1x6xf32>, tensor<1x1x14xf32>, tensor<1x1x8xf32>) {
  %c = ttc.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %0 = ttc.conv_transpose %x, %w {strides = [2]} : (tensor<1x2x5xf32>, tensor<2x1x2xf32>) -> tensor<1x1x10xf32>
  %1 = ttc.conv_transpose %x, %c {strides = [2], groups = 2} : (tensor<1x2x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x10xf32>
  %2 = ttc.conv_transpose %x, %c {strides = [1]} : (tensor<1x2x5xf32>, tensor<2x1x2xf32>) -> tensor<1x1x6xf32>
  %3 = ttc.conv_transpose %x, %c {strides = [3]} : (tensor<1x2x5xf32>, tensor<2x1x2xf32>) -> tensor<1x1x14xf32>
  %4 = ttc.conv_transpose %x, %c {strides = [2], pads = [1, 1]} : (tensor<1x2x5xf32>, tensor<2x1x2xf32>) -> tensor<1x1x8xf32>
  return %0, %1, %2, %3, %4 : tensor<1x1x10xf32>, tensor<1x2x10xf32>, tensor<1x1x6xf32>, tensor<1x1x14xf32>, tensor<1x1x8xf32>
}
