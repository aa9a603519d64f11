// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @cached_attention(%q: tensor<1x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>, %p: tensor<1xi32>) {
  // diagnostic here:
  %0:3 = ttc.cached_attention %q, %k, %v, %p {heads = 4, kv_heads = 2, scale = 1.250000e-01 : f32} : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>) -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  return
}

// change: kv_heads = 2 => kv_heads = 3
// expected-error {{'ttc.cached_attention' op (C1) expected 'kv_heads' of at least 1 that divides 'heads', found 3 and 4}}

// change: tensor<1x256xf32> => tensor<1x257xf32>
// expected-error {{'ttc.cached_attention' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<1x257xf32>' with keys of 32 elements}}

// change: tensor<1x256xf32> => tensor<1x128xf32>
// change: tensor<2x4x32x32xf16> => tensor<2x4x16x32xf16>
// expected-error {{'ttc.cached_attention' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<1x128xf32>' with keys of 16 elements}}

// change: tensor<2x4x32x32xf16> => tensor<2x4x32x16xf16>
// expected-error {{'ttc.cached_attention' op (C3) expected 'keys' of [2, T / 32, D, 32] with T from 32 to 2^31 - 1, found 'tensor<2x4x32x16xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x96x32xf16>
// expected-error {{'ttc.cached_attention' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x96x32xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x128x32xf32>
// expected-error {{'ttc.cached_attention' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x128x32xf32>'}}

// change: tensor<1xi32> => tensor<2xi32>
// expected-error {{'ttc.cached_attention' op (C4) expected 'position' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// change: 1xi32>) { => 1xi32>, %n: tensor<i32>) {
// change: {heads => count %n {heads
// change: 1xi32>) -> => 1xi32>, tensor<i32>) ->
// expected-error {{'ttc.cached_attention' op (C4) expected 'count' to be a vector of 1 elements, found 'tensor<i32>'}}

// change: {heads => rope pairs {heads
// expected-error {{'ttc.cached_attention' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope pairs without it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x32xf32>) {
// change: {heads => cos_sin %t {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x32xf32>) ->
// expected-error {{'ttc.cached_attention' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope none with it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x16xf32>) {
// change: {heads => cos_sin %t rope halves {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x16xf32>) ->
// expected-error {{'ttc.cached_attention' op (C5) expected 'cos_sin' of [128, 32], found 'tensor<128x16xf32>'}}

// change: scale = 1.250000e-01 => scale = 0x7F800000
// expected-error {{'ttc.cached_attention' op (C6) expected a finite 'scale', found INF}}

// change: scale = => window = 0, scale =
// expected-error {{'ttc.cached_attention' op (C6) expected 'window' of at least 1, found 0}}

// change: scale = => window = -5, scale =
// expected-error {{'ttc.cached_attention' op (C6) expected 'window' of at least 1, found -5}}

// change: scale = => soft_cap = 0.0, scale =
// expected-error {{'ttc.cached_attention' op (C6) expected 'soft_cap' from 1e-30 to 1e30, found 0.000000e+00}}

// change: scale = => soft_cap = 0x7FC00000 : f32, scale =
// expected-error {{'ttc.cached_attention' op (C6) expected 'soft_cap' from 1e-30 to 1e30, found nan}}

// change: 1xi32>) { => 1xi32>, %s: tensor<2xf32>) {
// change: {heads => sinks %s {heads
// change: 1xi32>) -> => 1xi32>, tensor<2xf32>) ->
// expected-error {{'ttc.cached_attention' op (C7) expected 'sinks' to be a vector of 4 elements, found 'tensor<2xf32>'}}

// change: tensor<2x4x32x32xf16> => tensor<2x4x32x32xi8>
// change: tensor<2x1x128x32xf16> => tensor<2x1x136x32xi8>
// expected-error {{'ttc.cached_attention' op (C3) expected 'keys' of [2, T / 32, D + D / 16, 32] with T from 32 to 2^31 - 1, found 'tensor<2x4x32x32xi8>'}}

// change: tensor<2x4x32x32xf16> => tensor<2x4x34x32xi8>
// change: tensor<2x1x128x32xf16> => tensor<2x1x128x32xi8>
// expected-error {{'ttc.cached_attention' op (C3) expected 'values' of [2, 1, 136, 32] and the type of 'keys' 'tensor<2x4x34x32xi8>', found 'tensor<2x1x128x32xi8>'}}

// change: tensor<1x128xf32> => tensor<1x64xf32>
// expected-error {{'ttc.cached_attention' op expected result 0 to be 'tensor<1x128xf32>', found 'tensor<1x64xf32>'}}

// -----

func.func @cached_attention(%q: tensor<3x256xf32>, %k: tensor<5x2x4x32x32xf16>, %v: tensor<5x2x1x128x32xf16>, %p: tensor<5xi32>, %s: tensor<3xi32>) {
  // diagnostic here:
  %0:3 = ttc.cached_attention %q, %k, %v, %p sequences %s {heads = 4, kv_heads = 2, scale = 1.250000e-01 : f32} : (tensor<3x256xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>, tensor<5xi32>, tensor<3xi32>) -> (tensor<3x128xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>)
  return
}

// change: tensor<5x2x4x32x32xf16> => tensor<2x4x32x32xf16>
// change: tensor<5x2x1x128x32xf16> => tensor<2x1x128x32xf16>
// expected-error {{'ttc.cached_attention' op (C3) expected 'keys' of [N, 2, T / 32, D, 32] with T from 32 to 2^31 - 1, found 'tensor<2x4x32x32xf16>'}}

