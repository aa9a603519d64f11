// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-widen-floats --split-input-file | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: ttc-opt %s --ttc-widen-floats=float-rounding=outputs --split-input-file | FileCheck %s --check-prefixes=CHECK,OUTPUTS
// RUN: ttc-opt %s --ttc-widen-floats=float-rounding=ops --split-input-file | FileCheck %s --check-prefixes=CHECK,OPS

// CHECK-LABEL: @f16
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf16>, %[[W:.*]]: tensor<8x8xf16>)
// CHECK-DAG: %[[A:.*]] = ttc.cast %[[X]] : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-DAG: %[[B:.*]] = ttc.cast %[[W]] : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: %[[P:.*]] = ttc.matmul %[[A]], %[[B]]
// OPS-NEXT: %[[R:.*]] = ttc.reduce_precision %[[P]] {narrow_nan, to = f16}
// OPS-NEXT: %[[Y:.*]] = ttc.relu %[[R]]
// AUTO-NEXT: %[[Y:.*]] = ttc.relu %[[P]]
// OUTPUTS-NEXT: %[[Y:.*]] = ttc.relu %[[P]]
// CHECK-NEXT: %[[Z:.*]] = ttc.cast %[[Y]] : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-NEXT: return %[[Z]]
func.func @f16(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf16> {
  %0 = ttc.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  %1 = ttc.relu %0 : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %1 : tensor<4x8xf16>
}

// -----

// The last rounding is the cast.
// CHECK-LABEL: @bf16
// CHECK: %[[E:.*]] = ttc.exp
// AUTO-NEXT: %[[R:.*]] = ttc.reduce_precision %[[E]] {to = bf16}
// AUTO-NEXT: %[[S:.*]] = ttc.sigmoid %[[R]]
// OPS-NEXT: %[[R:.*]] = ttc.reduce_precision %[[E]] {to = bf16}
// OPS-NEXT: %[[S:.*]] = ttc.sigmoid %[[R]]
// OUTPUTS-NEXT: %[[S:.*]] = ttc.sigmoid %[[E]]
// CHECK-NEXT: %[[Z:.*]] = ttc.cast %[[S]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: return %[[Z]]
func.func @bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = ttc.exp %x : (tensor<4xbf16>) -> tensor<4xbf16>
  %1 = ttc.sigmoid %0 : (tensor<4xbf16>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// -----

// The model's casts to a narrower type round; those to f32 are what computing is done in anyway.
// CHECK-LABEL: @casts
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = ttc.reduce_precision %[[X]] {to = f16}
// CHECK-NEXT: %[[E:.*]] = ttc.exp %[[R]]
// OPS-NEXT: %[[Y:.*]] = ttc.reduce_precision %[[E]] {to = f16}
// OPS-NEXT: return %[[Y]]
// AUTO-NEXT: return %[[E]]
// OUTPUTS-NEXT: return %[[E]]
func.func @casts(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttc.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  %1 = ttc.exp %0 : (tensor<4xf16>) -> tensor<4xf16>
  %2 = ttc.cast %1 : (tensor<4xf16>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// An integer is made from the value that the model's type holds.
// CHECK-LABEL: @to_integer
// CHECK: %[[E:.*]] = ttc.exp
// CHECK-NEXT: %[[N:.*]] = ttc.cast %[[E]] : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT: ttc.cast %[[N]] : (tensor<4xf16>) -> tensor<4xi32>
func.func @to_integer(%x: tensor<4xf16>) -> tensor<4xi32> {
  %0 = ttc.exp %x : (tensor<4xf16>) -> tensor<4xf16>
  %1 = ttc.cast %0 : (tensor<4xf16>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// A table stays in 16 bits; so does what is only moved.
// CHECK-LABEL: @table
// CHECK: %[[T:.*]] = ttc.constant {{.*}} : tensor<10x8xf16>
// CHECK: %[[G:.*]] = ttc.gather %[[T]], {{.*}} -> tensor<4x8xf16>
// CHECK-NEXT: %[[C:.*]] = ttc.cast %[[G]] : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = ttc.slice %[[G]]
// CHECK-NEXT: ttc.exp %[[C]]
// CHECK: return %{{.*}}, %[[S]]
func.func @table(%i: tensor<4xi64>) -> (tensor<4x8xf16>, tensor<2x8xf16>) {
  %t = ttc.constant dense<1.5> : tensor<10x8xf16>
  %0 = ttc.gather %t, %i {axis = 0} : (tensor<10x8xf16>, tensor<4xi64>) -> tensor<4x8xf16>
  %1 = ttc.slice %0 {starts = [0, 0], sizes = [2, 8], steps = [1, 1]} : (tensor<4x8xf16>) -> tensor<2x8xf16>
  %2 = ttc.exp %0 : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %2, %1 : tensor<4x8xf16>, tensor<2x8xf16>
}

// -----

// Movement of what is computed is of f32, without rounding; results of other types keep them.
// CHECK-LABEL: @moved
// CHECK: %[[E:.*]] = ttc.exp
// CHECK: %[[T:.*]] = ttc.transpose %{{.*}} -> tensor<8x4xf32>
// CHECK-NEXT: %[[V:.*]] = ttc.reshape %[[T]] : (tensor<8x4xf32>) -> tensor<32xf32>
// CHECK-NEXT: ttc.compare lt %[[V]], %[[V]] : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xi1>
// CHECK-NEXT: ttc.argmax %[[V]] {{.*}} : (tensor<32xf32>) -> tensor<i64>
func.func @moved(%x: tensor<4x8xf16>) -> (tensor<32xi1>, tensor<i64>) {
  %0 = ttc.exp %x : (tensor<4x8xf16>) -> tensor<4x8xf16>
  %1 = ttc.transpose %0 {permutation = [1, 0]} : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %2 = ttc.reshape %1 : (tensor<8x4xf16>) -> tensor<32xf16>
  %3 = ttc.compare lt %2, %2 : (tensor<32xf16>, tensor<32xf16>) -> tensor<32xi1>
  %4 = ttc.argmax %2 {axis = 0} : (tensor<32xf16>) -> tensor<i64>
  return %3, %4 : tensor<32xi1>, tensor<i64>
}

// -----

// A short softmax of bf16 in the steps of its definition; a long one is rounded once.
// CHECK-LABEL: @softmax
// AUTO: ttc.reduce_max
// AUTO-NEXT: ttc.sub
// AUTO-NEXT: ttc.reduce_precision
// AUTO-NEXT: ttc.exp
// AUTO-NEXT: ttc.reduce_precision
// AUTO-COUNT-2: ttc.slice
// AUTO-NEXT: %[[ADD:.*]] = ttc.add
// AUTO-NEXT: %[[SUM:.*]] = ttc.reduce_precision %[[ADD]]
// AUTO-NEXT: ttc.div %{{.*}}, %[[SUM]]
// OUTPUTS-NOT: ttc.slice
// CHECK: ttc.softmax %{{.*}} {axis = 1} : (tensor<4x17xf32>) -> tensor<4x17xf32>
func.func @softmax(%x: tensor<4x2xbf16>, %y: tensor<4x17xbf16>) -> (tensor<4x2xbf16>, tensor<4x17xbf16>) {
  %0 = ttc.softmax %x {axis = 1} : (tensor<4x2xbf16>) -> tensor<4x2xbf16>
  %1 = ttc.softmax %y {axis = 1} : (tensor<4x17xbf16>) -> tensor<4x17xbf16>
  return %0, %1 : tensor<4x2xbf16>, tensor<4x17xbf16>
}

// -----

// Regions, and values from around them.
// CHECK-LABEL: @region
// CHECK-SAME: (%[[X:.*]]: tensor<4xf16>)
// CHECK: %[[W:.*]] = ttc.cast %[[X]]
// CHECK: ttc.exp %[[W]]
// CHECK: ttc.cast {{.*}} -> tensor<4xf16>
// CHECK: ttc.yield %{{.*}} : tensor<4xf16>
func.func @region(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = ttc.traced -> tensor<4xf16> {
    %1 = ttc.exp %x : (tensor<4xf16>) -> tensor<4xf16>
    ttc.yield %1 : tensor<4xf16>
  }
  return %0 : tensor<4xf16>
}

// -----

// Sums and products of bf16 have no NaN but those of bf16; exp may.
// CHECK-LABEL: @nan
// AUTO: %[[P:.*]] = ttc.matmul
// AUTO-NEXT: %[[R:.*]] = ttc.reduce_precision %[[P]] {narrow_nan, to = bf16}
// AUTO-NEXT: %[[E:.*]] = ttc.exp %[[R]]
// AUTO-NEXT: ttc.reduce_precision %[[E]] {to = bf16}
// CHECK: return
func.func @nan(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %0 = ttc.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %1 = ttc.exp %0 : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %2 = ttc.relu %1 : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %2 : tensor<4x8xbf16>
}

// -----

// What cannot leave the numbers of the type is not rounded again: bounds that the type has, no others.
// CHECK-LABEL: @exact
// CHECK: ttc.exp
// AUTO-NEXT: ttc.reduce_precision
// OPS-NEXT: ttc.reduce_precision
// CHECK-NEXT: ttc.max_pool
// CHECK-NEXT: ttc.neg
// CHECK-NEXT: ttc.clamp %{{.*}} {max = 6.000000e+00, min = -1.000000e+00}
// CHECK-NEXT: ttc.floor
// CHECK-NEXT: ttc.reduce_max
// CHECK-NEXT: ttc.clamp %{{.*}} {max = 1.000000e-01}
// AUTO-NEXT: ttc.reduce_precision %{{.*}} {to = bf16}
// OPS-NEXT: ttc.reduce_precision %{{.*}} {to = bf16}
// CHECK-NEXT: ttc.abs
func.func @exact(%x: tensor<1x2x4x4xbf16>) -> tensor<1x2x3x1xbf16> {
  %0 = ttc.exp %x : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xbf16>
  %1 = ttc.max_pool %0 {kernel = [2, 2], strides = [1, 1]} : (tensor<1x2x4x4xbf16>) -> tensor<1x2x3x3xbf16>
  %2 = ttc.neg %1 : (tensor<1x2x3x3xbf16>) -> tensor<1x2x3x3xbf16>
  %3 = ttc.clamp %2 {max = 6.0, min = -1.0} : (tensor<1x2x3x3xbf16>) -> tensor<1x2x3x3xbf16>
  %4 = ttc.floor %3 : (tensor<1x2x3x3xbf16>) -> tensor<1x2x3x3xbf16>
  %5 = ttc.reduce_max %4 {axes = [3], keepdims} : (tensor<1x2x3x3xbf16>) -> tensor<1x2x3x1xbf16>
  %6 = ttc.clamp %5 {max = 0.1} : (tensor<1x2x3x1xbf16>) -> tensor<1x2x3x1xbf16>
  %7 = ttc.abs %6 : (tensor<1x2x3x1xbf16>) -> tensor<1x2x3x1xbf16>
  return %7 : tensor<1x2x3x1xbf16>
}

// -----

// A softmax of no elements has no steps.
// CHECK-LABEL: @empty
// CHECK: ttc.softmax {{.*}} : (tensor<2x0xf32>) -> tensor<2x0xf32>
func.func @empty(%x: tensor<2x0xbf16>) -> tensor<2x0xbf16> {
  %0 = ttc.softmax %x {axis = 1} : (tensor<2x0xbf16>) -> tensor<2x0xbf16>
  return %0 : tensor<2x0xbf16>
}

// -----

// Writing elements into a stored tensor needs no f32: only the new elements are rounded.
// CHECK-LABEL: @cache
// CHECK-SAME: (%[[CACHE:.*]]: tensor<8x4xf16>
// CHECK: %[[E:.*]] = ttc.exp
// CHECK: %[[N:.*]] = ttc.cast %{{.*}} : (tensor<1x4xf32>) -> tensor<1x4xf16>
// CHECK: %[[Y:.*]] = ttc.scatter_nd %[[CACHE]], %{{.*}}, %[[N]] : (tensor<8x4xf16>
// CHECK: return %[[Y]]
func.func @cache(%cache: tensor<8x4xf16>, %at: tensor<1x1xi64>, %x: tensor<1x4xf16>) -> tensor<8x4xf16> {
  %0 = ttc.exp %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %1 = ttc.scatter_nd %cache, %at, %0 : (tensor<8x4xf16>, tensor<1x1xi64>, tensor<1x4xf16>) -> tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}

// -----

// A sum of elements is computed in f32, as is what is written into a tensor that was computed.
// CHECK-LABEL: @sums
// CHECK: ttc.scatter_elements {{.*}} reduction add {{.*}} -> tensor<8xf32>
// CHECK: ttc.exp
// CHECK: ttc.scatter_elements {{.*}} -> tensor<8xf32>
func.func @sums(%x: tensor<8xf16>, %at: tensor<2xi64>, %new: tensor<2xf16>) -> tensor<8xf16> {
  %0 = ttc.scatter_elements %x, %at, %new reduction add {axis = 0} : (tensor<8xf16>, tensor<2xi64>, tensor<2xf16>) -> tensor<8xf16>
  %1 = ttc.exp %0 : (tensor<8xf16>) -> tensor<8xf16>
  %2 = ttc.scatter_elements %1, %at, %new {axis = 0} : (tensor<8xf16>, tensor<2xi64>, tensor<2xf16>) -> tensor<8xf16>
  return %2 : tensor<8xf16>
}
