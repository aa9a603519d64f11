// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @data_movement(%x: tensor<2x8xf32>, %half: tensor<2x8xf16>, %empty: tensor<0x8xf32>, %wide: tensor<2x16xf32>, %vector: tensor<8xf32>, %volume: tensor<8x4x4xf32>,
    %image: tensor<1x8x4x4xf32>, %deep: tensor<1x4294967296x1x1xf32>, %i: tensor<3xi64>, %i1: tensor<2x3xi64>, %i2: tensor<3x1xi64>, %i3: tensor<3x3xi64>) {
  %reshape = ttc.reshape %image : (tensor<1x8x4x4xf32>) -> tensor<128xf32>
  %transpose = ttc.transpose %x {permutation = [1, 0]} : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %concat = ttc.concat %x, %x {axis = 0} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %slice = ttc.slice %x {sizes = [1, 4], starts = [0, 2], steps = [1, 1]} : (tensor<2x8xf32>) -> tensor<1x4xf32>
  %split:2 = ttc.split %x {axis = 1, sizes = [4, 4]} : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %pad = ttc.pad %x {high = [0, 1], low = [0, 0]} : (tensor<2x8xf32>) -> tensor<2x9xf32>
  %gather = ttc.gather %x, %i {axis = 1} : (tensor<2x8xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  %elements = ttc.gather_elements %x, %i1 {axis = 1} : (tensor<2x8xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  %nd = ttc.gather_nd %x, %i2 : (tensor<2x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
  %tile = ttc.tile %x {repeats = [1, 2]} : (tensor<2x8xf32>) -> tensor<2x16xf32>
  %expand = ttc.expand %vector : (tensor<8xf32>) -> tensor<3x8xf32>
  %resize = ttc.resize %volume mode nearest {scales = [1.0, 1.0, 2.0]} : (tensor<8x4x4xf32>) -> tensor<8x4x8xf32>
  %space = ttc.depth_to_space %image {block = [2, 2]} : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
  %depth = ttc.space_to_depth %image {block = 2} : (tensor<1x8x4x4xf32>) -> tensor<1x32x2x2xf32>
  return
}

// change: tensor<128xf32> => tensor<127xf32>
// expected-error {{'ttc.reshape' op (C1) expected a result of 128 elements of 'f32', found 'tensor<127xf32>'}}

// change: tensor<128xf32> => tensor<128xi32>
// expected-error {{'ttc.reshape' op (C1) expected a result of 128 elements of 'f32', found 'tensor<128xi32>'}}

// change: permutation = [1, 0] => permutation = [1, 1]
// expected-error {{'ttc.transpose' op (C1) expected a permutation of 2 dimensions, found [1, 1]}}

// change: permutation = [1, 0] => permutation = [2, 0]
// expected-error {{'ttc.transpose' op (C1) expected a permutation of 2 dimensions, found [2, 0]}}

// change: concat %x, %x {axis = 0} : (tensor<2x8xf32>, tensor<2x8xf32>) => concat %x, %half {axis = 0} : (tensor<2x8xf32>, tensor<2x8xf16>)
// expected-error {{'ttc.concat' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: concat %x, %x {axis = 0} => concat %x, %x {axis = 2}
// expected-error {{'ttc.concat' op (C2) expected an axis from 0 to 1, found 2}}

// change: concat %x, %x {axis = 0} : (tensor<2x8xf32>, tensor<2x8xf32>) => concat %x, %wide {axis = 0} : (tensor<2x8xf32>, tensor<2x16xf32>)
// expected-error {{'ttc.concat' op (C3) expected operands of one shape but for dimension 0, found 'tensor<2x8xf32>' and 'tensor<2x16xf32>'}}

// change: concat %x, %x {axis = 0} : (tensor<2x8xf32>, tensor<2x8xf32>) => concat %x, %vector {axis = 0} : (tensor<2x8xf32>, tensor<8xf32>)
// expected-error {{'ttc.concat' op (C3) expected operands of one shape but for dimension 0, found 'tensor<2x8xf32>' and 'tensor<8xf32>'}}

// change: starts = [0, 2] => starts = [0]
// expected-error {{'ttc.slice' op (C1) expected 2 starts, sizes and steps, found [0], [1, 4] and [1, 1]}}

// change: steps = [1, 1] => steps = [1, 0]
// expected-error {{'ttc.slice' op (C2) expected sizes that are not negative and steps that are not 0, found [1, 4] and [1, 0]}}

// change: steps = [1, 1] => steps = [1, -1]
// expected-error {{'ttc.slice' op (C3) expected elements from 0 to 7 of dimension 1, found start 2, size 4, step -1}}

// change: steps = [1, 1] => steps = [1, 9223372036854775807]
// expected-error {{'ttc.slice' op (C3) expected elements from 0 to 7 of dimension 1, found start 2, size 4, step 9223372036854775807}}

// change: split %x {axis = 1 => split %x {axis = 2
// expected-error {{'ttc.split' op (C1) expected an axis from 0 to 1, found 2}}

// change: sizes = [4, 4] => sizes = [4, 3]
// expected-error {{'ttc.split' op (C2) expected sizes that are not negative and sum up to 8, found [4, 3]}}

// change: sizes = [4, 4] => sizes = [9, -1]
// expected-error {{'ttc.split' op (C2) expected sizes that are not negative and sum up to 8, found [9, -1]}}

// change: %split:2 => %split
// change: (tensor<2x4xf32>, tensor<2x4xf32>) => tensor<2x4xf32>
// expected-error {{'ttc.split' op expected 2 results, found 1}}

// change: low = [0, 0] => low = [0]
// expected-error {{'ttc.pad' op (C1) expected 'low' to have 2 elements that are at least 0, found [0]}}

// change: high = [0, 1] => high = [0, -1]
// expected-error {{'ttc.pad' op (C1) expected 'high' to have 2 elements that are at least 0, found [0, -1]}}

// change: pad %x {high = [0, 1] => pad %x mode reflect {high = [2, 0]
// expected-error {{'ttc.pad' op (C2) expected elements to reflect in dimension 0 of size 2, found padding of 0 and 2}}

// change: pad %x {high = [0, 1], low = [0, 0]} : (tensor<2x8xf32>) => pad %empty mode edge {high = [0, 0], low = [1, 0]} : (tensor<0x8xf32>)
// expected-error {{'ttc.pad' op (C2) expected elements to repeat in dimension 0 of size 0, found padding of 1 and 0}}

// change: gather %x, %i {axis = 1} => gather %x, %i {axis = 2}
// expected-error {{'ttc.gather' op (C1) expected an axis from 0 to 1, found 2}}

// change: elements %x, %i1 {axis = 1} : (tensor<2x8xf32>, tensor<2x3xi64>) => elements %x, %i {axis = 1} : (tensor<2x8xf32>, tensor<3xi64>)
// expected-error {{'ttc.gather_elements' op (C1) expected 'indices' to have as many dimensions as 'data', 2, found 'tensor<3xi64>'}}

// change: elements %x, %i1 {axis = 1} => elements %x, %i1 {axis = -1}
// expected-error {{'ttc.gather_elements' op (C2) expected an axis from 0 to 1, found -1}}

// change: elements %x, %i1 {axis = 1} : (tensor<2x8xf32>, tensor<2x3xi64>) => elements %x, %i3 {axis = 1} : (tensor<2x8xf32>, tensor<3x3xi64>)
// expected-error {{'ttc.gather_elements' op (C3) expected 'indices' to be no larger than 'data' in dimension 0, found 'tensor<3x3xi64>' and 'tensor<2x8xf32>'}}

// change: gather_nd %x, %i2 => gather_nd %x, %i2 {batch_dims = 1}
// expected-error {{'ttc.gather_nd' op (C1) expected batch dimensions that 'data' and 'indices' have in common, found batch_dims 1 of 'tensor<2x8xf32>' and 'tensor<3x1xi64>'}}

// change: gather_nd %x, %i2 : (tensor<2x8xf32>, tensor<3x1xi64>) => gather_nd %x, %i3 : (tensor<2x8xf32>, tensor<3x3xi64>)
// expected-error {{'ttc.gather_nd' op (C2) expected the last dimension of 'indices' to be from 1 to 2, found 'tensor<3x3xi64>'}}

// change: repeats = [1, 2] => repeats = [2]
// expected-error {{'ttc.tile' op (C1) expected 'repeats' to have 2 elements that are at least 0, found [2]}}

// change: expand %vector : (tensor<8xf32>) -> tensor<3x8xf32> => expand %vector : (tensor<8xf32>) -> tensor<3x8xf16>
// expected-error {{'ttc.expand' op (C1) expected a result of element type 'f32', found 'tensor<3x8xf16>'}}

// change: expand %vector : (tensor<8xf32>) -> tensor<3x8xf32> => expand %vector : (tensor<8xf32>) -> tensor<2x4xf32>
// expected-error {{'ttc.expand' op (C2) expected an operand that broadcasts to [2, 4], found 'tensor<8xf32>'}}

// change: expand %vector : (tensor<8xf32>) -> tensor<3x8xf32> => expand %x : (tensor<2x8xf32>) -> tensor<8xf32>
// expected-error {{'ttc.expand' op (C2) expected an operand that broadcasts to [8], found 'tensor<2x8xf32>'}}

// change: tensor<8x4x8xf32> => tensor<16x1xf32>
// expected-error {{'ttc.resize' op (C1) expected a result of 3 dimensions of 'f32', none of them empty, found 'tensor<16x1xf32>'}}

// change: scales = [1.0, 1.0, 2.0] => scales = [1.0, 0.0, 2.0]
// expected-error {{'ttc.resize' op (C2) expected 3 positive, finite scales, found array<f32: 1.000000e+00, 0.000000e+00, 2.000000e+00>}}

// change: depth_to_space %image {block = [2, 2]} : (tensor<1x8x4x4xf32>) => depth_to_space %x {block = [2, 2]} : (tensor<2x8xf32>)
// expected-error {{'ttc.depth_to_space' op (C1) expected 'x' to have 3 to 5 dimensions, found 'tensor<2x8xf32>'}}

// change: depth_to_space %image {block = [2, 2]} => depth_to_space %image {block = [2]}
// expected-error {{'ttc.depth_to_space' op (C2) expected 'block' to have 2 elements that are at least 1, found [2]}}

// Their product is no number.
// change: depth_to_space %image {block = [2, 2]} : (tensor<1x8x4x4xf32>) => depth_to_space %deep {block = [4294967296, 4294967296]} : (tensor<1x4294967296x1x1xf32>)
// expected-error {{'ttc.depth_to_space' op (C2) expected blocks whose product divides the 4294967296 channels, found array<i64: 4294967296, 4294967296>}}

// change: depth_to_space %image {block = [2, 2]} => depth_to_space %image {block = [2, 3]}
// expected-error {{'ttc.depth_to_space' op (C2) expected blocks whose product divides the 8 channels, found array<i64: 2, 3>}}

// change: space_to_depth %image {block = 2} : (tensor<1x8x4x4xf32>) => space_to_depth %volume {block = 2} : (tensor<8x4x4xf32>)
// expected-error {{'ttc.space_to_depth' op (C1) expected 'x' to have 4 dimensions, found 'tensor<8x4x4xf32>'}}

// change: space_to_depth %image {block = 2} => space_to_depth %image {block = 3}
// expected-error {{'ttc.space_to_depth' op (C2) expected a positive block that divides height 4 and width 4, found 3}}
