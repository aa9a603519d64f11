// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file -verify-diagnostics --ttc-set-mesh --ttc-partition | FileCheck %s

// Products of integers: columns, or the sum, which is exact. Zero points go with their operands.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<2x2xui8>, %zeros: tensor<2x1xui8>) -> tensor<2x2xi32> {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  // CHECK-DAG: %[[W:.*]] = ttc.constant #ttc.shards<[dense<{{\[\[}}1, 2], [5, 6]]> : tensor<2x2xi8>, dense<{{\[\[}}3, 4], [7, 8]]> : tensor<2x2xi8>], [0, 1]>
  // CHECK-DAG: %[[WZ:.*]] = ttc.constant #ttc.shards<[dense<[1, 2]> : tensor<2xi8>, dense<[3, 4]> : tensor<2xi8>], [0, 1]>
  %w = ttc.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %w_zero = ttc.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %v = ttc.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %zero = ttc.constant dense<0> : tensor<i8>
  %w0 = shard.shard %w to %columns annotate_for_users : tensor<2x4xi8>
  // CHECK: %[[A:.*]] = ttc.int_matmul %{{.*}}, %[[W]], %{{.*}}, %[[WZ]] : (tensor<2x2xui8>, tensor<2x2xi8>, tensor<2x1xui8>, tensor<2xi8>) -> tensor<2x2xi32>
  %a = ttc.int_matmul %x, %w0, %zeros, %w_zero : (tensor<2x2xui8>, tensor<2x4xi8>, tensor<2x1xui8>, tensor<4xi8>) -> tensor<2x4xi32>
  %b = ttc.cast %a : (tensor<2x4xi32>) -> tensor<2x4xi8>
  // CHECK: %[[V:.*]] = ttc.constant #ttc.shards<[dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8>, dense<{{\[\[}}5, 6], [7, 8]]> : tensor<2x2xi8>], [0, 1]>
  // CHECK: %[[P:.*]] = ttc.int_matmul %{{.*}}, %[[V]], %{{.*}}, %{{.*}} : (tensor<2x2xi8>, tensor<2x2xi8>, tensor<i8>, tensor<i8>) -> tensor<2x2xi32>
  // CHECK: ttc.all_reduce %[[P]] {axes = ["x"]} : (tensor<2x2xi32>)
  %y = ttc.int_matmul %b, %v, %zero, %zero : (tensor<2x4xi8>, tensor<4x2xi8>, tensor<i8>, tensor<i8>) -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// -----

// Convolutions of integers: channels, with a zero point of each.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @int_conv
func.func @int_conv(%x: tensor<1x2x4x4xui8>) -> tensor<1x4x4x4xi32> {
  %channels = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %w = ttc.constant dense<[[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]], [[[7]], [[8]]]]> : tensor<4x2x1x1xi8>
  %x_zero = ttc.constant dense<3> : tensor<ui8>
  %w_zero = ttc.constant dense<[[[[1]]], [[[2]]], [[[3]]], [[[4]]]]> : tensor<4x1x1x1xi8>
  %w0 = shard.shard %w to %channels annotate_for_users : tensor<4x2x1x1xi8>
  // CHECK: %[[Y:.*]] = ttc.int_conv {{.*}} : (tensor<1x2x4x4xui8>, tensor<2x2x1x1xi8>, tensor<ui8>, tensor<2x1x1x1xi8>) -> tensor<1x2x4x4xi32>
  // CHECK: ttc.all_gather %[[Y]] {axes = ["x"], dimension = 1}
  %y = ttc.int_conv %x, %w0, %x_zero, %w_zero {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1]}
       : (tensor<1x2x4x4xui8>, tensor<4x2x1x1xi8>, tensor<ui8>, tensor<4x1x1x1xi8>) -> tensor<1x4x4x4xi32>
  return %y : tensor<1x4x4x4xi32>
}

// -----

// Weights in a format of single numbers: two rows and four columns of f16. Columns by hand.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  // CHECK: #ttc.shards<[dense<[1, 2, 3, 4, 9, 10, 11, 12]> : tensor<8xi8>, dense<[5, 6, 7, 8, 13, 14, 15, 16]> : tensor<8xi8>], [0, 1]>
  %w = ttc.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi8>
  // CHECK: ttc.constant #ttc.shards<[dense<[21, 22, 25, 26]> : tensor<4xi8>, dense<[23, 24, 27, 28]> : tensor<4xi8>], [0, 1]>
  %v = ttc.constant dense<[21, 22, 23, 24, 25, 26, 27, 28]> : tensor<8xi8>
  // Rows of the gate and of the factor: 0 and 2, 1 and 3.
  %0 = ttc.block_matmul f16 %x, %w {gated} : (tensor<1x2xf32>, tensor<16xi8>) -> tensor<1x2xf32>
  %1 = shard.shard %0 to %columns : tensor<1x2xf32>
  // CHECK: ttc.all_reduce
  %2 = ttc.block_matmul f16 %1, %v : (tensor<1x2xf32>, tensor<8xi8>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// -----

// Rows that are divided are not those that a count is of.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @count
// CHECK: ttc.all_gather {{.*}} : (tensor<2x32xf32>) -> tensor<4x32xf32>
// CHECK: ttc.block_matmul q8_0 {{.*}} : (tensor<4x32xf32>, tensor<68xi8>, tensor<1xi32>) -> tensor<4x2xf32>
func.func @count(%x: tensor<4x32xf32>, %count: tensor<1xi32>) -> tensor<4x2xf32> {
  %rows = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
  %w = ttc.constant dense<1> : tensor<68xi8>
  %0 = shard.shard %x to %rows : tensor<4x32xf32>
  %1 = ttc.block_matmul q8_0 %0, %w count %count : (tensor<4x32xf32>, tensor<68xi8>, tensor<1xi32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// The sum of a product that reads an argument: each device has a block of either row of the weights.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @blocks_of_argument
// CHECK-SAME: (%[[X:.*]]: tensor<1x32xf32> {ttc.sharding = {{\[\[}}], ["x"]]})
func.func @blocks_of_argument(%x: tensor<1x64xf32>) -> (tensor<1x2xf32>, tensor<1x64xf32>) {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %w = ttc.constant dense<"0x01010101010101010101010101010101010101010101010101010101010101010101020202020202020202020202020202020202020202020202020202020202020202020303030303030303030303030303030303030303030303030303030303030303030304040404040404040404040404040404040404040404040404040404040404040404"> : tensor<136xi8>
  %x0 = shard.shard %x to %columns : tensor<1x64xf32>
  // CHECK: %[[W:.*]] = ttc.constant #ttc.shards<[dense<[1, {{[1, ]*}}3, {{[3, ]*}}]> : tensor<68xi8>, dense<[2, {{[2, ]*}}4, {{[4, ]*}}]> : tensor<68xi8>], [0, 1]>
  // CHECK: %[[P:.*]] = ttc.block_matmul q8_0 %[[X]], %[[W]] : (tensor<1x32xf32>, tensor<68xi8>) -> tensor<1x2xf32>
  // CHECK: ttc.all_reduce %[[P]]
  %0 = ttc.block_matmul q8_0 %x, %w : (tensor<1x64xf32>, tensor<136xi8>) -> tensor<1x2xf32>
  return %0, %x0 : tensor<1x2xf32>, tensor<1x64xf32>
}
