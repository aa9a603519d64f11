// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @matmul_c1(%a: tensor<2x3xf32>, %b: tensor<3x4xf16>) {
  // expected-error@+1 {{'ttc.matmul' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}
  %r = ttc.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'ttc.matmul' op (C2) expected operands of at least two dimensions, found 'tensor<3xf32>' and 'tensor<3x4xf32>'}}
  %r = ttc.matmul %a, %b : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'ttc.matmul' op (C3) expected 'b' to have as many rows as 'a' has columns, 3, found 4}}
  %r = ttc.matmul %a, %b {transpose_b} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<2x2x3xf32>, %b: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'ttc.matmul' op (C4) expected batch dimensions that broadcast, found [2] and [3]}}
  %r = ttc.matmul %a, %b : (tensor<2x2x3xf32>, tensor<3x3x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @matmul_c5(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.matmul' op (C5) expected 'bias' to broadcast to the result's shape [2, 4], found 'tensor<3xf32>'}}
  %r = ttc.matmul %a, %b, %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matmul_c5_rank(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<1x2x4xf32>) {
  // expected-error@+1 {{'ttc.matmul' op (C5) expected 'bias' to broadcast to the result's shape [2, 4], found 'tensor<1x2x4xf32>'}}
  %r = ttc.matmul %a, %b, %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<1x2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @conv_c1(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf16>) {
  // expected-error@+1 {{'ttc.conv' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}
  %r = ttc.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf16>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C2) expected 'x' to have three to five dimensions, found 'tensor<4x8xf32>'}}
  %r = ttc.conv %x, %w : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @conv_c2_weights(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C2) expected 'w' to have as many dimensions as 'x', 4, found 'tensor<6x4x3xf32>'}}
  %r = ttc.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c3_strides(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C3) expected 'strides' to have 2 elements that are at least 1, found [0, 1]}}
  %r = ttc.conv %x, %w {strides = [0, 1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c3_dilations(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C3) expected 'dilations' to have 2 elements that are at least 1, found [1]}}
  %r = ttc.conv %x, %w {dilations = [1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c3_pads(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C3) expected 'pads' to have 4 elements that are at least 0, found [1, 1]}}
  %r = ttc.conv %x, %w {pads = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x4x8x8xf32>, %w: tensor<6x1x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C4) expected 'groups' to be positive and to divide 4 and 6 channels, found 4}}
  %r = ttc.conv %x, %w {groups = 4} : (tensor<1x4x8x8xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c4_zero(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C4) expected 'groups' to be positive and to divide 4 and 6 channels, found 0}}
  %r = ttc.conv %x, %w {groups = 0} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C5) expected 'w' to have 2 input channels, found 'tensor<6x4x3x3xf32>'}}
  %r = ttc.conv %x, %w {groups = 2} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c6(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C6) expected 'bias' to be a vector of 6 elements, found 'tensor<4xf32>'}}
  %r = ttc.conv %x, %w, %b : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<4xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c7(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op (C7) expected the dilated kernel to be no larger than the padded operand in spatial dimension 1, found 9 and 8}}
  %r = ttc.conv %x, %w {dilations = [1, 4]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_result(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{'ttc.conv' op expected result 0 to be 'tensor<1x6x6x6xf32>', found 'tensor<1x6x8x8xf32>'}}
  %r = ttc.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c1(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xbf16>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C1) expected operands of the same element type, found 'f32' and 'bf16'}}
  %r = ttc.conv_transpose %x, %w : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xbf16>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c2(%x: tensor<4xf32>, %w: tensor<4x6x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C2) expected 'x' to have three to five dimensions, found 'tensor<4xf32>'}}
  %r = ttc.conv_transpose %x, %w : (tensor<4xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c2_weights(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C2) expected 'w' to have as many dimensions as 'x', 4, found 'tensor<4x6x2xf32>'}}
  %r = ttc.conv_transpose %x, %w : (tensor<1x4x8x8xf32>, tensor<4x6x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c3(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C3) expected 'pads' to have 4 elements that are at least 0, found [0, 0, -1, 0]}}
  %r = ttc.conv_transpose %x, %w {pads = [0, 0, -1, 0]} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c4(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C4) expected 'groups' to be positive and to divide 4 channels, found 3}}
  %r = ttc.conv_transpose %x, %w {groups = 3} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c5(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C5) expected 'w' to have 4 input channels, found 'tensor<6x4x2x2xf32>'}}
  %r = ttc.conv_transpose %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c6(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>, %b: tensor<6xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C6) expected 'bias' to be a vector of 12 elements, found 'tensor<6xf32>'}}
  %r = ttc.conv_transpose %x, %w, %b {groups = 2} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>, tensor<6xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c7(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C7) expected 'output_padding' to have 2 elements that are at least 0, found [1]}}
  %r = ttc.conv_transpose %x, %w {output_padding = [1]} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c7_size(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C7) expected 'output_padding' to be smaller than stride or dilation in spatial dimension 1, found 1}}
  %r = ttc.conv_transpose %x, %w {output_padding = [0, 1]} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @conv_transpose_c8(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x2x2xf32>) {
  // expected-error@+1 {{'ttc.conv_transpose' op (C8) expected a result that is not empty, found size -1 in spatial dimension 0}}
  %r = ttc.conv_transpose %x, %w {pads = [5, 0, 5, 0]} : (tensor<1x4x8x8xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x9x9xf32>
  return
}

// -----

func.func @max_pool_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.max_pool' op (C1) expected 'x' to have three to five dimensions, found 'tensor<4x8xf32>'}}
  %r = ttc.max_pool %x {kernel = [2]} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @max_pool_c2_kernel(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.max_pool' op (C2) expected 'kernel' to have 2 elements that are at least 1, found [2]}}
  %r = ttc.max_pool %x {kernel = [2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @max_pool_c2_strides(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.max_pool' op (C2) expected 'strides' to have 2 elements that are at least 1, found [1, 0]}}
  %r = ttc.max_pool %x {kernel = [2, 2], strides = [1, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @max_pool_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.max_pool' op (C3) expected paddings smaller than the dilated kernel of 2 in spatial dimension 0, found 0 and 2}}
  %r = ttc.max_pool %x {kernel = [2, 2], pads = [0, 0, 2, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @max_pool_c4(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.max_pool' op (C4) expected the dilated kernel to be no larger than the padded operand in spatial dimension 1, found 9 and 8}}
  %r = ttc.max_pool %x {kernel = [2, 9]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @avg_pool_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'ttc.avg_pool' op (C1) expected 'x' to have three to five dimensions, found 'tensor<4x8xf32>'}}
  %r = ttc.avg_pool %x {kernel = [2]} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @avg_pool_c2_kernel(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.avg_pool' op (C2) expected 'kernel' to have 2 elements that are at least 1, found [2]}}
  %r = ttc.avg_pool %x {kernel = [2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @avg_pool_c2_strides(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.avg_pool' op (C2) expected 'strides' to have 2 elements that are at least 1, found [1, 0]}}
  %r = ttc.avg_pool %x {kernel = [2, 2], strides = [1, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @avg_pool_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.avg_pool' op (C3) expected paddings smaller than the dilated kernel of 2 in spatial dimension 0, found 0 and 2}}
  %r = ttc.avg_pool %x {kernel = [2, 2], pads = [0, 0, 2, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @avg_pool_c4(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{'ttc.avg_pool' op (C4) expected the dilated kernel to be no larger than the padded operand in spatial dimension 1, found 9 and 8}}
  %r = ttc.avg_pool %x {kernel = [2, 9]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

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
