// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// What is known is cut out; an index is clamped.
// CHECK-LABEL: func.func @dynamic_slice
func.func @dynamic_slice(%x: tensor<8x5xf32>, %i: tensor<i32>) -> tensor<2x3xf32> {
  // CHECK: ttc.max
  // CHECK: ttc.min
  // CHECK: %[[x:.*]] = ttc.slice %{{.*}} {sizes = [8, 3], starts = [0, 2], steps = [1, 1]}
  // CHECK: ttc.gather %[[x]], %{{.*}} {axis = 0} : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %c = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
  %0 = "stablehlo.dynamic_slice"(%x, %i, %c) <{slice_sizes = array<i64: 2, 3>}> : (tensor<8x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gather_rows
func.func @gather_rows(%x: tensor<8x5xf32>, %i: tensor<4x1xi32>) -> tensor<4x5xf32> {
  // CHECK: ttc.gather %{{.*}}, %{{.*}} {axis = 0} : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x1x5xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Two indexed dimensions become one.
// CHECK-LABEL: func.func @gather_elements
func.func @gather_elements(%x: tensor<8x5xf32>, %i: tensor<4x2xui32>) -> tensor<4xf32> {
  // CHECK: %[[x:.*]] = ttc.reshape %{{.*}} : (tensor<8x5xf32>) -> tensor<40xf32>
  // CHECK: ttc.gather %[[x]], %{{.*}} {axis = 0} : (tensor<40xf32>, tensor<4x1x1xi32>) -> tensor<4x1x1xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x5xf32>, tensor<4x2xui32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @scatter
func.func @scatter(%x: tensor<8x5xf32>, %i: tensor<4x1xi32>, %u: tensor<4x5xf32>) -> tensor<8x5xf32> {
  // CHECK: ttc.compare ge
  // CHECK: ttc.compare le
  // CHECK: ttc.where
  // CHECK: ttc.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} reduction add
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// CHECK-LABEL: func.func @update_slice
func.func @update_slice(%x: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NOT: ttc.compare
  // CHECK: ttc.scatter_nd
  %0 = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  // CHECK: ttc.concat
  %c = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
  %1 = "stablehlo.dynamic_update_slice"(%x, %u, %c) : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
