// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @decode_attention(%q: tensor<1x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>, %p: tensor<1xi32>) {
  // diagnostic here:
  %0:3 = ttc.kernel.decode_attention %q, %k, %v, %p {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32, splits = 1 : i64} : (tensor<1x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>) -> (tensor<1x128xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  return
}

// change: kv_heads = 2 => kv_heads = 3
// expected-error {{'ttc.kernel.decode_attention' op (C1) expected 'kv_heads' of at least 1 that divides 'heads', found 3 and 4}}

// change: tensor<1x256xf32> => tensor<1x257xf32>
// expected-error {{'ttc.kernel.decode_attention' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<1x257xf32>' with keys of 32 elements}}

// change: tensor<1x256xf32> => tensor<1x128xf32>
// change: tensor<2x4x32x32xf16> => tensor<2x4x16x32xf16>
// expected-error {{'ttc.kernel.decode_attention' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<1x128xf32>' with keys of 16 elements}}

// change: tensor<2x4x32x32xf16> => tensor<2x4x32x16xf16>
// expected-error {{'ttc.kernel.decode_attention' op (C3) expected 'keys' of [2, T / 32, D, 32] with T from 32 to 2^31 - 1, found 'tensor<2x4x32x16xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x96x32xf16>
// expected-error {{'ttc.kernel.decode_attention' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x96x32xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x128x32xf32>
// expected-error {{'ttc.kernel.decode_attention' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x128x32xf32>'}}

// change: tensor<1xi32> => tensor<2xi32>
// expected-error {{'ttc.kernel.decode_attention' op (C4) expected 'position' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// change: 1xi32>) { => 1xi32>, %n: tensor<i32>) {
// change: {heads => count %n {heads
// change: 1xi32>) -> => 1xi32>, tensor<i32>) ->
// expected-error {{'ttc.kernel.decode_attention' op (C4) expected 'count' to be a vector of 1 elements, found 'tensor<i32>'}}

// change: {heads => rope pairs {heads
// expected-error {{'ttc.kernel.decode_attention' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope pairs without it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x32xf32>) {
// change: {heads => cos_sin %t {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x32xf32>) ->
// expected-error {{'ttc.kernel.decode_attention' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope none with it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x16xf32>) {
// change: {heads => cos_sin %t rope halves {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x16xf32>) ->
// expected-error {{'ttc.kernel.decode_attention' op (C5) expected 'cos_sin' of [128, 32], found 'tensor<128x16xf32>'}}

// change: scale = 1.250000e-01 => scale = 0x7F800000
// expected-error {{'ttc.kernel.decode_attention' op (C6) expected a finite 'scale', found INF}}

// change: tensor<1x256xf32> => tensor<2x256xf32>
// change: tensor<1x128xf32> => tensor<2x128xf32>
// expected-error {{'ttc.kernel.decode_attention' op (C8) expected one row in 'qkv', or a sequence for each, found 'tensor<2x256xf32>'}}

// change: splits = 1 => splits = 0
// expected-error {{'ttc.kernel.decode_attention' op (C9) expected 'splits' of at least 1, found 0}}

// change: tensor<1x128xf32> => tensor<1x64xf32>
// expected-error {{'ttc.kernel.decode_attention' op (C9) expected 'out' of [1, 128], found 'tensor<1x64xf32>'}}

// change: splits = 1 => splits = 3
// expected-error {{'ttc.kernel.decode_attention' op (C9) expected 'out' of [3, 4, 48], found 'tensor<1x128xf32>'}}

// change: 2x1x128x32xf16>) => 2x1x128x32xf32>)
// expected-error {{'ttc.kernel.decode_attention' op (C9) expected 'new_values' of type 'tensor<2x1x128x32xf16>', found 'tensor<2x1x128x32xf32>'}}

// -----

