// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// A step for each row, and NaN where there is no factor.
// CHECK-LABEL: func.func @cholesky
// CHECK: ttc.transpose
// CHECK: ttc.compare gt
// CHECK-COUNT-3: ttc.sqrt
// CHECK-NOT: ttc.sqrt
// CHECK: ttc.transpose
// CHECK: %[[nan:.*]] = ttc.constant dense<0x7FC00000>
// CHECK: ttc.where %{{.*}}, %{{.*}}, %[[nan]] : (tensor<2x1x1xi1>, tensor<2x3x3xf32>, tensor<f32>)
func.func @cholesky(%a: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

// Half precision is computed in f32; the upper factor needs no transposition.
// CHECK-LABEL: func.func @upper
// CHECK-NOT: ttc.transpose
// CHECK: ttc.sqrt %{{.*}} -> tensor<1x1x1xf32>
// CHECK: ttc.cast %{{.*}} -> tensor<1x1xf16>
func.func @upper(%a: tensor<1x1xf16>) -> tensor<1x1xf16> {
  %0 = "stablehlo.cholesky"(%a) : (tensor<1x1xf16>) -> tensor<1x1xf16>
  return %0 : tensor<1x1xf16>
}

// The device repeats more than 16 steps.
// CHECK-LABEL: func.func @loop
// CHECK: %[[begin:.*]]:3 = ttc.loop_begin {{.*}} times 17 : tensor<1x17x17xf64>, tensor<1x1x1xi32>, tensor<i32>
// CHECK: ttc.gather %[[begin]]#0
// CHECK: ttc.sqrt
// CHECK: ttc.loop_end
// CHECK-NOT: ttc.sqrt
func.func @loop(%a: tensor<17x17xf64>) -> tensor<17x17xf64> {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<17x17xf64>) -> tensor<17x17xf64>
  return %0 : tensor<17x17xf64>
}

// Rows of the transposed matrix are columns of the matrix. An upper triangle is solved from the last row.
// CHECK-LABEL: func.func @upper_system
// CHECK: %[[t:.*]] = ttc.transpose %{{.*}} {permutation = [0, 2, 1]}
// CHECK: ttc.slice %[[t]] {{.*}}starts = [0, 1, 0]
// CHECK: ttc.div
// CHECK: ttc.slice %[[t]] {{.*}}starts = [0, 0, 0]
// CHECK: ttc.div
// CHECK-NOT: ttc.div
func.func @upper_system(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @unit_on_the_right
// CHECK-NOT: ttc.div
// CHECK: return
func.func @unit_on_the_right(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Nothing is computed for matrices without elements.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: (%[[a:.*]]: tensor<0x0xf32>, %[[b:.*]]: tensor<0x3xf32>
// CHECK: %[[zero:.*]] = ttc.constant dense<0> : tensor<i32>
// CHECK: return %[[a]], %[[b]], %[[a]], %[[zero]]
func.func @empty(%a: tensor<0x0xf32>, %b: tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0x3xf32>, tensor<0x0xf32>, tensor<i32>) {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<0x0xf32>) -> tensor<0x0xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<0x0xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %2:2 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_spotrf_ffi", backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> : (tensor<0x0xf32>) -> (tensor<0x0xf32>, tensor<i32>)
  return %0, %1, %2#0, %2#1 : tensor<0x0xf32>, tensor<0x3xf32>, tensor<0x0xf32>, tensor<i32>
}

// The other triangle is that of the operand, and failures are reported.
// CHECK-LABEL: func.func @potrf
// CHECK-SAME: (%[[a:.*]]: tensor<3x2x2xf64>)
// CHECK: ttc.compare le
// CHECK: ttc.where %{{.*}}, %{{.*}}, %[[a]]
// CHECK: return %{{.*}}, %{{.*}} : tensor<3x2x2xf64>, tensor<3xi32>
func.func @potrf(%a: tensor<3x2x2xf64>) -> (tensor<3x2x2xf64>, tensor<3xi32>) {
  %0:2 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_dpotrf_ffi", backend_config = "", operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x2x2xf64>) -> (tensor<3x2x2xf64>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3x2x2xf64>, tensor<3xi32>
}

// CHECK-LABEL: func.func @trsm
// CHECK-COUNT-2: ttc.div
func.func @trsm(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.custom_call"(%a, %b) <{call_target_name = "lapack_strsm_ffi", backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The pivot of each column is its largest element; a step for each of the fewer rows or columns.
// CHECK-LABEL: func.func @getrf
// CHECK-COUNT-2: ttc.argmax
// CHECK-NOT: ttc.argmax
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<2xi32>, tensor<i32>
func.func @getrf(%a: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xi32>, tensor<i32>) {
  %0:3 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_sgetrf_ffi", backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xi32>, tensor<i32>)
  return %0#0, %0#1, %0#2 : tensor<2x4xf32>, tensor<2xi32>, tensor<i32>
}

// Three reflections of four rows, and what they make of the first columns of the identity. A reflection is a sum
// for its length and one for its products.
// CHECK-LABEL: func.func @qr
// CHECK-COUNT-3: ttc.sqrt
// CHECK-NOT: ttc.sqrt
// CHECK-COUNT-4: ttc.reduce_sum
// CHECK-NOT: ttc.reduce_sum
// CHECK: return
func.func @qr(%a: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<4x3xf64>) {
  %0:2 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_dgeqrf_ffi", backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}> : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>)
  %1 = "stablehlo.custom_call"(%0#0, %0#1) <{call_target_name = "lapack_dorgqr_ffi", backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4x3xf64>
  return %1, %0#0 : tensor<4x3xf64>, tensor<4x3xf64>
}

// The smallest elements, exactly. What the call compares with is no entry point.
// CHECK-NOT: func.func @less
// CHECK-LABEL: func.func @smallest
// CHECK: ttc.argsort %{{.*}} {axis = 0, count = 2}
// CHECK: ttc.gather_elements
func.func @less(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%0) : (tensor<i1>) -> ()
}
func.func @smallest(%x: tensor<16xf32>, %i: tensor<16xi32>, %v: tensor<f32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = "stablehlo.custom_call"(%x, %i, %v, %n) <{call_target_name = "ApproxTopK", called_computations = [@less]}> {mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<16xf32>, tensor<16xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
