// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{(C1, C2) expected as many lhs as rhs dimensions, found 0 and 0 batching dimensions, 1 and 0 contracting dimensions}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{(C3, C5, C6) expected lhs dimensions to be different ones of 2, found 2}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{(C4, C7, C8) expected rhs dimensions to be different ones of 2, found 0, 0}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<5x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{(C9, C10) expected lhs dimension 1 and rhs dimension 0 to have the same size, found 3 and 5}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{(C12) expected a result of shape [2, 4], found}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{field 'sides' of dot_dimension_numbers is not supported}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<sides = [1]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xi32> {
  // expected-error @below {{expected integers for a result of 'i32', found 'f32' and 'f32'}}
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

func.func @main(%x: tensor<2x2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x2x4xf32> {
  // expected-error @below {{op expected vectors or matrices, found ranks 3 and 2}}
  %0 = "stablehlo.dot"(%x, %y) : (tensor<2x2x3xf32>, tensor<3x4xf32>) -> tensor<2x2x4xf32>
  return %0 : tensor<2x2x4xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C13, C18, C20) expected attribute 'dimension_numbers' to be #stablehlo.conv<...> with each dimension once}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, b, 0]>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C1) expected operands of rank 4, as dimension_numbers has, found 3 and 3}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C2, C3) expected attribute 'window_strides' to have 1 positive elements, found 0}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, window_strides = array<i64: 0>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C5, C6) expected attribute 'lhs_dilation' to have 1 positive elements, found 1, 1}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, lhs_dilation = array<i64: 1, 1>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C7, C8) expected attribute 'rhs_dilation' to have 1 positive elements, found -1}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, rhs_dilation = array<i64: -1>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C4) expected attribute 'padding' to have shape [1, 2], found dense<0> : tensor<2x2xi64>}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, padding = dense<0> : tensor<2x2xi64>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C9) expected attribute 'window_reversal' to have 1 elements, found 2}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, window_reversal = array<i1: true, false>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C21, C22, C23) expected positive counts of groups, of which one is 1, found feature_group_count 3 and batch_group_count 2}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 3 : i64, batch_group_count = 2 : i64}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C10) expected batch_group_count to divide the batch of 1, found 2}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, batch_group_count = 2 : i64}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C11, C14) expected a kernel of 3 / 3 input features, found 3}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 3 : i64}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x1x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{(C15, C16) expected the count of groups to divide 4 output features, found 3}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 3 : i64}> : (tensor<1x3x8xf32>, tensor<4x1x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x7xf32> {
  // expected-error @below {{(C25, C26) expected a result of shape [1, 4, 6], found}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x7xf32>
  return %0 : tensor<1x4x7xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32>, %y: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{op expected a dimension of 8 elements to keep at least 0, found -1}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, padding = dense<[[-9, 0]]> : tensor<1x2xi64>}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x1x5000xi32>, %y: tensor<1x1x4097xi32>) -> tensor<1x1x904xi32> {
  // expected-error @below {{expected a kernel of at most 4096 positions for 'i32' in 1 spatial dimensions, found 4097}}
  %0 = "stablehlo.convolution"(%x, %y) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<1x1x5000xi32>, tensor<1x1x4097xi32>) -> tensor<1x1x904xi32>
  return %0 : tensor<1x1x904xi32>
}

// -----

func.func @main(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{(C2) expected padding of 1 dimensions, found 2, 1 and 1}}
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{(C3) expected interior padding that is not negative, found -1}}
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: -1>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<3xf32>, %v: tensor<i32>) -> tensor<4xf32> {
  // expected-error @below {{(C1) expected a padding value of type tensor<'f32'>, found 'tensor<i32>'}}
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{(C4) expected a dimension of 3 elements to keep at least 0, found -1}}
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: -4>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{expected padding of at most 1099511627776 elements}}
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 1099511627777>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
