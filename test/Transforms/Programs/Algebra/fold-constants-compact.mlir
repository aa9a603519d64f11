// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transpose that a product can read as a view is no second copy of a constant that something else reads.
// RUN: ttc-opt %s --ttc-fold-constants | FileCheck %s --check-prefixes=CHECK,SPEED
// RUN: ttc-opt %s --ttc-fold-constants=optimize=size | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: ttc-opt %s --ttc-fold-constants=optimize=memory | FileCheck %s --check-prefixes=CHECK,SMALL
// (The folder of small constants takes those of up to 4096 elements.)

// CHECK-LABEL: @tied
// SPEED-NOT: ttc.transpose
// SMALL: ttc.transpose
func.func @tied(%ids: tensor<8xi64>) -> tensor<8x128xf32> {
  %w = ttc.constant dense<1.5> : tensor<128x64xf32>
  %0 = ttc.gather %w, %ids {axis = 0 : i64} : (tensor<128x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  %1 = ttc.transpose %w {permutation = [1, 0]} : (tensor<128x64xf32>) -> tensor<64x128xf32>
  %2 = ttc.matmul %0, %1 : (tensor<8x64xf32>, tensor<64x128xf32>) -> tensor<8x128xf32>
  return %2 : tensor<8x128xf32>
}

// Nothing else reads this constant, and a sum cannot read that one through a view.
// CHECK-LABEL: @evaluated
// CHECK-NOT: ttc.transpose
func.func @evaluated(%x: tensor<8x64xf32>, %y: tensor<64x128xf32>, %ids: tensor<8xi64>)
    -> (tensor<8x128xf32>, tensor<64x128xf32>, tensor<8x64xf32>) {
  %w = ttc.constant dense<1.5> : tensor<128x64xf32>
  %0 = ttc.transpose %w {permutation = [1, 0]} : (tensor<128x64xf32>) -> tensor<64x128xf32>
  %1 = ttc.matmul %x, %0 : (tensor<8x64xf32>, tensor<64x128xf32>) -> tensor<8x128xf32>
  %v = ttc.constant dense<2.5> : tensor<128x64xf32>
  %2 = ttc.gather %v, %ids {axis = 0 : i64} : (tensor<128x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  %3 = ttc.transpose %v {permutation = [1, 0]} : (tensor<128x64xf32>) -> tensor<64x128xf32>
  %4 = ttc.add %y, %3 : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1, %4, %2 : tensor<8x128xf32>, tensor<64x128xf32>, tensor<8x64xf32>
}
