// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @attention(%a0: tensor<4x8x16xf32>, %a1: tensor<4x16x8xf32>, %a2: tensor<4x8x16xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// change: tile = array<i64: 6, 16> => tile = array<i64: 15, 16>
// expected-error {{'ttc.kernel.attention' op (C1) expected a tile of 1 to 14 rows and 16 or 32 columns, found [15, 16]}}

// change: tile = array<i64: 6, 16> => tile = array<i64: 6, 48>
// expected-error {{'ttc.kernel.attention' op (C1) expected a tile of 1 to 14 rows and 16 or 32 columns, found [6, 48]}}

// change: 4x8x16xf32>, => 8x16xf32>,
// expected-error {{'ttc.kernel.attention' op (C2) expected q, k, v and the result of one rank, at least 2, found 2, 3, 3 and 3}}

// change: 4x8x16xf32>, => 4x9x16xf32>,
// expected-error {{'ttc.kernel.attention' op (C2) expected q of [8, 16] for a result of [4, 8, 16], found [4, 9, 16]}}

// change: tensor<4x16x8xf32> => tensor<4x15x8xf32>
// expected-error {{'ttc.kernel.attention' op (C2) expected k of [16, 8] for a result of [4, 8, 16], found [4, 15, 8]}}

// change: 4x8x16xf32>) => 4x8x15xf32>)
// expected-error {{'ttc.kernel.attention' op (C2) expected v of [8, 16] for a result of [4, 8, 16], found [4, 8, 15]}}

// change: tensor<4x16x8xf32> => tensor<2x16x8xf32>
// expected-error {{'ttc.kernel.attention' op (C2) expected k of [16, 8] for a result of [4, 8, 16], found [2, 16, 8]}}

// change: scale => q_view = #ttc.view<shape = [4, 8, 16], strides = [128, 16, 1], offset = 1>, scale
// expected-error {{'ttc.kernel.attention' op (C3) expected 'q_view' within the 512 elements of its tensor, found elements 1 to 512}}

// change: scale => result_view = #ttc.view<shape = [4, 8, 16], strides = [128, 1, 8], offset = 0>, scale
// expected-error {{'ttc.kernel.attention' op (C3) expected consecutive columns in 'result_view', found stride 8}}

// change: scale => result_view = #ttc.view<shape = [4, 8, 16], strides = [0, 16, 1], offset = 0>, scale
// expected-error {{'ttc.kernel.attention' op (C3) expected 'result_view' to see each element of the result once, found strides [0, 16, 1] for [4, 8, 16]}}

// change: 4x8x16xf32>) { => 4x8x16xf32>, %a3: tensor<2x8x8xf32>) {
// change: %a2 { => %a2, %a3 {
// change: 4x8x16xf32>) -> => 4x8x16xf32>, tensor<2x8x8xf32>) ->
// expected-error {{'ttc.kernel.attention' op (C4) expected a mask that broadcasts to [4, 8, 8] and has its last dimension, found [2, 8, 8]}}

// change: 4x8x16xf32>) { => 4x8x16xf32>, %a3: tensor<8x1xf32>) {
// change: %a2 { => %a2, %a3 {
// change: 4x8x16xf32>) -> => 4x8x16xf32>, tensor<8x1xf32>) ->
// expected-error {{'ttc.kernel.attention' op (C4) expected a mask that broadcasts to [4, 8, 8] and has its last dimension, found [8, 1]}}

// change: 4x8x16xf32>) { => 4x8x16xf32>, %a3: tensor<2xi32>) {
// change: %a2 { => %a2 keys(%a3) {
// change: 4x8x16xf32>) -> => 4x8x16xf32>, tensor<2xi32>) ->
// expected-error {{'ttc.kernel.attention' op (C7) expected 'keys' of one number, found 'tensor<2xi32>'}}

// change: scale = 1.0 => scale = 0x7F800000
// expected-error {{'ttc.kernel.attention' op (C6) expected a finite scale, found 0x7F800000 : f32}}

// -----

func.func @result_rows(%a0: tensor<2x2x4xf32>, %a1: tensor<2x4x2xf32>, %a2: tensor<2x2x4xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C3) expected strides in 'result_view' that are multiples of 4, found 6}}
  %0 = ttc.kernel.attention %a0, %a1, %a2 {scale = 1.0 : f32, tile = array<i64: 6, 16>, result_view = #ttc.view<shape = [2, 2, 4], strides = [6, 4, 1], offset = 0>} : (tensor<2x2x4xf32>, tensor<2x4x2xf32>, tensor<2x2x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @batch_dimensions(%a0: tensor<2x2x2x2x4x4xf32>, %a1: tensor<2x2x2x2x4x4xf32>, %a2: tensor<2x2x2x2x4x4xf32>, %a3: tensor<2x1x2x1x4x4xf32>) {
  // expected-error@+1 {{'ttc.kernel.attention' op (C5) expected at most three batch dimensions that cannot be merged}}
  %0 = ttc.kernel.attention %a0, %a1, %a2, %a3 {scale = 1.0 : f32, tile = array<i64: 6, 16>} : (tensor<2x2x2x2x4x4xf32>, tensor<2x2x2x2x4x4xf32>, tensor<2x2x2x2x4x4xf32>, tensor<2x1x2x1x4x4xf32>) -> tensor<2x2x2x2x4x4xf32>
  return
}
