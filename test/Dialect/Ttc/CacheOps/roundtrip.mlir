// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: func.func @kernels
func.func @kernels(%qkv: tensor<1x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>, %qkvs: tensor<16x256xf32>,
                   %p: tensor<1xi32>, %t: tensor<128x32xf32>, %n: tensor<1xi32>) {
  // CHECK: %[[P:.*]], %{{.*}}, %{{.*}} = ttc.kernel.decode_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cos_sin %{{.*}} rope pairs {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32, splits = 3 : i64} : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>, tensor<128x32xf32>) -> (tensor<3x4x48xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  %0:3 = ttc.kernel.decode_attention %qkv, %k, %v, %p cos_sin %t rope pairs
      {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32, splits = 3 : i64}
      : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>, tensor<128x32xf32>)
        -> (tensor<3x4x48xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  // CHECK: ttc.kernel.combine_attention %[[P]] : (tensor<3x4x48xf32>) -> tensor<1x128xf32>
  %1 = ttc.kernel.combine_attention %0#0 : (tensor<3x4x48xf32>) -> tensor<1x128xf32>
  // CHECK: %[[K:.*]], %[[V:.*]] = ttc.kernel.update_cache %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} count %{{.*}} {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} :
  %2:2 = ttc.kernel.update_cache %qkvs, %k, %v, %p count %n {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>, tensor<1xi32>)
        -> (tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  // CHECK: ttc.kernel.prefill_attention %{{.*}}, %[[K]], %[[V]], %{{.*}} cos_sin %{{.*}} count %{{.*}} rope halves {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} :
  %3 = ttc.kernel.prefill_attention %qkvs, %2#0, %2#1, %p cos_sin %t count %n rope halves
      {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>, tensor<128x32xf32>, tensor<1xi32>)
        -> tensor<16x128xf32>
  return
}

// CHECK-LABEL: func.func @sequences
func.func @sequences(%qkv: tensor<3x256xf32>, %k: tensor<5x2x4x34x32xi8>, %v: tensor<5x2x1x136x32xi8>, %p: tensor<5xi32>,
                     %rows: tensor<3xi32>, %one: tensor<1xi32>) {
  // CHECK: %[[P:.*]], %{{.*}}, %{{.*}} = ttc.kernel.decode_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} sequences %{{.*}} {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32, splits = 2 : i64} : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<3xi32>) -> (tensor<2x12x48xf32>,
  %0:3 = ttc.kernel.decode_attention %qkv, %k, %v, %p sequences %rows {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32, splits = 2 : i64}
      : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<3xi32>)
        -> (tensor<2x12x48xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  // CHECK: ttc.kernel.combine_attention %[[P]] {rows = 3 : i64} : (tensor<2x12x48xf32>) -> tensor<3x128xf32>
  %1 = ttc.kernel.combine_attention %0#0 {rows = 3 : i64} : (tensor<2x12x48xf32>) -> tensor<3x128xf32>
  // CHECK: ttc.kernel.update_cache %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} sequences %{{.*}} {heads
  %2:2 = ttc.kernel.update_cache %qkv, %k, %v, %p sequences %one {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>)
        -> (tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  // CHECK: ttc.kernel.prefill_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} sequences %{{.*}} {heads
  %3 = ttc.kernel.prefill_attention %qkv, %2#0, %2#1, %p sequences %one {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>) -> tensor<3x128xf32>
  return
}
