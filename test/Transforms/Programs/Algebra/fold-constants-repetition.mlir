// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants whose parts along a dimension are equal.
// RUN: ttc-opt %s --ttc-fold-constants --split-input-file | FileCheck %s

// What exporters write for the types of tokens: a gather by equal indices, for the whole batch.
// CHECK-LABEL: @gather_by_equal_indices
func.func @gather_by_equal_indices(%x: tensor<8x256x2xf32>) -> tensor<8x256x2xf32> {
  // CHECK: %[[ROW:.*]] = ttc.constant dense<{{\[\[\[}}3.000000e+00, 4.000000e+00]]]> : tensor<1x1x2xf32>
  // CHECK: ttc.add %arg0, %[[ROW]]
  %table = ttc.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %one = ttc.constant dense<1> : tensor<1xi64>
  %ids = ttc.expand %one : (tensor<1xi64>) -> tensor<8x256xi64>
  %types = ttc.gather %table, %ids {axis = 0} : (tensor<2x2xf32>, tensor<8x256xi64>) -> tensor<8x256x2xf32>
  %y = ttc.add %x, %types : (tensor<8x256x2xf32>, tensor<8x256x2xf32>) -> tensor<8x256x2xf32>
  return %y : tensor<8x256x2xf32>
}

// -----

// The rows differ, the batch does not; a chain of ops is followed, and one that broadcasts.
// CHECK-LABEL: @chain
func.func @chain(%x: tensor<256x2x3xf32>) -> tensor<256x2x3xf32> {
  // CHECK: %[[C:.*]] = ttc.constant dense<{{\[\[\[}}6.000000e+00, 8.000000e+00, 1.000000e+01], [9.000000e+00, 1.100000e+01, 1.300000e+01]]]> : tensor<1x2x3xf32>
  // CHECK: ttc.mul %arg0, %[[C]]
  %rows = ttc.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %columns = ttc.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf32>
  %all = ttc.expand %rows : (tensor<2x3xf32>) -> tensor<256x2x3xf32>
  %sum = ttc.add %all, %columns : (tensor<256x2x3xf32>, tensor<3xf32>) -> tensor<256x2x3xf32>
  %y = ttc.mul %x, %sum : (tensor<256x2x3xf32>, tensor<256x2x3xf32>) -> tensor<256x2x3xf32>
  return %y : tensor<256x2x3xf32>
}

// -----

// No other operand has the batch: the result would lose it.
// CHECK-LABEL: @only_the_constant_has_it
func.func @only_the_constant_has_it(%x: tensor<1x3xf32>) -> tensor<256x3xf32> {
  // CHECK: ttc.add %arg0, %{{.*}} : (tensor<1x3xf32>, tensor<256x3xf32>)
  %rows = ttc.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %all = ttc.expand %rows : (tensor<3xf32>) -> tensor<256x3xf32>
  %y = ttc.add %x, %all : (tensor<1x3xf32>, tensor<256x3xf32>) -> tensor<256x3xf32>
  return %y : tensor<256x3xf32>
}

// -----

// One use broadcasts, the other one needs every element.
// CHECK-LABEL: @two_uses
func.func @two_uses(%x: tensor<256x3xf32>) -> (tensor<256x3xf32>, tensor<256x3xf32>) {
  // CHECK-DAG: %[[ALL:.*]] = ttc.constant {{.*}} : tensor<256x3xf32>
  // CHECK-DAG: %[[ONE:.*]] = ttc.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32>
  // CHECK: %[[Y:.*]] = ttc.sub %[[ONE]], %arg0
  // CHECK: return %[[Y]], %[[ALL]]
  %rows = ttc.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %all = ttc.expand %rows : (tensor<3xf32>) -> tensor<256x3xf32>
  %y = ttc.sub %all, %x : (tensor<256x3xf32>, tensor<256x3xf32>) -> tensor<256x3xf32>
  return %y, %all : tensor<256x3xf32>, tensor<256x3xf32>
}

// -----

// Along the last dimension, parts are single elements. The last row differs, so rows stay.
// CHECK-LABEL: @last_dimension
func.func @last_dimension(%x: tensor<3x256xf32>) -> tensor<3x256xf32> {
  // CHECK: %[[C:.*]] = ttc.constant dense<{{\[\[}}7.000000e+00], [7.000000e+00], [8.000000e+00]]> : tensor<3x1xf32>
  // CHECK: ttc.add %arg0, %[[C]]
  %c = ttc.constant dense<[[7.0], [7.0], [8.0]]> : tensor<3x1xf32>
  %all = ttc.expand %c : (tensor<3x1xf32>) -> tensor<3x256xf32>
  %y = ttc.add %x, %all : (tensor<3x256xf32>, tensor<3x256xf32>) -> tensor<3x256xf32>
  return %y : tensor<3x256xf32>
}

// -----

// A mask of keys that an exporter has combined with ones for all queries: both users read one row.
// CHECK-LABEL: @mask_of_keys
// CHECK-SAME: %[[X:.*]]: tensor<2x64x32xf32>, %[[Y:.*]]: tensor<2x64x32xf32>, %[[MASK:.*]]: tensor<2x1x32xi1>
func.func @mask_of_keys(%x: tensor<2x64x32xf32>, %y: tensor<2x64x32xf32>, %mask: tensor<2x1x32xi1>) -> (tensor<2x64x32xf32>, tensor<2x64x32xf32>) {
  // CHECK: %[[AND:.*]] = ttc.and %[[MASK]], %{{.*}} : (tensor<2x1x32xi1>, tensor<1x32xi1>) -> tensor<2x1x32xi1>
  // CHECK: %[[ROW:.*]] = ttc.where %[[AND]], %{{.*}} -> tensor<2x1x32xf32>
  // CHECK: ttc.add %[[X]], %[[ROW]]
  // CHECK: ttc.add %[[Y]], %[[ROW]]
  %ones = ttc.constant dense<true> : tensor<64x32xi1>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %low = ttc.constant dense<-1.0e+30> : tensor<f32>
  %and = ttc.and %mask, %ones : (tensor<2x1x32xi1>, tensor<64x32xi1>) -> tensor<2x64x32xi1>
  %where = ttc.where %and, %zero, %low : (tensor<2x64x32xi1>, tensor<f32>, tensor<f32>) -> tensor<2x64x32xf32>
  %0 = ttc.add %x, %where : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  %1 = ttc.add %y, %where : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  return %0, %1 : tensor<2x64x32xf32>, tensor<2x64x32xf32>
}
