// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not ttc-opt %s -split-input-file --ttc-set-mesh="mesh=2 micro-batches=3" --ttc-annotate-sharding=parallel=pipeline --ttc-partition 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not ttc-opt %s -split-input-file --ttc-set-mesh="mesh=2 micro-batches=2" --ttc-annotate-sharding=parallel=data 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not ttc-opt %s -split-input-file --ttc-set-mesh="mesh=2 micro-batches=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ttc-opt %s -split-input-file --ttc-set-mesh="micro-batches=2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ttc-opt %s -split-input-file --ttc-set-mesh="mesh=2 micro-batches=2" --ttc-annotate-sharding 2>&1 | FileCheck %s --check-prefix=EMPTY

// EMPTY: error: --micro-batches: expected --parallel=pipeline, found no --parallel
// PIPELINE: error: --micro-batches: expected a batch that 3 divides, found 8 in 'divides' (its inputs' first dimension)
// DATA: error: --micro-batches: expected --parallel=pipeline, found 'data'
// ZERO: error: --micro-batches: expected a number of at least 1, and more than 1 only with --mesh, found 0
// NONE: error: --micro-batches: expected a number of at least 1, and more than 1 only with --mesh, found 2
func.func @divides(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = ttc.neg %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// PIPELINE: error: --micro-batches: expected a batch whose elements do not depend on each other, found that all of them are needed here (ttc.all_{{.*}})
func.func @depends(%x: tensor<6x4xf32>) -> tensor<4xf32> {
  %0 = ttc.reduce_sum %x {axes = [0], keep_dims = false} : (tensor<6x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
