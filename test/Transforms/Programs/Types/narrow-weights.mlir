// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-narrow-weights --split-input-file | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: ttc-opt %s --ttc-narrow-weights=weights=f32 --split-input-file | FileCheck %s --check-prefixes=CHECK,F32
// RUN: ttc-opt %s --ttc-narrow-weights=weights=bf16 --split-input-file 2>%t | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: FileCheck %s --input-file=%t --check-prefix=BF16-ERROR
// RUN: ttc-opt %s --ttc-narrow-weights=weights=f16 --split-input-file 2>%t | FileCheck %s --check-prefixes=CHECK,F16
// RUN: ttc-opt %s --ttc-narrow-weights=weights=int8 --split-input-file 2>%t | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: FileCheck %s --input-file=%t --check-prefix=INT8-ERROR

// Weights that bf16 holds.
// CHECK-LABEL: @exact
// AUTO: ttc.constant {{.*}} : tensor<1x1x2x8xbf16>
// F32: ttc.constant {{.*}} : tensor<1x1x2x8xf32>
// BF16: ttc.constant {{.*}} : tensor<1x1x2x8xbf16>
// F16: ttc.constant {{.*}} : tensor<1x1x2x8xf16>
// INT8-DAG: ttc.constant dense<{{\[\[\[\[}}127, 127, 127, 127, 127, -127, 0, 0], [64, 0, 0, 0, 0, 127, 0, 0]]]]> : tensor<1x1x2x8xi8>
// INT8-DAG: %[[S:.*]] = ttc.constant dense<[0.00787401571, 0.0157480314, 0.0157480314, 0.0157480314, 0.0157480314, 0.0236220472]> : tensor<6xf32>
// CHECK-DAG: %[[G:.*]] = ttc.kernel.gemm
// INT8: ttc.mul %[[G]], %[[S]] : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// BF16-ERROR: remark: weights of 1 products and convolutions are stored as bf16: largest error 0, relative RMS error 0
// INT8-ERROR: remark: weights of 1 products and convolutions are stored as int8: largest error 0.00394, relative RMS error
func.func @exact(%x: tensor<4x2xf32>) -> tensor<4x6xf32> {
  %w = ttc.constant dense<[[[[1.0, 2.0, 2.0, 2.0, 2.0, -3.0, 0.0, 0.0],
                             [0.5, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0]]]]> : tensor<1x1x2x8xf32>
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 12, 8>}
     : (tensor<4x2xf32>, tensor<1x1x2x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Integers, but for a zero that has a sign.
// CHECK-LABEL: @integers
// AUTO-DAG: ttc.constant dense<{{\[\[\[\[}}-128, 127, 2, 0, 0, 0, 0, 0]]]]> : tensor<1x1x1x8xi8>
// AUTO-DAG: tensor<1x1x1x8xbf16>
// AUTO-DAG: tensor<1x1x1x8xbf16>
// CHECK: ttc.kernel.gemm
func.func @integers(%x: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %u = ttc.constant dense<[[[[-128.0, 127.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x1x8xf32>
  %v = ttc.constant dense<[[[[-128.0, 127.0, 2.0, 0.0, -0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x1x8xf32>
  %w = ttc.constant dense<[[[[-128.0, 128.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x1x8xf32>
  %0 = ttc.kernel.gemm %x, %u {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  %1 = ttc.kernel.gemm %x, %v {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  %2 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Only f16 holds the first weights, neither type the second ones.
// CHECK-LABEL: @inexact
// AUTO-DAG: tensor<1x1x1x8xf16>
// AUTO-DAG: tensor<1x1x1x8xf32>
// BF16: tensor<1x1x1x8xbf16>
// BF16: tensor<1x1x1x8xbf16>
// F16: tensor<1x1x1x8xf16>
// F16: tensor<1x1x1x8xf16>
// CHECK: ttc.kernel.gemm
// BF16-ERROR: remark: weights of 2 products and convolutions are stored as bf16: largest error 0.00195
func.func @inexact(%x: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %v = ttc.constant dense<[[[[1.001953125, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]]]> : tensor<1x1x1x8xf32>
  %w = ttc.constant dense<[[[[0.1, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]]]> : tensor<1x1x1x8xf32>
  %0 = ttc.kernel.gemm %x, %v {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  %1 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Groups: the scales are those of each group's columns, not of what fills up its panel. Too large for
// f16, or not finite for int8: as they are.
// CHECK-LABEL: @groups
// F16: tensor<2x1x1x8xf32>
// INT8-DAG: %[[S:.*]] = ttc.constant dense<[1.000000e+00, 2.000000e+00, 1.000000e+03, 4.000000e+00]> : tensor<4xf32>
// INT8: ttc.mul %{{.*}}, %[[S]]
// INT8: ttc.kernel.gemm {{.*}}tensor<1x1x1x8xf32>
func.func @groups(%x: tensor<1x3x3x2xf32>, %y: tensor<4x1xf32>) -> (tensor<1x3x3x4xf32>, tensor<4x8xf32>) {
  %w = ttc.constant dense<[[[[127.0, 254.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]],
                           [[[127000.0, -508.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]]> : tensor<2x1x1x8xf32>
  %v = ttc.constant dense<[[[[0x7F800000, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]]]> : tensor<1x1x1x8xf32>
  %0 = ttc.kernel.gemm %x, %w {packed, groups = 2 : i64, kernel = array<i64: 1, 1>, tile = array<i64: 12, 8>}
     : (tensor<1x3x3x2xf32>, tensor<2x1x1x8xf32>) -> tensor<1x3x3x4xf32>
  %1 = ttc.kernel.gemm %y, %v {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<1x3x3x4xf32>, tensor<4x8xf32>
}

// -----

// Weights that another op sees keep their type.
// CHECK-LABEL: @shared
// CHECK: ttc.constant {{.*}} : tensor<1x1x1x8xf32>
// CHECK-NOT: bf16
func.func @shared(%x: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<1x1x1x8xf32>) {
  %w = ttc.constant dense<[[[[1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]]]> : tensor<1x1x1x8xf32>
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 12, 8>}
     : (tensor<4x1xf32>, tensor<1x1x1x8xf32>) -> tensor<4x8xf32>
  return %0, %w : tensor<4x8xf32>, tensor<1x1x1x8xf32>
}

// -----

// Weights that differ between the devices of a mesh: all of them in one type, and scales for each device.
// CHECK-LABEL: @shards
// AUTO: ttc.constant #ttc.shards<[dense<1> : tensor<1x1x2x8xi8>, dense<2> : tensor<1x1x2x8xi8>], [0, 1]>
// INT8: ttc.constant dense<127> : tensor<1x1x2x8xi8>
// INT8: %[[S:.*]] = ttc.constant #ttc.shards<[dense<0.00787401571> : tensor<6xf32>, dense<0.0157480314> : tensor<6xf32>], [0, 1]>
func.func @shards(%x: tensor<4x2xf32>) -> tensor<4x6xf32> {
  %w = ttc.constant #ttc.shards<[dense<1.0> : tensor<1x1x2x8xf32>, dense<2.0> : tensor<1x1x2x8xf32>], [0, 1]>
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 12, 8>}
     : (tensor<4x2xf32>, tensor<1x1x2x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Bytes times a scale of each column: the scales follow the bytes. Other numbers have no scale.
// CHECK-LABEL: @scaled
// AUTO-DAG: ttc.constant dense<"0x01010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101019A99993E9A99993E9A99993E9A99993E9A99993E9A99993E9A99993E9A99993E"> : tensor<1x1x20x8xi8>
// AUTO-DAG: tensor<1x1x17x8xf32>
// AUTO: ttc.kernel.gemm {{.*}} (tensor<4x16xf32>, tensor<1x1x20x8xi8>)
func.func @scaled(%x: tensor<4x16xf32>, %y: tensor<4x17xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %u = ttc.constant dense<0.3> : tensor<1x1x16x8xf32>
  %v = ttc.constant dense<[[[
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.811]]]]> : tensor<1x1x17x8xf32>
  %0 = ttc.kernel.gemm %x, %u {packed, tile = array<i64: 12, 8>}
     : (tensor<4x16xf32>, tensor<1x1x16x8xf32>) -> tensor<4x8xf32>
  %1 = ttc.kernel.gemm %y, %v {packed, tile = array<i64: 12, 8>}
     : (tensor<4x17xf32>, tensor<1x1x17x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
