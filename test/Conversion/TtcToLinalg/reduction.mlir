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