func.func @update_cache(%q: tensor<16x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>, %p: tensor<1xi32>) {
  // diagnostic here:
  %0:2 = ttc.kernel.update_cache %q, %k, %v, %p {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>) -> (tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  return
}

// change: kv_heads = 2 => kv_heads = 3
// expected-error {{'ttc.kernel.update_cache' op (C1) expected 'kv_heads' of at least 1 that divides 'heads', found 3 and 4}}

// change: tensor<16x256xf32> => tensor<16x257xf32>
// expected-error {{'ttc.kernel.update_cache' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<16x257xf32>' with keys of 32 elements}}

// change: tensor<16x256xf32> => tensor<16x128xf32>
// change: tensor<2x4x32x32xf16> => tensor<2x4x16x32xf16>
// expected-error {{'ttc.kernel.update_cache' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<16x128xf32>' with keys of 16 elements}}

// change: tensor<2x4x32x32xf16> => tensor<2x4x32x16xf16>
// expected-error {{'ttc.kernel.update_cache' op (C3) expected 'keys' of [2, T / 32, D, 32] with T from 32 to 2^31 - 1, found 'tensor<2x4x32x16xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x96x32xf16>
// expected-error {{'ttc.kernel.update_cache' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x96x32xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x128x32xf32>
// expected-error {{'ttc.kernel.update_cache' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x128x32xf32>'}}

// change: tensor<1xi32> => tensor<2xi32>
// expected-error {{'ttc.kernel.update_cache' op (C4) expected 'position' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// change: 1xi32>) { => 1xi32>, %n: tensor<i32>) {
// change: {heads => count %n {heads
// change: 1xi32>) -> => 1xi32>, tensor<i32>) ->
// expected-error {{'ttc.kernel.update_cache' op (C4) expected 'count' to be a vector of 1 elements, found 'tensor<i32>'}}

// change: {heads => rope pairs {heads
// expected-error {{'ttc.kernel.update_cache' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope pairs without it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x32xf32>) {
// change: {heads => cos_sin %t {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x32xf32>) ->
// expected-error {{'ttc.kernel.update_cache' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope none with it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x16xf32>) {
// change: {heads => cos_sin %t rope halves {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x16xf32>) ->
// expected-error {{'ttc.kernel.update_cache' op (C5) expected 'cos_sin' of [128, 32], found 'tensor<128x16xf32>'}}

// change: scale = 1.250000e-01 => scale = 0x7F800000
// expected-error {{'ttc.kernel.update_cache' op (C6) expected a finite 'scale', found INF}}

// change: (tensor<2x4x32x32xf16 => (tensor<2x4x32x32xf32
// expected-error {{'ttc.kernel.update_cache' op (C9) expected 'new_keys' of type 'tensor<2x4x32x32xf16>', found 'tensor<2x4x32x32xf32>'}}

// -----

func.func @prefill_attention(%q: tensor<16x256xf32>, %k: tensor<2x4x32x32xf16>, %v: tensor<2x1x128x32xf16>, %p: tensor<1xi32>) {
  // diagnostic here:
  %0 = ttc.kernel.prefill_attention %q, %k, %v, %p {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>) -> tensor<16x128xf32>
  return
}

// change: kv_heads = 2 => kv_heads = 3
// expected-error {{'ttc.kernel.prefill_attention' op (C1) expected 'kv_heads' of at least 1 that divides 'heads', found 3 and 4}}

// change: tensor<16x256xf32> => tensor<16x257xf32>
// expected-error {{'ttc.kernel.prefill_attention' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<16x257xf32>' with keys of 32 elements}}

// change: tensor<16x256xf32> => tensor<16x128xf32>
// change: tensor<2x4x32x32xf16> => tensor<2x4x16x32xf16>
// expected-error {{'ttc.kernel.prefill_attention' op (C2) expected 'qkv' of [M, (4 + 2 * 2) * D] with M of at least 1 and D a multiple of 32, found 'tensor<16x128xf32>' with keys of 16 elements}}

// change: tensor<2x4x32x32xf16> => tensor<2x4x32x16xf16>
// expected-error {{'ttc.kernel.prefill_attention' op (C3) expected 'keys' of [2, T / 32, D, 32] with T from 32 to 2^31 - 1, found 'tensor<2x4x32x16xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x96x32xf16>
// expected-error {{'ttc.kernel.prefill_attention' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x96x32xf16>'}}

// change: tensor<2x1x128x32xf16> => tensor<2x1x128x32xf32>
// expected-error {{'ttc.kernel.prefill_attention' op (C3) expected 'values' of [2, 1, 128, 32] and the type of 'keys' 'tensor<2x4x32x32xf16>', found 'tensor<2x1x128x32xf32>'}}

// change: tensor<1xi32> => tensor<2xi32>
// expected-error {{'ttc.kernel.prefill_attention' op (C4) expected 'position' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// change: 1xi32>) { => 1xi32>, %n: tensor<i32>) {
// change: {heads => count %n {heads
// change: 1xi32>) -> => 1xi32>, tensor<i32>) ->
// expected-error {{'ttc.kernel.prefill_attention' op (C4) expected 'count' to be a vector of 1 elements, found 'tensor<i32>'}}

// change: {heads => rope pairs {heads
// expected-error {{'ttc.kernel.prefill_attention' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope pairs without it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x32xf32>) {
// change: {heads => cos_sin %t {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x32xf32>) ->
// expected-error {{'ttc.kernel.prefill_attention' op (C5) expected 'cos_sin' exactly if there is a 'rope', found rope none with it}}

// change: 1xi32>) { => 1xi32>, %t: tensor<128x16xf32>) {
// change: {heads => cos_sin %t rope halves {heads
// change: 1xi32>) -> => 1xi32>, tensor<128x16xf32>) ->
// expected-error {{'ttc.kernel.prefill_attention' op (C5) expected 'cos_sin' of [128, 32], found 'tensor<128x16xf32>'}}

// change: scale = 1.250000e-01 => scale = 0x7F800000
// expected-error {{'ttc.kernel.prefill_attention' op (C6) expected a finite 'scale', found INF}}

// change: tensor<16x128xf32> => tensor<16x127xf32>
// expected-error {{'ttc.kernel.prefill_attention' op (C9) expected 'y' of [16, 128], found 'tensor<16x127xf32>'}}

// -----

func.func @combine_c1(%p: tensor<4x9x79xf32>) {
  // expected-error@+1 {{'ttc.kernel.combine_attention' op (C1) expected 'partials' of [parts, heads, D + 16] with D a multiple of 32, found 'tensor<4x9x79xf32>'}}
  %0 = ttc.kernel.combine_attention %p : (tensor<4x9x79xf32>) -> tensor<1x576xf32>
  return
}

// -----

func.func @combine_c1_out(%p: tensor<4x9x80xf32>) {
  // expected-error@+1 {{'ttc.kernel.combine_attention' op (C1) expected 'out' of [1, 576], found 'tensor<9x64xf32>'}}
  %0 = ttc.kernel.combine_attention %p : (tensor<4x9x80xf32>) -> tensor<9x64xf32>
  return
}

// -----

func.func @decode_c8_one_sequence(%q: tensor<3x256xf32>, %k: tensor<5x2x4x32x32xf16>, %v: tensor<5x2x1x128x32xf16>, %p: tensor<5xi32>, %s: tensor<3xi32>, %o: tensor<1xi32>) {
  // expected-error@+1 {{'ttc.kernel.decode_attention' op (C8) expected one row in 'qkv', or a sequence for each, found 'tensor<3x256xf32>'}}
  %0:3 = ttc.kernel.decode_attention %q, %k, %v, %p sequences %o {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32, splits = 1 : i64} : (tensor<3x256xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>, tensor<5xi32>, tensor<1xi32>) -> (tensor<3x128xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>)
  return
}

// -----

func.func @decode_c9_rows(%q: tensor<3x256xf32>, %k: tensor<5x2x4x32x32xf16>, %v: tensor<5x2x1x128x32xf16>, %p: tensor<5xi32>, %s: tensor<3xi32>, %o: tensor<1xi32>) {
  // expected-error@+1 {{'ttc.kernel.decode_attention' op (C9) expected 'out' of [2, 12, 48], found 'tensor<2x4x48xf32>'}}
  %0:3 = ttc.kernel.decode_attention %q, %k, %v, %p sequences %s {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32, splits = 2 : i64} : (tensor<3x256xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>, tensor<5xi32>, tensor<3xi32>) -> (tensor<2x4x48xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>)
  return
}

// -----

func.func @update_c8(%q: tensor<3x256xf32>, %k: tensor<5x2x4x32x32xf16>, %v: tensor<5x2x1x128x32xf16>, %p: tensor<5xi32>, %s: tensor<3xi32>, %o: tensor<1xi32>) {
  // expected-error@+1 {{'ttc.kernel.update_cache' op (C8) expected one element in 'sequences', found 'tensor<3xi32>'}}
  %0:2 = ttc.kernel.update_cache %q, %k, %v, %p sequences %s {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} : (tensor<3x256xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>, tensor<5xi32>, tensor<3xi32>) -> (tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>)
  return
}

// -----

func.func @prefill_c8(%q: tensor<3x256xf32>, %k: tensor<5x2x4x32x32xf16>, %v: tensor<5x2x1x128x32xf16>, %p: tensor<5xi32>, %s: tensor<3xi32>, %o: tensor<1xi32>) {
  // expected-error@+1 {{'ttc.kernel.prefill_attention' op (C8) expected one element in 'sequences', found 'tensor<3xi32>'}}
  %0 = ttc.kernel.prefill_attention %q, %k, %v, %p sequences %s {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} : (tensor<3x256xf32>, tensor<5x2x4x32x32xf16>, tensor<5x2x1x128x32xf16>, tensor<5xi32>, tensor<3xi32>) -> tensor<3x128xf32>
  return
}

// -----

func.func @combine_c1_rows(%p: tensor<4x9x80xf32>) {
  // expected-error@+1 {{'ttc.kernel.combine_attention' op (C1) expected 'rows' of at least 1 that divides 9 heads, found 2}}
  %0 = ttc.kernel.combine_attention %p {rows = 2 : i64} : (tensor<4x9x80xf32>) -> tensor<2x288xf32>
  return
}

// -----

func.func @decode_c7(%q: tensor<3x256xf32>, %k: tensor<3x2x4x32x32xf16>, %v: tensor<3x2x1x128x32xf16>, %p: tensor<3xi32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'ttc.kernel.decode_attention' op (C7) expected 'sequences' to be a vector of 1 or of 3 elements, found 'tensor<2xi32>'}}
  %0:3 = ttc.kernel.decode_attention %q, %k, %v, %p sequences %s {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32, splits = 1 : i64} : (tensor<3x256xf32>, tensor<3x2x4x32x32xf16>, tensor<3x2x1x128x32xf16>, tensor<3xi32>, tensor<2xi32>) -> (tensor<3x128xf32>, tensor<3x2x4x32x32xf16>, tensor<3x2x1x128x32xf16>)
  return
}

