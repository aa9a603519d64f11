// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file --ttc-set-mesh --ttc-partition | FileCheck %s

// Columns, then rows: one all_reduce, and the second bias after it.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @mlp
// CHECK-SAME: (%[[X:.*]]: tensor<2x2xf32>) -> tensor<2x2xf32>
func.func @mlp(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  // CHECK-DAG: %[[W1:.*]] = ttc.constant #ttc.shards<[dense<{{\[\[}}1.000000e+00, 2.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<2x2xf32>, dense<{{\[\[}}3.000000e+00, 4.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32>], [0, 1]>
  // CHECK-DAG: %[[B1:.*]] = ttc.constant #ttc.shards<[dense<[1.000000e-01, 2.000000e-01]> : tensor<2xf32>, dense<[3.000000e-01, 4.000000e-01]> : tensor<2xf32>], [0, 1]>
  // CHECK-DAG: %[[B2:.*]] = ttc.constant dense<[5.000000e-01, 6.000000e-01]>
  %w1 = ttc.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %b1 = ttc.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  %w2 = ttc.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %b2 = ttc.constant dense<[0.5, 0.6]> : tensor<2xf32>
  %w = shard.shard %w1 to %columns annotate_for_users : tensor<2x4xf32>
  // CHECK: %[[A:.*]] = ttc.matmul %[[X]], %[[W1]], %[[B1]]
  // CHECK: %[[R:.*]] = ttc.relu %[[A]] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: %[[W2:.*]] = ttc.constant #ttc.shards<[dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>, dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32>], [0, 1]>
  // CHECK: %[[P:.*]] = ttc.matmul %[[R]], %[[W2]] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: %[[S:.*]] = ttc.all_reduce %[[P]] {axes = ["x"]}
  // CHECK: %[[Y:.*]] = ttc.add %[[S]], %[[B2]]
  // CHECK: return %[[Y]]
  %0 = ttc.matmul %x, %w, %b1 : (tensor<2x2xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = ttc.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = ttc.matmul %1, %w2, %b2 : (tensor<2x4xf32>, tensor<4x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// -----

// The batch: inputs and outputs have a part each; what two devices differ in is data.
shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @batch
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32> {ttc.sharding = {{\[\[}}"x", "y"], []]}) -> (tensor<2x3xf32> {ttc.sharding = {{\[\[}}"x", "y"], []]})
func.func @batch(%x: tensor<8x6xf32>) -> tensor<8x3xf32> {
  %batch = shard.sharding @grid split_axes = [[0, 1], []] : !shard.sharding
  %x0 = shard.shard %x to %batch : tensor<8x6xf32>
  // CHECK: ttc.slice %{{.*}} {sizes = [2, 3], starts = [0, 1], steps = [1, 1]} : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %0 = ttc.slice %x0 {starts = [0, 1], sizes = [8, 3], steps = [1, 1]} : (tensor<8x6xf32>) -> tensor<8x3xf32>
  %1 = ttc.softmax %0 {axis = 1} : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// An op that needs a divided dimension whole; a result that is divided along another dimension than the first.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @gathered
// CHECK-SAME: (%[[X:.*]]: tensor<4x3xf32> {ttc.sharding = {{\[\[}}], ["x"]]}) -> (tensor<4x6xf32>, tensor<4x6xf32>)
func.func @gathered(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %x0 = shard.shard %x to %columns : tensor<4x6xf32>
  // CHECK: %[[R:.*]] = ttc.relu %[[X]] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = ttc.relu %x0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: %[[G:.*]] = ttc.all_gather %[[R]] {axes = ["x"], dimension = 1} : (tensor<4x3xf32>) -> tensor<4x6xf32>
  // CHECK: %[[S:.*]] = ttc.softmax %[[G]]
  %1 = ttc.softmax %0 {axis = 1} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: return %[[G]], %[[S]]
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Another division from here on, by hand: one exchange. And a part of what all devices have: by indices.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @resharded
func.func @resharded(%x: tensor<4x6xf32>, %z: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %x0 = shard.shard %x to %columns : tensor<4x6xf32>
  // CHECK: %[[R:.*]] = ttc.relu %arg0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = ttc.relu %x0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: %[[A:.*]] = ttc.all_to_all %[[R]] {axes = ["x"], concat = 1, split = 0} : (tensor<4x3xf32>) -> tensor<2x6xf32>
  %1 = shard.shard %0 to %rows annotate_for_users : tensor<4x6xf32>
  // CHECK: %[[Y:.*]] = ttc.neg %[[A]]
  %2 = ttc.neg %1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: %[[Z:.*]] = ttc.relu %arg1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = ttc.relu %z : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: %[[I:.*]] = ttc.constant #ttc.shards<[dense<[0, 1]> : tensor<2xi64>, dense<[2, 3]> : tensor<2xi64>], [0, 1]>
  // CHECK: %[[P:.*]] = ttc.gather %[[Z]], %[[I]] {axis = 0} : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  %4 = shard.shard %3 to %rows annotate_for_users : tensor<4x6xf32>
  // CHECK: %[[N:.*]] = ttc.neg %[[P]]
  %5 = ttc.neg %4 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: return %[[Y]], %[[N]]
  return %2, %5 : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Reductions of a divided dimension; an inner part of a reshaped dimension is gathered.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<24xf32>) {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %x0 = shard.shard %x to %columns : tensor<4x6xf32>
  // CHECK: %[[SUM:.*]] = ttc.reduce_sum %arg0
  // CHECK: ttc.all_reduce %[[SUM]] {axes = ["x"]} : (tensor<4xf32>)
  %0 = ttc.reduce_sum %x0 {axes = [1]} : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: %[[MAX:.*]] = ttc.reduce_max %arg0
  // CHECK: ttc.all_reduce %[[MAX]] reduction max {axes = ["x"]}
  %1 = ttc.reduce_max %x0 {axes = [1]} : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: %[[WHOLE:.*]] = ttc.all_gather %arg0
  // CHECK: ttc.reduce_mean %[[WHOLE]]
  %2 = ttc.reduce_mean %x0 {axes = [1]} : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: ttc.reshape %[[WHOLE]]
  %3 = ttc.reshape %x0 : (tensor<4x6xf32>) -> tensor<24xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<24xf32>
}

// -----

// A state is divided as its function's argument, and so is its next value.
shard.grid @grid(shape = 2)
// CHECK: ttc.state @cache : tensor<2x3xf32>
ttc.state @cache : tensor<4x3xf32>
// CHECK-LABEL: func.func @state
// CHECK-SAME: (%arg0: tensor<4x3xf32>, %arg1: tensor<2x3xf32> {ttc.state = @cache}) -> (tensor<2x3xf32> {ttc.state = @cache})
func.func @state(%x: tensor<4x3xf32>, %past: tensor<4x3xf32> {ttc.state = @cache}) -> (tensor<4x3xf32> {ttc.state = @cache}) {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %past0 = shard.shard %past to %rows : tensor<4x3xf32>
  %0 = ttc.relu %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = ttc.relu %past0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %2 = shard.shard %1 to %whole annotate_for_users : tensor<4x3xf32>
  // CHECK: %[[ALL:.*]] = ttc.all_gather
  // CHECK: %[[SUM:.*]] = ttc.add
  // CHECK: %[[PART:.*]] = ttc.gather %[[SUM]]
  // CHECK: return %[[PART]]
  %3 = ttc.add %0, %2 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// -----

// A table of embeddings: columns of each device, whole after the lookup.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @embeddings
func.func @embeddings(%ids: tensor<3xi32>) -> tensor<3x2xf32> {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @grid split_axes = [[], []] : !shard.sharding
  %words = ttc.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %own = shard.shard %words to %columns annotate_for_users : tensor<2x2xf32>
  // CHECK: %[[OWN:.*]] = ttc.constant #ttc.shards<[dense<{{\[\[}}1.000000e+00], [3.000000e+00]]> : tensor<2x1xf32>, dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>], [0, 1]>
  // CHECK: %[[FOUND:.*]] = ttc.gather %[[OWN]], %{{.*}} -> tensor<3x1xf32>
  %0 = ttc.gather %own, %ids {axis = 0} : (tensor<2x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  %1 = shard.shard %0 to %whole annotate_for_users : tensor<3x2xf32>
  // CHECK: ttc.all_gather %[[FOUND]] {axes = ["x"], dimension = 1} : (tensor<3x1xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// -----

// Dimensions of a reshape share their outer factors only: the first half of 4 rows of 24 is the first of 2 images.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @outer_factors
func.func @outer_factors(%x: tensor<2x3x4x4xf32>, %y: tensor<2x5x3xf32>) -> (tensor<4x24xf32>, tensor<6x5xf32>) {
  %first = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %first : tensor<2x3x4x4xf32>
  // CHECK: %[[X:.*]] = ttc.reshape %arg0 : (tensor<1x3x4x4xf32>) -> tensor<2x24xf32>
  %0 = ttc.reshape %x0 : (tensor<2x3x4x4xf32>) -> tensor<4x24xf32>
  %y0 = shard.shard %y to %first : tensor<2x5x3xf32>
  // CHECK: %[[Y:.*]] = ttc.reshape %arg1 : (tensor<1x5x3xf32>) -> tensor<3x5xf32>
  %1 = ttc.reshape %y0 : (tensor<2x5x3xf32>) -> tensor<6x5xf32>
  // CHECK: return %[[X]], %[[Y]]
  return %0, %1 : tensor<4x24xf32>, tensor<6x5xf32>
}

// -----

// A depthwise convolution of an argument: as many groups as one device has channels.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @depthwise
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x3x3xf32> {ttc.sharding = {{\[\[}}], ["x"], [], []]})
func.func @depthwise(%x: tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %channels = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %w = ttc.constant dense<1.0> : tensor<4x1x1x1xf32>
  %w0 = shard.shard %w to %channels annotate_for_users : tensor<4x1x1x1xf32>
  // CHECK: ttc.conv %[[X]], %{{.*}} {groups = 2} : (tensor<1x2x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %0 = ttc.conv %x, %w0 {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], groups = 4} : (tensor<1x4x3x3xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// -----

// Rows and columns are in one class: the first dimension alone is divided, and of columns that are made of them all
// are exchanged.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @symmetric
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32> {ttc.sharding = {{\[\[}}"x"], []]})
func.func @symmetric(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %rows = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
  %x0 = shard.shard %x to %rows annotate_for_users : tensor<4x4xf32>
  // CHECK: %[[COLUMNS:.*]] = ttc.all_to_all %[[X]] {axes = ["x"], concat = 0, split = 1} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  // CHECK: %[[T:.*]] = ttc.transpose %[[COLUMNS]]
  // CHECK: ttc.add %[[X]], %[[T]] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = ttc.transpose %x0 {permutation = [1, 0]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = ttc.add %x0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A function that only writes a state divides it as the next one that reads it; a state that none reads, as its result.
shard.grid @grid(shape = 2)
// CHECK: ttc.state @cache : tensor<2x2xf32>
// CHECK: ttc.state @log : tensor<2x4xf32>
ttc.state @cache : tensor<2x4xf32>
ttc.state @log : tensor<4x4xf32>
// CHECK-LABEL: func.func @reset
// CHECK-SAME: -> (tensor<2x2xf32> {ttc.state = @cache})
func.func @reset(%x: tensor<2x4xf32>) -> (tensor<2x4xf32> {ttc.state = @cache}) {
  %0 = ttc.relu %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%arg0: tensor<2x2xf32> {ttc.state = @cache}, %{{.*}}) -> (tensor<2x2xf32> {ttc.state = @cache}, tensor<2x4xf32> {ttc.state = @log})
func.func @step(%past: tensor<2x4xf32> {ttc.state = @cache}, %x: tensor<4x4xf32>) -> (tensor<2x4xf32> {ttc.state = @cache}, tensor<4x4xf32> {ttc.state = @log}) {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
  %past0 = shard.shard %past to %columns : tensor<2x4xf32>
  %x0 = shard.shard %x to %rows : tensor<4x4xf32>
  %0 = ttc.neg %past0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = ttc.neg %x0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<4x4xf32>
}

// -----

// A sum of which devices need their parts only; one that something needs whole, too, stays.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @parts_of_sums
func.func @parts_of_sums(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %rows = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
  %part = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %rows : tensor<4x6xf32>
  %y0 = shard.shard %y to %rows : tensor<4x6xf32>
  // CHECK: %[[SUM:.*]] = ttc.reduce_max %arg0
  // CHECK-NEXT: %[[OWN:.*]] = ttc.reduce_scatter %[[SUM]] reduction max {axes = ["x"], dimension = 0} : (tensor<6xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %[[NEG:.*]] = ttc.neg %[[OWN]]
  %0 = ttc.reduce_max %x0 {axes = [0]} : (tensor<4x6xf32>) -> tensor<6xf32>
  %1 = shard.shard %0 to %part annotate_for_users : tensor<6xf32>
  %2 = ttc.neg %1 : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: %[[ALL:.*]] = ttc.all_reduce
  // CHECK: ttc.gather %[[ALL]]
  // CHECK: ttc.relu %[[ALL]] : (tensor<6xf32>)
  %3 = ttc.reduce_sum %y0 {axes = [0]} : (tensor<4x6xf32>) -> tensor<6xf32>
  %4 = shard.shard %3 to %part annotate_for_users : tensor<6xf32>
  %5 = ttc.neg %4 : (tensor<6xf32>) -> tensor<6xf32>
  %6 = ttc.relu %3 : (tensor<6xf32>) -> tensor<6xf32>
  return %2, %5, %6 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
