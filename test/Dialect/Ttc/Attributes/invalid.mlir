// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{(C1) expected a sharded layout in l1 or dram, found host}}
func.func private @f(tensor<8x64xf32, #ttc.layout<host, height_sharded>>)

// -----

// expected-error @+1 {{(C1) expected height_sharded in dram, found width_sharded}}
func.func private @f(tensor<8x64xf32, #ttc.layout<dram, width_sharded, grid = [1, 4]>>)

// -----

// expected-error @+1 {{(C1) expected a grid of a sharded layout in dram, found none}}
func.func private @f(tensor<8x64xf32, #ttc.layout<dram, height_sharded>>)

// -----

// expected-error @+1 {{(C2) expected a grid of a sharded layout only, found [4, 1]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, interleaved, grid = [4, 1]>>)

// -----

// expected-error @+1 {{(C2) expected a grid of rows and columns, at least 1 each, found [0, 1]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [0, 1]>>)

// -----

// expected-error @+1 {{(C3) expected one column of shards where the height is partitioned, found [4, 2]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 2]>>)

// -----

// expected-error @+1 {{(C3) expected one row of shards where the width is partitioned, found [4, 2]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, width_sharded, grid = [4, 2]>>)

// -----

// expected-error @+1 {{(C4) expected a shape that a grid of [3, 1] partitions into equal boxes, found [8, 64]}}
func.func private @f(tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [3, 1]>>)

// -----

// 48 rows, but 4 of them would be one and a third of the second dimension
// expected-error @+1 {{(C4) expected a shape that a grid of [4, 1] partitions into equal boxes, found [2, 3, 8, 5]}}
func.func private @f(tensor<2x3x8x5xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>)

// -----

ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{(C1) expected a partition of each of 2 dimensions, found [0]}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32>, partition = [0]>}) attributes {shards = array<i64: 4>}

// -----

ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{(C1) expected a partition of -1 or more in each dimension, found [-2, 0]}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32>, partition = [-2, 0]>}) attributes {shards = array<i64: 4>}

// -----

ttc.program private @f(tensor<2x16xf32>
  // expected-error @+1 {{(C2) expected no two dimensions to have the same partition, found [0, 0]}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32>, partition = [0, 0]>}) attributes {shards = array<i64: 4>}

// -----

ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{(C3) expected a sharded whole with a grid, found 'tensor<8x64xf32, #ttc.layout<l1, height_sharded>>'}}
  {ttc.shard = #ttc.shard<tensor<8x64xf32, #ttc.layout<l1, height_sharded>>, partition = [0, -1]>}) attributes {shards = array<i64: 4>}

// -----

ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{(C1) expected 'row' of at least 1 and 'pitch' of at least 'row', found 8 and 4}}
  {ttc.strided = #ttc.strided<row = 8, pitch = 4, alignment = 4>})

// -----

ttc.program private @f(tensor<2x64xf32>
  // expected-error @+1 {{(C1) expected an alignment that is a power of two, found 3}}
  {ttc.strided = #ttc.strided<row = 8, pitch = 8, alignment = 3>})

// -----

// expected-error @+2 {{failed to parse Ttc_MeshAttr parameter 'axes'}}
// expected-error @+1 {{(C1) expected a name, a size of at least 1, and bandwidth and latency of at least 0, found 'x', 0, 0 and 0}}
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 0>]>} {}

// -----

// expected-error @+1 {{(C1) expected axes of distinct names, found two of 'x'}}
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "x", size = 3>]>} {}

// -----

// expected-error @+1 {{(C2) expected at most 4096 devices, found more}}
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 64>, <name = "y", size = 65>]>} {}

// -----

func.func @shards_c1() {
  // expected-error @+1 {{(C1) expected values of one type, found 'tensor<2xf32>' beside 'tensor<1xf32>'}}
  %0 = ttc.constant #ttc.shards<[dense<1.0> : tensor<1xf32>, dense<2.0> : tensor<2xf32>], [0, 1]>
  return
}

// -----

func.func @shards_c2() {
  // expected-error @+1 {{(C2) expected numbers of 2 values, found 2}}
  %0 = ttc.constant #ttc.shards<[dense<1.0> : tensor<2xf32>, dense<2.0> : tensor<2xf32>], [0, 2]>
  return
}

// -----

func.func @shards_unused() {
  // expected-error @+1 {{(C2) expected values that some device has, found 1 that none has}}
  %0 = ttc.constant #ttc.shards<[dense<1.0> : tensor<2xf32>, dense<2.0> : tensor<2xf32>], [0, 0]>
  return
}

// -----

// expected-error @+1 {{(C1) expected the name of a model, found none}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{(C1) expected distinct names of dimensions, found "n" twice}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n", "n"], low = [1, 1], high = [8, 8]>}

// -----

// expected-error @+1 {{(C1) expected distinct names of dimensions, found ""}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = [""], low = [1], high = [8]>}

// -----

// expected-error @+1 {{(C2) expected bounds of each of 1 dimensions, found low = [1], high = [8, 8] and step = []}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8, 8]>}

// -----

// expected-error @+1 {{(C2) expected bounds of each of 1 dimensions, found low = [1], high = [8] and step = [1, 1]}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8], step = [1, 1]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found 9 to 8 by 1}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [9], high = [8], step = [1]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found -1 to 8 by 1}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [-1], high = [8], step = [1]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found 0 to 0 by 1}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [0], high = [0], step = [1]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found 1 to 2147483648 by 1}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [2147483648], step = [1]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found 0 to 8 by 0}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [0], high = [8], step = [0]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found 2 to 8 by 4}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [2], high = [8], step = [4]>}

// -----

// expected-error @+1 {{(C2) expected bounds of "n" from 0 to 2147483647 that are multiples of the step, found 4 to 10 by 4}}
func.func private @f() attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [4], high = [10], step = [4]>}

// -----

// expected-error @+1 {{(C1) expected 'argument' of 0 or more, found -1}}
func.func private @f() attributes {a = #ttc.within<argument = -1, sizes = [8], bounds = ()[s0] -> (s0)>}

// -----

// expected-error @+1 {{(C1) expected sizes of 0 or more, found [-8]}}
func.func private @f() attributes {a = #ttc.within<argument = 0, sizes = [-8], bounds = ()[s0] -> (s0)>}

// -----

// expected-error @+1 {{(C2) expected 'bounds' of symbols with a result for each of 2 sizes, found affine_map<()[s0] -> (s0)>}}
func.func private @f() attributes {a = #ttc.within<argument = 0, sizes = [8, 8], bounds = ()[s0] -> (s0)>}

// -----

// expected-error @+1 {{(C2) expected 'bounds' of sums, multiples and quotients by constants, found affine_map<()[s0] -> (s0 mod 4)>}}
func.func private @f() attributes {a = #ttc.within<argument = 0, sizes = [8], bounds = ()[s0] -> (s0 mod 4)>}
