// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

func.func @gather(%x: tensor<8x5xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{(C1) expected offset_dims, collapsed_slice_dims and operand_batching_dims to have 2 elements together, found 1}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C2) expected index_vector_dim to be from 0 to 2, found 3}}
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C3) expected start_index_map to have 1 elements, found 2}}
  %2 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C4, C5) expected offset_dims to be different dimensions, in order, of a tensor of rank 2, found [2]}}
  %3 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C6, C7, C8) expected collapsed_slice_dims to be}}
  %4 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C9, C12) expected slice size 1 in dimension 0, found 2}}
  %5 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C16, C17) expected operand_batching_dims and start_indices_batching_dims to be dimensions of the same sizes, found [0] and [0]}}
  %6 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C18, C19) expected start_index_map to be different dimensions}}
  %7 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [4], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C20) expected 2 slice_sizes, found 1}}
  %8 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C21) expected slice_sizes from 0 to the sizes of 'tensor<8x5xf32>', found [1, 6]}}
  %9 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{expected indices of integers, found 'tensor<8x5xf32>'}}
  %10 = "stablehlo.gather"(%x, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5x5xf32>
  return
}

// -----

func.func @slices(%x: tensor<8x5xf32>, %u: tensor<9x1xf32>, %i: tensor<i32>) {
  // expected-error @below {{(C2) expected as many start indices and slice_sizes as 'tensor<8x5xf32>' has dimensions, found 1 and 2}}
  %0 = "stablehlo.dynamic_slice"(%x, %i) <{slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<i32>) -> tensor<1x5xf32>
  // expected-error @below {{(C4) expected slice_sizes from 0 to the sizes of 'tensor<8x5xf32>', found [1, 6]}}
  %1 = "stablehlo.dynamic_slice"(%x, %i, %i) <{slice_sizes = array<i64: 1, 6>}> : (tensor<8x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
  // expected-error @below {{(C3, C4) expected an update of rank 2 and as many start indices}}
  %2 = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<8x5xf32>, tensor<9x1xf32>, tensor<i32>) -> tensor<8x5xf32>
  // expected-error @below {{(C6) expected an update that is no larger than 'tensor<8x5xf32>', found 'tensor<9x1xf32>'}}
  %3 = "stablehlo.dynamic_update_slice"(%x, %u, %i, %i) : (tensor<8x5xf32>, tensor<9x1xf32>, tensor<i32>, tensor<i32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @scatter(%x: tensor<8x5xf32>, %i: tensor<400x1xi32>, %u: tensor<400x5xf32>, %v: tensor<400x6xf32>) {
  // expected-error @below {{expected a body that is one of add, subtract, multiply}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.divide"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<8x5xf32>, tensor<400x1xi32>, tensor<400x5xf32>) -> tensor<8x5xf32>
  // expected-error @below {{(C4) expected updates for indices of shape [400] and windows of an operand of shape [8, 5], found [400, 6]}}
  %1 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<8x5xf32>, tensor<400x1xi32>, tensor<400x6xf32>) -> tensor<8x5xf32>
  return
}
