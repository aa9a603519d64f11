// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-fuse --split-input-file | FileCheck %s

// CHECK-LABEL: @epilogue
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xf32>, %b: tensor<16xf32>, %r: tensor<4x16xf32>)
    -> tensor<4x16xf32> {
  // CHECK: %[[F:.*]] = ttc.fusion (%[[A:.*]] = %arg0 : {{.*}}, %[[W:.*]] = %arg1 : {{.*}}, %[[B:.*]] = %arg2 : {{.*}}, %[[R:.*]] = %arg3 : {{.*}}) -> tensor<4x16xf32> {
  // CHECK-NEXT: %[[C:.*]] = ttc.constant dense<2.000000e+00>
  // CHECK-NEXT: %[[G:.*]] = ttc.kernel.gemm %[[A]], %[[W]]
  // CHECK-NEXT: %[[S:.*]] = ttc.add %[[G]], %[[B]]
  // CHECK-NEXT: %[[T:.*]] = ttc.add %[[S]], %[[R]]
  // CHECK-NEXT: %[[M:.*]] = ttc.mul %[[T]], %[[C]]
  // CHECK-NEXT: %[[U:.*]] = ttc.relu %[[M]]
  // CHECK-NEXT: ttc.yield %[[U]]
  // CHECK: return %[[F]]
  %two = ttc.constant dense<2.0> : tensor<f32>
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
     : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %1 = ttc.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = ttc.add %1, %r : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = ttc.mul %2, %two : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %4 = ttc.relu %3 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// -----

// A value used twice is no obstacle where both uses are in the tail.
// CHECK-LABEL: @dag
func.func @dag(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<4x16xf32> {
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.kernel.gemm
  // CHECK-NEXT: ttc.sigmoid
  // CHECK-NEXT: ttc.mul
  // CHECK-NEXT: ttc.yield
  // CHECK-NOT: ttc.fusion
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
     : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %1 = ttc.sigmoid %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = ttc.mul %0, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// -----

// The tail ends where somebody else looks: at the sum.
// CHECK-LABEL: @escapes
func.func @escapes(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xf32>, %b: tensor<16xf32>)
    -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK: %[[F:.*]] = ttc.fusion
  // CHECK-NEXT: ttc.kernel.gemm
  // CHECK-NEXT: %[[S:.*]] = ttc.add
  // CHECK-NEXT: ttc.yield %[[S]]
  // CHECK: %[[G:.*]] = ttc.fusion (%[[A:.*]] = %[[F]]
  // CHECK-NEXT: ttc.relu %[[A]]
  // CHECK: return %[[F]], %[[G]]
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
     : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %1 = ttc.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = ttc.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// A column is neither a vector along the last dimension nor of the result's shape.
// CHECK-LABEL: @column
func.func @column(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xf32>, %c: tensor<4x1xf32>) -> tensor<4x16xf32> {
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.kernel.gemm
  // CHECK-NEXT: ttc.yield
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.add
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
     : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %1 = ttc.add %0, %c : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// Two kernels and the sum of their results: one of them takes it.
// CHECK-LABEL: @two_anchors
func.func @two_anchors(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xf32>, %v: tensor<1x1x8x16xf32>) -> tensor<4x16xf32> {
  // CHECK: %[[F:.*]] = ttc.fusion
  // CHECK-NEXT: ttc.kernel.gemm
  // CHECK-NEXT: ttc.yield
  // CHECK: ttc.fusion ({{.*}} = %[[F]] : tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK-NEXT: ttc.kernel.gemm
  // CHECK-NEXT: ttc.add
  // CHECK-NEXT: ttc.yield
  // CHECK-NOT: ttc.fusion
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
     : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %1 = ttc.kernel.gemm %x, %v {packed, tile = array<i64: 6, 16>}
     : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %2 = ttc.add %0, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// -----

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xi1> {
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.mul
  // CHECK-NEXT: ttc.exp
  // CHECK-NEXT: ttc.compare
  // CHECK-NEXT: ttc.yield
  // CHECK-NOT: ttc.fusion
  %0 = ttc.mul %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = ttc.exp %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = ttc.compare lt %1, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  return %2 : tensor<4x8xi1>
}

// -----

// Reshapes and constants need no program; any other op is a fusion of its own.
// CHECK-LABEL: @others
func.func @others(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  // CHECK: %[[C:.*]] = ttc.constant dense<{{.*}}> : tensor<8xf32>
  // CHECK: %[[L:.*]] = ttc.fusion (%[[A:.*]] = %arg0 : tensor<4x8xf32>, %[[B:.*]] = %[[C]] : tensor<8xf32>)
  // CHECK-NEXT: ttc.layer_norm %[[A]], %[[B]]
  // CHECK: %[[S:.*]] = ttc.fusion
  // CHECK-NEXT: ttc.softmax
  // CHECK: %[[R:.*]] = ttc.reshape %[[S]]
  // CHECK: return %[[R]]
  %c = ttc.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = ttc.layer_norm %x, %c {axis = 1 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = ttc.softmax %0 {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = ttc.reshape %1 : (tensor<4x8xf32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}

// -----

// What constants are not folded is work like any other.
// CHECK-LABEL: @constant_pack
func.func @constant_pack(%x: tensor<3x2xf32>) -> tensor<3x8xf32> {
  // CHECK: %[[P:.*]] = ttc.fusion
  // CHECK-NEXT: ttc.pack
  // CHECK: ttc.fusion (%{{.*}} = %arg0 : tensor<3x2xf32>, %{{.*}} = %[[P]]
  %w = ttc.constant dense<1.0> : tensor<2x8xf32>
  %p = ttc.pack %w {kind = #ttc.pack_kind<matmul>, nr = 8 : i64} : tensor<2x8xf32> -> tensor<1x1x2x8xf32>
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 12, 8>}
     : (tensor<3x2xf32>, tensor<1x1x2x8xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

// A softmax takes the mask in front of it along.
// CHECK-LABEL: @masked_softmax
func.func @masked_softmax(%x: tensor<2x4x4xf32>, %mask: tensor<4x4xf32>) -> tensor<2x4x4xf32> {
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.add
  // CHECK-NEXT: ttc.softmax
  // CHECK-NEXT: ttc.yield
  // CHECK-NOT: ttc.fusion
  %0 = ttc.add %x, %mask : (tensor<2x4x4xf32>, tensor<4x4xf32>) -> tensor<2x4x4xf32>
  %1 = ttc.softmax %0 {axis = 2 : i64} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %1 : tensor<2x4x4xf32>
}

// -----

// Traces are divided at boundaries and events: no fusion has ops of both sides, neither in the epilogue of a kernel
// nor in front of another op.
// CHECK-LABEL: @traces
func.func @traces(%x: tensor<4x8xf32>, %w: tensor<1x1x8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.kernel.gemm
  // CHECK-NEXT: ttc.add
  // CHECK-NEXT: ttc.yield
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>} : (tensor<4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x16xf32>
  %1 = ttc.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  // CHECK: ttc.trace_boundary
  ttc.trace_boundary
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.relu
  // CHECK-NEXT: ttc.exp
  // CHECK-NEXT: ttc.yield
  %2 = ttc.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = ttc.exp %2 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: ttc.record_event
  %e = ttc.record_event on 0
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.tanh
  // CHECK-NEXT: ttc.yield
  %4 = ttc.tanh %3 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: ttc.wait_event
  ttc.wait_event %e on 1
  // CHECK: ttc.fusion
  // CHECK-NEXT: ttc.softmax
  // CHECK-NEXT: ttc.yield
  %5 = ttc.softmax %4 {axis = 1 : i64} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// Nothing across the beginning or the end of a loop.
// CHECK-LABEL: @loop
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ttc.fusion
  // CHECK: ttc.exp
  // CHECK: ttc.loop_begin
  // CHECK: ttc.fusion
  // CHECK: ttc.sin
  // CHECK-NEXT: ttc.mul
  // CHECK: ttc.loop_end
  // CHECK: ttc.fusion
  // CHECK: ttc.relu
  %0 = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %v = ttc.loop_begin %0 times 3 : tensor<4xf32>
  %1 = ttc.sin %v : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.mul %1, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = ttc.loop_end %2 : tensor<4xf32>
  %4 = ttc.relu %3 : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
