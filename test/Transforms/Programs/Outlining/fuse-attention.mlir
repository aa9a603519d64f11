// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-choose-kernels --ttc-fuse-attention --split-input-file | FileCheck %s

// BERT: heads through reshapes and transposes, a scale and a mask. Nothing else is left.
// CHECK-LABEL: @bert
// CHECK-SAME: %[[Q:.*]]: tensor<1x128x768xf32>, %[[K:.*]]: tensor<1x128x768xf32>, %[[V:.*]]: tensor<1x128x768xf32>, %[[M:.*]]: tensor<1x1x128x128xf32>
// CHECK-NOT: ttc.softmax
// CHECK-NOT: ttc.kernel.gemm
// CHECK: %[[A:.*]] = ttc.kernel.attention %[[Q]], %[[K]], %[[V]], %[[M]]
// CHECK-SAME: k_view = #ttc.view<shape = [1, 12, 64, 128], strides = [98304, 64, 1, 768], offset = 0>
// CHECK-SAME: q_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>
// CHECK-SAME: result_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>
// CHECK-SAME: scale = 1.250000e-01
// CHECK-SAME: v_view = #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>
// CHECK-SAME: -> tensor<1x128x12x64xf32>
// CHECK: ttc.reshape %[[A]]
func.func @bert(%q: tensor<1x128x768xf32>, %k: tensor<1x128x768xf32>, %v: tensor<1x128x768xf32>, %mask: tensor<1x1x128x128xf32>) -> tensor<1x128x768xf32> {
  %scale = ttc.constant dense<0.125> : tensor<f32>
  %0 = ttc.reshape %q : (tensor<1x128x768xf32>) -> tensor<1x128x12x64xf32>
  %1 = ttc.transpose %0 {permutation = [0, 2, 1, 3]} : (tensor<1x128x12x64xf32>) -> tensor<1x12x128x64xf32>
  %2 = ttc.reshape %k : (tensor<1x128x768xf32>) -> tensor<1x128x12x64xf32>
  %3 = ttc.transpose %2 {permutation = [0, 2, 3, 1]} : (tensor<1x128x12x64xf32>) -> tensor<1x12x64x128xf32>
  %4 = ttc.reshape %v : (tensor<1x128x768xf32>) -> tensor<1x128x12x64xf32>
  %5 = ttc.transpose %4 {permutation = [0, 2, 1, 3]} : (tensor<1x128x12x64xf32>) -> tensor<1x12x128x64xf32>
  %6 = ttc.matmul %1, %3 : (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>) -> tensor<1x12x128x128xf32>
  %7 = ttc.mul %6, %scale : (tensor<1x12x128x128xf32>, tensor<f32>) -> tensor<1x12x128x128xf32>
  %8 = ttc.add %7, %mask : (tensor<1x12x128x128xf32>, tensor<1x1x128x128xf32>) -> tensor<1x12x128x128xf32>
  %9 = ttc.softmax %8 {axis = 3} : (tensor<1x12x128x128xf32>) -> tensor<1x12x128x128xf32>
  %10 = ttc.matmul %9, %5 : (tensor<1x12x128x128xf32>, tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32>
  %11 = ttc.transpose %10 {permutation = [0, 2, 1, 3]} : (tensor<1x12x128x64xf32>) -> tensor<1x128x12x64xf32>
  %12 = ttc.reshape %11 : (tensor<1x128x12x64xf32>) -> tensor<1x128x768xf32>
  return %12 : tensor<1x128x768xf32>
}

// -----

// The mask first, a divisor, and one K and V for all heads.
// CHECK-LABEL: @divided
// CHECK: ttc.kernel.attention %arg0, %arg1, %arg2, %arg3
// CHECK-SAME: k_view = #ttc.view<shape = [1, 32, 40], strides = [0, 40, 1], offset = 0>
// CHECK-SAME: scale = 2.500000e-01
func.func @divided(%q: tensor<4x40x32xf32>, %k: tensor<32x40xf32>, %v: tensor<40x32xf32>, %mask: tensor<4x1x40xf32>) -> tensor<4x40x32xf32> {
  %scale = ttc.constant dense<4.0> : tensor<f32>
  %0 = ttc.matmul %q, %k : (tensor<4x40x32xf32>, tensor<32x40xf32>) -> tensor<4x40x40xf32>
  %1 = ttc.div %0, %scale : (tensor<4x40x40xf32>, tensor<f32>) -> tensor<4x40x40xf32>
  %2 = ttc.add %mask, %1 : (tensor<4x1x40xf32>, tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %3 = ttc.softmax %2 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %4 = ttc.matmul %3, %v : (tensor<4x40x40xf32>, tensor<40x32xf32>) -> tensor<4x40x32xf32>
  return %4 : tensor<4x40x32xf32>
}

// -----

// Without a scale; a mask of zeros is none.
// CHECK-LABEL: @zeros
// CHECK: ttc.kernel.attention %arg0, %arg1, %arg2 {scale = 1.000000e+00
func.func @zeros(%q: tensor<4x40x32xf32>, %k: tensor<4x32x40xf32>, %v: tensor<4x40x32xf32>) -> tensor<4x40x32xf32> {
  %mask = ttc.constant dense<0.0> : tensor<40x40xf32>
  %0 = ttc.matmul %q, %k : (tensor<4x40x32xf32>, tensor<4x32x40xf32>) -> tensor<4x40x40xf32>
  %1 = ttc.add %0, %mask : (tensor<4x40x40xf32>, tensor<40x40xf32>) -> tensor<4x40x40xf32>
  %2 = ttc.softmax %1 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %3 = ttc.matmul %2, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  return %3 : tensor<4x40x32xf32>
}

// -----

// Few queries: narrow panels, on CPUs with long vectors, too.
// CHECK-LABEL: @narrow
module @narrow attributes {ttc.target = #ttc.target<name = "wide", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl", grid_rows = 1, grid_cols = 2, l1_bytes = 1048576, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {
  // CHECK: ttc.kernel.attention %{{.*}}tile = array<i64: 14, 16>
  // CHECK: ttc.kernel.attention %{{.*}}tile = array<i64: 14, 32>
  func.func @sizes_of_panels(%few: tensor<4x16x32xf32>, %q: tensor<4x17x32xf32>, %k: tensor<4x32x40xf32>, %v: tensor<4x40x32xf32>) -> (tensor<4x16x32xf32>, tensor<4x17x32xf32>) {
    %0 = ttc.matmul %few, %k : (tensor<4x16x32xf32>, tensor<4x32x40xf32>) -> tensor<4x16x40xf32>
    %1 = ttc.softmax %0 {axis = 2} : (tensor<4x16x40xf32>) -> tensor<4x16x40xf32>
    %2 = ttc.matmul %1, %v : (tensor<4x16x40xf32>, tensor<4x40x32xf32>) -> tensor<4x16x32xf32>
    %3 = ttc.matmul %q, %k : (tensor<4x17x32xf32>, tensor<4x32x40xf32>) -> tensor<4x17x40xf32>
    %4 = ttc.softmax %3 {axis = 2} : (tensor<4x17x40xf32>) -> tensor<4x17x40xf32>
    %5 = ttc.matmul %4, %v : (tensor<4x17x40xf32>, tensor<4x40x32xf32>) -> tensor<4x17x32xf32>
    return %2, %5 : tensor<4x16x32xf32>, tensor<4x17x32xf32>
  }
}

// -----

// The probabilities are a result, too.
// CHECK-LABEL: @used_twice
// CHECK-NOT: ttc.kernel.attention
// CHECK: ttc.softmax
func.func @used_twice(%q: tensor<4x40x32xf32>, %k: tensor<4x32x40xf32>, %v: tensor<4x40x32xf32>) -> (tensor<4x40x32xf32>, tensor<4x40x40xf32>) {
  %0 = ttc.matmul %q, %k : (tensor<4x40x32xf32>, tensor<4x32x40xf32>) -> tensor<4x40x40xf32>
  %1 = ttc.softmax %0 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %2 = ttc.matmul %1, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  return %2, %1 : tensor<4x40x32xf32>, tensor<4x40x40xf32>
}

// -----

// Over the rows; by a number of run time; a mask of one column; keys that are weights.
// CHECK-LABEL: @others
// CHECK-NOT: ttc.kernel.attention
func.func @others(%q: tensor<4x40x32xf32>, %k: tensor<4x32x40xf32>, %v: tensor<4x40x32xf32>, %n: tensor<f32>, %mask: tensor<40x1xf32>) -> tensor<4x40x32xf32> {
  %0 = ttc.matmul %q, %k : (tensor<4x40x32xf32>, tensor<4x32x40xf32>) -> tensor<4x40x40xf32>
  %1 = ttc.softmax %0 {axis = 1} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %2 = ttc.matmul %1, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  %3 = ttc.matmul %2, %k : (tensor<4x40x32xf32>, tensor<4x32x40xf32>) -> tensor<4x40x40xf32>
  %4 = ttc.mul %3, %n : (tensor<4x40x40xf32>, tensor<f32>) -> tensor<4x40x40xf32>
  %5 = ttc.softmax %4 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %6 = ttc.matmul %5, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  %7 = ttc.matmul %6, %k : (tensor<4x40x32xf32>, tensor<4x32x40xf32>) -> tensor<4x40x40xf32>
  %8 = ttc.add %7, %mask : (tensor<4x40x40xf32>, tensor<40x1xf32>) -> tensor<4x40x40xf32>
  %9 = ttc.softmax %8 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %10 = ttc.matmul %9, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  %w = ttc.constant dense<1.0> : tensor<32x40xf32>
  %11 = ttc.matmul %10, %w : (tensor<4x40x32xf32>, tensor<32x40xf32>) -> tensor<4x40x40xf32>
  %12 = ttc.softmax %11 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %13 = ttc.matmul %12, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  return %13 : tensor<4x40x32xf32>
}

// -----

// One row, as a decoder has it. And heads of which no panel fits into L2: their product has parts, and to the last one the
// sum of the others is a mask.
// CHECK-LABEL: @sizes
// CHECK-NOT: ttc.kernel.attention
// CHECK: ttc.softmax
// CHECK-COUNT-5: ttc.kernel.gemm
// CHECK: %[[OTHERS:.*]] = ttc.add
// CHECK-NEXT: ttc.kernel.attention %{{.*}}, %{{.*}}, %{{.*}}, %[[OTHERS]] {
func.func @sizes(%q: tensor<4x1x32xf32>, %k: tensor<4x32x40xf32>, %v: tensor<4x40x32xf32>, %long: tensor<4x20x12000xf32>, %keys: tensor<4x12000x20xf32>) -> (tensor<4x1x32xf32>, tensor<4x20x12000xf32>) {
  %0 = ttc.matmul %q, %k : (tensor<4x1x32xf32>, tensor<4x32x40xf32>) -> tensor<4x1x40xf32>
  %1 = ttc.softmax %0 {axis = 2} : (tensor<4x1x40xf32>) -> tensor<4x1x40xf32>
  %2 = ttc.matmul %1, %v : (tensor<4x1x40xf32>, tensor<4x40x32xf32>) -> tensor<4x1x32xf32>
  %3 = ttc.matmul %long, %keys : (tensor<4x20x12000xf32>, tensor<4x12000x20xf32>) -> tensor<4x20x20xf32>
  %4 = ttc.softmax %3 {axis = 2} : (tensor<4x20x20xf32>) -> tensor<4x20x20xf32>
  %5 = ttc.matmul %4, %long : (tensor<4x20x20xf32>, tensor<4x20x12000xf32>) -> tensor<4x20x12000xf32>
  return %2, %5 : tensor<4x1x32xf32>, tensor<4x20x12000xf32>
}

// -----

// Scratch has no place in this L1.
// CHECK-LABEL: @small_target
module @small attributes {ttc.target = #ttc.target<name = "small", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "", grid_rows = 1, grid_cols = 2, l1_bytes = 262144, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {
  // CHECK-NOT: ttc.kernel.attention
  func.func @small_target(%q: tensor<4x40x32xf32>, %k: tensor<4x32x40xf32>, %v: tensor<4x40x32xf32>) -> tensor<4x40x32xf32> {
    %0 = ttc.matmul %q, %k : (tensor<4x40x32xf32>, tensor<4x32x40xf32>) -> tensor<4x40x40xf32>
    %1 = ttc.softmax %0 {axis = 2} : (tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %2 = ttc.matmul %1, %v : (tensor<4x40x40xf32>, tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
    return %2 : tensor<4x40x32xf32>
  }
}

// -----

// Keys up to an extent: neither mask is left. The one of the values is in front of a transpose of heads.
// CHECK-LABEL: @keys
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x40x32xf32>, %[[K:.*]]: tensor<2x4x32x40xf32>, %[[V:.*]]: tensor<2x40x128xf32>, %[[N:.*]]: tensor<1xi32>
// CHECK-NOT: ttc.where
// CHECK: ttc.kernel.attention %[[Q]], %[[K]], %[[V]] keys(%[[N]])
// CHECK-SAME: scale = 2.500000e-01
// CHECK-SAME: v_view = #ttc.view<shape = [2, 4, 40, 32], strides = [5120, 32, 128, 1], offset = 0>
// CHECK-NOT: ttc.where
// CHECK: return
func.func @keys(%q: tensor<2x4x40x32xf32>, %k: tensor<2x4x32x40xf32>, %v: tensor<2x40x128xf32>, %n: tensor<1xi32>) -> tensor<2x4x40x32xf32> {
  %scale = ttc.constant dense<0.25> : tensor<f32>
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %lowest = ttc.constant dense<0xFF800000> : tensor<f32>
  %iota = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi32>
  %valid = ttc.compare lt %iota, %n : (tensor<40xi32>, tensor<1xi32>) -> tensor<40xi1>
  %rows = ttc.reshape %valid : (tensor<40xi1>) -> tensor<40x1xi1>
  %0 = ttc.where %rows, %v, %zero : (tensor<40x1xi1>, tensor<2x40x128xf32>, tensor<f32>) -> tensor<2x40x128xf32>
  %1 = ttc.reshape %0 : (tensor<2x40x128xf32>) -> tensor<2x40x4x32xf32>
  %2 = ttc.transpose %1 {permutation = [0, 2, 1, 3]} : (tensor<2x40x4x32xf32>) -> tensor<2x4x40x32xf32>
  %3 = ttc.matmul %q, %k : (tensor<2x4x40x32xf32>, tensor<2x4x32x40xf32>) -> tensor<2x4x40x40xf32>
  %4 = ttc.mul %3, %scale : (tensor<2x4x40x40xf32>, tensor<f32>) -> tensor<2x4x40x40xf32>
  %5 = ttc.where %valid, %4, %lowest : (tensor<40xi1>, tensor<2x4x40x40xf32>, tensor<f32>) -> tensor<2x4x40x40xf32>
  %6 = ttc.softmax %5 {axis = 3} : (tensor<2x4x40x40xf32>) -> tensor<2x4x40x40xf32>
  %7 = ttc.matmul %6, %2 : (tensor<2x4x40x40xf32>, tensor<2x4x40x32xf32>) -> tensor<2x4x40x32xf32>
  return %7 : tensor<2x4x40x32xf32>
}

// -----

// Masks of the values that are not that of the keys stay: another extent, another dimension, another number.
// CHECK-LABEL: @other_values
// CHECK-COUNT-3: ttc.where
// CHECK-COUNT-3: ttc.kernel.attention {{.*}} keys(
func.func @other_values(%q: tensor<40x40xf32>, %k: tensor<40x40xf32>, %v: tensor<40x40xf32>, %n: tensor<1xi32>, %m: tensor<1xi32>) -> (tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>) {
  %zero = ttc.constant dense<0.0> : tensor<f32>
  %one = ttc.constant dense<1.0> : tensor<f32>
  %lowest = ttc.constant dense<0xFF800000> : tensor<f32>
  %iota = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi32>
  %valid = ttc.compare lt %iota, %n : (tensor<40xi32>, tensor<1xi32>) -> tensor<40xi1>
  %rows = ttc.reshape %valid : (tensor<40xi1>) -> tensor<40x1xi1>
  %other = ttc.compare lt %iota, %m : (tensor<40xi32>, tensor<1xi32>) -> tensor<40xi1>
  %otherRows = ttc.reshape %other : (tensor<40xi1>) -> tensor<40x1xi1>
  %v1 = ttc.where %otherRows, %v, %zero : (tensor<40x1xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %v2 = ttc.where %valid, %v, %zero : (tensor<40xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %v3 = ttc.where %rows, %v, %one : (tensor<40x1xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %0 = ttc.matmul %q, %k : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = ttc.where %valid, %0, %lowest : (tensor<40xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %2 = ttc.softmax %1 {axis = 1} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %3 = ttc.matmul %2, %v1 : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %4 = ttc.matmul %q, %k : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %5 = ttc.where %valid, %4, %lowest : (tensor<40xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %6 = ttc.softmax %5 {axis = 1} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %7 = ttc.matmul %6, %v2 : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %8 = ttc.matmul %q, %k : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %9 = ttc.where %valid, %8, %lowest : (tensor<40xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %10 = ttc.softmax %9 {axis = 1} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %11 = ttc.matmul %10, %v3 : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  return %3, %7, %11 : tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>
}

// -----

// Numbers that do not count from 0, a condition for rows, and one that is no comparison with an extent.
// CHECK-LABEL: @no_keys
// CHECK-NOT: ttc.kernel.attention
func.func @no_keys(%q: tensor<40x40xf32>, %k: tensor<40x40xf32>, %v: tensor<40x40xf32>, %n: tensor<1xi32>, %any: tensor<40xi1>) -> tensor<40x40xf32> {
  %lowest = ttc.constant dense<0xFF800000> : tensor<f32>
  %ones = ttc.constant dense<1> : tensor<40xi32>
  %iota = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi32>
  %valid = ttc.compare lt %ones, %n : (tensor<40xi32>, tensor<1xi32>) -> tensor<40xi1>
  %less = ttc.compare lt %iota, %n : (tensor<40xi32>, tensor<1xi32>) -> tensor<40xi1>
  %rows = ttc.reshape %less : (tensor<40xi1>) -> tensor<40x1xi1>
  %0 = ttc.matmul %q, %k : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = ttc.where %valid, %0, %lowest : (tensor<40xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %2 = ttc.softmax %1 {axis = 1} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %3 = ttc.matmul %2, %v : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %4 = ttc.matmul %3, %k : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %5 = ttc.where %rows, %4, %lowest : (tensor<40x1xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %6 = ttc.softmax %5 {axis = 1} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %7 = ttc.matmul %6, %v : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %8 = ttc.matmul %7, %k : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %9 = ttc.where %any, %8, %lowest : (tensor<40xi1>, tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  %10 = ttc.softmax %9 {axis = 1} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %11 = ttc.matmul %10, %v : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  return %11 : tensor<40x40xf32>
}
