// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file --ttc-set-mesh=mesh=2x2 --ttc-annotate-sharding=parallel=data:x,tensor:y | FileCheck %s

// The batch, and the columns of one product with the rows of the next; the bias of the columns, too.
// CHECK: shard.grid @mesh(shape = 2x2)
// CHECK-LABEL: func.func @mlp
func.func @mlp(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-DAG: %[[BATCH:.*]] = shard.sharding @mesh split_axes = {{\[\[}}0], []]
  // CHECK-DAG: shard.shard %arg0 to %[[BATCH]]
  // CHECK-DAG: %[[COLUMNS:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], [1]]
  // CHECK-DAG: %[[VECTOR:.*]] = shard.sharding @mesh split_axes = {{\[\[}}1]]
  // CHECK-DAG: %[[ROWS:.*]] = shard.sharding @mesh split_axes = {{\[\[}}1], []]
  %w1 = ttc.constant dense<1.0> : tensor<16x64xf32>
  %b1 = ttc.constant dense<0.5> : tensor<64xf32>
  %w2 = ttc.constant dense<1.5> : tensor<64x16xf32>
  %b2 = ttc.constant dense<2.0> : tensor<16xf32>
  // CHECK: shard.shard %{{.*}} to %[[COLUMNS]] {{.*}}tensor<16x64xf32>
  // CHECK: shard.shard %{{.*}} to %[[VECTOR]] {{.*}}tensor<64xf32>
  %0 = ttc.matmul %x, %w1, %b1 : (tensor<8x16xf32>, tensor<16x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %1 = ttc.relu %0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  // CHECK: shard.shard %{{.*}} to %[[ROWS]] {{.*}}tensor<64x16xf32>
  // CHECK-NOT: shard.shard
  %2 = ttc.matmul %1, %w2, %b2 : (tensor<8x64xf32>, tensor<64x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// Rows of one product are whole in a softmax: that dimension is not divided. Heads of an attention are, through
// reshapes and transposes: 32 columns are 4 heads of 8.
// CHECK-LABEL: func.func @attention
func.func @attention(%x: tensor<2x6x32xf32>) -> tensor<2x6x32xf32> {
  %wq = ttc.constant dense<1.0> : tensor<32x32xf32>
  %wk = ttc.constant dense<2.0> : tensor<32x32xf32>
  %wv = ttc.constant dense<3.0> : tensor<32x32xf32>
  %wo = ttc.constant dense<4.0> : tensor<32x32xf32>
  // CHECK-COUNT-4: shard.shard %{{.*}} : tensor<32x32xf32>
  // CHECK-NOT: shard.shard
  %q = ttc.matmul %x, %wq : (tensor<2x6x32xf32>, tensor<32x32xf32>) -> tensor<2x6x32xf32>
  %k = ttc.matmul %x, %wk : (tensor<2x6x32xf32>, tensor<32x32xf32>) -> tensor<2x6x32xf32>
  %v = ttc.matmul %x, %wv : (tensor<2x6x32xf32>, tensor<32x32xf32>) -> tensor<2x6x32xf32>
  %q0 = ttc.reshape %q : (tensor<2x6x32xf32>) -> tensor<2x6x4x8xf32>
  %k0 = ttc.reshape %k : (tensor<2x6x32xf32>) -> tensor<2x6x4x8xf32>
  %v0 = ttc.reshape %v : (tensor<2x6x32xf32>) -> tensor<2x6x4x8xf32>
  %q1 = ttc.transpose %q0 {permutation = [0, 2, 1, 3]} : (tensor<2x6x4x8xf32>) -> tensor<2x4x6x8xf32>
  %k1 = ttc.transpose %k0 {permutation = [0, 2, 3, 1]} : (tensor<2x6x4x8xf32>) -> tensor<2x4x8x6xf32>
  %v1 = ttc.transpose %v0 {permutation = [0, 2, 1, 3]} : (tensor<2x6x4x8xf32>) -> tensor<2x4x6x8xf32>
  %s = ttc.matmul %q1, %k1 : (tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x6x6xf32>
  %p = ttc.softmax %s {axis = 3} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %o = ttc.matmul %p, %v1 : (tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32>
  %o1 = ttc.transpose %o {permutation = [0, 2, 1, 3]} : (tensor<2x4x6x8xf32>) -> tensor<2x6x4x8xf32>
  %o2 = ttc.reshape %o1 : (tensor<2x6x4x8xf32>) -> tensor<2x6x32xf32>
  %y = ttc.matmul %o2, %wo : (tensor<2x6x32xf32>, tensor<32x32xf32>) -> tensor<2x6x32xf32>
  return %y : tensor<2x6x32xf32>
}

// -----

// What a person has annotated stays: the columns of the first product are not divided, nor the batch, which is no
// error. So the columns of the second one are.
// CHECK-LABEL: func.func @by_hand
shard.grid @grid(shape = 2x2)
func.func @by_hand(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
  %whole = shard.sharding @grid split_axes = [[], []] : !shard.sharding
  %w1 = ttc.constant dense<1.0> : tensor<16x64xf32>
  %w2 = ttc.constant dense<1.5> : tensor<64x16xf32>
  %x0 = shard.shard %x to %whole : tensor<7x16xf32>
  // CHECK: %[[X:.*]] = ttc.matmul
  %0 = ttc.matmul %x0, %w1 : (tensor<7x16xf32>, tensor<16x64xf32>) -> tensor<7x64xf32>
  // CHECK-NEXT: %[[WHOLE:.*]] = shard.shard %[[X]]
  %1 = shard.shard %0 to %whole : tensor<7x64xf32>
  // CHECK-NEXT: %[[W:.*]] = shard.shard %{{.*}} : tensor<64x16xf32>
  // CHECK-NEXT: ttc.matmul %[[WHOLE]], %[[W]]
  %2 = ttc.matmul %1, %w2 : (tensor<7x64xf32>, tensor<64x16xf32>) -> tensor<7x16xf32>
  return %2 : tensor<7x16xf32>
}

// -----

// Rows of the only product are divided, so the input is in both dimensions.
// CHECK-LABEL: func.func @rows
// CHECK: %[[BOTH:.*]] = shard.sharding @mesh split_axes = {{\[\[}}0], [1]]
// CHECK: shard.shard %arg0 to %[[BOTH]]
func.func @rows(%x: tensor<8x64xf32>) -> tensor<8x3xf32> {
  %w = ttc.constant dense<1.0> : tensor<64x3xf32>
  %0 = ttc.matmul %x, %w : (tensor<8x64xf32>, tensor<64x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

// Columns of a table of embeddings, if it is much larger than what is looked up; what is looked up is whole at once.
// The batch divides both.
// CHECK-LABEL: func.func @embeddings
func.func @embeddings(%ids: tensor<2x3xi32>, %positions: tensor<2x3xi32>) -> tensor<2x3x8xf32> {
  // CHECK-DAG: %[[TABLE:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], [1]]
  // CHECK-DAG: %[[ROWS:.*]] = shard.sharding @mesh split_axes = {{\[\[}}0], [], []]
  %words = ttc.constant dense<1.0> : tensor<1000x8xf32>
  %few = ttc.constant dense<1.0> : tensor<20x8xf32>
  // CHECK: %[[OWN:.*]] = shard.shard %{{.*}} to %[[TABLE]] annotate_for_users : tensor<1000x8xf32>
  // CHECK: %[[FOUND:.*]] = ttc.gather %[[OWN]]
  // CHECK: %[[WHOLE:.*]] = shard.shard %[[FOUND]] to %[[ROWS]] annotate_for_users : tensor<2x3x8xf32>
  %0 = ttc.gather %words, %ids {axis = 0} : (tensor<1000x8xf32>, tensor<2x3xi32>) -> tensor<2x3x8xf32>
  // CHECK-NOT: shard.shard
  %1 = ttc.gather %few, %positions {axis = 0} : (tensor<20x8xf32>, tensor<2x3xi32>) -> tensor<2x3x8xf32>
  // CHECK: ttc.add %[[WHOLE]]
  %2 = ttc.add %0, %1 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %2 : tensor<2x3x8xf32>
}

// -----

// Not by columns that the devices cannot divide.
// CHECK-LABEL: func.func @odd_columns
func.func @odd_columns(%ids: tensor<2x3xi32>) -> tensor<2x3x7xf32> {
  %words = ttc.constant dense<1.0> : tensor<1000x7xf32>
  // CHECK: ttc.gather %{{.*}} : (tensor<1000x7xf32>
  %0 = ttc.gather %words, %ids {axis = 0} : (tensor<1000x7xf32>, tensor<2x3xi32>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

// -----

// Products of bytes have weights, too. The zero points of columns are divided with them.
// CHECK-LABEL: func.func @quantized
func.func @quantized(%x: tensor<8x16xui8>) -> tensor<8x16xi32> {
  %w1 = ttc.constant dense<1> : tensor<16x128xi8>
  %w2 = ttc.constant dense<2> : tensor<128x16xi8>
  %z = ttc.constant dense<3> : tensor<ui8>
  %z1 = ttc.constant dense<0> : tensor<128xi8>
  %z2 = ttc.constant dense<0> : tensor<i8>
  // CHECK: shard.shard %{{.*}} : tensor<16x128xi8>
  // CHECK: shard.shard %{{.*}} : tensor<128xi8>
  %0 = ttc.int_matmul %x, %w1, %z, %z1 : (tensor<8x16xui8>, tensor<16x128xi8>, tensor<ui8>, tensor<128xi8>) -> tensor<8x128xi32>
  %1 = ttc.cast %0 : (tensor<8x128xi32>) -> tensor<8x128xui8>
  // CHECK: shard.shard %{{.*}} : tensor<128x16xi8>
  // CHECK-NOT: shard.shard
  %2 = ttc.int_matmul %1, %w2, %z, %z2 : (tensor<8x128xui8>, tensor<128x16xi8>, tensor<ui8>, tensor<i8>) -> tensor<8x16xi32>
  return %2 : tensor<8x16xi32>
}

// -----

// Weights that other ops convert: the constants themselves are divided.
// CHECK-LABEL: func.func @behind_ops
func.func @behind_ops(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-DAG: %[[ROWS:.*]] = shard.sharding @mesh split_axes = {{\[\[}}1], []]
  // CHECK-DAG: %[[COLUMNS:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], [1]]
  %c1 = ttc.constant dense<1.0> : tensor<64x16xf16>
  %c2 = ttc.constant dense<1.0> : tensor<16x64xf16>
  // CHECK: %[[W1:.*]] = shard.shard %{{.*}} to %[[ROWS]] annotate_for_users : tensor<64x16xf16>
  // CHECK: ttc.cast %[[W1]]
  %f1 = ttc.cast %c1 : (tensor<64x16xf16>) -> tensor<64x16xf32>
  %w1 = ttc.transpose %f1 {permutation = [1, 0]} : (tensor<64x16xf32>) -> tensor<16x64xf32>
  // CHECK: %[[W2:.*]] = shard.shard %{{.*}} to %[[COLUMNS]] annotate_for_users : tensor<16x64xf16>
  // CHECK: ttc.cast %[[W2]]
  %f2 = ttc.cast %c2 : (tensor<16x64xf16>) -> tensor<16x64xf32>
  %w2 = ttc.transpose %f2 {permutation = [1, 0]} : (tensor<16x64xf32>) -> tensor<64x16xf32>
  %0 = ttc.matmul %x, %w1 : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %1 = ttc.matmul %0, %w2 : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