// change: , %s: tensor<3xi32> =>
// change: %0: => %s:
// change: sequences %s =>
// change: , tensor<3xi32> =>
// expected-error {{'ttc.cached_attention' op (C3) expected 'keys' of [2, T / 32, D, 32] with T from 32 to 2^31 - 1, found 'tensor<5x2x4x32x32xf16>'}}

// change: tensor<5x2x1x128x32xf16> => tensor<4x2x1x128x32xf16>
// expected-error {{'ttc.cached_attention' op (C3) expected 'values' of [5, 2, 1, 128, 32] and the type of 'keys' 'tensor<5x2x4x32x32xf16>', found 'tensor<4x2x1x128x32xf16>'}}

// change: tensor<5xi32> => tensor<1xi32>
// expected-error {{'ttc.cached_attention' op (C4) expected 'position' to be a vector of 5 elements, found 'tensor<1xi32>'}}

// change: tensor<3xi32> => tensor<2xi32>
// expected-error {{'ttc.cached_attention' op (C7) expected 'sequences' to be a vector of 1 or of 3 elements, found 'tensor<2xi32>'}}

// -----

func.func @sample(%l: tensor<1x100xf32>, %t: tensor<1xi32>, %p: tensor<1xi32>, %s: tensor<64xi32>, %h: tensor<128xi32>) {
  // diagnostic here:
  %0:5 = ttc.sample %l, %t, %p, %s, %h : (tensor<1x100xf32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>)
  return
}

// change: tensor<1x100xf32> => tensor<2x100xf32>
// expected-error {{'ttc.sample' op (C1) expected 'logits' of [1, V] with V from 1 to 2^20, found 'tensor<2x100xf32>'}}

// change: tensor<1x100xf32> => tensor<1x1048577xf32>
// expected-error {{'ttc.sample' op (C1) expected 'logits' of [1, V] with V from 1 to 2^20, found 'tensor<1x1048577xf32>'}}

// change: 1xi32>, %p => 2xi32>, %p
// change: , tensor<1xi32>, tensor => , tensor<2xi32>, tensor
// change: (tensor<1xi32 => (tensor<2xi32
// expected-error {{'ttc.sample' op (C2) expected 'token' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// change: tensor<64xi32> => tensor<63xi32>
// expected-error {{'ttc.sample' op (C3) expected 'sampling' of [64], found 'tensor<63xi32>'}}

// change: tensor<128xi32> => tensor<4x4xi32>
// expected-error {{'ttc.sample' op (C4) expected 'history' of [T] with T from 1 to 2^31 - 1, found 'tensor<4x4xi32>'}}

// -----

func.func @sample_c2_position(%l: tensor<1x100xf32>, %t: tensor<1xi32>, %p: tensor<i32>, %s: tensor<64xi32>, %h: tensor<128xi32>) {
  // expected-error@+1 {{'ttc.sample' op (C2) expected 'position' to be a vector of 1 elements, found 'tensor<i32>'}}
  %0:5 = ttc.sample %l, %t, %p, %s, %h : (tensor<1x100xf32>, tensor<1xi32>, tensor<i32>, tensor<64xi32>, tensor<128xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<i32>, tensor<64xi32>, tensor<128xi32>)
  return
}

// -----

func.func @sample(%l: tensor<2x100xf32>, %t: tensor<3xi32>, %p: tensor<3xi32>, %s: tensor<3x64xi32>, %h: tensor<3x128xi32>, %r: tensor<2xi32>) {
  // diagnostic here:
  %0:5 = ttc.sample %l, %t, %p, %s, %h sequences %r : (tensor<2x100xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3x64xi32>, tensor<3x128xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x64xi32>, tensor<3x128xi32>)
  return
}

// change: tensor<2x100xf32> => tensor<1025x100xf32>
// change: tensor<2xi32> => tensor<1025xi32>
// expected-error {{'ttc.sample' op (C1) expected 'logits' of [B, V] with V from 1 to 2^20 and B from 1 to 1024, found 'tensor<1025x100xf32>'}}

// change: 3xi32>, %p => 3x1xi32>, %p
// change: , tensor<3xi32>, tensor => , tensor<3x1xi32>, tensor
// expected-error {{'ttc.sample' op (C2) expected 'token' to be a vector of at least one element, found 'tensor<3x1xi32>'}}

// change: tensor<3x64xi32> => tensor<64xi32>
// expected-error {{'ttc.sample' op (C3) expected 'sampling' of [3, 64], found 'tensor<64xi32>'}}

// change: tensor<3x128xi32> => tensor<2x128xi32>
// expected-error {{'ttc.sample' op (C4) expected 'history' of [N, T] with T from 1 to 2^31 - 1 and N of 3, found 'tensor<2x128xi32>'}}

// change: 2xi32>) => 3xi32>)
// expected-error {{'ttc.sample' op (C5) expected 'sequences' to be a vector of 2 elements, found 'tensor<3xi32>'}}

// -----

func.func @sample_sequences_c2_position(%l: tensor<2x100xf32>, %t: tensor<3xi32>, %p: tensor<2xi32>, %s: tensor<3x64xi32>, %h: tensor<3x128xi32>, %r: tensor<2xi32>) {
  // expected-error@+1 {{'ttc.sample' op (C2) expected 'position' to be a vector of 3 elements, found 'tensor<2xi32>'}}
  %0:5 = ttc.sample %l, %t, %p, %s, %h sequences %r : (tensor<2x100xf32>, tensor<3xi32>, tensor<2xi32>, tensor<3x64xi32>, tensor<3x128xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<3xi32>, tensor<2xi32>, tensor<3x64xi32>, tensor<3x128xi32>)
  return
}
