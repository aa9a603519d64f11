// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights that come from memory cost fewer multiply-adds where a core reads more in the time of one. Winograd's weights
// take 2.25 times the bytes here for a third of the multiplications, with few pixels to use them.
// RUN: ttc-opt %s --ttc-set-target=target-cpu=znver4 --ttc-choose-kernels | FileCheck %s --check-prefix=NEAR
// RUN: ttc-opt %s --ttc-set-target=target-cpu=graniterapids --ttc-choose-kernels | FileCheck %s --check-prefix=FAR
// NEAR: ttc.kernel.winograd_conv
// FAR-NOT: winograd
// FAR: ttc.kernel.gemm
func.func @conv(%x: tensor<1x7x7x192xf32>, %w: tensor<8000000xf32>) -> (tensor<1x7x7x320xf32>, tensor<8000000xf32>) {
  %filters = ttc.constant dense<0.1> : tensor<320x192x3x3xf32>
  %others = ttc.constant dense<0.1> : tensor<8000000xf32>
  %0 = ttc.conv %x, %filters {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1], channels_last}
     : (tensor<1x7x7x192xf32>, tensor<320x192x3x3xf32>) -> tensor<1x7x7x320xf32>
  %1 = ttc.add %w, %others : (tensor<8000000xf32>, tensor<8000000xf32>) -> tensor<8000000xf32>
  return %0, %1 : tensor<1x7x7x320xf32>, tensor<8000000xf32>
}
