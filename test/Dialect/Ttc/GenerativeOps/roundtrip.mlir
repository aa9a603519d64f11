// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: func.func @cached_attention
func.func @cached_attention(%qkv: tensor<1x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>,
                            %qkvs: tensor<16x256xf32>, %fk: tensor<2x4x32x32xf32>, %fv: tensor<2x1x128x32xf32>,
                            %p: tensor<1xi32>, %t: tensor<128x32xf32>, %n: tensor<1xi32>) {
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {heads = 4, kv_heads = 2, scale = 1.250000e-01} : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>) -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p {heads = 4, kv_heads = 2, scale = 0.125}
      : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>)
        -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  // CHECK: ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cos_sin %{{.*}} rope halves {heads = 4, kv_heads = 2, scale = 1.250000e-01}
  %1:3 = ttc.cached_attention %qkv, %k, %v, %p cos_sin %t rope halves {heads = 4, kv_heads = 2, scale = 0.125 : f32}
      : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>, tensor<128x32xf32>)
        -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  // CHECK: ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cos_sin %{{.*}} count %{{.*}} rope pairs {heads = 4, kv_heads = 2, scale = 1.250000e-01}
  %2:3 = ttc.cached_attention %qkvs, %fk, %fv, %p cos_sin %t count %n rope pairs {heads = 4, kv_heads = 2, scale = 0.125}
      : (tensor<16x256xf32>, tensor<2x4x32x32xf32>, tensor<2x1x128x32xf32>, tensor<1xi32>, tensor<128x32xf32>, tensor<1xi32>)
        -> (tensor<16x128xf32>, tensor<2x4x32x32xf32>, tensor<2x1x128x32xf32>)
  return
}

// CHECK-LABEL: func.func @special_scores
func.func @special_scores(%qkv: tensor<1x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>, %p: tensor<1xi32>,
                          %t: tensor<128x32xf32>, %s: tensor<4xf32>) {
  // CHECK: ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {heads = 4, kv_heads = 2, scale = 1.250000e-01, window = 64} :
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p {heads = 4, kv_heads = 2, scale = 0.125, window = 64}
      : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>)
        -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  // CHECK: ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cos_sin %{{.*}} sinks %{{.*}} rope halves {heads = 4, kv_heads = 2, scale = 1.250000e-01, soft_cap = 5.000000e+01, window = 1}
  %1:3 = ttc.cached_attention %qkv, %k, %v, %p cos_sin %t sinks %s rope halves
      {heads = 4, kv_heads = 2, scale = 0.125, soft_cap = 50.0, window = 1}
      : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>, tensor<128x32xf32>, tensor<4xf32>)
        -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  return
}

// CHECK-LABEL: func.func @sequences
func.func @sequences(%qkv: tensor<3x256xf32>, %k: tensor<5x2x4x34x32xi8>, %v: tensor<5x2x1x136x32xi8>, %p: tensor<5xi32>,
                     %n: tensor<1xi32>, %rows: tensor<3xi32>, %one: tensor<1xi32>) {
  // CHECK: ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} count %{{.*}} sequences %{{.*}} {heads = 4, kv_heads = 2, scale = 1.250000e-01} : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>, tensor<3xi32>) -> (tensor<3x128xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p count %n sequences %rows {heads = 4, kv_heads = 2, scale = 0.125}
      : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>, tensor<3xi32>)
        -> (tensor<3x128xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  // CHECK: ttc.cached_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} sequences %{{.*}} {heads = 4, kv_heads = 2, scale = 1.250000e-01}
  %1:3 = ttc.cached_attention %qkv, %k, %v, %p sequences %one {heads = 4, kv_heads = 2, scale = 0.125}
      : (tensor<3x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>)
        -> (tensor<3x128xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  return
}

// CHECK-LABEL: func.func @sample
func.func @sample(%l: tensor<1x100xf32>, %t: tensor<1xi32>, %p: tensor<1xi32>, %s: tensor<64xi32>, %h: tensor<128xi32>) {
  // CHECK: ttc.sample %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x100xf32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>)
  %0:5 = ttc.sample %l, %t, %p, %s, %h : (tensor<1x100xf32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>)
      -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>)
  return
}

// CHECK-LABEL: func.func @sample_sequences
func.func @sample_sequences(%l: tensor<2x100xf32>, %t: tensor<3xi32>, %p: tensor<3xi32>, %s: tensor<3x64xi32>,
                            %h: tensor<3x128xi32>, %r: tensor<2xi32>) {
  // CHECK: ttc.sample %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} sequences %{{.*}} : (tensor<2x100xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3x64xi32>, tensor<3x128xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x64xi32>, tensor<3x128xi32>)
  %0:5 = ttc.sample %l, %t, %p, %s, %h sequences %r
      : (tensor<2x100xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3x64xi32>, tensor<3x128xi32>, tensor<2xi32>)
      -> (tensor<2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x64xi32>, tensor<3x128xi32>)
  return
}
