// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // diagnostic here:
  %r = ttc.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// change: tensor<3x4xf32> => tensor<3x4xf16>
// expected-error {{'ttc.matmul' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: tensor<2x3xf32> => tensor<3xf32>
// change: tensor<2x4xf32> => tensor<4xf32>
// expected-error {{'ttc.matmul' op (C2) expected operands of at least two dimensions, found 'tensor<3xf32>' and 'tensor<3x4xf32>'}}

// change: : (tensor => {transpose_b} : (tensor
// change: tensor<2x4xf32> => tensor<2x3xf32>
// expected-error {{'ttc.matmul' op (C3) expected 'b' to have as many rows as 'a' has columns, 3, found 4}}

// change: tensor<2x3xf32> => tensor<2x2x3xf32>
// change: tensor<3x4xf32> => tensor<3x3x4xf32>
// change: tensor<2x4xf32> => tensor<3x2x4xf32>
// expected-error {{'ttc.matmul' op (C4) expected batch dimensions that broadcast, found [2] and [3]}}

// change: 3x4xf32>) { => 3x4xf32>, %c: tensor<3xf32>) {
// change: : (tensor => , %c : (tensor
// change: 3x4xf32>) -> => 3x4xf32>, tensor<3xf32>) ->
// expected-error {{'ttc.matmul' op (C5) expected 'bias' to broadcast to the result's shape [2, 4], found 'tensor<3xf32>'}}

// change: 3x4xf32>) { => 3x4xf32>, %c: tensor<1x2x4xf32>) {
// change: : (tensor => , %c : (tensor
// change: 3x4xf32>) -> => 3x4xf32>, tensor<1x2x4xf32>) ->
// expected-error {{'ttc.matmul' op (C5) expected 'bias' to broadcast to the result's shape [2, 4], found 'tensor<1x2x4xf32>'}}

// -----

func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // diagnostic here:
  %r = ttc.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// change: tensor<6x4x3x3xf32> => tensor<6x4x3x3xf16>
// expected-error {{'ttc.conv' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: tensor<1x4x8x8xf32> => tensor<4x8xf32>
// change: tensor<6x4x3x3xf32> => tensor<4x8xf32>
// change: tensor<1x6x6x6xf32> => tensor<4x8xf32>
// expected-error {{'ttc.conv' op (C2) expected 'x' to have three to five dimensions, found 'tensor<4x8xf32>'}}

// change: tensor<6x4x3x3xf32> => tensor<6x4x3xf32>
// expected-error {{'ttc.conv' op (C2) expected 'w' to have as many dimensions as 'x', 4, found 'tensor<6x4x3xf32>'}}

// change: : (tensor => {strides = [0, 1]} : (tensor
// expected-error {{'ttc.conv' op (C3) expected 'strides' to have 2 elements that are at least 1, found [0, 1]}}

// change: : (tensor => {dilations = [1]} : (tensor
// expected-error {{'ttc.conv' op (C3) expected 'dilations' to have 2 elements that are at least 1, found [1]}}

// change: : (tensor => {pads = [1, 1]} : (tensor
// expected-error {{'ttc.conv' op (C3) expected 'pads' to have 4 elements that are at least 0, found [1, 1]}}

// change: tensor<6x4x3x3xf32> => tensor<6x1x3x3xf32>
// change: : (tensor => {groups = 4} : (tensor
// expected-error {{'ttc.conv' op (C4) expected 'groups' to be positive and to divide 4 and 6 channels, found 4}}

// change: : (tensor => {groups = 0} : (tensor
// expected-error {{'ttc.conv' op (C4) expected 'groups' to be positive and to divide 4 and 6 channels, found 0}}

// change: : (tensor => {groups = 2} : (tensor
// expected-error {{'ttc.conv' op (C5) expected 'w' to have 2 input channels, found 'tensor<6x4x3x3xf32>'}}

// change: 6x4x3x3xf32>) { => 6x4x3x3xf32>, %b: tensor<4xf32>) {
// change: : (tensor => , %b : (tensor
// change: 6x4x3x3xf32>) -> => 6x4x3x3xf32>, tensor<4xf32>) ->
// expected-error {{'ttc.conv' op (C6) expected 'bias' to be a vector of 6 elements, found 'tensor<4xf32>'}}

// change: : (tensor => {dilations = [1, 4]} : (tensor
// expected-error {{'ttc.conv' op (C7) expected the dilated kernel to be no larger than the padded operand in spatial dimension 1, found 9 and 8}}

// change: tensor<1x6x6x6xf32> => tensor<1x6x8x8xf32>
// expected-error {{'ttc.conv' op expected result 0 to be 'tensor<1x6x6x6xf32>', found 'tensor<1x6x8x8xf32>'}}

// -----

