// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @gemm(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.gemm %a, %b {tile = array<i64: 6, 16>}
      : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return
}

// change: tile = array<i64: 6, 16> => tile = array<i64: 6, 12>
// expected-error {{'ttc.kernel.gemm' op (C1) expected 'tile' to be rows and 1 or a multiple of 8 columns, found [6, 12]}}

// change: tile = array<i64: 6, 16> => tile = array<i64: 6>
// expected-error {{'ttc.kernel.gemm' op (C1) expected 'tile' to be rows and 1 or a multiple of 8 columns, found [6]}}

// change: tensor<4x8xf32> => tensor<8xf32>
// change: tensor<4x16xf32> => tensor<16xf32>
// expected-error {{'ttc.kernel.gemm' op (C2) expected a and the result of rank 2 or more, found ranks 1 and 1}}

// change: tensor<8x16xf32> => tensor<8x1xf32>
// change: tensor<4x16xf32> => tensor<f32>
// expected-error {{'ttc.kernel.gemm' op (C2) expected a and the result of rank 2 or more, found ranks 2 and 0}}

// change: tile => a_view = #ttc.view<shape = [4, 8], strides = [9, 1], offset = 0>, tile
// expected-error {{'ttc.kernel.gemm' op (C3) expected 'a_view' within the 32 elements of its tensor, found elements 0 to 34}}

// change: tile => b_view = #ttc.view<shape = [8, 16], strides = [-16, 1], offset = 0>, tile
// expected-error {{'ttc.kernel.gemm' op (C3) expected 'b_view' within the 128 elements of its tensor, found elements -112 to 15}}

// change: tile => result_view = #ttc.view<shape = [2, 16], strides = [16, 1], offset = 0>, tile
// expected-error {{'ttc.kernel.gemm' op (C3) expected 'result_view' to cover the result's 64 elements, found shape [2, 16]}}

// change: tile => result_view = #ttc.view<shape = [4, 16], strides = [1, 4], offset = 0>, tile
// expected-error {{'ttc.kernel.gemm' op (C3) expected consecutive columns in 'result_view', found stride 4}}

// change: tile => result_view = #ttc.view<shape = [4, 16], strides = [16, 1], offset = 0>, tile
// change: tensor<4x16xf32> => tensor<8x8xf32>
// expected-error {{'ttc.kernel.gemm' op (C3) expected the result's last dimension to be the 16 columns of the product, found 8}}

// change: tensor<4x8xf32> => tensor<2x2x8xf32>
// change: tile => result_view = #ttc.view<shape = [2, 2, 16], strides = [32, 8, 1], offset = 0>, tile
// change: tensor<4x16xf32> => tensor<2x2x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C3) expected strides in 'result_view' that are multiples of 16, found 8}}

// change: tile => groups = 2 : i64, tile
// expected-error {{'ttc.kernel.gemm' op (C6) expected 'groups' of 1 without 'kernel', found 2}}

// change: tensor<4x16xf32> => tensor<5x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C7) expected 4 rows in the result, found 5}}

// change: tensor<8x16xf32> => tensor<7x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C8) expected b to end in [8, 16], found [7, 16]}}

// change: tensor<4x8xf32> => tensor<2x4x8xf32>
// change: tensor<8x16xf32> => tensor<3x8x16xf32>
// change: tensor<4x16xf32> => tensor<2x4x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C8) expected operands whose batch broadcasts to [2, 4, 16], found [3, 8, 16]}}

// change: tensor<4x8xf32> => tensor<2x3x2x3x4x8xf32>
// change: tensor<8x16xf32> => tensor<1x3x1x3x8x16xf32>
// change: tensor<4x16xf32> => tensor<2x3x2x3x4x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C9) expected at most three batch dimensions that cannot be merged}}

// change: tensor<8x16xf32> => tensor<1x1x8x8xf32>
// change: tile => packed, tile
// expected-error {{'ttc.kernel.gemm' op (C8) expected b packed as [1, 1, 8, 16], found [1, 1, 8, 8]}}

// change: tensor<8x16xf32> => tensor<8x16xbf16>
// expected-error {{'ttc.kernel.gemm' op (C11) expected 'packed' with a b of 'bf16'}}

