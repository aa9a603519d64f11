// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-ttc-to-linalg | FileCheck %s

// CHECK-LABEL: @sum(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<2x8xbf16>) outs(%{{.*}} : tensor<2x1xf32>)
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<2x1xbf16> into tensor<2xbf16>
func.func @sum(%x: tensor<2x8xbf16>) -> tensor<2xbf16> {
  %0 = ttc.reduce_sum %x {axes = [1]} : (tensor<2x8xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

// The largest, then exponentials and their sum in one walk, then one division a row.
// CHECK-LABEL: @softmax(
// CHECK: %[[MOST:.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: %[[BOTH:.*]]:2 = linalg.generic {{.*}} ins(%{{.*}}, %[[MOST]]
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#1 : tensor<2x1xf32>)
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#0,
// CHECK: arith.mulf
func.func @softmax(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = ttc.softmax %x {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Long rows of channels: one walk over the elements for the sums of each row, from which everything else is combined. Short
// ones, or rows of pixels, are summed as a whole.
// CHECK-LABEL: @group_norm(
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x9x2x64xf32>
// CHECK: %[[SUMS:.*]]:2 = linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<1x9x2x64xf32>, tensor<1x9x2x1xf32>)
// CHECK-NOT: ins(%[[X]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SUMS]]#0, %{{.*}} : tensor<1x9x2x1xf32>, tensor<1x9x2x1xf32>, tensor<1x1x2x1xf32>)
// CHECK-NOT: ins(%[[X]]
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} ins(%[[X]]
func.func @group_norm(%x: tensor<1x9x128xf32>, %s: tensor<128xf32>) -> tensor<1x9x128xf32> {
  %0 = ttc.group_norm %x, %s, %s {groups = 2, channels_last} : (tensor<1x9x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<1x9x128xf32>
  return %0 : tensor<1x9x128xf32>
}
// CHECK-LABEL: @group_norm_of_short_rows(
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x9x4x32xf32>
// CHECK-COUNT-2: linalg.generic {{.*}}"reduction", "parallel", "reduction"{{.*}} ins(%{{.*}} : tensor<1x9x4x32xf32>) outs(%{{.*}} : tensor<1x1x4x1xf32>)
func.func @group_norm_of_short_rows(%x: tensor<1x9x128xf32>, %s: tensor<128xf32>) -> tensor<1x9x128xf32> {
  %0 = ttc.group_norm %x, %s, %s {groups = 4, channels_last} : (tensor<1x9x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<1x9x128xf32>
  return %0 : tensor<1x9x128xf32>
}

// A short window is summed in one walk, with the squares as an operand for each element; a long one by a loop. Without
// a divider where the usual exponent allows it.
// CHECK-LABEL: @lrn(
// CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x4x27xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SQUARES]], %[[SQUARES]], %[[SQUARES]] :
// CHECK-NOT: linalg.generic
// CHECK-NOT: arith.divf
// CHECK: return
func.func @lrn(%x: tensor<1x4x4x24xf32>) -> tensor<1x4x4x24xf32> {
  %0 = ttc.lrn %x {alpha = 1.0e-04 : f32, beta = 7.5e-01 : f32, bias = 1.0 : f32, size = 3, channels_last} : (tensor<1x4x4x24xf32>) -> tensor<1x4x4x24xf32>
  return %0 : tensor<1x4x4x24xf32>
}

// CHECK-LABEL: @lrn_long(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK: math.sqrt
// CHECK: arith.divf
func.func @lrn_long(%x: tensor<1x24x4x4xf32>) -> tensor<1x24x4x4xf32> {
  %0 = ttc.lrn %x {alpha = 1.0e-04 : f32, beta = 7.5e-01 : f32, bias = 0.0 : f32, size = 17} : (tensor<1x24x4x4xf32>) -> tensor<1x24x4x4xf32>
  return %0 : tensor<1x24x4x4xf32>
}
