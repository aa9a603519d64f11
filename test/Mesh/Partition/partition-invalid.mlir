// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file -verify-diagnostics --ttc-set-mesh --ttc-partition

shard.grid @grid(shape = 2)
func.func @contradiction(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<4x6xf32>
  %1 = ttc.relu %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error@+1 {{'shard.shard' op expected dimension 0 to be divided along x, as annotations of tensors that it is computed with say, found none}}
  %2 = shard.shard %1 to %whole : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @uneven(%x: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{'shard.shard' op expected dimension 0 to divide into 2 parts, found 'tensor<5x6xf32>'}}
  %0 = shard.shard %x to %rows : tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// -----

// expected-error@+1 {{'shard.grid' op as a mesh: expected a mesh}}
shard.grid @grid(shape = 2x2x2x2x2)
