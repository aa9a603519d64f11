// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moved a state as a whole works on what a step adds to it.
// RUN: ttc-opt %s --ttc-keep-states-in-place --canonicalize --mlir-pass-statistics 2> %t.stats | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS < %t.stats

// STATS: 2 grouped
// STATS: 1 scales
// STATS: 3 scatters

ttc.state @keys : tensor<1x2x8x4xf32>
ttc.state @values : tensor<1x2x8x4xf32>

// A cache [batch, heads, positions, size] that is updated as [positions, batch, heads, size].
// CHECK-LABEL: func.func @scatter_nd
// CHECK-SAME:  %[[KEYS:.*]]: tensor<1x2x8x4xf32> {{.*}}, %[[AT:.*]]: tensor<3x1xi64>, %[[NEW:.*]]: tensor<3x1x2x4xf32>
func.func @scatter_nd(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %at: tensor<3x1xi64>, %new: tensor<3x1x2x4xf32>)
    -> (tensor<1x2x8x4xf32> {ttc.state = @keys}) {
  // CHECK-DAG:  %[[HEADS:.*]] = ttc.constant dense<{{\[.*\]}}> : tensor<3x1x2x1xi64>
  // CHECK-DAG:  %[[BATCH:.*]] = ttc.constant dense<0> : tensor<3x1x2x1xi64>
  // CHECK-DAG:  %[[POSITION:.*]] = ttc.reshape %[[AT]] : (tensor<3x1xi64>) -> tensor<3x1x1x1xi64>
  // CHECK:      %[[INDICES:.*]] = ttc.concat %[[BATCH]], %[[HEADS]], %{{.*}} {axis = 3} : {{.*}} -> tensor<3x1x2x3xi64>
  // CHECK:      %[[Y:.*]] = ttc.scatter_nd %[[KEYS]], %[[INDICES]], %[[NEW]]
  // CHECK-SAME:   -> tensor<1x2x8x4xf32>
  // CHECK-NOT:  ttc.transpose
  // CHECK:      return %[[Y]]
  %0 = ttc.transpose %keys {permutation = [2, 0, 1, 3]} : (tensor<1x2x8x4xf32>) -> tensor<8x1x2x4xf32>
  %1 = ttc.scatter_nd %0, %at, %new : (tensor<8x1x2x4xf32>, tensor<3x1xi64>, tensor<3x1x2x4xf32>) -> tensor<8x1x2x4xf32>
  %2 = ttc.transpose %1 {permutation = [1, 2, 0, 3]} : (tensor<8x1x2x4xf32>) -> tensor<1x2x8x4xf32>
  return %2 : tensor<1x2x8x4xf32>
}

// Indices of two dimensions that change places, and a slice whose dimensions do.
// CHECK-LABEL: func.func @two_indices
// CHECK-SAME:  %[[KEYS:.*]]: tensor<1x2x8x4xf32> {{.*}}, %[[AT:.*]]: tensor<5x2xi32>, %[[NEW:.*]]: tensor<5x4x1xf32>
func.func @two_indices(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %at: tensor<5x2xi32>, %new: tensor<5x4x1xf32>)
    -> (tensor<1x2x8x4xf32> {ttc.state = @keys}) {
  // CHECK-DAG:  %[[HEAD:.*]] = ttc.slice %[[AT]] {sizes = [5, 1], starts = [0, 1], steps = [1, 1]}
  // CHECK-DAG:  %[[POSITION:.*]] = ttc.slice %[[AT]] {sizes = [5, 1], starts = [0, 0], steps = [1, 1]}
  // CHECK-DAG:  %[[HEADS:.*]] = ttc.reshape %[[HEAD]]
  // CHECK-DAG:  %[[POSITIONS:.*]] = ttc.reshape %[[POSITION]]
  // CHECK:      %[[INDICES:.*]] = ttc.concat %{{.*}}, %[[HEADS]], %[[POSITIONS]] {axis = 2} : {{.*}} -> tensor<5x1x3xi32>
  // CHECK:      %[[UPDATES:.*]] = ttc.reshape %[[NEW]] : (tensor<5x4x1xf32>) -> tensor<5x1x4xf32>
  // CHECK:      ttc.scatter_nd %[[KEYS]], %[[INDICES]], %[[UPDATES]] reduction add
  %0 = ttc.transpose %keys {permutation = [2, 1, 3, 0]} : (tensor<1x2x8x4xf32>) -> tensor<8x2x4x1xf32>
  %1 = ttc.scatter_nd %0, %at, %new reduction add : (tensor<8x2x4x1xf32>, tensor<5x2xi32>, tensor<5x4x1xf32>) -> tensor<8x2x4x1xf32>
  %2 = ttc.transpose %1 {permutation = [3, 1, 0, 2]} : (tensor<8x2x4x1xf32>) -> tensor<1x2x8x4xf32>
  return %2 : tensor<1x2x8x4xf32>
}

