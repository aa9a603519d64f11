// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

func.func @tile(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C1) expected a tile of 1 to 14 rows and 16 or 32 columns, found [15, 16]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 15, 16>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @columns_of_tile(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C1) expected a tile of 1 to 14 rows and 16 or 32 columns, found [6, 48]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 48>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @ranks(%a0: tensor<8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C2) expected q, k, v and the result of one rank, at least 2, found 2, 3, 3 and 3}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @rows(%a0: tensor<4x9x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C2) expected q of [8, 16] for a result of [4, 8, 16], found [4, 9, 16]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x9x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @depth(%a0: tensor<4x8x16xf32>, %a1: tensor<4x15x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C2) expected k of [16, 8] for a result of [4, 8, 16], found [4, 15, 8]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<4x15x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @values(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x15xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C2) expected v of [8, 16] for a result of [4, 8, 16], found [4, 8, 15]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x15xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @batch(%a0: tensor<4x8x16xf32>, %a1: tensor<2x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C2) expected k of [16, 8] for a result of [4, 8, 16], found [2, 16, 8]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @view(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C3) expected 'q_view' within the 512 elements of its tensor, found elements 1 to 512}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>, q_view = #ttc.view<shape = [4, 8, 16], strides = [128, 16, 1], offset = 1>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @result_view(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C3) expected consecutive columns in 'result_view', found stride 8}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>, result_view = #ttc.view<shape = [4, 8, 16], strides = [128, 1, 8], offset = 0>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @result_rows(%a0: tensor<2x2x4xf32>, %a1: tensor<2x4x2xf32>, %a2: tensor<2x2x4xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C3) expected strides in 'result_view' that are multiples of 4, found 6}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>, result_view = #ttc.view<shape = [2, 2, 4], strides = [6, 4, 1], offset = 0>} : (tensor<2x2x4xf32>, tensor<2x4x2xf32>, tensor<2x2x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @result_twice(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C3) expected 'result_view' to see each element of the result once, found strides [0, 16, 1] for [4, 8, 16]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>, result_view = #ttc.view<shape = [4, 8, 16], strides = [0, 16, 1], offset = 0>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @mask(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>, %a3: tensor<2x8x8xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C4) expected a mask that broadcasts to [4, 8, 8] and has its last dimension, found [2, 8, 8]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2, %a3 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>, tensor<2x8x8xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @mask_of_rows(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>, %a3: tensor<8x1xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C4) expected a mask that broadcasts to [4, 8, 8] and has its last dimension, found [8, 1]}}
  %0 = ttc.kernel.attention %a0, %a1, %a2, %a3 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>, tensor<8x1xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

func.func @batch_dimensions(%a0: tensor<2x2x2x2x4x4xf32>, %a1: tensor<2x2x2x2x4x4xf32>, %a2: tensor<2x2x2x2x4x4xf32>, %a3: tensor<2x1x2x1x4x4xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C5) expected at most three batch dimensions that cannot be merged}}
  %0 = ttc.kernel.attention %a0, %a1, %a2, %a3 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<2x2x2x2x4x4xf32>, tensor<2x2x2x2x4x4xf32>, tensor<2x2x2x2x4x4xf32>, tensor<2x1x2x1x4x4xf32>) -> tensor<2x2x2x2x4x4xf32>
  return
}

// -----

func.func @scale(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C6) expected a finite scale, found 0x7F800000 : f32}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 0x7F800000 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}
