// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @reshape_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reshape' op (C1) expected a result of 128 elements of 'f32', found 'tensor<127xf32>'}}
  %r = ttc.reshape %x : (tensor<1x8x4x4xf32>) -> tensor<127xf32>
  return
}

// -----

func.func @reshape_c1_type(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.reshape' op (C1) expected a result of 128 elements of 'f32', found 'tensor<128xi32>'}}
  %r = ttc.reshape %x : (tensor<1x8x4x4xf32>) -> tensor<128xi32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.transpose' op (C1) expected a permutation of 4 dimensions, found [0, 1, 1, 2]}}
  %r = ttc.transpose %x {permutation = [0, 1, 1, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @transpose_c1_range(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.transpose' op (C1) expected a permutation of 4 dimensions, found [0, 1, 2, 4]}}
  %r = ttc.transpose %x {permutation = [0, 1, 2, 4]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @concat_c1(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error@+1 {{'ttc.concat' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}
  %r = ttc.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'ttc.concat' op (C2) expected an axis from 0 to 0, found 1}}
  %r = ttc.concat %a, %b {axis = 1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'ttc.concat' op (C3) expected operands of one shape but for dimension 0, found 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %r = ttc.concat %a, %b {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c3_rank(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'ttc.concat' op (C3) expected operands of one shape but for dimension 0, found 'tensor<2x3xf32>' and 'tensor<2xf32>'}}
  %r = ttc.concat %a, %b {axis = 0} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.slice' op (C1) expected 2 starts, sizes and steps, found [0], [1, 1] and [1, 1]}}
  %r = ttc.slice %x {sizes = [1, 1], starts = [0], steps = [1, 1]} : (tensor<2x8xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.slice' op (C2) expected sizes that are not negative and steps that are not 0, found [1, 4] and [1, 0]}}
  %r = ttc.slice %x {sizes = [1, 4], starts = [0, 0], steps = [1, 0]} : (tensor<2x8xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.slice' op (C3) expected elements from 0 to 7 of dimension 1, found start 2, size 4, step -1}}
  %r = ttc.slice %x {sizes = [1, 4], starts = [0, 2], steps = [1, -1]} : (tensor<2x8xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @slice_c3_overflow(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.slice' op (C3) expected elements from 0 to 7 of dimension 1, found start 7, size 3, step 9223372036854775807}}
  %r = ttc.slice %x {sizes = [1, 3], starts = [0, 7], steps = [1, 9223372036854775807]} : (tensor<2x8xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @split_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.split' op (C1) expected an axis from 0 to 1, found 2}}
  %r = ttc.split %x {axis = 2, sizes = [1]} : (tensor<2x8xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @split_c2(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.split' op (C2) expected sizes that are not negative and sum up to 8, found [4, 3]}}
  %r:2 = ttc.split %x {axis = 1, sizes = [4, 3]} : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @split_c2_negative(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.split' op (C2) expected sizes that are not negative and sum up to 8, found [9, -1]}}
  %r:2 = ttc.split %x {axis = 1, sizes = [9, -1]} : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @split_results(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.split' op expected 2 results, found 1}}
  %r = ttc.split %x {axis = 1, sizes = [4, 4]} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.pad' op (C1) expected 'low' to have 2 elements that are at least 0, found [0]}}
  %r = ttc.pad %x {high = [0, 0], low = [0]} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @pad_c1_negative(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.pad' op (C1) expected 'high' to have 2 elements that are at least 0, found [0, -1]}}
  %r = ttc.pad %x {high = [0, -1], low = [0, 0]} : (tensor<2x8xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.pad' op (C2) expected elements to reflect in dimension 0 of size 2, found padding of 0 and 2}}
  %r = ttc.pad %x mode reflect {high = [2, 0], low = [0, 0]} : (tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @pad_c2_edge(%x: tensor<0x8xf32>) {
  // expected-error@+1 {{'ttc.pad' op (C2) expected elements to repeat in dimension 0 of size 0, found padding of 1 and 0}}
  %r = ttc.pad %x mode edge {high = [0, 0], low = [1, 0]} : (tensor<0x8xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @gather_c1(%d: tensor<2x8xf32>, %i: tensor<3xi64>) {
  // expected-error@+1 {{'ttc.gather' op (C1) expected an axis from 0 to 1, found 2}}
  %r = ttc.gather %d, %i {axis = 2} : (tensor<2x8xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c1(%d: tensor<2x8xf32>, %i: tensor<3xi64>) {
  // expected-error@+1 {{'ttc.gather_elements' op (C1) expected 'indices' to have as many dimensions as 'data', 2, found 'tensor<3xi64>'}}
  %r = ttc.gather_elements %d, %i {axis = 0} : (tensor<2x8xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_elements_c2(%d: tensor<2x8xf32>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{'ttc.gather_elements' op (C2) expected an axis from 0 to 1, found -1}}
  %r = ttc.gather_elements %d, %i {axis = -1} : (tensor<2x8xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c3(%d: tensor<2x8xf32>, %i: tensor<3x3xi64>) {
  // expected-error@+1 {{'ttc.gather_elements' op (C3) expected 'indices' to be no larger than 'data' in dimension 0, found 'tensor<3x3xi64>' and 'tensor<2x8xf32>'}}
  %r = ttc.gather_elements %d, %i {axis = 1} : (tensor<2x8xf32>, tensor<3x3xi64>) -> tensor<3x3xf32>
  return
}

// -----

func.func @gather_nd_c1(%d: tensor<2x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{'ttc.gather_nd' op (C1) expected batch dimensions that 'data' and 'indices' have in common, found batch_dims 1 of 'tensor<2x8xf32>' and 'tensor<3x1xi64>'}}
  %r = ttc.gather_nd %d, %i {batch_dims = 1} : (tensor<2x8xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c2(%d: tensor<2x8xf32>, %i: tensor<3x3xi64>) {
  // expected-error@+1 {{'ttc.gather_nd' op (C2) expected the last dimension of 'indices' to be from 1 to 2, found 'tensor<3x3xi64>'}}
  %r = ttc.gather_nd %d, %i : (tensor<2x8xf32>, tensor<3x3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @tile_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'ttc.tile' op (C1) expected 'repeats' to have 2 elements that are at least 0, found [2]}}
  %r = ttc.tile %x {repeats = [2]} : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @expand_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{'ttc.expand' op (C1) expected a result of element type 'f32', found 'tensor<2x8xf16>'}}
  %r = ttc.expand %x : (tensor<8xf32>) -> tensor<2x8xf16>
  return
}

// -----

func.func @expand_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{'ttc.expand' op (C2) expected an operand that broadcasts to [2, 4], found 'tensor<8xf32>'}}
  %r = ttc.expand %x : (tensor<8xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @expand_c2_rank(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{'ttc.expand' op (C2) expected an operand that broadcasts to [8], found 'tensor<1x8xf32>'}}
  %r = ttc.expand %x : (tensor<1x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_c1(%x: tensor<1x1x8xf32>) {
  // expected-error@+1 {{'ttc.resize' op (C1) expected a result of 3 dimensions of 'f32', none of them empty, found 'tensor<16x1xf32>'}}
  %r = ttc.resize %x mode nearest {scales = [1.0, 1.0, 2.0]} : (tensor<1x1x8xf32>) -> tensor<16x1xf32>
  return
}

// -----

func.func @resize_c2(%x: tensor<1x1x8xf32>) {
  // expected-error@+1 {{'ttc.resize' op (C2) expected 3 positive, finite scales, found array<f32: 1.000000e+00, 0.000000e+00, 2.000000e+00>}}
  %r = ttc.resize %x mode nearest {scales = [1.0, 0.0, 2.0]} : (tensor<1x1x8xf32>) -> tensor<1x1x16xf32>
  return
}

// -----

func.func @depth_to_space_c1(%x: tensor<8x4x4xf32>) {
  // expected-error@+1 {{'ttc.depth_to_space' op (C1) expected 'x' to have 4 dimensions, found 'tensor<8x4x4xf32>'}}
  %r = ttc.depth_to_space %x {block = 2} : (tensor<8x4x4xf32>) -> tensor<2x8x8xf32>
  return
}

// -----

// Whose square is no number.
func.func @depth_to_space_c2_large(%x: tensor<1x4294967296x1x1xf32>) {
  // expected-error@+1 {{'ttc.depth_to_space' op (C2) expected a positive block whose square divides the 4294967296 channels, found 4294967296}}
  %r = ttc.depth_to_space %x {block = 4294967296} : (tensor<1x4294967296x1x1xf32>) -> tensor<1x1x1x1xf32>
  return
}

// -----

func.func @depth_to_space_c2(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.depth_to_space' op (C2) expected a positive block whose square divides the 8 channels, found 3}}
  %r = ttc.depth_to_space %x {block = 3} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @space_to_depth_c1(%x: tensor<8x4x4xf32>) {
  // expected-error@+1 {{'ttc.space_to_depth' op (C1) expected 'x' to have 4 dimensions, found 'tensor<8x4x4xf32>'}}
  %r = ttc.space_to_depth %x {block = 2} : (tensor<8x4x4xf32>) -> tensor<32x2x2xf32>
  return
}

// -----

func.func @space_to_depth_c2(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'ttc.space_to_depth' op (C2) expected a positive block that divides height 4 and width 4, found 3}}
  %r = ttc.space_to_depth %x {block = 3} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}
