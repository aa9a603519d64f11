// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --canonicalize | FileCheck %s

// A window of all positions leaves none out; a smaller one stays.
// CHECK-LABEL: func.func @windows
func.func @windows(%qkv: tensor<1x256xf32>, %k: tensor<5x2x4x34x32xi8>, %v: tensor<5x2x1x136x32xi8>, %p: tensor<5xi32>, %s: tensor<1xi32>)
    -> (tensor<1x128xf32>, tensor<1x128xf32>) {
  // CHECK: ttc.cached_attention {{.*}} {heads = 4, kv_heads = 2, scale = 1.250000e-01, soft_cap = 2.000000e+01}
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p sequences %s {heads = 4, kv_heads = 2, scale = 0.125, window = 128, soft_cap = 20.0}
      : (tensor<1x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>)
        -> (tensor<1x128xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  // CHECK: ttc.cached_attention {{.*}} {heads = 4, kv_heads = 2, scale = 1.250000e-01, window = 127}
  %1:3 = ttc.cached_attention %qkv, %k, %v, %p sequences %s {heads = 4, kv_heads = 2, scale = 0.125, window = 127}
      : (tensor<1x256xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>, tensor<5xi32>, tensor<1xi32>)
        -> (tensor<1x128xf32>, tensor<5x2x4x34x32xi8>, tensor<5x2x1x136x32xi8>)
  return %0#0, %1#0 : tensor<1x128xf32>, tensor<1x128xf32>
}
