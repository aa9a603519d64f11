// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @block_matmul(%x: tensor<2x64xf32>, %w: tensor<3840xi8>) {
  // diagnostic here:
  %0 = ttc.block_matmul q4_1 %x, %w : (tensor<2x64xf32>, tensor<3840xi8>) -> tensor<2x96xf32>
  return
}

// change: tensor<2x64xf32> => tensor<64xf32>
// change: tensor<2x96xf32> => tensor<1x96xf32>
// expected-error {{'ttc.block_matmul' op (C1) expected x of [M, K] with at least one element, found 'tensor<64xf32>'}}

// change: tensor<2x64xf32> => tensor<0x64xf32>
// change: tensor<2x96xf32> => tensor<0x96xf32>
// expected-error {{'ttc.block_matmul' op (C1) expected x of [M, K] with at least one element, found 'tensor<0x64xf32>'}}

// change: tensor<2x64xf32> => tensor<1x48xf32>
// change: tensor<2x96xf32> => tensor<1x96xf32>
// expected-error {{'ttc.block_matmul' op (C2) expected columns in a positive multiple of 32, the block of q4_1, found 48}}

// change: tensor<2x64xf32> => tensor<1x64xf32>
// change: tensor<3840xi8> => tensor<3850xi8>
// change: tensor<2x96xf32> => tensor<1x96xf32>
// expected-error {{'ttc.block_matmul' op (C3) expected weights in a vector of a positive multiple of 40 bytes, a row of 64 columns in q4_1, found 'tensor<3850xi8>'}}

// change: tensor<2x64xf32> => tensor<1x64xf32>
// change: tensor<3840xi8> => tensor<120xi8>
// change: : (tensor => {gated} : (tensor
// change: tensor<2x96xf32> => tensor<1x1xf32>
// expected-error {{'ttc.block_matmul' op (C3) expected weights in a vector of a positive multiple of 80 bytes, two rows of 64 columns in q4_1, found 'tensor<120xi8>'}}

// change: 3840xi8>) { => 3840xi8>, %r: tensor<96xf32>) {
// change: : (tensor => residual %r : (tensor
// change: 3840xi8>) -> => 3840xi8>, tensor<96xf32>) ->
// expected-error {{'ttc.block_matmul' op (C6) expected a residual of 'tensor<2x96xf32>', found 'tensor<96xf32>'}}

// change: 3840xi8>) { => 3840xi8>, %n: tensor<2xi32>) {
// change: : (tensor => count %n : (tensor
// change: 3840xi8>) -> => 3840xi8>, tensor<2xi32>) ->
// expected-error {{'ttc.block_matmul' op (C7) expected 'count' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// -----

func.func @norm(%x: tensor<1x64xf32>, %w: tensor<3840xi8>, %g: tensor<96xf32>) {
  // expected-error@+1 {{'ttc.block_matmul' op (C4) expected 'norm' to be a vector of 64 elements, found 'tensor<96xf32>'}}
  %0 = ttc.block_matmul q4_1 %x, %w norm %g : (tensor<1x64xf32>, tensor<3840xi8>, tensor<96xf32>) -> tensor<1x96xf32>
  return
}

// -----

func.func @bias(%x: tensor<1x64xf32>, %w: tensor<3840xi8>, %b: tensor<96xf32>) {
  // expected-error@+1 {{'ttc.block_matmul' op (C5) expected 'bias' to be a vector of 48 elements, found 'tensor<96xf32>'}}
  %0 = ttc.block_matmul q4_1 %x, %w bias %b {gated} : (tensor<1x64xf32>, tensor<3840xi8>, tensor<96xf32>) -> tensor<1x48xf32>
  return
}

// -----

func.func @expert_matmul(%x: tensor<2x64xf32>, %w: tensor<2560xi8>, %e: tensor<6xi32>) {
  // diagnostic here:
  %0 = ttc.expert_matmul q4_1 %x, %w, %e {expert_count = 4} : (tensor<2x64xf32>, tensor<2560xi8>, tensor<6xi32>) -> tensor<6x16xf32>
  return
}

// change: tensor<2x64xf32> => tensor<0x64xf32>
// expected-error {{'ttc.expert_matmul' op (C1) expected x of [R, K] with at least one element, found 'tensor<0x64xf32>'}}

// change: tensor<2x64xf32> => tensor<2x48xf32>
// expected-error {{'ttc.expert_matmul' op (C2) expected columns in a positive multiple of 32, the block of q4_1, found 48}}

// change: expert_count = 4 => expert_count = 0
// expected-error {{'ttc.expert_matmul' op (C3) expected a positive number of experts, found 0}}

// change: expert_count = 4 => expert_count = 8
// expected-error {{'ttc.expert_matmul' op (C3) expected rows in a positive multiple of 16 for each of 8 experts, found 64 for all}}

// change: expert_count = 4 => expert_count = 3
// expected-error {{'ttc.expert_matmul' op (C3) expected rows in a positive multiple of 16 for each of 3 experts, found 64 for all}}

// change: expert_count = 4 => expert_count = 100
// expected-error {{'ttc.expert_matmul' op (C3) expected rows in a positive multiple of 16 for each of 100 experts, found 64 for all}}

// change: tensor<6xi32> => tensor<5xi32>
// expected-error {{'ttc.expert_matmul' op (C4) expected experts in a vector of a positive multiple of 2 elements, found 'tensor<5xi32>'}}

// change: tensor<6xi32>) { => tensor<6xi32>, %b: tensor<16xf32>) {
// change: %e { => %e bias %b {
// change: tensor<6xi32>) -> => tensor<6xi32>, tensor<16xf32>) ->
// expected-error {{'ttc.expert_matmul' op (C5) expected 'bias' to be a vector of 64 elements, found 'tensor<16xf32>'}}

// change: tensor<6xi32>) { => tensor<6xi32>, %b: tensor<64xf32>) {
// change: %e { => %e bias %b {gated,
// change: tensor<6xi32>) -> => tensor<6xi32>, tensor<64xf32>) ->
// change: expert_count = 4 => expert_count = 2
// expected-error {{'ttc.expert_matmul' op (C5) expected no bias of gated products, found one}}

// change: tensor<6xi32>) { => tensor<6xi32>, %n: tensor<2xi32>) {
// change: %e { => %e count %n {
// change: tensor<6xi32>) -> => tensor<6xi32>, tensor<2xi32>) ->
// expected-error {{'ttc.expert_matmul' op (C6) expected 'count' to be a vector of 1 elements, found 'tensor<2xi32>'}}

// -----

func.func @block_gather(%w: tensor<6800xi8>, %t: tensor<2xi32>) {
  // diagnostic here:
  %0 = ttc.block_gather q8_0 %w, %t {columns = 64} : (tensor<6800xi8>, tensor<2xi32>) -> tensor<2x64xf32>
  return
}

// change: columns = 64 => columns = 0
// change: tensor<2x64xf32> => tensor<2x0xf32>
// expected-error {{'ttc.block_gather' op (C1) expected columns in a positive multiple of 32, the block of q8_0, found 0}}

// change: tensor<6800xi8> => tensor<68x100xi8>
// expected-error {{'ttc.block_gather' op (C2) expected weights in a vector of a positive multiple of 68 bytes, a row of 64 columns in q8_0, found 'tensor<68x100xi8>'}}

// change: tensor<2xi32> => tensor<2x1xi32>
// expected-error {{'ttc.block_gather' op (C3) expected tokens in a vector, found 'tensor<2x1xi32>'}}
