// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants that differ between devices are evaluated for each choice of values that some device has.
// RUN: ttc-opt %s --ttc-fold-constants | FileCheck %s

// CHECK-LABEL: func.func @two_axes
func.func @two_axes() -> (tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>) {
  // Along x and along y of a mesh of 2 x 2.
  %x = ttc.constant #ttc.shards<[dense<[1.5, -2.25]> : tensor<2xf32>, dense<[3.0, 0.5]> : tensor<2xf32>], [0, 0, 1, 1]>
  %y = ttc.constant #ttc.shards<[dense<[10.0, 20.0]> : tensor<2xf32>, dense<[30.0, 40.0]> : tensor<2xf32>], [0, 1, 0, 1]>
  %one = ttc.constant dense<1.0> : tensor<2xf32>
  // CHECK-DAG: %[[SUM:.*]] = ttc.constant #ttc.shards<[dense<[1.150000e+01, 1.775000e+01]> : tensor<2xf32>, dense<[3.150000e+01, 3.775000e+01]> : tensor<2xf32>, dense<[1.300000e+01, 2.050000e+01]> : tensor<2xf32>, dense<[3.300000e+01, 4.050000e+01]> : tensor<2xf32>], [0, 1, 2, 3]>
  %0 = ttc.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-DAG: %[[MORE:.*]] = ttc.constant #ttc.shards<[dense<[2.500000e+00, -1.250000e+00]> : tensor<2xf32>, dense<[4.000000e+00, 1.500000e+00]> : tensor<2xf32>], [0, 0, 1, 1]>
  %1 = ttc.add %x, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-DAG: %[[COLUMN:.*]] = ttc.constant #ttc.shards<[dense<{{\[\[}}1.000000e+01], [2.000000e+01]]> : tensor<2x1xf32>, dense<{{\[\[}}3.000000e+01], [4.000000e+01]]> : tensor<2x1xf32>], [0, 1, 0, 1]>
  %2 = ttc.reshape %y : (tensor<2xf32>) -> tensor<2x1xf32>
  // CHECK: return %[[SUM]], %[[MORE]], %[[COLUMN]]
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>
}
