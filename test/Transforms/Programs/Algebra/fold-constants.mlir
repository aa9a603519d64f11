// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-fold-constants --split-input-file | FileCheck %s
// RUN: ttc-opt %s --ttc-fold-constants=max-growth=4194304 --split-input-file | FileCheck %s --check-prefix=GROWTH

// Scale 1/2 and 2, shift 1 - 3/2 and 0: into weights and bias.
// CHECK-LABEL: @batch_norm_into_conv
func.func @batch_norm_into_conv(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK-DAG: %[[W:.*]] = ttc.constant dense<{{\[\[\[\[}}5.000000e-01]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<2x1x1x1xf32>
  // CHECK-DAG: %[[B:.*]] = ttc.constant dense<[-5.000000e-01, 0.000000e+00]> : tensor<2xf32>
  // CHECK: %[[Y:.*]] = ttc.conv %{{.*}}, %[[W]], %[[B]]
  // CHECK-NEXT: return %[[Y]]
  %w = ttc.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %scale = ttc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %bias = ttc.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %mean = ttc.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %var = ttc.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
                        dilations = array<i64: 1, 1>}
     : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = ttc.batch_norm %0, %scale, %bias, %mean, %var {epsilon = 1.0 : f32}
     : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
     -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// Each group's channels are in dimensions 0 (its group) and 1 (its place) of the weights.
// CHECK-LABEL: @scale_into_conv_transpose
func.func @scale_into_conv_transpose(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK: %[[W:.*]] = ttc.constant dense<{{\[\[\[\[}}1.000000e+01]]], {{\[\[\[}}4.000000e+01]]]]> : tensor<2x1x1x1xf32>
  // CHECK: ttc.conv_transpose %{{.*}}, %[[W]]
  // CHECK-NOT: ttc.mul
  %w = ttc.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %scale = ttc.constant dense<[[[10.0]], [[20.0]]]> : tensor<2x1x1xf32>
  %0 = ttc.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 2 : i64}
     : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = ttc.mul %0, %scale : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// (x w + b) / 2 + 1; the weights are transposed.
// CHECK-LABEL: @affine_into_matmul
func.func @affine_into_matmul(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // CHECK-DAG: %[[W:.*]] = ttc.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  // CHECK-DAG: %[[B:.*]] = ttc.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
  // CHECK: %[[Y:.*]] = ttc.matmul %{{.*}}, %[[W]], %[[B]] {transpose_b}
  // CHECK-NEXT: return %[[Y]]
  %w = ttc.constant dense<[[2.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  %b = ttc.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %two = ttc.constant dense<2.0> : tensor<f32>
  %one = ttc.constant dense<1.0> : tensor<2xf32>
  %0 = ttc.matmul %x, %w, %b {transpose_b}
     : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %1 = ttc.div %0, %two : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %2 = ttc.add %1, %one : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// -----

// What two users see stays as it is.
// CHECK-LABEL: @two_users
func.func @two_users(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  // CHECK: %[[Y:.*]] = ttc.matmul
  // CHECK: %[[Z:.*]] = ttc.mul %[[Y]]
  // CHECK: return %[[Y]], %[[Z]]
  %w = ttc.constant dense<[[2.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  %c = ttc.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = ttc.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %1 = ttc.mul %0, %c : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// Without a producer to go into: (x - mean) * scale + bias. A scale after it stays as it is.
// CHECK-LABEL: @batch_norm_and_scale
func.func @batch_norm_and_scale(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK-DAG: %[[MEAN:.*]] = ttc.constant dense<-3.000000e+00> : tensor<1x2x1x1xf32>
  // CHECK-DAG: %[[SCALE:.*]] = ttc.constant dense<{{\[\[\[\[}}5.000000e-01]], {{\[\[}}1.000000e+00]]]]> : tensor<1x2x1x1xf32>
  // CHECK-DAG: %[[BIAS:.*]] = ttc.constant dense<1.000000e+00> : tensor<1x2x1x1xf32>
  // CHECK-DAG: %[[FACTOR:.*]] = ttc.constant dense<{{\[\[\[}}1.000000e+01]], {{\[\[}}2.000000e+01]]]> : tensor<2x1x1xf32>
  // CHECK: %[[C:.*]] = ttc.add %{{.*}}, %[[MEAN]]
  // CHECK-NEXT: %[[S:.*]] = ttc.mul %[[C]], %[[SCALE]]
  // CHECK-NEXT: %[[B:.*]] = ttc.add %[[S]], %[[BIAS]]
  // CHECK-NEXT: %[[Y:.*]] = ttc.mul %[[B]], %[[FACTOR]]
  // CHECK-NEXT: return %[[Y]]
  %scale = ttc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %bias = ttc.constant dense<1.0> : tensor<2xf32>
  %mean = ttc.constant dense<3.0> : tensor<2xf32>
  %var = ttc.constant dense<3.0> : tensor<2xf32>
  %factor = ttc.constant dense<[[[10.0]], [[20.0]]]> : tensor<2x1x1xf32>
  %0 = ttc.batch_norm %x, %scale, %bias, %mean, %var {epsilon = 1.0 : f32}
     : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
     -> tensor<1x2x4x4xf32>
  %1 = ttc.mul %0, %factor : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// Scaled weights would overflow, be subnormal, or no numbers.
// CHECK-LABEL: @factors_without_weights
func.func @factors_without_weights(%x: tensor<3x2xf32>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  // CHECK-COUNT-3: ttc.mul {{.*}} : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %w = ttc.constant dense<[[2.0, 4.0], [6.0, 1.0e-8]]> : tensor<2x2xf32>
  %large = ttc.constant dense<1.0e+10> : tensor<f32>
  %small = ttc.constant dense<1.0e-34> : tensor<f32>
  %infinite = ttc.constant dense<0x7F800000> : tensor<f32>
  %0 = ttc.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %1 = ttc.mul %0, %large : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %2 = ttc.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %3 = ttc.mul %2, %small : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %4 = ttc.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %5 = ttc.mul %4, %infinite : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %1, %3, %5 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// A summand of 2^23 rounds to integers what it is added to.
// CHECK-LABEL: @large_summand
func.func @large_summand(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // CHECK: %[[Y:.*]] = ttc.matmul %{{.*}}, %{{[0-9]+}} :
  // CHECK-NEXT: %[[A:.*]] = ttc.add %[[Y]]
  // CHECK-NEXT: %[[B:.*]] = ttc.add %[[A]]
  // CHECK-NEXT: return %[[B]]
  %w = ttc.constant dense<[[2.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  %c = ttc.constant dense<8388608.0> : tensor<f32>
  %0 = ttc.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %1 = ttc.add %0, %c : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %2 = ttc.sub %1, %c : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: @data_movement
func.func @data_movement()
    -> (tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x4xi32>, tensor<1x6xi32>, tensor<2x1xi32>) {
  // CHECK-DAG: ttc.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: ttc.constant dense<{{\[\[}}3, 1], [6, 4]]> : tensor<2x2xi32>
  // CHECK-DAG: ttc.constant dense<{{\[\[}}7, 1, 2, 3], [7, 4, 5, 6]]> : tensor<2x4xi32>
  // CHECK-DAG: ttc.constant dense<{{\[\[}}1, 2, 3, 4, 5, 6]]> : tensor<1x6xi32>
  // CHECK-DAG: ttc.constant dense<{{\[\[}}6], [15]]> : tensor<2x1xi32>
  // CHECK-NOT: ttc.transpose
  %c = ttc.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %t = ttc.transpose %c {permutation = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %s = ttc.slice %c {starts = array<i64: 0, 2>, sizes = array<i64: 2, 2>, steps = array<i64: 1, -2>}
     : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %p = ttc.pad %c {low = array<i64: 0, 1>, high = array<i64: 0, 0>, value = 7.0 : f32}
     : (tensor<2x3xi32>) -> tensor<2x4xi32>
  %r = ttc.reshape %c : (tensor<2x3xi32>) -> tensor<1x6xi32>
  %m = ttc.reduce_sum %c {axes = array<i64: 1>, keepdims} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  return %t, %s, %p, %r, %m
    : tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x4xi32>, tensor<1x6xi32>, tensor<2x1xi32>
}

// -----

// Elementwise ops mean what they emit, in their own element type.
// CHECK-LABEL: @elementwise
func.func @elementwise() -> (tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<2xf16>) {
  // CHECK-DAG: ttc.constant dense<{{\[\[}}2.000000e+00, 3.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  // CHECK-DAG: ttc.constant dense<[-128, -56, 3]> : tensor<3xi8>
  // CHECK-DAG: ttc.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: ttc.constant dense<[2.048000e+03, 5.000000e-01]> : tensor<2xf16>
  %row = ttc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %column = ttc.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = ttc.add %row, %column : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %a = ttc.constant dense<[127, 100, 1]> : tensor<3xi8>
  %b = ttc.constant dense<[1, 100, 2]> : tensor<3xi8>
  %1 = ttc.add %a, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %three = ttc.constant dense<[1.5, 0.5]> : tensor<2xf32>
  %2 = ttc.compare lt %row, %three
     : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // 2049 has no f16.
  %h = ttc.constant dense<[2048.0, 0.25]> : tensor<2xf16>
  %i = ttc.constant dense<[1.0, 0.25]> : tensor<2xf16>
  %3 = ttc.add %h, %i : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<2xf16>
}

// -----

// A result that is much larger than what it is made from stays code.
// CHECK-LABEL: @large_expand
// GROWTH-LABEL: @large_expand
// GROWTH: ttc.constant dense{{.*}} : tensor<1024x1024xf32>
// GROWTH-NOT: ttc.expand
func.func @large_expand() -> tensor<1024x1024xf32> {
  // CHECK: ttc.expand
  %c = ttc.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %r = ttc.reshape %c : (tensor<2x1xf32>) -> tensor<2xf32>
  %s = ttc.slice %r {starts = array<i64: 1>, sizes = array<i64: 1>, steps = array<i64: 1>}
     : (tensor<2xf32>) -> tensor<1xf32>
  %e = ttc.expand %s : (tensor<1xf32>) -> tensor<1024x1024xf32>
  return %e : tensor<1024x1024xf32>
}

// -----

// CHECK-LABEL: @pack
func.func @pack() -> tensor<1x1x2x8xf32> {
  // CHECK: ttc.constant dense<{{\[\[\[\[}}1.000000e+00, 2.000000e+00, 0.000000e+00
  // CHECK-NOT: ttc.pack
  %w = ttc.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %p = ttc.pack %w {kind = #ttc.pack_kind<matmul>, nr = 8 : i64}
     : tensor<2x2xf32> -> tensor<1x1x2x8xf32>
  return %p : tensor<1x1x2x8xf32>
}

// -----

// CHECK-LABEL: @split
func.func @split(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  // CHECK: ttc.slice %{{.*}} {sizes = [2, 1], starts = [0, 0], steps = [1, 1]}
  // CHECK: ttc.slice %{{.*}} {sizes = [2, 2], starts = [0, 1], steps = [1, 1]}
  %a, %b = ttc.split %x {axis = 1 : i64, sizes = array<i64: 1, 2>}
     : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  return %a, %b : tensor<2x1xf32>, tensor<2x2xf32>
}

// -----

// However large: the kernel reads the weights at all points.
// CHECK-LABEL: @pack_winograd
func.func @pack_winograd() -> tensor<1x8x36x256x32xf32> {
  // CHECK: ttc.constant dense_resource<{{.*}}> : tensor<1x8x36x256x32xf32>
  // CHECK-NOT: ttc.pack_winograd
  %w = ttc.constant dense<1.0> : tensor<256x256x3x3xf32>
  %p = ttc.pack_winograd %w {outputs = 4 : i64, nr = 32 : i64}
     : tensor<256x256x3x3xf32> -> tensor<1x8x36x256x32xf32>
  return %p : tensor<1x8x36x256x32xf32>
}

// -----

// Constants that differ between devices are evaluated for each choice of values that a device has.
// CHECK-LABEL: @shards
func.func @shards() -> (tensor<2x1xf32>, tensor<2xf32>) {
  %a = ttc.constant #ttc.shards<[dense<[[1.0, 2.0]]> : tensor<1x2xf32>, dense<[[3.0, 4.0]]> : tensor<1x2xf32>], [0, 1, 0, 1]>
  %b = ttc.constant #ttc.shards<[dense<[10.0, 20.0]> : tensor<2xf32>, dense<[30.0, 40.0]> : tensor<2xf32>], [0, 0, 1, 1]>
  %c = ttc.constant dense<[100.0, 200.0]> : tensor<2xf32>
  // CHECK-DAG: ttc.constant #ttc.shards<[dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>, dense<{{\[\[}}3.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>], [0, 1, 0, 1]>
  %0 = ttc.transpose %a {permutation = [1, 0]} : (tensor<1x2xf32>) -> tensor<2x1xf32>
  // CHECK-DAG: ttc.constant #ttc.shards<[dense<[1.110000e+02, 2.220000e+02]> : tensor<2xf32>, dense<[1.130000e+02, 2.240000e+02]> : tensor<2xf32>, dense<[1.310000e+02, 2.420000e+02]> : tensor<2xf32>, dense<[1.330000e+02, 2.440000e+02]> : tensor<2xf32>], [0, 1, 2, 3]>
  %1 = ttc.reshape %a : (tensor<1x2xf32>) -> tensor<2xf32>
  %2 = ttc.add %1, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = ttc.add %2, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %3 : tensor<2x1xf32>, tensor<2xf32>
}

// -----

// A group norm as exporters write it: an instance norm of an image whose channels are the groups.
// CHECK-LABEL: @group_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x3x5xf32>)
func.func @group_norm(%x: tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32> {
  // CHECK-DAG: %[[SCALE:.*]] = ttc.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
  // CHECK-DAG: %[[BIAS:.*]] = ttc.constant dense<[5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<4xf32>
  %ones = ttc.constant dense<1.0> : tensor<2xf32>
  %zeros = ttc.constant dense<0.0> : tensor<2xf32>
  %scale = ttc.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %bias = ttc.constant dense<[[[5.0]], [[6.0]], [[7.0]], [[8.0]]]> : tensor<4x1x1xf32>
  %0 = ttc.reshape %x : (tensor<2x4x3x5xf32>) -> tensor<2x2x30xf32>
  // CHECK: %[[Y:.*]] = ttc.group_norm %[[X]], %[[SCALE]], %[[BIAS]] {epsilon = 1.000000e-03, groups = 2}
  %1 = ttc.instance_norm %0, %ones, %zeros {epsilon = 1.0e-03 : f32}
      : (tensor<2x2x30xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x30xf32>
  %2 = ttc.reshape %1 : (tensor<2x2x30xf32>) -> tensor<2x4x3x5xf32>
  %3 = ttc.mul %2, %scale : (tensor<2x4x3x5xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x5xf32>
  %4 = ttc.add %3, %bias : (tensor<2x4x3x5xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x5xf32>
  // CHECK-NEXT: return %[[Y]]
  return %4 : tensor<2x4x3x5xf32>
}

// Factors of the groups are those of their channels; the other ones would be reassociated.
// CHECK-LABEL: @group_norm_with_factors
func.func @group_norm_with_factors(%x: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK-DAG: %[[SCALE:.*]] = ttc.constant dense<[2.000000e+00, 2.000000e+00, 3.000000e+00, 3.000000e+00]> : tensor<4xf32>
  // CHECK-DAG: %[[BIAS:.*]] = ttc.constant dense<[4.000000e+00, 4.000000e+00, 5.000000e+00, 5.000000e+00]> : tensor<4xf32>
  %factors = ttc.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %summands = ttc.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %scale = ttc.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %0 = ttc.reshape %x : (tensor<2x4x6xf32>) -> tensor<2x2x12xf32>
  // CHECK: %[[Y:.*]] = ttc.group_norm %{{.*}}, %[[SCALE]], %[[BIAS]]
  // CHECK: ttc.mul %[[Y]]
  // CHECK: ttc.add
  %1 = ttc.instance_norm %0, %factors, %summands
      : (tensor<2x2x12xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x12xf32>
  %2 = ttc.reshape %1 : (tensor<2x2x12xf32>) -> tensor<2x4x6xf32>
  %3 = ttc.mul %2, %scale : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %4 = ttc.add %3, %scale : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  return %4 : tensor<2x4x6xf32>
}

// Not of images, or of groups that are not whole channels, or of parameters given at run time.
// CHECK-LABEL: @no_group_norm
// CHECK-COUNT-3: ttc.instance_norm
// CHECK-NOT: ttc.group_norm
func.func @no_group_norm(%x: tensor<2x6xf32>, %y: tensor<2x4x6xf32>, %scale: tensor<2xf32>)
    -> (tensor<2x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %ones = ttc.constant dense<1.0> : tensor<2xf32>
  %0 = ttc.reshape %x : (tensor<2x6xf32>) -> tensor<2x2x3xf32>
  %1 = ttc.instance_norm %0, %ones, %ones
      : (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x3xf32>
  %2 = ttc.reshape %1 : (tensor<2x2x3xf32>) -> tensor<2x6xf32>
  %twelve = ttc.constant dense<1.0> : tensor<12xf32>
  %3 = ttc.reshape %y : (tensor<2x4x6xf32>) -> tensor<2x12x2xf32>
  %4 = ttc.instance_norm %3, %twelve, %twelve
      : (tensor<2x12x2xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x12x2xf32>
  %5 = ttc.reshape %4 : (tensor<2x12x2xf32>) -> tensor<2x4x6xf32>
  %6 = ttc.reshape %y : (tensor<2x4x6xf32>) -> tensor<2x2x12xf32>
  %7 = ttc.instance_norm %6, %scale, %ones
      : (tensor<2x2x12xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x12xf32>
  %8 = ttc.reshape %7 : (tensor<2x2x12xf32>) -> tensor<2x4x6xf32>
  return %2, %5, %8 : tensor<2x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}
