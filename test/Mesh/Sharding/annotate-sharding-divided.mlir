// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without --parallel, no warning if the module says what devices divide: by annotations, exchanges or parts of inputs.
// RUN: ttc-opt %s -split-input-file -verify-diagnostics --ttc-set-mesh=mesh=2 --ttc-annotate-sharding

shard.grid @grid(shape = 2)
func.func @annotated(%x: tensor<2xf32>) -> tensor<2xf32> {
  %all = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %all : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @exchanged(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = ttc.all_reduce %x {axes = ["x"]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @divided(%x: tensor<2xf32> {ttc.sharding = [["x"]]}) -> tensor<2xf32> {
  %0 = ttc.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
