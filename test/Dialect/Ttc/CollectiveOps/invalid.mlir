// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @all_reduce_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.all_reduce' op (C1) expected distinct axes, found "x" twice}}
  %r = ttc.all_reduce %x {axes = ["x", "x"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @all_reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.all_reduce' op (C2) expected a result of type 'tensor<4x8xf32>', found 'tensor<8x4xf32>'}}
  %r = ttc.all_reduce %x {axes = ["x"]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @all_gather_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.all_gather' op (C1) expected distinct axes, found "x" twice}}
  %r = ttc.all_gather %x {axes = ["x", "x"], dimension = 0} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @all_gather_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.all_gather' op (C2) expected 'dimension' of a dimension below 2, found 2}}
  %r = ttc.all_gather %x {axes = ["x"], dimension = 2} : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @all_gather_c3(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.all_gather' op (C3) expected a result with a multiple of dimension 0 of 'tensor<4x8xf32>', found 'tensor<6x8xf32>'}}
  %r = ttc.all_gather %x {axes = ["x"], dimension = 0} : (tensor<4x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @reduce_scatter(%x: tensor<4x8xf32>) {
  %r = ttc.reduce_scatter %x {axes = ["x"], dimension = 0} : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// change: axes = ["x"] => axes = ["x", "x"]
// expected-error {{'ttc.reduce_scatter' op (C1) expected distinct axes, found "x" twice}}

// change: dimension = 0 => dimension = -1
// expected-error {{'ttc.reduce_scatter' op (C2) expected 'dimension' of a dimension below 2, found -1}}

// change: tensor<2x8xf32> => tensor<3x8xf32>
// expected-error {{'ttc.reduce_scatter' op (C3) expected a result with a divisor of dimension 0 of 'tensor<4x8xf32>', found 'tensor<3x8xf32>'}}

// -----

func.func @all_to_all(%x: tensor<4x8xf32>) {
  %r = ttc.all_to_all %x {axes = ["x"], split = 0, concat = 1} : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// change: axes = ["x"] => axes = ["x", "x"]
// expected-error {{'ttc.all_to_all' op (C1) expected distinct axes, found "x" twice}}

// change: concat = 1 => concat = 2
// expected-error {{'ttc.all_to_all' op (C2) expected 'concat' of a dimension below 2, found 2}}

// change: tensor<2x16xf32> => tensor<2x8xf32>
// expected-error {{'ttc.all_to_all' op (C3) expected a result with dimension 0 of 'tensor<4x8xf32>' divided and dimension 1 multiplied by one number, found 'tensor<2x8xf32>'}}

// -----

func.func @broadcast(%x: tensor<4x8xf32>) {
  %r = ttc.broadcast %x {axes = ["x"], root = 0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// change: axes = ["x"] => axes = ["x", "x"]
// expected-error {{'ttc.broadcast' op (C1) expected distinct axes, found "x" twice}}

// change: -> tensor<4x8xf32 => -> tensor<4x8xi32
// expected-error {{'ttc.broadcast' op (C2) expected a result of type 'tensor<4x8xf32>', found 'tensor<4x8xi32>'}}

// change: root = 0 => root = -1
// expected-error {{'ttc.broadcast' op (C3) expected 'root' of at least 0, found -1}}

// -----

func.func @permute(%x: tensor<4x8xf32>) {
  %r = ttc.permute %x {axes = ["x"], sources = [1, 0]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// change: axes = ["x"] => axes = ["x", "x"]
// expected-error {{'ttc.permute' op (C1) expected distinct axes, found "x" twice}}

// change: -> tensor<4x8xf32 => -> tensor<4xf32
// expected-error {{'ttc.permute' op (C2) expected a result of type 'tensor<4x8xf32>', found 'tensor<4xf32>'}}

// change: sources = [1, 0] => sources = [1, 1]
// expected-error {{'ttc.permute' op (C3) expected distinct sources of at least 0, found 1}}
