// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s

func.func @layouts(%a: tensor<8x64xf32, #ttc.layout<dram>>, %b: tensor<8x64xf32, #ttc.layout<l1>>,
    %c: tensor<8x64xf32, #ttc.layout<l1, height_sharded>>,
    %d: tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>,
    %e: tensor<8x64xf32, #ttc.layout<l1, width_sharded, grid = [1, 16]>>,
    %f: tensor<8x64xf32, #ttc.layout<l1, block_sharded, grid = [2, 4]>>) {
  return
}

// The height of a tensor of more dimensions: 2 * 3 * 8 rows, partitioned from the outer dimensions inwards.
func.func @dimensions(%a: tensor<2x3x8x5xf32, #ttc.layout<l1, height_sharded, grid = [2, 1]>>,
    %b: tensor<2x3x8x5xf32, #ttc.layout<l1, height_sharded, grid = [6, 1]>>,
    %c: tensor<2x3x8x5xf32, #ttc.layout<l1, block_sharded, grid = [24, 5]>>) {
  return
}

ttc.program private @within(tensor<512x384xf32>, tensor<2xi32>) -> (tensor<512x384xf32> {ttc.within = #ttc.within<argument = 1, sizes = [8, 64, 384], bounds = ()[s0, s1] -> (s0, s1 floordiv 2 + 1, 384)>})
