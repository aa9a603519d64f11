// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-fuse-quantization --split-input-file | FileCheck %s

// Scales of the weights differ between channels. The product's scales and its bias take the scale
// of the result.
// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x4x8x8xui8>) -> tensor<1x6x3x3xui8> {
  %w = ttc.constant dense<3> : tensor<6x4x3x3xi8>
  %xs = ttc.constant dense<0.5> : tensor<f32>
  %xz = ttc.constant dense<7> : tensor<ui8>
  %ws = ttc.constant dense<0.25> : tensor<6x1x1x1xf32>
  %wz = ttc.constant dense<0> : tensor<i8>
  %b = ttc.constant dense<1.0> : tensor<6xf32>
  %ys = ttc.constant dense<2.0> : tensor<f32>
  %yz = ttc.constant dense<9> : tensor<ui8>
  // CHECK: %[[SUMS:.*]] = ttc.int_conv %arg0, %{{.*}}, %{{.*}}, %{{.*}} {strides = [2, 2]}
  // CHECK-NOT: ttc.dequantize
  // CHECK: %[[REAL:.*]] = ttc.cast %[[SUMS]] : (tensor<1x6x3x3xi32>) -> tensor<1x6x3x3xf32>
  // CHECK: %[[SCALED:.*]] = ttc.mul %[[REAL]], %{{.*}} : (tensor<1x6x3x3xf32>, tensor<6x1x1xf32>)
  // CHECK: %[[SUM:.*]] = ttc.add %[[SCALED]], %{{.*}} : (tensor<1x6x3x3xf32>, tensor<6x1x1xf32>)
  // CHECK: %[[RELU:.*]] = ttc.relu %[[SUM]]
  // CHECK: ttc.quantize %[[RELU]], %{{.*}}, %{{.*}} : (tensor<1x6x3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x6x3x3xui8>
  %0 = ttc.dequantize %x, %xs, %xz : (tensor<1x4x8x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x8x8xf32>
  %1 = ttc.dequantize %w, %ws, %wz : (tensor<6x4x3x3xi8>, tensor<6x1x1x1xf32>, tensor<i8>) -> tensor<6x4x3x3xf32>
  %2 = ttc.conv %0, %1, %b {strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  %3 = ttc.relu %2 : (tensor<1x6x3x3xf32>) -> tensor<1x6x3x3xf32>
  %4 = ttc.quantize %3, %ys, %yz : (tensor<1x6x3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x6x3x3xui8>
  return %4 : tensor<1x6x3x3xui8>
}

// -----

// Transposed weights are transposed as bytes.
// CHECK-LABEL: @matmul
func.func @matmul(%x: tensor<4x8xui8>) -> tensor<4x6xf32> {
  %w = ttc.constant dense<3> : tensor<6x8xi8>
  %xs = ttc.constant dense<0.5> : tensor<f32>
  %xz = ttc.constant dense<7> : tensor<ui8>
  %ws = ttc.constant dense<0.25> : tensor<6x1xf32>
  %wz = ttc.constant dense<0> : tensor<6x1xi8>
  // CHECK: ttc.int_matmul %arg0, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xui8>, tensor<8x6xi8>, tensor<ui8>, tensor<6xi8>) -> tensor<4x6xi32>
  %0 = ttc.dequantize %x, %xs, %xz : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xf32>
  %1 = ttc.dequantize %w, %ws, %wz : (tensor<6x8xi8>, tensor<6x1xf32>, tensor<6x1xi8>) -> tensor<6x8xf32>
  %2 = ttc.matmul %0, %1 {transpose_b} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

// A scale for each row of the weights stands within the sums.
// CHECK-LABEL: @scaled_rows
func.func @scaled_rows(%x: tensor<4x8xui8>) -> tensor<4x6xf32> {
  %w = ttc.constant dense<3> : tensor<8x6xi8>
  %xs = ttc.constant dense<0.5> : tensor<f32>
  %xz = ttc.constant dense<7> : tensor<ui8>
  %ws = ttc.constant dense<0.25> : tensor<8x1xf32>
  %wz = ttc.constant dense<0> : tensor<i8>
  // CHECK-NOT: ttc.int_matmul
  // CHECK: ttc.matmul
  %0 = ttc.dequantize %x, %xs, %xz : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xf32>
  %1 = ttc.dequantize %w, %ws, %wz : (tensor<8x6xi8>, tensor<8x1xf32>, tensor<i8>) -> tensor<8x6xf32>
  %2 = ttc.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

// What stands between selects bytes; a signed activation is stored unsigned.
// CHECK-LABEL: @select
func.func @select(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %s = ttc.constant dense<0.5> : tensor<f32>
  %z = ttc.constant dense<-3> : tensor<i8>
  // CHECK: %[[Q:.*]] = ttc.quantize %arg0, {{.*}} -> tensor<1x4x8x8xui8>
  // CHECK: %[[P:.*]] = ttc.max_pool %[[Q]] {{.*}} -> tensor<1x4x4x4xui8>
  // CHECK: %[[D:.*]] = ttc.dequantize %[[P]]
  // CHECK: return %[[D]]
  %0 = ttc.quantize %x, %s, %z : (tensor<1x4x8x8xf32>, tensor<f32>, tensor<i8>) -> tensor<1x4x8x8xi8>
  %1 = ttc.dequantize %0, %s, %z : (tensor<1x4x8x8xi8>, tensor<f32>, tensor<i8>) -> tensor<1x4x8x8xf32>
  %2 = ttc.max_pool %1 {kernel = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return %2 : tensor<1x4x4x4xf32>
}

// -----

// CHECK-LABEL: @cancel
func.func @cancel(%x: tensor<8xui8>) -> (tensor<8xui8>, tensor<8xui8>) {
  %s = ttc.constant dense<0.5> : tensor<f32>
  %t = ttc.constant dense<0.75> : tensor<f32>
  %z = ttc.constant dense<3> : tensor<ui8>
  // CHECK: %[[Q:.*]] = ttc.quantize
  // CHECK: return %arg0, %[[Q]]
  %0 = ttc.dequantize %x, %s, %z : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %1 = ttc.quantize %0, %s, %z : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  %2 = ttc.quantize %0, %t, %z : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  return %1, %2 : tensor<8xui8>, tensor<8xui8>
}

// -----

// Rows of a table in bytes, with one scale, a scale for each column and a scale for each row: the bytes
// are gathered.
// CHECK-LABEL: @gather
func.func @gather(%i: tensor<2x3xi64>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %w = ttc.constant dense<3> : tensor<100x8xi8>
  %z = ttc.constant dense<1> : tensor<i8>
  %s = ttc.constant dense<0.5> : tensor<f32>
  %columns = ttc.constant dense<0.5> : tensor<1x8xf32>
  %rows = ttc.constant dense<0.5> : tensor<100x1xf32>
  // CHECK-DAG: %[[BYTES:.*]] = ttc.gather %{{.*}}, %arg0 {axis = 0} : (tensor<100x8xi8>, tensor<2x3xi64>) -> tensor<2x3x8xi8>
  // CHECK-DAG: ttc.dequantize %[[BYTES]], %{{.*}}, %{{.*}} : (tensor<2x3x8xi8>, tensor<f32>, tensor<i8>) -> tensor<2x3x8xf32>
  // CHECK-DAG: ttc.dequantize %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3x8xi8>, tensor<1x1x8xf32>, tensor<i8>) -> tensor<2x3x8xf32>
  // CHECK-DAG: ttc.gather %{{.*}}, %arg0 {axis = 0} : (tensor<100x1xf32>, tensor<2x3xi64>) -> tensor<2x3x1xf32>
  %0 = ttc.dequantize %w, %s, %z : (tensor<100x8xi8>, tensor<f32>, tensor<i8>) -> tensor<100x8xf32>
  %1 = ttc.dequantize %w, %columns, %z : (tensor<100x8xi8>, tensor<1x8xf32>, tensor<i8>) -> tensor<100x8xf32>
  %2 = ttc.cast %w : (tensor<100x8xi8>) -> tensor<100x8xf32>
  %3 = ttc.mul %2, %rows : (tensor<100x8xf32>, tensor<100x1xf32>) -> tensor<100x8xf32>
  %4 = ttc.gather %0, %i {axis = 0} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %5 = ttc.gather %1, %i {axis = 0} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %6 = ttc.gather %3, %i {axis = 0} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  return %4, %5, %6 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// -----

// A table that another op needs, or that is no larger than what it is computed from, is computed once.
// CHECK-LABEL: @whole_table
func.func @whole_table(%i: tensor<3xi64>, %x: tensor<4x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>, tensor<4x100xf32>) {
  %w = ttc.constant dense<3> : tensor<100x8xi8>
  %b = ttc.constant dense<0.25> : tensor<8xf32>
  %v = ttc.constant dense<0.5> : tensor<100x8xf32>
  // CHECK-COUNT-2: ttc.gather %{{.*}}, %arg0 {axis = 0} : (tensor<100x8xf32>, tensor<3xi64>)
  %0 = ttc.cast %w : (tensor<100x8xi8>) -> tensor<100x8xf32>
  %1 = ttc.gather %0, %i {axis = 0} : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  %2 = ttc.matmul %x, %0 {transpose_b} : (tensor<4x8xf32>, tensor<100x8xf32>) -> tensor<4x100xf32>
  %3 = ttc.add %v, %b : (tensor<100x8xf32>, tensor<8xf32>) -> tensor<100x8xf32>
  %4 = ttc.gather %3, %i {axis = 0} : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return %1, %4, %2 : tensor<3x8xf32>, tensor<3x8xf32>, tensor<4x100xf32>
}
