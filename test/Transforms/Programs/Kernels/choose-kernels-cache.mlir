// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-choose-kernels | FileCheck %s

// One token: parts of the positions, three groups in four parts each, and their combination.
// CHECK-LABEL: func.func @step
// CHECK:         %[[P:.*]], %[[K:.*]], %[[V:.*]] = ttc.kernel.decode_attention %arg0, %arg1, %arg2, %arg3 cos_sin %arg4 rope pairs
// CHECK-SAME:        splits = 4
// CHECK-SAME:        -> (tensor<4x9x80xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
// CHECK:         %[[Y:.*]] = ttc.kernel.combine_attention %[[P]]
// CHECK:         return %[[Y]], %[[K]], %[[V]]
func.func @step(%qkv: tensor<1x960xf32>, %k: tensor<3x64x64x32xf16>, %v: tensor<3x2x2048x32xf16>, %p: tensor<1xi32>, %t: tensor<2048x64xf32>)
    -> (tensor<1x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>) {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p cos_sin %t rope pairs {heads = 9, kv_heads = 3, scale = 0.125}
      : (tensor<1x960xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>, tensor<1xi32>, tensor<2048x64xf32>)
        -> (tensor<1x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
  return %0#0, %0#1, %0#2 : tensor<1x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>
}

// Eight groups are enough for all cores, and 128 positions are too few.
// CHECK-LABEL: func.func @groups
// CHECK:         ttc.kernel.decode_attention
// CHECK-SAME:        splits = 1
// CHECK-SAME:        -> (tensor<1x256xf32>
// CHECK-NOT:     ttc.kernel.combine_attention
func.func @groups(%qkv: tensor<1x768xf32>, %k: tensor<8x64x32x32xf32>, %v: tensor<8x1x2048x32xf32>, %p: tensor<1xi32>) -> tensor<1x256xf32> {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p {heads = 8, kv_heads = 8, scale = 0.125}
      : (tensor<1x768xf32>, tensor<8x64x32x32xf32>, tensor<8x1x2048x32xf32>, tensor<1xi32>)
        -> (tensor<1x256xf32>, tensor<8x64x32x32xf32>, tensor<8x1x2048x32xf32>)
  return %0#0 : tensor<1x256xf32>
}
// CHECK-LABEL: func.func @short
// CHECK:         ttc.kernel.decode_attention
// CHECK-SAME:        splits = 1
func.func @short(%qkv: tensor<1x96xf32>, %k: tensor<1x4x32x32xf32>, %v: tensor<1x1x128x32xf32>, %p: tensor<1xi32>) -> tensor<1x32xf32> {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p {heads = 1, kv_heads = 1, scale = 0.125}
      : (tensor<1x96xf32>, tensor<1x4x32x32xf32>, tensor<1x1x128x32xf32>, tensor<1xi32>)
        -> (tensor<1x32xf32>, tensor<1x4x32x32xf32>, tensor<1x1x128x32xf32>)
  return %0#0 : tensor<1x32xf32>
}

// Several tokens: the attention reads what the update has written.
// CHECK-LABEL: func.func @prompt
// CHECK:         %[[K:.*]], %[[V:.*]] = ttc.kernel.update_cache %arg0, %arg1, %arg2, %arg3 count %arg4
// CHECK:         %[[Y:.*]] = ttc.kernel.prefill_attention %arg0, %[[K]], %[[V]], %arg3 count %arg4
// CHECK:         return %[[Y]], %[[K]], %[[V]]
func.func @prompt(%qkv: tensor<16x960xf32>, %k: tensor<3x64x64x32xf16>, %v: tensor<3x2x2048x32xf16>, %p: tensor<1xi32>, %n: tensor<1xi32>)
    -> (tensor<16x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>) {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p count %n {heads = 9, kv_heads = 3, scale = 0.125}
      : (tensor<16x960xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>, tensor<1xi32>, tensor<1xi32>)
        -> (tensor<16x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
  return %0#0, %0#1, %0#2 : tensor<16x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>
}

// One token of each of eight sequences: as many parts as alone. All rows of one sequence are a prompt, and one row is a
// step in any case.
// CHECK-LABEL: func.func @sequences
// CHECK:         %[[P:.*]], %[[K:.*]], %[[V:.*]] = ttc.kernel.decode_attention %arg0, %arg1, %arg2, %arg3 sequences %arg4
// CHECK-SAME:        splits = 4
// CHECK-SAME:        -> (tensor<4x72x80xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>)
// CHECK:         %[[Y:.*]] = ttc.kernel.combine_attention %[[P]] {rows = 8 : i64}
// CHECK:         return %[[Y]], %[[K]], %[[V]]
func.func @sequences(%qkv: tensor<8x960xf32>, %k: tensor<12x3x64x68x32xi8>, %v: tensor<12x3x2x2176x32xi8>, %p: tensor<12xi32>, %s: tensor<8xi32>)
    -> (tensor<8x576xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>) {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p sequences %s {heads = 9, kv_heads = 3, scale = 0.125}
      : (tensor<8x960xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>, tensor<12xi32>, tensor<8xi32>)
        -> (tensor<8x576xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>)
  return %0#0, %0#1, %0#2 : tensor<8x576xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>
}
// CHECK-LABEL: func.func @prompt_of_one
// CHECK:         ttc.kernel.update_cache %arg0, %arg1, %arg2, %arg3 sequences %arg4
// CHECK:         ttc.kernel.prefill_attention %arg0, %{{.*}}, %{{.*}}, %arg3 sequences %arg4
func.func @prompt_of_one(%qkv: tensor<8x960xf32>, %k: tensor<12x3x64x68x32xi8>, %v: tensor<12x3x2x2176x32xi8>, %p: tensor<12xi32>, %s: tensor<1xi32>)
    -> (tensor<8x576xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>) {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p sequences %s {heads = 9, kv_heads = 3, scale = 0.125}
      : (tensor<8x960xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>, tensor<12xi32>, tensor<1xi32>)
        -> (tensor<8x576xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>)
  return %0#0, %0#1, %0#2 : tensor<8x576xf32>, tensor<12x3x64x68x32xi8>, tensor<12x3x2x2176x32xi8>
}
// CHECK-LABEL: func.func @step_of_one
// CHECK:         ttc.kernel.decode_attention %arg0, %arg1, %arg2, %arg3 sequences %arg4
// CHECK-SAME:        splits = 4
func.func @step_of_one(%qkv: tensor<1x960xf32>, %k: tensor<12x3x64x64x32xf16>, %v: tensor<12x3x2x2048x32xf16>, %p: tensor<12xi32>, %s: tensor<1xi32>)
    -> tensor<1x576xf32> {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p sequences %s {heads = 9, kv_heads = 3, scale = 0.125}
      : (tensor<1x960xf32>, tensor<12x3x64x64x32xf16>, tensor<12x3x2x2048x32xf16>, tensor<12xi32>, tensor<1xi32>)
        -> (tensor<1x576xf32>, tensor<12x3x64x64x32xf16>, tensor<12x3x2x2048x32xf16>)
  return %0#0 : tensor<1x576xf32>
}

// Parts of a window's positions: all kernels are given it, and caps and sinks.
// CHECK-LABEL: func.func @window
// CHECK:         ttc.kernel.decode_attention %arg0, %arg1, %arg2, %arg3 sinks %arg4 {heads = 9 : i64, kv_heads = 3 : i64, scale = 1.250000e-01 : f32, soft_cap = 5.000000e+01 : f32, splits = 2 : i64, window = 300 : i64}
// CHECK-SAME:        -> (tensor<2x9x80xf32>
func.func @window(%qkv: tensor<1x960xf32>, %k: tensor<3x64x64x32xf16>, %v: tensor<3x2x2048x32xf16>, %p: tensor<1xi32>, %s: tensor<9xf32>)
    -> tensor<1x576xf32> {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p sinks %s {heads = 9, kv_heads = 3, scale = 0.125, window = 300, soft_cap = 50.0}
      : (tensor<1x960xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>, tensor<1xi32>, tensor<9xf32>)
        -> (tensor<1x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
  return %0#0 : tensor<1x576xf32>
}
// CHECK-LABEL: func.func @window_of_a_prompt
// CHECK:         ttc.kernel.prefill_attention {{.*}} sinks %arg4 {heads = 9 : i64, kv_heads = 3 : i64, scale = 1.250000e-01 : f32, soft_cap = 5.000000e+01 : f32, window = 300 : i64}
func.func @window_of_a_prompt(%qkv: tensor<16x960xf32>, %k: tensor<3x64x64x32xf16>, %v: tensor<3x2x2048x32xf16>, %p: tensor<1xi32>, %s: tensor<9xf32>)
    -> tensor<16x576xf32> {
  %0:3 = ttc.cached_attention %qkv, %k, %v, %p sinks %s {heads = 9, kv_heads = 3, scale = 0.125, window = 300, soft_cap = 50.0}
      : (tensor<16x960xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>, tensor<1xi32>, tensor<9xf32>)
        -> (tensor<16x576xf32>, tensor<3x64x64x32xf16>, tensor<3x2x2048x32xf16>)
  return %0#0 : tensor<16x576xf32>
}
