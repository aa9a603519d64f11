// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

func.func @cholesky(%v: tensor<4xf32>, %x: tensor<2x3xf32>, %i: tensor<3x3xi32>, %large: tensor<4097x4097xf32>, %q: tensor<3x3xf32>) {
  // expected-error @below {{(C2) expected at least 2 dimensions, found 'tensor<4xf32>'}}
  %0 = "stablehlo.cholesky"(%v) <{lower = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{(C3) expected square matrices, found 'tensor<2x3xf32>'}}
  %1 = "stablehlo.cholesky"(%x) <{lower = true}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @below {{expected matrices of floats, found 'tensor<3x3xi32>'}}
  %2 = "stablehlo.cholesky"(%i) <{lower = true}> : (tensor<3x3xi32>) -> tensor<3x3xi32>
  // expected-error @below {{expected matrices of at most 4096 rows and columns, found 'tensor<4097x4097xf32>'}}
  %3 = "stablehlo.cholesky"(%large) <{lower = true}> : (tensor<4097x4097xf32>) -> tensor<4097x4097xf32>
  // expected-error @below {{expected result 0 to be 'tensor<3x3xf32>', found 'tensor<3x3xf64>'}}
  %4 = "stablehlo.cholesky"(%q) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf64>
  // expected-error @below {{expected 1 operands, found 2}}
  %5 = "stablehlo.cholesky"(%q, %q) <{lower = true}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @triangular(%a: tensor<2x2xf32>, %d: tensor<2x2xf64>, %b: tensor<3x2xf32>, %batch: tensor<1x2x3xf32>) {
  // expected-error @below {{(C1) expected operands of one element type, found 'tensor<2x2xf64>' and 'tensor<3x2xf32>'}}
  %0 = "stablehlo.triangular_solve"(%d, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x2xf64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @below {{(C2) expected operands of one rank, found 'tensor<2x2xf32>' and 'tensor<1x2x3xf32>'}}
  %1 = "stablehlo.triangular_solve"(%a, %batch) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x2xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  // expected-error @below {{(C3) expected operand 1 to have the batch of 'tensor<2x2xf32>', and as many rows, found 'tensor<3x2xf32>'}}
  %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @below {{(C3) expected square matrices, found 'tensor<3x2xf32>'}}
  %3 = "stablehlo.triangular_solve"(%b, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @below {{expected transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT, found TRANSPOSE_INVALID}}
  %4 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>}> : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @below {{expected attribute 'lower' to be a bool, found none}}
  %5 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @lapack(%x: tensor<4x4xf32>) {
  // expected-error @below {{calls 'lapack_sgesdd_ffi' of LAPACK, of which ttc has potrf, trsm, getrf, geqrf and orgqr for f32 and f64}}
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_sgesdd_ffi"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{calls 'lapack_cpotrf_ffi' of LAPACK for complex numbers, which ttc has for f32 and f64 only}}
  %1 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_cpotrf_ffi"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{expected 'lapack_dpotrf_ffi' to have matrices of f64, found 'tensor<4x4xf32>'}}
  %2 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_dpotrf_ffi"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{expected operand_layouts of 'lapack_spotrf_ffi' in which matrices are stored column by column}}
  %3:2 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_spotrf_ffi", backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  // expected-error @below {{expected result_layouts of 'lapack_spotrf_ffi' in which matrices are stored column by column}}
  %4:2 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_spotrf_ffi", backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>]}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  // expected-error @below {{expected option 'uplo' of 'lapack_spotrf_ffi' to be the code of one of the letters LU, found 67}}
  %5:2 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_spotrf_ffi", backend_config = {uplo = 67 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  // expected-error @below {{expected option 'uplo' of 'lapack_spotrf_ffi' to be the code of one of the letters LU, found none}}
  %6:2 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_spotrf_ffi", backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  // expected-error @below {{option 'uplo' of 'lapack_sgetrf_ffi' is not supported}}
  %7:3 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_sgetrf_ffi", backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
  // expected-error @below {{expected the backend_config of 'lapack_sgetrf_ffi' to be a dictionary}}
  %8:3 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_sgetrf_ffi", backend_config = "", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @reflections(%a: tensor<2x3xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{expected at most as many columns as rows, and numbers of at most as many reflections, found 'tensor<2x3xf32>' and 'tensor<2xf32>'}}
  %0 = "stablehlo.custom_call"(%a, %t) <{call_target_name = "lapack_sorgqr_ffi", backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func private @sum(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = "stablehlo.compare"(%i, %j) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "stablehlo.return"(%0) : (tensor<i1>) -> ()
}
func.func @largest(%x: tensor<16xf32>, %i: tensor<16xi32>, %v: tensor<f32>, %n: tensor<i32>) {
  // expected-error @below {{expected 'ApproxTopK' to call a comparison of values}}
  %0:2 = "stablehlo.custom_call"(%x, %i, %v, %n) <{call_target_name = "ApproxTopK", called_computations = [@sum]}> {mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<16xf32>, tensor<16xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}
