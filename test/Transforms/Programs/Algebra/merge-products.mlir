// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-merge-products --split-input-file | FileCheck %s
// RUN: ttc-opt %s --ttc-merge-products --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: ttc-merge-products {{.*}} 2 products - Products that became parts of others

// Slices in any order that are one slice together; what all results go through goes with them.
// CHECK-LABEL: @slices
func.func @slices(%x: tensor<4x64xf32>) -> (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) {
  // CHECK: %[[W:.*]] = ttc.constant {{.*}} : tensor<64x128xf32>
  // CHECK: %[[B:.*]] = ttc.constant {{.*}} : tensor<128xf32>
  // CHECK: %[[X:.*]] = ttc.slice %arg0 {{ *}}{sizes = [3, 64], starts = [1, 0], steps = [1, 1]}
  // CHECK: %[[Y:.*]] = ttc.matmul %[[X]], %[[W]], %[[B]] : (tensor<3x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<3x128xf32>
  // CHECK: %[[R:.*]] = ttc.relu %[[Y]]
  // CHECK: %[[S:.*]] = ttc.constant {{.*}} : tensor<1x128xf32>
  // CHECK: %[[V:.*]] = ttc.reshape %[[S]] : (tensor<1x128xf32>) -> tensor<128xf32>
  // CHECK: %[[M:.*]] = ttc.mul %[[V]], %[[R]] : (tensor<128xf32>, tensor<3x128xf32>) -> tensor<3x128xf32>
  // CHECK: %[[P0:.*]] = ttc.slice %[[M]] {{ *}}{sizes = [1, 128], starts = [2, 0], steps = [1, 1]}
  // CHECK: %[[P1:.*]] = ttc.slice %[[M]] {{ *}}{sizes = [1, 128], starts = [0, 0], steps = [1, 1]}
  // CHECK: %[[P2:.*]] = ttc.slice %[[M]] {{ *}}{sizes = [1, 128], starts = [1, 0], steps = [1, 1]}
  // CHECK: return %[[P0]], %[[P1]], %[[P2]]
  %w = ttc.constant dense<1.5> : tensor<64x128xf32>
  %b = ttc.constant dense<0.5> : tensor<128xf32>
  %0 = ttc.slice %x {starts = [3, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<4x64xf32>) -> tensor<1x64xf32>
  %1 = ttc.slice %x {starts = [1, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<4x64xf32>) -> tensor<1x64xf32>
  %3 = ttc.matmul %0, %w, %b : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<1x128xf32>
  %4 = ttc.matmul %1, %w, %b : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<1x128xf32>
  %2 = ttc.slice %x {starts = [2, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<4x64xf32>) -> tensor<1x64xf32>
  %5 = ttc.matmul %2, %w, %b : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<1x128xf32>
  %6 = ttc.relu %3 : (tensor<1x128xf32>) -> tensor<1x128xf32>
  %7 = ttc.relu %4 : (tensor<1x128xf32>) -> tensor<1x128xf32>
  %8 = ttc.relu %5 : (tensor<1x128xf32>) -> tensor<1x128xf32>
  %s = ttc.constant dense<2.0> : tensor<1x128xf32>
  %9 = ttc.mul %s, %6 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
  %10 = ttc.mul %s, %7 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
  %11 = ttc.mul %s, %8 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
  return %9, %10, %11 : tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>
}

// -----

// The batch comes first: the steps are slices of the second dimension, and the weights transposed.
// CHECK-LABEL: @batch
func.func @batch(%x: tensor<2x3x64xf32>) -> tensor<2x128xf32> {
  // CHECK: %[[Y:.*]] = ttc.matmul %arg0, %{{.*}} {{ *}}{transpose_b} : (tensor<2x3x64xf32>, tensor<128x64xf32>) -> tensor<2x3x128xf32>
  // CHECK: %[[S:.*]] = ttc.slice %[[Y]] {{ *}}{sizes = [2, 1, 128], starts = [0, 0, 0], steps = [1, 1, 1]}
  // CHECK: ttc.reshape %[[S]] : (tensor<2x1x128xf32>) -> tensor<2x128xf32>
  %w = ttc.constant dense<1.5> : tensor<128x64xf32>
  %0 = ttc.slice %x {starts = [0, 0, 0], sizes = [2, 1, 64], steps = [1, 1, 1]} : (tensor<2x3x64xf32>) -> tensor<2x1x64xf32>
  %1 = ttc.reshape %0 : (tensor<2x1x64xf32>) -> tensor<2x64xf32>
  %2 = ttc.matmul %1, %w {transpose_b} : (tensor<2x64xf32>, tensor<128x64xf32>) -> tensor<2x128xf32>
  %5 = ttc.slice %x {starts = [0, 1, 0], sizes = [2, 1, 64], steps = [1, 1, 1]} : (tensor<2x3x64xf32>) -> tensor<2x1x64xf32>
  %6 = ttc.reshape %5 : (tensor<2x1x64xf32>) -> tensor<2x64xf32>
  %7 = ttc.matmul %6, %w {transpose_b} : (tensor<2x64xf32>, tensor<128x64xf32>) -> tensor<2x128xf32>
  %8 = ttc.slice %x {starts = [0, 2, 0], sizes = [2, 1, 64], steps = [1, 1, 1]} : (tensor<2x3x64xf32>) -> tensor<2x1x64xf32>
  %9 = ttc.reshape %8 : (tensor<2x1x64xf32>) -> tensor<2x64xf32>
  %10 = ttc.matmul %9, %w {transpose_b} : (tensor<2x64xf32>, tensor<128x64xf32>) -> tensor<2x128xf32>
  %11 = ttc.add %2, %7 : (tensor<2x128xf32>, tensor<2x128xf32>) -> tensor<2x128xf32>
  %12 = ttc.mul %11, %10 : (tensor<2x128xf32>, tensor<2x128xf32>) -> tensor<2x128xf32>
  return %12 : tensor<2x128xf32>
}

// -----

// Rows of several tensors are joined, and moved before the first product. A second layer that they
// share is merged, too: its rows are slices of one tensor now.
// CHECK-LABEL: @joined
func.func @joined(%x: tensor<128xf32>, %y: tensor<2x128xf32>) -> (tensor<1x128xf32>, tensor<2x128xf32>) {
  // CHECK: %[[R:.*]] = ttc.reshape %arg0 : (tensor<128xf32>) -> tensor<1x128xf32>
  // CHECK: %[[C:.*]] = ttc.concat %arg1, %[[R]] {{ *}}{axis = 0}
  // CHECK: %[[A:.*]] = ttc.matmul %[[C]], %{{.*}} -> tensor<3x128xf32>
  // CHECK: %[[T:.*]] = ttc.tanh %[[A]]
  // CHECK: %[[B:.*]] = ttc.matmul %[[T]], %{{.*}} -> tensor<3x128xf32>
  // CHECK-NOT: ttc.matmul
  %w = ttc.constant dense<1.5> : tensor<128x128xf32>
  %u = ttc.constant dense<2.5> : tensor<128x128xf32>
  %0 = ttc.matmul %y, %w : (tensor<2x128xf32>, tensor<128x128xf32>) -> tensor<2x128xf32>
  %1 = ttc.tanh %0 : (tensor<2x128xf32>) -> tensor<2x128xf32>
  %2 = ttc.matmul %1, %u : (tensor<2x128xf32>, tensor<128x128xf32>) -> tensor<2x128xf32>
  %3 = ttc.reshape %x : (tensor<128xf32>) -> tensor<1x128xf32>
  %4 = ttc.matmul %3, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %5 = ttc.tanh %4 : (tensor<1x128xf32>) -> tensor<1x128xf32>
  %6 = ttc.matmul %5, %u : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  return %6, %2 : tensor<1x128xf32>, tensor<2x128xf32>
}

// -----

// Each needs the one before.
// CHECK-LABEL: @dependent
func.func @dependent(%x: tensor<1x128xf32>) -> tensor<1x128xf32> {
  // CHECK-COUNT-2: -> tensor<1x128xf32>
  // CHECK-NOT: ttc.concat
  %w = ttc.constant dense<1.5> : tensor<128x128xf32>
  %0 = ttc.matmul %x, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %1 = ttc.matmul %0, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  return %1 : tensor<1x128xf32>
}

// -----

// The third needs the first two, which need nothing.
// CHECK-LABEL: @two_sets
func.func @two_sets(%x: tensor<2x128xf32>) -> tensor<1x128xf32> {
  // CHECK: ttc.matmul %arg0, %{{.*}} -> tensor<2x128xf32>
  // CHECK: ttc.matmul {{.*}} -> tensor<1x128xf32>
  // CHECK-NOT: ttc.matmul
  %w = ttc.constant dense<1.5> : tensor<128x128xf32>
  %0 = ttc.slice %x {starts = [0, 0], sizes = [1, 128], steps = [1, 1]} : (tensor<2x128xf32>) -> tensor<1x128xf32>
  %1 = ttc.matmul %0, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %2 = ttc.slice %x {starts = [1, 0], sizes = [1, 128], steps = [1, 1]} : (tensor<2x128xf32>) -> tensor<1x128xf32>
  %3 = ttc.matmul %2, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %4 = ttc.sub %1, %3 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
  %5 = ttc.matmul %4, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  return %5 : tensor<1x128xf32>
}

// -----

// Small weights, many rows, other biases, biases of rows, weights of run time, rows that would take
// long to join.
// CHECK-LABEL: @not
func.func @not(%x: tensor<48x64xf32>, %v: tensor<64x128xf32>) -> (tensor<1x32xf32>, tensor<1x32xf32>, tensor<24x128xf32>,
    tensor<24x128xf32>, tensor<1x128xf32>, tensor<2x128xf32>, tensor<2x128xf32>, tensor<1x128xf32>, tensor<16x128xf32>) {
  // CHECK-NOT: ttc.concat
  // CHECK-COUNT-9: ttc.matmul
  %w = ttc.constant dense<1.5> : tensor<64x32xf32>
  %u = ttc.constant dense<1.5> : tensor<64x128xf32>
  %t = ttc.constant dense<2.5> : tensor<64x128xf32>
  %b = ttc.constant dense<0.5> : tensor<128xf32>
  %c = ttc.constant dense<[[0.5], [1.5]]> : tensor<2x1xf32>
  %r0 = ttc.slice %x {starts = [0, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<1x64xf32>
  %r1 = ttc.slice %x {starts = [1, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<1x64xf32>
  %p0 = ttc.slice %x {starts = [0, 0], sizes = [2, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<2x64xf32>
  %p1 = ttc.slice %x {starts = [2, 0], sizes = [2, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<2x64xf32>
  %h0 = ttc.slice %x {starts = [0, 0], sizes = [24, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<24x64xf32>
  %h1 = ttc.slice %x {starts = [24, 0], sizes = [24, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<24x64xf32>
  %q = ttc.slice %x {starts = [20, 0], sizes = [16, 64], steps = [1, 1]} : (tensor<48x64xf32>) -> tensor<16x64xf32>
  %0 = ttc.matmul %r0, %w : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  %1 = ttc.matmul %r1, %w : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  %2 = ttc.matmul %h0, %u : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32>
  %3 = ttc.matmul %h1, %u : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32>
  %4 = ttc.matmul %r0, %u, %b : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<1x128xf32>
  %5 = ttc.matmul %p0, %t, %c : (tensor<2x64xf32>, tensor<64x128xf32>, tensor<2x1xf32>) -> tensor<2x128xf32>
  %6 = ttc.matmul %p1, %v : (tensor<2x64xf32>, tensor<64x128xf32>) -> tensor<2x128xf32>
  %7 = ttc.matmul %r0, %t : (tensor<1x64xf32>, tensor<64x128xf32>) -> tensor<1x128xf32>
  %8 = ttc.matmul %q, %t : (tensor<16x64xf32>, tensor<64x128xf32>) -> tensor<16x128xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<1x32xf32>, tensor<1x32xf32>, tensor<24x128xf32>, tensor<24x128xf32>,
      tensor<1x128xf32>, tensor<2x128xf32>, tensor<2x128xf32>, tensor<1x128xf32>, tensor<16x128xf32>
}
