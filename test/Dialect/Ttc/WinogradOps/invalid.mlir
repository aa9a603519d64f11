// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @pack_rank(%w: tensor<8x8xf32>) {
  // expected-error@+2 {{'ttc.pack_winograd' op (C1) expected weights of rank 3 to 5 with taps in one dimension or equal last dimensions, found 'tensor<8x8xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = ttc.pack_winograd %w {outputs = 4 : i64, nr = 16 : i64} : tensor<8x8xf32> -> tensor<1x1x36x8x16xf32>
  return
}

// -----

func.func @pack_square(%w: tensor<8x8x3x5xf32>) {
  // expected-error@+2 {{'ttc.pack_winograd' op (C1) expected weights of rank 3 to 5 with taps in one dimension or equal last dimensions, found 'tensor<8x8x3x5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = ttc.pack_winograd %w {outputs = 4 : i64, nr = 16 : i64} : tensor<8x8x3x5xf32> -> tensor<1x1x36x8x16xf32>
  return
}

// -----

func.func @pack_sizes(%w: tensor<8x8x5x5xf32>) {
  // expected-error@+2 {{'ttc.pack_winograd' op (C2) expected outputs and taps of 4 and 3, 2 and 5, or 2 and 3, found 4 and 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = ttc.pack_winograd %w {outputs = 4 : i64, nr = 16 : i64} : tensor<8x8x5x5xf32> -> tensor<1x1x64x8x16xf32>
  return
}

// -----

func.func @pack_groups(%w: tensor<8x8x3x3xf32>) {
  // expected-error@+2 {{'ttc.pack_winograd' op (C3) expected 'groups' to divide dimension 0 of 'tensor<8x8x3x3xf32>', found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = ttc.pack_winograd %w {outputs = 4 : i64, groups = 3 : i64, nr = 16 : i64} : tensor<8x8x3x3xf32> -> tensor<3x1x36x8x16xf32>
  return
}

// -----

func.func @winograd_input(%x: tensor<1x8x8x4xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.winograd_input %x {outputs = 4 : i64, taps = 3 : i64, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x8x8x4xf32>) -> tensor<36x32xf32>
  return
}

// change: tensor<1x8x8x4xf32> => tensor<8x8x4xf32>
// expected-error {{'ttc.kernel.winograd_input' op (C1) expected x of rank 4, or 3 with 'line', or without 'valid' up to 5, found 'tensor<8x8x4xf32>'}}

// change: outputs = 4 => outputs = 3
// change: tensor<36x32xf32> => tensor<25x9x4xf32>
// expected-error {{'ttc.kernel.winograd_input' op (C2) expected outputs and taps of 4 and 3, 2 and 5, or 2 and 3, found 3 and 3}}

// change: pads = array<i64: 1, 1, 1, 1> => pads = array<i64: 1, 1>
// expected-error {{'ttc.kernel.winograd_input' op (C3) expected 4 values in 'pads', found 2}}

// change: pads = array<i64: 1, 1, 1, 1> => pads = array<i64: -1, 1, 1, 1>
// expected-error {{'ttc.kernel.winograd_input' op (C3) expected values of at least 0 in 'pads', found [-1, 1, 1, 1]}}

// change: tensor<1x8x8x4xf32> => tensor<1x9x8x4xf32>
// expected-error {{'ttc.kernel.winograd_input' op (C4) expected a result of shape [36, 40], found [36, 32]}}

// -----

func.func @input_small(%x: tensor<1x1x8x4xf32>) {
  // expected-error@+1 {{'ttc.kernel.winograd_input' op (C3) expected a padded image of at least 3 lines and columns, found 2 and 8}}
  %0 = ttc.kernel.winograd_input %x {outputs = 4 : i64, taps = 3 : i64, pads = array<i64: 0, 0, 1, 0>}
      : (tensor<1x1x8x4xf32>) -> tensor<36x2x4xf32>
  return
}

// -----

func.func @winograd_conv(%x: tensor<1x8x8x8xf32>, %w: tensor<1x1x36x8x32xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.winograd_conv %x, %w {outputs = 4 : i64, taps = 3 : i64, groups = 1 : i64,
      pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 14, 32>} : (tensor<1x8x8x8xf32>, tensor<1x1x36x8x32xf32>) -> tensor<1x8x8x32xf32>
  return
}

// change: tensor<1x8x8x8xf32> => tensor<8x8x8xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C1) expected a result of rank 4, or 3 with 'line', or without 'valid' up to 5, x of the same rank or 2, and w of rank 5, found 'tensor<1x8x8x32xf32>', 'tensor<8x8x8xf32>' and 'tensor<1x1x36x8x32xf32>'}}

// change: tensor<1x8x8x32xf32> => tensor<8x8x32xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C1) expected a result of rank 4, or 3 with 'line', or without 'valid' up to 5, x of the same rank or 2, and w of rank 5, found 'tensor<8x8x32xf32>', 'tensor<1x8x8x8xf32>' and 'tensor<1x1x36x8x32xf32>'}}

// change: taps = 3 => taps = 1
// expected-error {{'ttc.kernel.winograd_conv' op (C2) expected outputs and taps of 4 and 3, 2 and 5, or 2 and 3, found 4 and 1}}

// change: pads = array<i64: 1, 1, 1, 1> => pads = array<i64: 1>
// expected-error {{'ttc.kernel.winograd_conv' op (C3) expected 4 values in 'pads', found 1}}

// change: groups = 1 => groups = 3
// expected-error {{'ttc.kernel.winograd_conv' op (C4) expected 'groups' to divide the channels of x and of the result, 8 and 32, found 3}}

// change: tensor<1x1x36x8x32xf32> => tensor<1x1x36x8x16xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C5) expected w of shape [1, 1, 36, 8, 32], found [1, 1, 36, 8, 16]}}

