// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-fold-masks --split-input-file | FileCheck %s

// A convolution that pads with zeros itself is told where its image ends, along both dimensions.
// CHECK-LABEL: @conv
// CHECK-SAME: %[[X:.*]]: tensor<1x16x12x8xf32>, %[[W:.*]]: tensor<1x1x72x8xf32>, %[[H:.*]]: tensor<1xi32>, %[[V:.*]]: tensor<1xi32>
// CHECK: %[[Y:.*]] = ttc.kernel.gemm %[[X]], %[[W]] valid(%[[H]], %[[V]]) {{.*}}valid_dims = array<i64: 0, 1>
// CHECK-NEXT: return %[[Y]]
func.func @conv(%x: tensor<1x16x12x8xf32>, %w: tensor<1x1x72x8xf32>, %h: tensor<1xi32>, %v: tensor<1xi32>) -> tensor<1x16x12x8xf32> {
  %lines = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
  %columns = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : tensor<12xi32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %0 = ttc.compare lt %lines, %h : (tensor<16xi32>, tensor<1xi32>) -> tensor<16xi1>
  %1 = ttc.reshape %0 : (tensor<16xi1>) -> tensor<16x1x1xi1>
  %2 = ttc.compare lt %columns, %v : (tensor<12xi32>, tensor<1xi32>) -> tensor<12xi1>
  %3 = ttc.reshape %2 : (tensor<12xi1>) -> tensor<12x1xi1>
  %4 = ttc.where %1, %x, %zero : (tensor<16x1x1xi1>, tensor<1x16x12x8xf32>, tensor<f32>) -> tensor<1x16x12x8xf32>
  %5 = ttc.where %3, %4, %zero : (tensor<12x1xi1>, tensor<1x16x12x8xf32>, tensor<f32>) -> tensor<1x16x12x8xf32>
  %6 = ttc.kernel.gemm %5, %w {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 6, 8>} : (tensor<1x16x12x8xf32>, tensor<1x1x72x8xf32>) -> tensor<1x16x12x8xf32>
  return %6 : tensor<1x16x12x8xf32>
}

// -----

