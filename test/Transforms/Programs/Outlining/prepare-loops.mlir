// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-prepare-loops | FileCheck %s

// Out of the inner loop, and of the outer one if nothing of that is needed; what an equal op has after a loop, too.
// CHECK-LABEL: func.func @invariants
// CHECK-NEXT: %[[ONE:.*]] = ttc.constant
// CHECK-NEXT: %[[S:.*]] = ttc.add %arg1, %[[ONE]]
// CHECK-NEXT: %[[R:.*]] = ttc.reshape %[[S]]
// CHECK-NEXT: %[[V:.*]] = ttc.loop_begin %arg0 times 5
// CHECK-NEXT: %[[E:.*]] = ttc.exp %[[V]]
// CHECK-NEXT: %[[W:.*]] = ttc.loop_begin %[[V]] times 3
// CHECK-NEXT: ttc.mul %[[W]], %[[E]]
// CHECK-NEXT: ttc.add %{{.*}}, %[[R]]
// CHECK-NEXT: ttc.loop_end
// CHECK-NEXT: ttc.loop_end
// CHECK-NEXT: ttc.sub %{{.*}}, %[[S]]
func.func @invariants(%x: tensor<4xf32>, %s: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %v = ttc.loop_begin %x times 5 : tensor<4xf32>
  %w = ttc.loop_begin %v times 3 : tensor<4xf32>
  %one = ttc.constant dense<1.0> : tensor<1x4xf32>
  %0 = ttc.add %s, %one : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = ttc.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
  %2 = ttc.exp %v : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ttc.mul %w, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = ttc.add %3, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = ttc.loop_end %4 : tensor<4xf32>
  %6 = ttc.loop_end %5 : tensor<4xf32>
  %7 = ttc.sub %6, %0 : (tensor<4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %7 : tensor<1x4xf32>
}

// A row of many is written by one workgroup; half of the rows, or rows of what no iteration hands on, are not.
// CHECK-LABEL: func.func @updates
// CHECK: ttc.scatter_nd {{.*}}ttc.max_workgroups = 1
// CHECK: ttc.scatter_nd
// CHECK-NOT: max_workgroups
// CHECK: ttc.scatter_nd
// CHECK-NOT: max_workgroups
// CHECK: return
func.func @updates(%rows: tensor<64x8xf32>, %at: tensor<1x1xi32>, %row: tensor<1x8xf32>, %all: tensor<32x1xi32>, %half: tensor<32x8xf32>)
    -> (tensor<64x8xf32>, tensor<64x8xf32>) {
  %v:2 = ttc.loop_begin %rows, %at times 5 : tensor<64x8xf32>, tensor<1x1xi32>
  %0 = ttc.reshape %v#0 : (tensor<64x8xf32>) -> tensor<64x1x8xf32>
  %1 = ttc.reshape %0 : (tensor<64x1x8xf32>) -> tensor<64x8xf32>
  %2 = ttc.scatter_nd %1, %v#1, %row : (tensor<64x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<64x8xf32>
  %3 = ttc.scatter_nd %2, %all, %half : (tensor<64x8xf32>, tensor<32x1xi32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  %4:2 = ttc.loop_end %3, %v#1 : tensor<64x8xf32>, tensor<1x1xi32>
  %5 = ttc.scatter_nd %4#0, %at, %row : (tensor<64x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<64x8xf32>
  return %4#0, %5 : tensor<64x8xf32>, tensor<64x8xf32>
}

// Many equal elements are not stored; few are.
// CHECK-LABEL: func.func @fills
// CHECK-DAG: %[[A:.*]] = ttc.fill with 4575657222473777152 : tensor<100xf32>
// CHECK-DAG: %[[B:.*]] = ttc.fill with 72340172838076673 : tensor<100xi1>
// CHECK-DAG: %[[C:.*]] = ttc.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: ttc.loop_begin %[[A]], %[[B]], %[[C]] times 5
func.func @fills() -> tensor<100xf32> {
  %a = ttc.constant dense<1.0> : tensor<100xf32>
  %b = ttc.constant dense<true> : tensor<100xi1>
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  %v:3 = ttc.loop_begin %a, %b, %c times 5 : tensor<100xf32>, tensor<100xi1>, tensor<4xf32>
  %0 = ttc.exp %v#0 : (tensor<100xf32>) -> tensor<100xf32>
  %1:3 = ttc.loop_end %0, %v#1, %v#2 : tensor<100xf32>, tensor<100xi1>, tensor<4xf32>
  return %1#0 : tensor<100xf32>
}

// The same if a row has been written before the loop. Others read a constant from where it is stored.
// CHECK-LABEL: func.func @fills_below_rows
// CHECK: %[[C:.*]] = ttc.constant dense<0.000000e+00> : tensor<64x8xf32>
// CHECK: %[[F:.*]] = ttc.fill with 0 : tensor<64x8xf32>
// CHECK: %[[S:.*]] = ttc.scatter_nd %[[F]], %arg0, %arg1
// CHECK: %[[T:.*]] = ttc.reshape %[[S]] : (tensor<64x8xf32>) -> tensor<64x1x8xf32>
// CHECK: %[[U:.*]] = ttc.scatter_nd %[[C]], %arg0, %arg1
// CHECK: ttc.loop_begin %[[T]], %[[U]] times 5
func.func @fills_below_rows(%at: tensor<1x1xi32>, %row: tensor<1x8xf32>) -> (tensor<64x1x8xf32>, tensor<64x8xf32>) {
  %zeros = ttc.constant dense<0.0> : tensor<64x8xf32>
  %0 = ttc.scatter_nd %zeros, %at, %row : (tensor<64x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<64x8xf32>
  %1 = ttc.reshape %0 : (tensor<64x8xf32>) -> tensor<64x1x8xf32>
  %2 = ttc.scatter_nd %zeros, %at, %row : (tensor<64x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<64x8xf32>
  %v:2 = ttc.loop_begin %1, %2 times 5 : tensor<64x1x8xf32>, tensor<64x8xf32>
  %3 = ttc.exp %v#0 : (tensor<64x1x8xf32>) -> tensor<64x1x8xf32>
  %4:2 = ttc.loop_end %3, %v#1 : tensor<64x1x8xf32>, tensor<64x8xf32>
  %5 = ttc.add %4#1, %2 : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  return %4#0, %5 : tensor<64x1x8xf32>, tensor<64x8xf32>
}
