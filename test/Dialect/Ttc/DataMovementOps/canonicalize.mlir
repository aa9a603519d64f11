// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -canonicalize | FileCheck %s

!x = tensor<1x8x4x4xf32>

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x4x4xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: !x) -> (!x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x) {
  %0 = ttc.reshape %x : (!x) -> !x
  %1 = ttc.transpose %x {permutation = [0, 1, 2, 3]} : (!x) -> !x
  %2 = ttc.concat %x {axis = 1} : (!x) -> !x
  %3 = ttc.slice %x {starts = [0, 0, 0, 0], sizes = [1, 8, 4, 4], steps = [-1, 1, 1, 1]} : (!x) -> !x
  %4 = ttc.split %x {axis = 1, sizes = [8]} : (!x) -> !x
  %5 = ttc.pad %x {low = [0, 0, 0, 0], high = [0, 0, 0, 0], value = 1.0} : (!x) -> !x
  %6 = ttc.tile %x {repeats = [1, 1, 1, 1]} : (!x) -> !x
  %7 = ttc.expand %x : (!x) -> !x
  %8 = ttc.resize %x mode linear {scales = [1.0, 1.0, 1.0, 1.0]} : (!x) -> !x
  %9 = ttc.depth_to_space %x {block = [1, 1]} : (!x) -> !x
  %10 = ttc.space_to_depth %x {block = 1} : (!x) -> !x
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x
}

// A reversed dimension is none.
// CHECK-LABEL: func.func @reverse
// CHECK: ttc.slice
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttc.slice %x {starts = [3], sizes = [4], steps = [-1]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x4x4xf32>)
// CHECK-NEXT: %[[R:.*]] = ttc.reshape %[[X]] : (tensor<1x8x4x4xf32>) -> tensor<128xf32>
// CHECK-NEXT: return %[[X]], %[[R]]
func.func @reshapes(%x: !x) -> (!x, tensor<128xf32>) {
  %0 = ttc.reshape %x : (!x) -> tensor<8x16xf32>
  %1 = ttc.reshape %0 : (tensor<8x16xf32>) -> !x
  %2 = ttc.reshape %0 : (tensor<8x16xf32>) -> tensor<128xf32>
  return %1, %2 : !x, tensor<128xf32>
}

// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x4x4xf32>)
// CHECK-NEXT: %[[T:.*]] = ttc.transpose %[[X]] {permutation = [0, 3, 2, 1]}
// CHECK-NEXT: return %[[X]], %[[T]]
func.func @transposes(%x: !x) -> (!x, tensor<1x4x4x8xf32>) {
  %0 = ttc.transpose %x {permutation = [0, 2, 3, 1]} : (!x) -> tensor<1x4x4x8xf32>
  %1 = ttc.transpose %0 {permutation = [0, 3, 1, 2]} : (tensor<1x4x4x8xf32>) -> !x
  %2 = ttc.transpose %0 {permutation = [0, 2, 1, 3]} : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %1, %2 : !x, tensor<1x4x4x8xf32>
}

// CHECK-LABEL: func.func @transpose_is_reshape
// CHECK: ttc.reshape %{{.*}} : (tensor<1x8x1x4xf32>) -> tensor<1x1x8x4xf32>
// CHECK: ttc.transpose
func.func @transpose_is_reshape(%x: tensor<1x8x1x4xf32>) -> (tensor<1x1x8x4xf32>, tensor<1x1x4x8xf32>) {
  %0 = ttc.transpose %x {permutation = [0, 2, 1, 3]} : (tensor<1x8x1x4xf32>) -> tensor<1x1x8x4xf32>
  %1 = ttc.transpose %x {permutation = [0, 2, 3, 1]} : (tensor<1x8x1x4xf32>) -> tensor<1x1x4x8xf32>
  return %0, %1 : tensor<1x1x8x4xf32>, tensor<1x1x4x8xf32>
}

// CHECK-LABEL: func.func @expands
// CHECK: ttc.reshape %{{.*}} : (tensor<8x1xf32>) -> tensor<1x8x1xf32>
// CHECK: ttc.expand %{{.*}} : (tensor<8x1xf32>) -> tensor<2x8x4xf32>
// CHECK: ttc.expand %{{.*}} : (tensor<8x1xf32>) -> tensor<8x3xf32>
func.func @expands(%x: tensor<8x1xf32>) -> (tensor<1x8x1xf32>, tensor<2x8x4xf32>, tensor<8x3xf32>) {
  %0 = ttc.expand %x : (tensor<8x1xf32>) -> tensor<1x8x1xf32>
  %1 = ttc.expand %x : (tensor<8x1xf32>) -> tensor<8x4xf32>
  %2 = ttc.expand %1 : (tensor<8x4xf32>) -> tensor<2x8x4xf32>
  %3 = ttc.tile %x {repeats = [1, 3]} : (tensor<8x1xf32>) -> tensor<8x3xf32>
  return %0, %2, %3 : tensor<1x8x1xf32>, tensor<2x8x4xf32>, tensor<8x3xf32>
}

// CHECK-LABEL: func.func @concats
// CHECK-SAME: (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>, %{{.*}}: tensor<0xf32>)
// CHECK-NEXT: ttc.concat %[[A]], %[[B]], %[[A]] {axis = 0}
func.func @concats(%a: tensor<2xf32>, %b: tensor<3xf32>, %empty: tensor<0xf32>) -> tensor<7xf32> {
  %0 = ttc.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = ttc.concat %0, %empty, %a {axis = 0} : (tensor<5xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// CHECK-LABEL: func.func @slices
// CHECK: ttc.slice %{{.*}} {sizes = [2], starts = [5], steps = [-4]} : (tensor<8xf32>) -> tensor<2xf32>
func.func @slices(%x: tensor<8xf32>) -> tensor<2xf32> {
  %0 = ttc.slice %x {starts = [7], sizes = [4], steps = [-2]} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = ttc.slice %0 {starts = [1], sizes = [2], steps = [2]} : (tensor<4xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @gather_one
// CHECK: %[[S:.*]] = ttc.slice %{{.*}} {sizes = [1, 1, 8], starts = [0, 3, 0], steps = [1, 1, 1]}
// CHECK-NEXT: ttc.reshape %[[S]] : (tensor<1x1x8xf32>) -> tensor<1x8xf32>
func.func @gather_one(%x: tensor<1x4x8xf32>) -> tensor<1x8xf32> {
  %last = ttc.constant dense<-1> : tensor<i64>
  %0 = ttc.gather %x, %last {axis = 1} : (tensor<1x4x8xf32>, tensor<i64>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @gather_outside
// CHECK: ttc.gather
func.func @gather_outside(%x: tensor<1x4x8xf32>) -> tensor<1x8xf32> {
  %outside = ttc.constant dense<4> : tensor<i64>
  %0 = ttc.gather %x, %outside {axis = 1} : (tensor<1x4x8xf32>, tensor<i64>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
