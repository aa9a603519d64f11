// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @pack_columns(%w: tensor<3840xi8>) {
  // expected-error@+2 {{'ttc.pack_blocks' op (C1) expected columns in a positive multiple of 256, the block of q4_k, found 64}}
  // expected-error@+1 {{'ttc.pack_blocks' op failed to infer returned types}}
  %0 = ttc.pack_blocks q4_k %w {columns = 64 : i64} : tensor<3840xi8> -> tensor<6x640xi8>
  return
}

// -----

func.func @pack_rows(%w: tensor<120xi8>) {
  // expected-error@+2 {{'ttc.pack_blocks' op (C2) expected a vector of a positive multiple of 80 bytes, two rows of 64 columns in q4_1, found 'tensor<120xi8>'}}
  // expected-error@+1 {{'ttc.pack_blocks' op failed to infer returned types}}
  %0 = ttc.pack_blocks q4_1 %w {columns = 64 : i64, gated} : tensor<120xi8> -> tensor<6x640xi8>
  return
}

// -----

func.func @block_matmul(%x: tensor<1x64xf32>, %w: tensor<6x640xi8>) {
  // diagnostic here:
  %0 = ttc.kernel.block_matmul q4_1 %x, %w {dot = #ttc.byte_dot<madd>} : (tensor<1x64xf32>, tensor<6x640xi8>) -> tensor<1x96xf32>
  return
}

// change: tensor<1x64xf32> => tensor<1x48xf32>
// expected-error {{'ttc.kernel.block_matmul' op (C1) expected x of [M, K], K a multiple of 32, found 'tensor<1x48xf32>'}}

// change: tensor<1x96xf32> => tensor<2x96xf32>
// expected-error {{'ttc.kernel.block_matmul' op (C2) expected a result of [1, N], found 'tensor<2x96xf32>'}}

// change: {dot => {gated, dot
// expected-error {{'ttc.kernel.block_matmul' op (C3) expected w of shape [12, 640], found [6, 640]}}

// change: 6x640xi8>) { => 6x640xi8>, %g: tensor<1x64xf32>) {
// change: {dot => norm %g {dot
// change: 6x640xi8>) -> => 6x640xi8>, tensor<1x64xf32>) ->
// expected-error {{'ttc.kernel.block_matmul' op (C4) expected 'norm' of shape [64], found [1, 64]}}

// change: 6x640xi8>) { => 6x640xi8>, %n: tensor<2xi32>) {
// change: {dot => count %n {dot
// change: 6x640xi8>) -> => 6x640xi8>, tensor<2xi32>) ->
// expected-error {{'ttc.kernel.block_matmul' op (C4) expected 'count' of shape [1], found [2]}}

// -----

func.func @expert_matmul(%x: tensor<1x64xf32>, %w: tensor<6x640xi8>, %e: tensor<2xi32>) {
  // diagnostic here:
  %0 = ttc.kernel.expert_matmul q4_1 %x, %w, %e {dot = #ttc.byte_dot<madd>, expert_count = 3 : i64} : (tensor<1x64xf32>, tensor<6x640xi8>, tensor<2xi32>) -> tensor<2x32xf32>
  return
}

// change: tensor<1x64xf32> => tensor<1x48xf32>
// expected-error {{'ttc.kernel.expert_matmul' op (C1) expected x of [R, K], K a multiple of 32, found 'tensor<1x48xf32>'}}

// change: tensor<2x32xf32> => tensor<2x24xf32>
// expected-error {{'ttc.kernel.expert_matmul' op (C2) expected experts of [M] and a result of [M, N], M a multiple of 1 and N of 16, found 'tensor<2xi32>' and 'tensor<2x24xf32>'}}

// change: tensor<1x64xf32> => tensor<3x64xf32>
// expected-error {{'ttc.kernel.expert_matmul' op (C2) expected experts of [M] and a result of [M, N], M a multiple of 3 and N of 16, found 'tensor<2xi32>' and 'tensor<2x32xf32>'}}

// change: expert_count = 3 => expert_count = 0
// expected-error {{'ttc.kernel.expert_matmul' op (C3) expected from 1 expert to as many as 'w' has, found 0}}

// change: expert_count = 3 => expert_count = 4
// expected-error {{'ttc.kernel.expert_matmul' op (C3) expected w of shape [8, 640], found [6, 640]}}

// change: tensor<2xi32>) { => tensor<2xi32>, %b: tensor<32xf32>) {
// change: %e { => %e bias %b {
// change: tensor<2xi32>) -> => tensor<2xi32>, tensor<32xf32>) ->
// expected-error {{'ttc.kernel.expert_matmul' op (C4) expected a bias of shape [96] and products that are not gated, found [32]}}

// change: tensor<2xi32>) { => tensor<2xi32>, %n: tensor<2xi32>) {
// change: %e { => %e count %n {
// change: tensor<2xi32>) -> => tensor<2xi32>, tensor<2xi32>) ->
// expected-error {{'ttc.kernel.expert_matmul' op (C4) expected 'count' of shape [1], found [2]}}

// -----

func.func @block_gather(%w: tensor<7x1088xi8>, %t: tensor<2xi32>) {
  %0 = ttc.kernel.block_gather q8_0 %w, %t {rows = 100 : i64} : (tensor<7x1088xi8>, tensor<2xi32>) -> tensor<2x64xf32>
  return
}

// change: tensor<2x64xf32> => tensor<3x64xf32>
// expected-error {{'ttc.kernel.block_gather' op (C1) expected a result of [M, K] for M tokens in a vector, found 'tensor<3x64xf32>' and 'tensor<2xi32>'}}

// change: tensor<2x64xf32> => tensor<2x65xf32>
// expected-error {{'ttc.kernel.block_gather' op (C2) expected K in a positive multiple of 32, found 65}}

// change: rows = 100 => rows = 113
// expected-error {{'ttc.kernel.block_gather' op (C3) expected w of shape [8, 1088], found [7, 1088]}}

// change: rows = 100 => rows = 0
// expected-error {{'ttc.kernel.block_gather' op (C3) expected from 1 row to as many as 'w' has, found 0}}