// CHECK-LABEL: func.func @scatter_elements
// CHECK-SAME:  %[[KEYS:.*]]: tensor<1x2x8x4xf32>
func.func @scatter_elements(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %at: tensor<3x1x2x4xi64>, %new: tensor<3x1x2x4xf32>)
    -> (tensor<1x2x8x4xf32> {ttc.state = @keys}) {
  // CHECK:     %[[Y:.*]] = ttc.scatter_elements %[[KEYS]], %{{.*}}, %{{.*}} {axis = 2} : (tensor<1x2x8x4xf32>, tensor<1x2x3x4xi64>, tensor<1x2x3x4xf32>)
  // CHECK-NEXT: return %[[Y]]
  %0 = ttc.transpose %keys {permutation = [2, 0, 1, 3]} : (tensor<1x2x8x4xf32>) -> tensor<8x1x2x4xf32>
  %1 = ttc.scatter_elements %0, %at, %new {axis = 0} : (tensor<8x1x2x4xf32>, tensor<3x1x2x4xi64>, tensor<3x1x2x4xf32>) -> tensor<8x1x2x4xf32>
  %2 = ttc.transpose %1 {permutation = [1, 2, 0, 3]} : (tensor<8x1x2x4xf32>) -> tensor<1x2x8x4xf32>
  return %2 : tensor<1x2x8x4xf32>
}

