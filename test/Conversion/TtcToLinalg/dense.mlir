// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-ttc-to-linalg | FileCheck %s

// Sums of f16 are made in f32, and rounded once.
// CHECK-LABEL: @matmul(
// CHECK: linalg.fill {{.*}} -> tensor<2x3x5xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<2x3x4xf16>, tensor<4x5xf16>)
// CHECK: %[[PRODUCT:.*]] = arith.mulf {{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[PRODUCT]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<2x3x5xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @matmul(%a: tensor<2x3x4xf16>, %b: tensor<4x5xf16>) -> tensor<2x3x5xf16> {
  %0 = ttc.matmul %a, %b : (tensor<2x3x4xf16>, tensor<4x5xf16>) -> tensor<2x3x5xf16>
  return %0 : tensor<2x3x5xf16>
}

// The bias is where the sums begin; what lies outside of the image is read inside, and not used.
// CHECK-LABEL: @conv(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x8x8xf32>, %[[W:.*]]: tensor<6x2x3x3xf32>, %[[B:.*]]: tensor<6xf32>
// CHECK: %[[EXPANDED:.*]] = tensor.expand_shape %[[B]]
// CHECK: %[[BEGIN:.*]] = linalg.generic {{.*}} ins(%[[EXPANDED]] : tensor<1x6x1x1xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%{{.*}} : tensor<2x3x3xf32>) outs(%[[BEGIN]]
// CHECK: %[[READ:.*]] = tensor.extract %[[X]]
// CHECK: %[[INSIDE:.*]] = arith.select %{{.*}}, %[[READ]], %{{.*}} : f32
// CHECK: %[[WEIGHT:.*]] = tensor.extract %[[W]]
// CHECK: arith.mulf %[[INSIDE]], %[[WEIGHT]]
func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<1x6x8x8xf32> {
  %0 = ttc.conv %x, %w, %b {groups = 2, pads = [1, 1, 1, 1]}
      : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x8x8xf32>
  return %0 : tensor<1x6x8x8xf32>
}

// CHECK-LABEL: @max_pool(
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LEAST]] : f32)
// CHECK: arith.maximumf
func.func @max_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %0 = ttc.max_pool %x {kernel = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}
