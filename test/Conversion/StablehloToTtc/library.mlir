// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// Division among devices has no meaning on one.
// CHECK-LABEL: func.func @sharding
func.func @sharding(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>) {
  // CHECK: %[[c:.*]] = ttc.constant {{.*}}0
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "Sharding", backend_config = ""}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.partition_id"() : () -> tensor<ui32>
  // CHECK: return %arg0, %[[c]]
  return %0, %1 : tensor<4xf32>, tensor<ui32>
}

// CHECK-LABEL: func.func @fft
func.func @fft(%x: tensor<3x4xf32>) -> tensor<3x3xf32> {
  // CHECK: ttc.matmul {{.*}} -> tensor<3x6xf32>
  %0 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}> : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
  %1 = "stablehlo.imag"(%0) : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @random
func.func @random(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>) {
  // CHECK: ttc.bit_xor
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<3xui8>
}

// The lowest bits come first.
// CHECK-LABEL: func.func @bitcast
func.func @bitcast(%x: tensor<3xf32>) -> tensor<3x4xi8> {
  // CHECK: ttc.shift_right
  // CHECK: ttc.cast {{.*}} -> tensor<3x4xui8>
  // CHECK: ttc.bitcast {{.*}} -> tensor<3x4xi8>
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<3xf32>) -> tensor<3x4xi8>
  return %0 : tensor<3x4xi8>
}

// CHECK-LABEL: func.func @special
func.func @special(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ttc.sqrt
  // CHECK: ttc.where
  %0 = "chlo.erf_inv"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @complex
func.func @complex(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ttc.exp
  // CHECK: ttc.cos
  %x = "stablehlo.complex"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %0 = "stablehlo.exponential"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = "stablehlo.real"(%0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @complex_iota
func.func @complex_iota() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: %[[re:.*]] = ttc.constant dense<{{.*}}> : tensor<2x3xf32>
  // CHECK: %[[im:.*]] = ttc.constant dense<0.000000e+00> : tensor<2x3xf32>
  // CHECK: return %[[re]], %[[im]]
  %x = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xcomplex<f32>>
  %0 = "stablehlo.real"(%x) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %1 = "stablehlo.imag"(%x) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
