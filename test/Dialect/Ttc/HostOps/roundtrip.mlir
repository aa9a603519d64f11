// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | FileCheck %s
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt %s --emit-bytecode | ttc-opt | FileCheck %s

// CHECK: %{{.*}} = ttc.host_call <name = "com.acme.Clip", version = 1>(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32>
// CHECK: %{{.*}}:2 = ttc.host_call <name = "Split", version = 18, attributes = {axis = -1 : i64, modes = ["a", "b"], numbers = array<f32: 5.000000e-01>, scale = 2.000000e+00 : f32, sizes = array<i64: 2, 62>, table = dense<[1, 2]> : tensor<2xi8>, text = "t"}, absent_inputs = [1, 2], absent_outputs = [0]>(%arg0, %arg0)
func.func @calls(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = ttc.host_call #ttc.host_function<name = "com.acme.Clip", version = 1>(%x)
     : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %1:2 = ttc.host_call #ttc.host_function<name = "Split", version = 18, attributes = {
       axis = -1 : i64, scale = 2.0 : f32, text = "t", sizes = array<i64: 2, 62>,
       numbers = array<f32: 0.5>, modes = ["a", "b"], table = dense<[1, 2]> : tensor<2xi8>},
       absent_inputs = [1, 2], absent_outputs = [0]>(%x, %x)
     : (tensor<1x64xf32>, tensor<1x64xf32>) -> (tensor<1x2xf32>, tensor<1x62xf32>)
  return %0 : tensor<1x64xf32>
}

// CHECK: ttc.program @clip(tensor<1x64xf32>) -> tensor<1x64xf32> attributes {grid = 1 : i64, host_function = #ttc.host_function<name = "com.acme.Clip", version = 1>, scratch_bytes = 0 : i64}
ttc.program @clip(tensor<1x64xf32>) -> tensor<1x64xf32> attributes {
  host_function = #ttc.host_function<name = "com.acme.Clip", version = 1>, grid = 1 : i64, scratch_bytes = 0 : i64}

// CHECK: ttc.host_dispatch @clip(%arg0) {on_device} : (tensor<1x64xf32>) -> tensor<1x64xf32>
func.func @step(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = ttc.host_dispatch @clip(%x) {on_device} : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