func.func @conv_transpose(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>) {
  // diagnostic here:
  %r = ttc.conv_transpose %x, %w : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// change: tensor<4x6x2x2xf32> => tensor<4x6x2x2xbf16>
// expected-error {{'ttc.conv_transpose' op (C1) expected operands of the same element type, found 'f32' and 'bf16'}}

// change: tensor<1x4x8x8xf32> => tensor<4xf32>
// expected-error {{'ttc.conv_transpose' op (C2) expected 'x' to have three to five dimensions, found 'tensor<4xf32>'}}

// change: tensor<4x6x2x2xf32> => tensor<4x6x2xf32>
// expected-error {{'ttc.conv_transpose' op (C2) expected 'w' to have as many dimensions as 'x', 4, found 'tensor<4x6x2xf32>'}}

// change: : (tensor => {pads = [0, 0, -1, 0]} : (tensor
// expected-error {{'ttc.conv_transpose' op (C3) expected 'pads' to have 4 elements that are at least 0, found [0, 0, -1, 0]}}

// change: : (tensor => {groups = 3} : (tensor
// expected-error {{'ttc.conv_transpose' op (C4) expected 'groups' to be positive and to divide 4 channels, found 3}}

// change: tensor<4x6x2x2xf32> => tensor<6x4x2x2xf32>
// expected-error {{'ttc.conv_transpose' op (C5) expected 'w' to have 4 input channels, found 'tensor<6x4x2x2xf32>'}}

// change: 4x6x2x2xf32>) { => 4x6x2x2xf32>, %b: tensor<6xf32>) {
// change: : (tensor => , %b {groups = 2} : (tensor
// change: 4x6x2x2xf32>) -> => 4x6x2x2xf32>, tensor<6xf32>) ->
// expected-error {{'ttc.conv_transpose' op (C6) expected 'bias' to be a vector of 12 elements, found 'tensor<6xf32>'}}

// change: : (tensor => {output_padding = [1]} : (tensor
// expected-error {{'ttc.conv_transpose' op (C7) expected 'output_padding' to have 2 elements that are at least 0, found [1]}}

// change: : (tensor => {output_padding = [0, 1]} : (tensor
// expected-error {{'ttc.conv_transpose' op (C7) expected 'output_padding' to be smaller than stride or dilation in spatial dimension 1, found 1}}

// change: : (tensor => {pads = [5, 0, 5, 0]} : (tensor
// expected-error {{'ttc.conv_transpose' op (C8) expected a result that is not empty, found size -1 in spatial dimension 0}}

// -----

func.func @max_pool(%x: tensor<1x4x8x8xf32>) {
  // diagnostic here:
  %r = ttc.max_pool %x {kernel = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// change: tensor<1x4x8x8xf32> => tensor<4x8xf32>
// change: kernel = [2, 2] => kernel = [2]
// change: tensor<1x4x7x7xf32> => tensor<4x7xf32>
// expected-error {{'ttc.max_pool' op (C1) expected 'x' to have three to five dimensions, found 'tensor<4x8xf32>'}}

// change: kernel = [2, 2] => kernel = [2]
// expected-error {{'ttc.max_pool' op (C2) expected 'kernel' to have 2 elements that are at least 1, found [2]}}

// change: kernel => strides = [1, 0], kernel
// expected-error {{'ttc.max_pool' op (C2) expected 'strides' to have 2 elements that are at least 1, found [1, 0]}}

// change: kernel => pads = [0, 0, 2, 0], kernel
// expected-error {{'ttc.max_pool' op (C3) expected paddings smaller than the dilated kernel of 2 in spatial dimension 0, found 0 and 2}}

// change: kernel = [2, 2] => kernel = [2, 9]
// expected-error {{'ttc.max_pool' op (C4) expected the dilated kernel to be no larger than the padded operand in spatial dimension 1, found 9 and 8}}

// -----

func.func @avg_pool(%x: tensor<1x4x8x8xf32>) {
  // diagnostic here:
  %r = ttc.avg_pool %x {kernel = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// change: tensor<1x4x8x8xf32> => tensor<4x8xf32>
// change: kernel = [2, 2] => kernel = [2]
// change: tensor<1x4x7x7xf32> => tensor<4x7xf32>
// expected-error {{'ttc.avg_pool' op (C1) expected 'x' to have three to five dimensions, found 'tensor<4x8xf32>'}}

// change: kernel = [2, 2] => kernel = [2]
// expected-error {{'ttc.avg_pool' op (C2) expected 'kernel' to have 2 elements that are at least 1, found [2]}}

// change: kernel => strides = [1, 0], kernel
// expected-error {{'ttc.avg_pool' op (C2) expected 'strides' to have 2 elements that are at least 1, found [1, 0]}}

// change: kernel => pads = [0, 0, 2, 0], kernel
// expected-error {{'ttc.avg_pool' op (C3) expected paddings smaller than the dilated kernel of 2 in spatial dimension 0, found 0 and 2}}

// change: kernel = [2, 2] => kernel = [2, 9]
// expected-error {{'ttc.avg_pool' op (C4) expected the dilated kernel to be no larger than the padded operand in spatial dimension 1, found 9 and 8}}

// -----

func.func @global_avg_pool_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.global_avg_pool' op (C1) expected 'x' to have at least 3 dimensions, found 'tensor<4x8xf32>'}}
  %r = ttc.global_avg_pool %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @global_max_pool_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.global_max_pool' op (C1) expected 'x' to have at least 3 dimensions, found 'tensor<4x8xf32>'}}
  %r = ttc.global_max_pool %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