// Each kernel pads with a number of its own: a maximum with -inf, bytes with their zero point.
// CHECK-LABEL: @numbers
// CHECK: ttc.kernel.pool %arg0 valid(%arg3) {kernel
// CHECK: %[[A:.*]] = ttc.where {{.*}}, %arg0
// CHECK-NEXT: ttc.kernel.pool %[[A]] {
// CHECK: ttc.kernel.int_depthwise_conv %arg1, %arg2 valid(%arg3) {
// CHECK: %[[B:.*]] = ttc.where {{.*}}, %arg1
// CHECK-NEXT: ttc.kernel.int_depthwise_conv %[[B]], %arg2 {
func.func @numbers(%x: tensor<1x4x4x8xf32>, %q: tensor<1x4x4x8xui8>, %w: tensor<9x8xf32>, %h: tensor<1xi32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xi32>, tensor<1x4x4x8xi32>) {
  %lines = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %lowest = ttc.constant dense<0xFF800000> : tensor<f32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %point = ttc.constant dense<128> : tensor<ui8>
  %other = ttc.constant dense<127> : tensor<ui8>
  %0 = ttc.compare lt %lines, %h : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %1 = ttc.reshape %0 : (tensor<4xi1>) -> tensor<4x1x1xi1>
  %2 = ttc.where %1, %x, %lowest : (tensor<4x1x1xi1>, tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %3 = ttc.kernel.pool %2 {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %4 = ttc.where %1, %x, %zero : (tensor<4x1x1xi1>, tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %5 = ttc.kernel.pool %4 {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %6 = ttc.where %1, %q, %point : (tensor<4x1x1xi1>, tensor<1x4x4x8xui8>, tensor<ui8>) -> tensor<1x4x4x8xui8>
  %7 = ttc.kernel.int_depthwise_conv %6, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, x_zero = 128 : i64} : (tensor<1x4x4x8xui8>, tensor<9x8xf32>) -> tensor<1x4x4x8xi32>
  %8 = ttc.where %1, %q, %other : (tensor<4x1x1xi1>, tensor<1x4x4x8xui8>, tensor<ui8>) -> tensor<1x4x4x8xui8>
  %9 = ttc.kernel.int_depthwise_conv %8, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, x_zero = 128 : i64} : (tensor<1x4x4x8xui8>, tensor<9x8xf32>) -> tensor<1x4x4x8xi32>
  return %3, %5, %7, %9 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xi32>, tensor<1x4x4x8xi32>
}

// -----

// Not folded: an average that divides by what is inside the image, a product (its rows beyond would be those of the
// image), a mask along the images, and a second one along a dimension.
// CHECK-LABEL: @kept
// CHECK: %[[A:.*]] = ttc.where {{.*}}, %arg0
// CHECK-NEXT: ttc.kernel.pool %[[A]] {
// CHECK-NEXT: ttc.kernel.gemm %[[A]], %arg1 {
// CHECK: %[[B:.*]] = ttc.where {{.*}}, %arg0
// CHECK-NEXT: ttc.kernel.depthwise_conv %[[B]], %arg2 {
// CHECK: ttc.kernel.depthwise_conv %[[A]], %arg2 valid(%arg3) {
func.func @kept(%x: tensor<4x4x4x8xf32>, %w: tensor<1x1x8x8xf32>, %d: tensor<9x8xf32>, %h: tensor<1xi32>) -> (tensor<4x4x4x8xf32>, tensor<4x4x4x8xf32>, tensor<4x4x4x8xf32>, tensor<4x4x4x8xf32>) {
  %lines = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %0 = ttc.compare lt %lines, %h : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %1 = ttc.reshape %0 : (tensor<4xi1>) -> tensor<4x1x1xi1>
  %2 = ttc.where %1, %x, %zero : (tensor<4x1x1xi1>, tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4x8xf32>
  %3 = ttc.kernel.pool %2 {kind = #ttc.pool_kind<average>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
  %4 = ttc.kernel.gemm %2, %w {packed, kernel = array<i64: 1, 1>, tile = array<i64: 6, 8>} : (tensor<4x4x4x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x4x4x8xf32>
  %5 = ttc.reshape %0 : (tensor<4xi1>) -> tensor<4x1x1x1xi1>
  %6 = ttc.where %5, %x, %zero : (tensor<4x1x1x1xi1>, tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4x8xf32>
  %7 = ttc.kernel.depthwise_conv %6, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<4x4x4x8xf32>, tensor<9x8xf32>) -> tensor<4x4x4x8xf32>
  %8 = ttc.where %1, %2, %zero : (tensor<4x1x1xi1>, tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4x8xf32>
  %9 = ttc.kernel.depthwise_conv %8, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<4x4x4x8xf32>, tensor<9x8xf32>) -> tensor<4x4x4x8xf32>
  return %3, %4, %7, %9 : tensor<4x4x4x8xf32>, tensor<4x4x4x8xf32>, tensor<4x4x4x8xf32>, tensor<4x4x4x8xf32>
}

// -----

// Planes of few channels, through a view.
// CHECK-LABEL: @planes
// CHECK-NOT: ttc.where
// CHECK: ttc.kernel.gemm %arg0, %arg1 valid(%arg2) {{.*}}valid_dims = array<i64: 1>
func.func @planes(%x: tensor<1x3x8x4xf32>, %w: tensor<1x1x27x8xf32>, %v: tensor<1xi32>) -> tensor<1x8x4x8xf32> {
  %columns = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %0 = ttc.compare lt %columns, %v : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %1 = ttc.where %0, %x, %zero : (tensor<4xi1>, tensor<1x3x8x4xf32>, tensor<f32>) -> tensor<1x3x8x4xf32>
  %2 = ttc.kernel.gemm %1, %w {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 6, 8>,
    a_view = #ttc.view<shape = [1, 8, 4, 3], strides = [96, 4, 1, 32], offset = 0>} : (tensor<1x3x8x4xf32>, tensor<1x1x27x8xf32>) -> tensor<1x8x4x8xf32>
  return %2 : tensor<1x8x4x8xf32>
}

// -----

// The addition needs no mask: only what is valid of its result counts. The sum over all lines does.
// CHECK-LABEL: @idle
// CHECK: %[[C:.*]] = ttc.kernel.depthwise_conv %arg0, %arg1 valid(%arg2) {
// CHECK-NEXT: ttc.add %[[C]], %arg0
// CHECK-NEXT: %[[M:.*]] = ttc.where {{.*}}, %arg0
// CHECK-NEXT: ttc.reduce_sum %[[M]]
func.func @idle(%x: tensor<1x4x4x8xf32> {ttc.dims = affine_map<()[s0] -> (1, s0, 4, 8)>}, %d: tensor<9x8xf32>, %n: tensor<1xi32> {ttc.name = "extents"}) -> (tensor<1x4x4x8xf32> {ttc.dims = affine_map<()[s0] -> (1, s0, 4, 8)>}, tensor<1x4x8xf32>) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [4]>} {
  %lines = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %0 = ttc.compare lt %lines, %n : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %1 = ttc.reshape %0 : (tensor<4xi1>) -> tensor<4x1x1xi1>
  %2 = ttc.where %1, %x, %zero : (tensor<4x1x1xi1>, tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %3 = ttc.kernel.depthwise_conv %2, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>, tensor<9x8xf32>) -> tensor<1x4x4x8xf32>
  %4 = ttc.add %3, %2 : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %5 = ttc.where %1, %x, %zero : (tensor<4x1x1xi1>, tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %6 = ttc.reduce_sum %5 {axes = [1]} : (tensor<1x4x4x8xf32>) -> tensor<1x4x8xf32>
  return %4, %6 : tensor<1x4x4x8xf32>, tensor<1x4x8xf32>
}

// -----

// A concatenation whose parts are all masked, of which a kernel reads some channels; and one with a part that is not.
// CHECK-LABEL: @parts
// CHECK: %[[M:.*]] = ttc.where {{.*}}, %arg0
// CHECK: %[[A:.*]] = ttc.concat %arg0, %arg1 {
// CHECK: %[[B:.*]] = ttc.slice %[[A]] {
// CHECK: ttc.kernel.depthwise_conv %[[B]], %arg2 valid(%arg3) {
// CHECK: %[[C:.*]] = ttc.concat %[[M]], %arg1 {
// CHECK: %[[D:.*]] = ttc.slice %[[C]] {
// CHECK: ttc.kernel.depthwise_conv %[[D]], %arg2 {
func.func @parts(%x: tensor<1x4x4x8xf32>, %y: tensor<1x4x4x8xf32>, %d: tensor<9x8xf32>, %n: tensor<1xi32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  %lines = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %0 = ttc.compare lt %lines, %n : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %1 = ttc.reshape %0 : (tensor<4xi1>) -> tensor<4x1x1xi1>
  %2 = ttc.where %1, %x, %zero : (tensor<4x1x1xi1>, tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %3 = ttc.where %1, %y, %zero : (tensor<4x1x1xi1>, tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %4 = ttc.concat %2, %3 {axis = 3} : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32>
  %5 = ttc.slice %4 {starts = [0, 0, 0, 4], sizes = [1, 4, 4, 8], steps = [1, 1, 1, 1]} : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x8xf32>
  %6 = ttc.kernel.depthwise_conv %5, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>, tensor<9x8xf32>) -> tensor<1x4x4x8xf32>
  %7 = ttc.concat %2, %y {axis = 3} : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32>
  %8 = ttc.slice %7 {starts = [0, 0, 0, 4], sizes = [1, 4, 4, 8], steps = [1, 1, 1, 1]} : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x8xf32>
  %9 = ttc.kernel.depthwise_conv %8, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>, tensor<9x8xf32>) -> tensor<1x4x4x8xf32>
  return %6, %9 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}

// -----

// A kernel takes both masks through the slice; what is left of them, which nothing uses, keeps neither for the
// other user.
// CHECK-LABEL: @both_idle
// CHECK-NOT: ttc.where
// CHECK: ttc.kernel.depthwise_conv %{{.*}}, %arg1 valid(%{{.*}}, %{{.*}}) {{.*}}valid_dims = array<i64: 0, 1>
// CHECK-NOT: ttc.where
// CHECK: return
func.func @both_idle(%x: tensor<1x4x4x16xf32> {ttc.dims = affine_map<()[s0, s1] -> (1, s0, s1, 16)>}, %d: tensor<9x8xf32>, %e: tensor<2xi32> {ttc.name = "extents"}) -> (tensor<1x4x4x8xf32> {ttc.dims = affine_map<()[s0, s1] -> (1, s0, s1, 8)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["h", "w"], low = [1, 1], high = [4, 4]>} {
  %numbers = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %h = ttc.slice %e {starts = [0], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
  %w = ttc.slice %e {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
  %0 = ttc.compare lt %numbers, %h : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %1 = ttc.reshape %0 : (tensor<4xi1>) -> tensor<4x1x1xi1>
  %2 = ttc.compare lt %numbers, %w : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
  %3 = ttc.reshape %2 : (tensor<4xi1>) -> tensor<4x1xi1>
  %4 = ttc.where %1, %x, %zero : (tensor<4x1x1xi1>, tensor<1x4x4x16xf32>, tensor<f32>) -> tensor<1x4x4x16xf32>
  %5 = ttc.where %3, %4, %zero : (tensor<4x1xi1>, tensor<1x4x4x16xf32>, tensor<f32>) -> tensor<1x4x4x16xf32>
  %6 = ttc.slice %5 {starts = [0, 0, 0, 0], sizes = [1, 4, 4, 8], steps = [1, 1, 1, 1]} : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x8xf32>
  %7 = ttc.slice %5 {starts = [0, 0, 0, 8], sizes = [1, 4, 4, 8], steps = [1, 1, 1, 1]} : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x8xf32>
  %8 = ttc.kernel.depthwise_conv %7, %d {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x8xf32>, tensor<9x8xf32>) -> tensor<1x4x4x8xf32>
  %9 = ttc.add %6, %8 : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %9 : tensor<1x4x4x8xf32>
}