// Only states are kept in place: an input is read where it is, in any order.
// CHECK-LABEL: func.func @input
func.func @input(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %x: tensor<2x8xf32>, %at: tensor<1x1xi64>, %new: tensor<1x2xf32>) -> tensor<8x2xf32> {
  // CHECK: ttc.transpose
  // CHECK: ttc.scatter_nd {{.*}} -> tensor<8x2xf32>
  %0 = ttc.transpose %x {permutation = [1, 0]} : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %1 = ttc.scatter_nd %0, %at, %new : (tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// The attention of a step: a head of the state for each two of the queries, and a scale of both factors.
// CHECK-LABEL: func.func @step
// CHECK-SAME:  %[[KEYS:.*]]: tensor<1x2x8x4xf32> {{.*}}, %[[VALUES:.*]]: tensor<1x2x8x4xf32> {{.*}}, %[[Q:.*]]: tensor<1x4x1x4xf32>, %[[MASK:.*]]: tensor<1x1x1x8xf32>
func.func @step(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %values: tensor<1x2x8x4xf32> {ttc.state = @values},
                %q: tensor<1x4x1x4xf32>, %mask: tensor<1x1x1x8xf32>) -> tensor<1x4x1x4xf32> {
  // CHECK:     %[[SCALED:.*]] = ttc.mul %[[Q]], %{{.*}} : (tensor<1x4x1x4xf32>, tensor<f32>)
  // CHECK-DAG: %[[A:.*]] = ttc.reshape %[[SCALED]] : (tensor<1x4x1x4xf32>) -> tensor<1x2x2x4xf32>
  // CHECK-DAG: %[[HEADS:.*]] = ttc.reshape %[[KEYS]] : (tensor<1x2x8x4xf32>) -> tensor<2x8x4xf32>
  // CHECK-DAG: %[[TURNED:.*]] = ttc.transpose %[[HEADS]] {permutation = [0, 2, 1]}
  // CHECK-DAG: %[[B:.*]] = ttc.reshape %[[TURNED]] : (tensor<2x4x8xf32>) -> tensor<1x2x4x8xf32>
  // CHECK:     %[[SCORES:.*]] = ttc.matmul %[[A]], %[[B]] : (tensor<1x2x2x4xf32>, tensor<1x2x4x8xf32>)
  // CHECK:     %[[MASKED:.*]] = ttc.add %[[SCORES]], %[[MASK]]
  // CHECK:     %[[SHARES:.*]] = ttc.softmax %[[MASKED]] {axis = 3} : (tensor<1x2x2x8xf32>)
  // CHECK:     %[[Y:.*]] = ttc.matmul %[[SHARES]], %[[VALUES]] : (tensor<1x2x2x8xf32>, tensor<1x2x8x4xf32>)
  // CHECK:     ttc.reshape %[[Y]] : (tensor<1x2x2x4xf32>) -> tensor<1x4x1x4xf32>
  %half = ttc.constant dense<0.5> : tensor<f32>
  %0 = ttc.reshape %keys : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  %1 = ttc.expand %0 : (tensor<1x2x1x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %2 = ttc.reshape %1 : (tensor<1x2x2x8x4xf32>) -> tensor<4x8x4xf32>
  %3 = ttc.transpose %2 {permutation = [0, 2, 1]} : (tensor<4x8x4xf32>) -> tensor<4x4x8xf32>
  %4 = ttc.reshape %3 : (tensor<4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %5 = ttc.mul %4, %half : (tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %6 = ttc.matmul %q, %5 : (tensor<1x4x1x4xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x1x8xf32>
  %7 = ttc.add %6, %mask : (tensor<1x4x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x4x1x8xf32>
  %8 = ttc.softmax %7 {axis = 3} : (tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  %9 = ttc.reshape %values : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  %10 = ttc.expand %9 : (tensor<1x2x1x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %11 = ttc.reshape %10 : (tensor<1x2x2x8x4xf32>) -> tensor<1x4x8x4xf32>
  %12 = ttc.matmul %8, %11 : (tensor<1x4x1x8xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x1x4xf32>
  return %12 : tensor<1x4x1x4xf32>
}

// Several rows: the queries of a group are a dimension of their own, for which the mask gets one, too.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:  %[[KEYS:.*]]: tensor<1x2x8x4xf32> {{.*}}, %[[VALUES:.*]]: tensor<1x2x8x4xf32> {{.*}}, %[[Q:.*]]: tensor<1x4x3x4xf32>, %[[MASK:.*]]: tensor<1x1x3x8xi1>
func.func @rows(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %values: tensor<1x2x8x4xf32> {ttc.state = @values},
                %q: tensor<1x4x3x4xf32>, %mask: tensor<1x1x3x8xi1>) -> tensor<1x4x3x4xf32> {
  // CHECK-DAG: %[[LOW:.*]] = ttc.constant dense<0xFF800000> : tensor<f32>
  // CHECK-DAG: %[[A:.*]] = ttc.reshape %[[Q]] : (tensor<1x4x3x4xf32>) -> tensor<1x2x2x3x4xf32>
  // CHECK-DAG: %[[B:.*]] = ttc.reshape %[[KEYS]] : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  // CHECK:     %[[SCORES:.*]] = ttc.matmul %[[A]], %[[B]] {transpose_b} : {{.*}} -> tensor<1x2x2x3x8xf32>
  // CHECK:     %[[M:.*]] = ttc.reshape %[[MASK]] : (tensor<1x1x3x8xi1>) -> tensor<1x1x1x3x8xi1>
  // CHECK:     %[[MASKED:.*]] = ttc.where %[[M]], %[[SCORES]], %[[LOW]]
  // CHECK:     %[[SHARES:.*]] = ttc.softmax %[[MASKED]] {axis = 4}
  // CHECK:     %[[C:.*]] = ttc.reshape %[[VALUES]] : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  // CHECK:     %[[Y:.*]] = ttc.matmul %[[SHARES]], %[[C]] : {{.*}} -> tensor<1x2x2x3x4xf32>
  // CHECK:     ttc.reshape %[[Y]] : (tensor<1x2x2x3x4xf32>) -> tensor<1x4x3x4xf32>
  %low = ttc.constant dense<0xFF800000> : tensor<f32>
  %0 = ttc.reshape %keys : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  %1 = ttc.expand %0 : (tensor<1x2x1x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %2 = ttc.reshape %1 : (tensor<1x2x2x8x4xf32>) -> tensor<1x4x8x4xf32>
  %3 = ttc.matmul %q, %2 {transpose_b} : (tensor<1x4x3x4xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x3x8xf32>
  %4 = ttc.where %mask, %3, %low : (tensor<1x1x3x8xi1>, tensor<1x4x3x8xf32>, tensor<f32>) -> tensor<1x4x3x8xf32>
  %5 = ttc.softmax %4 {axis = 3} : (tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xf32>
  %6 = ttc.reshape %values : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  %7 = ttc.expand %6 : (tensor<1x2x1x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %8 = ttc.reshape %7 : (tensor<1x2x2x8x4xf32>) -> tensor<1x4x8x4xf32>
  %9 = ttc.matmul %5, %8 : (tensor<1x4x3x8xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x3x4xf32>
  return %9 : tensor<1x4x3x4xf32>
}

// A bias that differs from head to head keeps the heads apart, as does a group of heads that are not beside each other.
// CHECK-LABEL: func.func @left
func.func @left(%keys: tensor<1x2x8x4xf32> {ttc.state = @keys}, %values: tensor<1x2x8x4xf32> {ttc.state = @values},
                %q: tensor<1x4x3x4xf32>, %bias: tensor<1x4x1x8xf32>) -> (tensor<1x4x3x4xf32>, tensor<1x4x3x8xf32>) {
  // CHECK: ttc.matmul {{.*}} -> tensor<1x4x3x8xf32>
  // CHECK: ttc.matmul {{.*}} -> tensor<1x4x3x4xf32>
  // CHECK: ttc.matmul {{.*}} -> tensor<1x4x3x8xf32>
  %0 = ttc.reshape %keys : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  %1 = ttc.expand %0 : (tensor<1x2x1x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %2 = ttc.reshape %1 : (tensor<1x2x2x8x4xf32>) -> tensor<1x4x8x4xf32>
  %3 = ttc.matmul %q, %2 {transpose_b} : (tensor<1x4x3x4xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x3x8xf32>
  %4 = ttc.add %3, %bias : (tensor<1x4x3x8xf32>, tensor<1x4x1x8xf32>) -> tensor<1x4x3x8xf32>
  %5 = ttc.softmax %4 {axis = 3} : (tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xf32>
  %6 = ttc.reshape %values : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x8x4xf32>
  %7 = ttc.expand %6 : (tensor<1x2x1x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %8 = ttc.reshape %7 : (tensor<1x2x2x8x4xf32>) -> tensor<1x4x8x4xf32>
  %9 = ttc.matmul %5, %8 : (tensor<1x4x3x8xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x3x4xf32>
  %10 = ttc.reshape %keys : (tensor<1x2x8x4xf32>) -> tensor<1x1x2x8x4xf32>
  %11 = ttc.expand %10 : (tensor<1x1x2x8x4xf32>) -> tensor<1x2x2x8x4xf32>
  %12 = ttc.reshape %11 : (tensor<1x2x2x8x4xf32>) -> tensor<1x4x8x4xf32>
  %13 = ttc.matmul %q, %12 {transpose_b} : (tensor<1x4x3x4xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x3x8xf32>
  return %9, %13 : tensor<1x4x3x4xf32>, tensor<1x4x3x8xf32>
}
