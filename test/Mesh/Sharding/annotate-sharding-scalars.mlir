// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-mesh=mesh=2 --ttc-annotate-sharding=parallel=data -o %t 2>&1 | FileCheck %s

// CHECK: warning: --parallel=data: expected an input with a first dimension, found none in 'scalars': nothing is divided
func.func @scalars(%x: tensor<f32>) -> tensor<f32> {
  %0 = ttc.relu %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
