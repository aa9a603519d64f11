// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --convert-tosa-to-ttc | FileCheck %s

// CHECK-LABEL: @moves
// CHECK-NOT: tosa
func.func @moves(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x6x4xf32>, tensor<2x4x4xf32>, tensor<1x2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x8xf32>) {
  // CHECK: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %s0 = tosa.const_shape {values = dense<[6, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s0 : (tensor<2x3x4xf32>, !tosa.shape<2>) -> tensor<6x4xf32>
  // CHECK: ttc.transpose %arg0 {permutation = [2, 0, 1]}
  %1 = tosa.transpose %x {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  // CHECK: ttc.concat %arg0, %arg0 {axis = 1}
  %2 = tosa.concat %x, %x {axis = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  // CHECK: ttc.pad %arg0 {high = [0, 1, 0], low = [0, 0, 0], value = 5.000000e-01}
  %s1 = tosa.const_shape {values = dense<[0, 0, 0, 1, 0, 0]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %c = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %3 = tosa.pad %x, %s1, %c : (tensor<2x3x4xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<2x4x4xf32>
  // CHECK: ttc.slice %arg0 {sizes = [1, 2, 4], starts = [1, 0, 0], steps = [1, 1, 1]}
  %s2 = tosa.const_shape {values = dense<[1, 0, 0]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s3 = tosa.const_shape {values = dense<[1, 2, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %4 = tosa.slice %x, %s2, %s3 : (tensor<2x3x4xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x2x4xf32>
  // CHECK: ttc.slice %arg0 {sizes = [2, 3, 4], starts = [0, 2, 0], steps = [1, -1, 1]}
  %5 = tosa.reverse %x {axis = 1 : i32} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: ttc.tile %arg0 {repeats = [1, 1, 2]}
  %s4 = tosa.const_shape {values = dense<[1, 1, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %6 = tosa.tile %x, %s4 : (tensor<2x3x4xf32>, !tosa.shape<3>) -> tensor<2x3x8xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x6x4xf32>, tensor<2x4x4xf32>, tensor<1x2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: @gather
func.func @gather(%v: tensor<2x5x3xf32>, %i: tensor<2x4xi32>) -> tensor<2x4x3xf32> {
  // CHECK: %[[I:.*]] = ttc.reshape %arg1 : (tensor<2x4xi32>) -> tensor<2x4x1xi32>
  // CHECK: ttc.gather_nd %arg0, %[[I]] {batch_dims = 1}
  %0 = tosa.gather %v, %i : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// CHECK-LABEL: @resize
func.func @resize(%x: tensor<1x4x4x3xf32>) -> (tensor<1x8x8x3xf32>, tensor<1x8x8x3xf32>) {
  // CHECK: ttc.resize %arg0 mode nearest coordinates asymmetric rounding round_prefer_ceil {scales = [1.000000e+00, 2.000000e+00, 2.000000e+00, 1.000000e+00]}
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x3xf32>
  // CHECK: ttc.resize %arg0 mode linear{{.*}} {scales = [1.000000e+00, 2.000000e+00, 2.000000e+00, 1.000000e+00]}
  %s2 = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o2 = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b2 = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %1 = tosa.resize %x, %s2, %o2, %b2 {mode = BILINEAR} : (tensor<1x4x4x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x3xf32>
  return %0, %1 : tensor<1x8x8x3xf32>, tensor<1x8x8x3xf32>
}