// change: tensor<8x16xf32> => tensor<1x1x8x16xf32>
// change: tile => packed, b_view = #ttc.view<shape = [8, 16], strides = [16, 1], offset = 0>, tile
// expected-error {{'ttc.kernel.gemm' op (C8) expected no 'b_view' with 'packed'}}

// change: tensor<4x8xf32> => tensor<1x8x8x6xf32>
// change: tensor<8x16xf32> => tensor<2x1x3x16xf32>
// change: tile => packed, kernel = array<i64: 1, 1>, groups = 2 : i64, shuffle = 4 : i64, tile
// change: tensor<4x16xf32> => tensor<1x8x8x32xf32>
// expected-error {{'ttc.kernel.gemm' op (C12) expected 'shuffle' to divide the 6 channels of a, found 4}}

// change: tile => shuffle = 2 : i64, tile
// expected-error {{'ttc.kernel.gemm' op (C12) expected 'kernel' with 'shuffle'}}

// -----

func.func @gemm(%a: tensor<1x8x8x4xf32>, %b: tensor<1x1x36x16xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.gemm %a, %b {packed, kernel = array<i64: 3, 3>, tile = array<i64: 6, 16>}
      : (tensor<1x8x8x4xf32>, tensor<1x1x36x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// change: packed, =>
// expected-error {{'ttc.kernel.gemm' op (C4) expected 'packed' with 'kernel'}}

// change: kernel = array<i64: 3, 3> => kernel = array<i64: 3>
// expected-error {{'ttc.kernel.gemm' op (C2) expected 1 to 3 spatial dimensions and a and the result of rank 3, found ranks 4 and 4}}

// change: kernel = array<i64: 3, 3> => kernel = array<i64: 3, 0>
// expected-error {{'ttc.kernel.gemm' op (C5) expected values of at least 1 in 'kernel', found [3, 0]}}

// change: packed => strides = array<i64: 1>, packed
// expected-error {{'ttc.kernel.gemm' op (C5) expected 2 values in 'strides', found 1}}

// change: packed => strides = array<i64: 1, 0>, packed
// expected-error {{'ttc.kernel.gemm' op (C5) expected values of at least 1 in 'strides', found [1, 0]}}

// change: packed => dilations = array<i64: -1, 1>, packed
// expected-error {{'ttc.kernel.gemm' op (C5) expected values of at least 1 in 'dilations', found [-1, 1]}}

// change: packed => input_dilation = array<i64: 1>, packed
// expected-error {{'ttc.kernel.gemm' op (C5) expected 2 values in 'input_dilation', found 1}}

// change: packed => pads = array<i64: 1, 1>, packed
// expected-error {{'ttc.kernel.gemm' op (C5) expected 4 values in 'pads', found 2}}

// change: packed => groups = 3 : i64, packed
// expected-error {{'ttc.kernel.gemm' op (C6) expected 'groups' to divide the channels 4 and 16, found 3}}

// change: tensor<1x6x6x16xf32> => tensor<1x8x8x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C7) expected a result of shape [1, 6, 6, 16], found [1, 8, 8, 16]}}

// change: packed => result_view = #ttc.view<shape = [1, 6, 6, 16], strides = [576, 16, 96, 1], offset = 0>, packed
// expected-error {{'ttc.kernel.gemm' op (C4) expected no 'result_view' with 'kernel'}}

// change: tensor<1x8x8x4xf32> => tensor<1x4x8x8xf32>
// change: tensor<1x1x36x16xf32> => tensor<2x1x18x16xf32>
// change: packed => groups = 2 : i64, a_view = #ttc.view<shape = [1, 8, 8, 4], strides = [256, 8, 1, 64], offset = 0>, packed
// change: tensor<1x6x6x16xf32> => tensor<1x6x6x32xf32>
// expected-error {{'ttc.kernel.gemm' op (C4) expected consecutive channels in 'a_view' with 'kernel', or lines that can be copied}}

// change: tensor<1x1x36x16xf32> => tensor<1x1x36x8xf32>
// expected-error {{'ttc.kernel.gemm' op (C8) expected b packed as [1, 1, 36, 16], found [1, 1, 36, 8]}}

// change: tile = array<i64: 6, 16> => tile = array<i64: 6, 1>
// change: tensor<1x1x36x16xf32> => tensor<1x16x36x1xf32>
// expected-error {{'ttc.kernel.gemm' op (C13) expected, with a tile of one column, at most 8 rows of it, and a convolution of at most 4 columns of one group by packed f32 weights, on channels in multiples of 16 that are consecutive and not shuffled}}

// -----

// expected-error@+1 {{(C1) expected as many strides as dimensions (2), found 1}}
func.func private @view_strides() attributes {v = #ttc.view<shape = [4, 8], strides = [1], offset = 0>}

// -----

// expected-error@+1 {{(C1) expected sizes of 0 or more, found [4, -8]}}
func.func private @view_sizes() attributes {v = #ttc.view<shape = [4, -8], strides = [8, 1], offset = 0>}

// -----

func.func @pack(%a: tensor<4x8xf32>) {
  // diagnostic here:
  %0 = ttc.pack %a {kind = #ttc.pack_kind<matmul>, nr = 8 : i64}
      : tensor<4x8xf32> -> tensor<1x1x4x8xf32>
  return
}

// change: tensor<4x8xf32> => tensor<4x8x3xf32>
// expected-error {{'ttc.pack' op (C1) expected weights of rank 2, found 'tensor<4x8x3xf32>'}}
// expected-error {{'ttc.pack' op failed to infer returned types}}

// change: <matmul> => <conv>
// expected-error {{'ttc.pack' op (C1) expected weights of rank 3 or more, found 'tensor<4x8xf32>'}}
// expected-error {{'ttc.pack' op failed to infer returned types}}

// change: tensor<4x8xf32> => tensor<4x8x3xf32>
// change: {kind => {groups = 3 : i64, kind
// change: <matmul> => <conv>
// change: tensor<1x1x4x8xf32> => tensor<3x1x24x8xf32>
// expected-error {{'ttc.pack' op (C2) expected 'groups' to divide dimension 0 of 'tensor<4x8x3xf32>', found 3}}
// expected-error {{'ttc.pack' op failed to infer returned types}}

// change: tensor<4x8xf32> => tensor<4x2x3xf32>
// change: <matmul> => <depthwise>
// change: , nr = 8 : i64 =>
// change: tensor<1x1x4x8xf32> => tensor<3x4xf32>
// expected-error {{'ttc.pack' op (C3) expected depthwise weights with dimension 1 of 1, found 'tensor<4x2x3xf32>'}}
// expected-error {{'ttc.pack' op failed to infer returned types}}

// change: tensor<1x1x4x8xf32> => tensor<1x1x8x8xf32>
// expected-error {{'ttc.pack' op inferred type(s) 'tensor<1x1x4x8xf32>' are incompatible with return type(s) of operation 'tensor<1x1x8x8xf32>'}}
// expected-error {{'ttc.pack' op failed to infer returned types}}

// -----

func.func @depthwise_conv(%x: tensor<1x8x8x16xf32>, %w: tensor<9x16xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.depthwise_conv %x, %w {kernel = array<i64: 3, 3>}
      : (tensor<1x8x8x16xf32>, tensor<9x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// change: tensor<1x8x8x16xf32> => tensor<1x8x16xf32>
// change: tensor<1x6x6x16xf32> => tensor<1x6x16xf32>
// expected-error {{'ttc.kernel.depthwise_conv' op (C1) expected 1 to 3 spatial dimensions and x and the result of rank 4, found ranks 3 and 3}}

// change: {kernel => {strides = array<i64: 0, 1>, kernel
// expected-error {{'ttc.kernel.depthwise_conv' op (C2) expected values of at least 1 in 'strides', found [0, 1]}}

// change: tensor<1x6x6x16xf32> => tensor<1x6x6x8xf32>
// expected-error {{'ttc.kernel.depthwise_conv' op (C3) expected x and the result with equal batch and channels, found [1, 8, 8, 16] and [1, 6, 6, 8]}}

// change: tensor<9x16xf32> => tensor<16x9xf32>
// expected-error {{'ttc.kernel.depthwise_conv' op (C4) expected w of shape [9, 16], found [16, 9]}}

// change: tensor<1x6x6x16xf32> => tensor<1x6x7x16xf32>
// expected-error {{'ttc.kernel.depthwise_conv' op (C5) expected result dimension 2 of 6, found 7}}

// -----

func.func @pool(%x: tensor<1x8x8x16xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.pool %x {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>}
      : (tensor<1x8x8x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// change: {kind => {pads = array<i64: 1, 1, 1>, kind
// expected-error {{'ttc.kernel.pool' op (C2) expected 4 values in 'pads', found 3}}

// change: {kind => {dilations = array<i64: 1, 0>, kind
// expected-error {{'ttc.kernel.pool' op (C2) expected values of at least 1 in 'dilations', found [1, 0]}}

// change: tensor<1x6x6x16xf32> => tensor<1x9x6x16xf32>
// expected-error {{'ttc.kernel.pool' op (C4) expected every window of dimension 1 to overlap x of size 8, found the last to begin at 8 and the first at 0}}

// change: {kind => {pads = array<i64: 3, 1, 0, 0>, kind
// change: tensor<1x6x6x16xf32> => tensor<1x8x8x16xf32>
// expected-error {{'ttc.kernel.pool' op (C4) expected every window of dimension 1 to overlap x of size 8, found the last to begin at 4 and the first at -3}}

// change: tensor<1x8x8x16xf32> => tensor<1x8x16xf32>
// change: tensor<1x6x6x16xf32> => tensor<1x6x16xf32>
// expected-error {{'ttc.kernel.pool' op (C1) expected 1 to 3 spatial dimensions and x and the result of rank 4, found ranks 3 and 3}}

// change: tensor<1x6x6x16xf32> => tensor<1x6x6x8xf32>
// expected-error {{'ttc.kernel.pool' op (C3) expected x and the result with equal batch and channels, found [1, 8, 8, 16] and [1, 6, 6, 8]}}

// -----

func.func @valid(%a: tensor<1x8x8x4xf32>, %b: tensor<1x1x36x16xf32>, %n: tensor<1xi32>) {
  // diagnostic here:
  %0 = ttc.kernel.gemm %a, %b valid(%n) {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, tile = array<i64: 6, 16>, valid_dims = array<i64: 1>}
      : (tensor<1x8x8x4xf32>, tensor<1x1x36x16xf32>, tensor<1xi32>) -> tensor<1x8x8x16xf32>
  return
}

// change: tensor<1xi32> => tensor<2xi32>
// expected-error {{'ttc.kernel.gemm' op (W1) expected one element in each of 'valid', found 'tensor<2xi32>'}}

// change: valid_dims = array<i64: 1> => valid_dims = array<i64: 2>
// expected-error {{'ttc.kernel.gemm' op (W2) expected 'valid_dims' to have an ascending spatial dimension for each of 'valid', found [2] for 1}}

// change: valid_dims = array<i64: 1> => valid_dims = array<i64>
// expected-error {{'ttc.kernel.gemm' op (W2) expected 'valid_dims' to have an ascending spatial dimension for each of 'valid', found [] for 1}}

// change: valid(%n) => valid(%n, %n)
// change: tensor<1x1x36x16xf32>, tensor<1xi32>) -> => tensor<1x1x36x16xf32>, tensor<1xi32>, tensor<1xi32>) ->
// change: valid_dims = array<i64: 1> => valid_dims = array<i64: 1, 0>
// expected-error {{'ttc.kernel.gemm' op (W2) expected 'valid_dims' to have an ascending spatial dimension for each of 'valid', found [1, 0] for 2}}

// -----

func.func @valid_pool(%x: tensor<1x8x8x4xf32>, %n: tensor<1xi32>) {
  // diagnostic here:
  %0 = ttc.kernel.pool %x valid(%n) {kind = #ttc.pool_kind<average>, kernel = array<i64: 3, 3>, count_include_pad, valid_dims = array<i64: 0>}
      : (tensor<1x8x8x4xf32>, tensor<1xi32>) -> tensor<1x6x6x4xf32>
  return
}

// change: count_include_pad, =>
// expected-error {{'ttc.kernel.pool' op (C5) expected 'count_include_pad' of an average with 'valid'}}