// change: tensor<1x8x8x32xf32> => tensor<1x8x7x32xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C6) expected a result of shape [1, 8, 8, 32], found [1, 8, 7, 32]}}

// change: tensor<1x8x8x8xf32> => tensor<16x48xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C6) expected a transformed x of shape [36, 48], found [16, 48]}}

// change: tensor<1x8x8x8xf32> => tensor<36x64xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C6) expected a transformed x of shape [36, 48], found [36, 64]}}

// change: tile = array<i64: 14, 32> => tile = array<i64: 15, 32>
// expected-error {{'ttc.kernel.winograd_conv' op (C7) expected a tile of 1 to 14 tiles and 8, 16 or 32 columns, found [15, 32]}}

// change: tensor<1x1x36x8x32xf32> => tensor<1x1x36x8x24xf32>
// change: tile = array<i64: 14, 32> => tile = array<i64: 14, 24>
// change: tensor<1x8x8x32xf32> => tensor<1x8x8x24xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C7) expected a tile of 1 to 14 tiles and 8, 16 or 32 columns, found [14, 24]}}

// change: pads = array<i64: 1, 1, 1, 1> => pads = array<i64: 1, 1, 1, 1>, frames = 2
// expected-error {{'ttc.kernel.winograd_conv' op (C8) expected a transformed x, a result of rank 5 and weights for 'frames' 2, found 'tensor<1x8x8x8xf32>', 'tensor<1x8x8x32xf32>' and 'tensor<1x1x36x8x32xf32>'}}

// -----

func.func @winograd_clip(%x: tensor<36x176xf32>, %w: tensor<1x1x36x24x32xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.winograd_conv %x, %w {outputs = 4 : i64, taps = 3 : i64, frames = 3 : i64,
      pads = array<i64: 1, 1, 1, 1, 1, 1>, tile = array<i64: 14, 32>} : (tensor<36x176xf32>, tensor<1x1x36x24x32xf32>) -> tensor<1x3x8x8x32xf32>
  return
}

// change: pads = array<i64: 1, 1, 1, 1, 1, 1> => pads = array<i64: 1, 1, 1, 1>
// expected-error {{'ttc.kernel.winograd_conv' op (C3) expected 6 values in 'pads', found 4}}

// change: tensor<36x176xf32> => tensor<36x112xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C6) expected a transformed x of shape [36, 176], found [36, 112]}}

// change: tensor<36x176xf32> => tensor<1x3x8x8x8xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C8) expected a transformed x, a result of rank 5 and weights for 'frames' 3, found 'tensor<1x3x8x8x8xf32>', 'tensor<1x3x8x8x32xf32>' and 'tensor<1x1x36x24x32xf32>'}}

// change: frames = 3 => frames = 5
// expected-error {{'ttc.kernel.winograd_conv' op (C8) expected a transformed x, a result of rank 5 and weights for 'frames' 5, found 'tensor<36x176xf32>', 'tensor<1x3x8x8x32xf32>' and 'tensor<1x1x36x24x32xf32>'}}

// change: pads = array<i64: 1, 1, 1, 1, 1, 1> => pads = array<i64: 4, 1, 1, 1, 1, 1>
// expected-error {{'ttc.kernel.winograd_conv' op (C8) expected a transformed x, a result of rank 5 and weights for 'frames' 3, found 'tensor<36x176xf32>', 'tensor<1x3x8x8x32xf32>' and 'tensor<1x1x36x24x32xf32>'}}

// -----

func.func @winograd_line(%x: tensor<2x20x8xf32>, %w: tensor<1x1x6x8x32xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.winograd_conv %x, %w {outputs = 4 : i64, taps = 3 : i64, line = 0 : i64, dilation = 2 : i64,
      pads = array<i64: 2, 2>, tile = array<i64: 14, 32>} : (tensor<2x20x8xf32>, tensor<1x1x6x8x32xf32>) -> tensor<2x20x32xf32>
  return
}

// change: line = 0 => line = 1
// expected-error {{'ttc.kernel.winograd_conv' op (C9) expected 'line' to be one of 1 spatial dimensions and the only one with padding, found 1 and pads [2, 2]}}

// change: tensor<2x20x8xf32> => tensor<6x144xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C6) expected a transformed x of shape [6, 112], found [6, 144]}}

// change: tensor<2x20x32xf32> => tensor<2x18x32xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C6) expected a result of shape [2, 20, 32], found [2, 18, 32]}}

// change: tensor<1x1x6x8x32xf32> => tensor<1x1x36x8x32xf32>
// expected-error {{'ttc.kernel.winograd_conv' op (C5) expected w of shape [1, 1, 6, 8, 32], found [1, 1, 36, 8, 32]}}

// -----

func.func @input_line(%x: tensor<1x9x4x8xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.winograd_input %x {outputs = 4 : i64, taps = 3 : i64, line = 0 : i64, dilation = 4 : i64, pads = array<i64: 1, 0, 0, 0>}
      : (tensor<1x9x4x8xf32>) -> tensor<6x80xf32>
  return
}

// change: tensor<6x80xf32> => tensor<6x48xf32>
// expected-error {{'ttc.kernel.winograd_input' op (C4) expected a result of shape [6, 80], found [6, 48]}}

// change: pads = array<i64: 1, 0, 0, 0> => pads = array<i64: 1, 1, 0, 0>
// expected-error {{'ttc.kernel.winograd_input' op (C5) expected 'line' to be one of 2 spatial dimensions and the only one with padding, found 0 and pads [1, 1, 0, 0]}}

// change: dilation = 4 => dilation = 5
// expected-error {{'ttc.kernel.winograd_input' op (C3) expected a padded image of at least 11 lines, found 10}}
