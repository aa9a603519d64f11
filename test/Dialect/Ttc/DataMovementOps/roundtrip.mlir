// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @shapes(%x: tensor<1x8x4x4xf32>, %v: tensor<8x1xf32>, %e: tensor<2x4xf32>) {
  %0 = ttc.reshape %x : (tensor<1x8x4x4xf32>) -> tensor<8x16xf32>
  %1 = ttc.transpose %x {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
  %2 = ttc.expand %v : (tensor<8x1xf32>) -> tensor<2x8x4xf32>
  %3 = ttc.tile %e {repeats = [1, 3]} : (tensor<2x4xf32>) -> tensor<2x12xf32>
  %4 = ttc.depth_to_space %x {block = [2, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
  %5 = ttc.depth_to_space %x mode crd {block = [2, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
  %6 = ttc.space_to_depth %x {block = 2} : (tensor<1x8x4x4xf32>) -> tensor<1x32x2x2xf32>
  return
}

func.func @parts(%x: tensor<1x8x4x4xf32>, %y: tensor<1x2x4x4xf32>, %e: tensor<2x8xf32>) {
  %0 = ttc.concat %x, %y, %x {axis = 1} : (tensor<1x8x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x18x4x4xf32>
  %1 = ttc.slice %e {sizes = [1, 4], starts = [0, 7], steps = [1, -2]} : (tensor<2x8xf32>) -> tensor<1x4xf32>
  %2:2 = ttc.split %x {axis = 1, sizes = [5, 3]} : (tensor<1x8x4x4xf32>) -> (tensor<1x5x4x4xf32>, tensor<1x3x4x4xf32>)
  %3 = ttc.pad %x {high = [0, 0, 1, 1], low = [0, 0, 2, 2], value = 1.000000e+00} : (tensor<1x8x4x4xf32>) -> tensor<1x8x7x7xf32>
  %4 = ttc.pad %x mode reflect {high = [0, 0, 3, 3], low = [0, 0, 3, 3]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x10x10xf32>
  %5 = ttc.pad %x mode edge {high = [0, 0, 9, 0], low = [0, 0, 0, 0]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x13x4xf32>
  return
}

func.func @gathers(%d: tensor<30x8x2xf32>, %i: tensor<1x5xi64>, %e: tensor<4x8xf32>, %ie: tensor<4x2xi32>, %in: tensor<3x2xi64>, %ib: tensor<30x1xi64>) {
  %0 = ttc.gather %d, %i {axis = 0} : (tensor<30x8x2xf32>, tensor<1x5xi64>) -> tensor<1x5x8x2xf32>
  %1 = ttc.gather_elements %e, %ie {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  %2 = ttc.gather_nd %d, %in : (tensor<30x8x2xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  %3 = ttc.gather_nd %d, %ib {batch_dims = 1} : (tensor<30x8x2xf32>, tensor<30x1xi64>) -> tensor<30x2xf32>
  return
}

func.func @resize(%x: tensor<1x3x8x8xf32>) {
  %0 = ttc.resize %x mode linear {scales = [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  %1 = ttc.resize %x mode nearest coordinates asymmetric rounding floor {scales = [1.000000e+00, 1.000000e+00, 5.000000e-01, 2.500000e+00]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x20xf32>
  return
}

func.func @constant() {
  %0 = ttc.constant dense<1.000000e+00> : tensor<16x1x3x3xf32>
  %1 = ttc.constant dense<[1, 2, 3]> : tensor<3xui8>
  %2 = ttc.constant dense_resource<weights> : tensor<2xf32>
  %3 = ttc.constant dense<[true, false]> : tensor<2xi1>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
