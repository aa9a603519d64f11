// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// layout, constraint 1
// expected-error @+1 {{expected a sharded layout to lie in l1, found dram}}
func.func private @f(tensor<8x64xf32, #ttc.layout<dram, height_sharded>>)

// -----

// layout, constraint 2
// expected-error @+1 {{expected a grid of a sharded layout only, found [4, 1]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, interleaved, grid = [4, 1]>>)

// -----

// layout, constraint 2
// expected-error @+1 {{expected a grid of rows and columns, at least 1 each, found [0, 1]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [0, 1]>>)

// -----

// layout, constraint 3
// expected-error @+1 {{expected one column of shards where the height is cut, found [4, 2]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 2]>>)

// -----

// layout, constraint 3
// expected-error @+1 {{expected one row of shards where the width is cut, found [4, 2]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, width_sharded, grid = [4, 2]>>)

// -----

// layout, constraint 4
// expected-error @+1 {{expected a shape that a grid of [3, 1] cuts into equal boxes, found [8, 64]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [3, 1]>>)

// -----

// layout, constraint 4: 48 rows, but 4 of them would be one and a third of the second dimension
// expected-error @+1 {{expected a shape that a grid of [4, 1] cuts into equal boxes, found [2, 3, 8, 5]}}
func.func private @f(tensor<2x3x8x5xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>)

// -----

// shard, constraint 1
ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{expected a cut for each of 2 dimensions, found [0]}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32>, cuts = [0]>}) attributes {shards = array<i64: 4>}

// -----

// shard, constraint 1
ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{expected cuts of -1 or more, found [-2, 0]}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32>, cuts = [-2, 0]>}) attributes {shards = array<i64: 4>}

// -----

// shard, constraint 2
ttc.program private @f(tensor<2x16xf32>
  // expected-error @+1 {{expected no two dimensions to have the same cut, found [0, 0]}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32>, cuts = [0, 0]>}) attributes {shards = array<i64: 4>}