// -----

func.func @update_c7(%q: tensor<3x256xf32>, %k: tensor<3x2x4x32x32xf16>, %v: tensor<3x2x1x128x32xf16>, %p: tensor<3xi32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'ttc.kernel.update_cache' op (C7) expected 'sequences' to be a vector of 1 or of 3 elements, found 'tensor<2xi32>'}}
  %0:2 = ttc.kernel.update_cache %q, %k, %v, %p sequences %s {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} : (tensor<3x256xf32>, tensor<3x2x4x32x32xf16>, tensor<3x2x1x128x32xf16>, tensor<3xi32>, tensor<2xi32>) -> (tensor<3x2x4x32x32xf16>, tensor<3x2x1x128x32xf16>)
  return
}

// -----

func.func @prefill_c7(%q: tensor<3x256xf32>, %k: tensor<3x2x4x32x32xf16>, %v: tensor<3x2x1x128x32xf16>, %p: tensor<3xi32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'ttc.kernel.prefill_attention' op (C7) expected 'sequences' to be a vector of 1 or of 3 elements, found 'tensor<2xi32>'}}
  %0 = ttc.kernel.prefill_attention %q, %k, %v, %p sequences %s {heads = 4 : i64, kv_heads = 2 : i64, scale = 1.250000e-01 : f32} : (tensor<3x256xf32>, tensor<3x2x4x32x32xf16>, tensor<3x2x1x128x32xf16>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x128xf32>
  return
}
