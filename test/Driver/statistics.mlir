// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each pass counts what it has done: the whole way of a small model, on a target whose L1 holds tensors.
// RUN: ttc-opt %s --ttc-trace-pipeline="target=wormhole_n150 target-cpu=x86-64-v3" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: ttc-opt %s --ttc-trace-pipeline="target=cpu target-cpu=x86-64-v3 compile=false" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
// Unasked for, nothing is said.
// RUN: ttc-opt %s --ttc-trace-pipeline="target=cpu compile=false" -o /dev/null 2>&1 | count 0
// CHECK-DAG: ttc-channels-last {{.*}} 2 transposes - Transposes left
// CHECK-DAG: ttc-choose-kernels {{.*}} 2 kernels - Kernel ops in the module
// CHECK-DAG: ttc-fold-constants {{.*}} evaluated - Ops evaluated
// CHECK-DAG: ttc-narrow-weights {{.*}} 1 narrowed - Constants stored in a narrower type
// CHECK-DAG: ttc-narrow-weights {{.*}} 64 saved-bytes - Bytes that their narrower types save
// CHECK-DAG: ttc-fuse {{.*}} 9 fusions - Fusions made
// CHECK-DAG: ttc-fuse {{.*}} 12 ops - Ops in fusions
// CHECK-DAG: ttc-outline-programs {{.*}} 9 dispatches - Fusions outlined
// CHECK-DAG: ttc-outline-programs {{.*}} 9 programs - Programs made
// CHECK-DAG: ttc-hoist-io {{.*}} 1 traces - Traces formed
// CHECK-DAG: ttc-hoist-io {{.*}} hoisted - Ops moved out of traced regions
// CHECK-DAG: ttc-schedule-queues {{.*}} constants - Constants stored
// CHECK-DAG: ttc-elide-copies {{.*}} 1 elided - Dispatches of copies that were elided
// CHECK-DAG: ttc-elide-copies {{.*}} 1024 elided-bytes - Bytes that these no longer write
// CHECK-DAG: ttc-elide-copies {{.*}} 2 variants - Program variants for strided operands
// CHECK-DAG: ttc-place-tensors {{.*}} 16008 dram-bytes-before - Bytes through DRAM of one inference, with all tensors in DRAM
// CHECK-DAG: ttc-place-tensors {{.*}} 2184 dram-bytes - Bytes through DRAM of one inference
// CHECK-DAG: ttc-place-tensors {{.*}} 6 l1-tensors - Buffers placed in L1
// CHECK-DAG: ttc-place-tensors {{.*}} 1 l1-slots - Inputs that were given a slot in L1
// CHECK-DAG: ttc-preallocate {{.*}} l1-bytes - What tensors and scratch take of each core's L1
// CHECK-DAG: ttc-preallocate {{.*}} constant-bytes - Bytes of constants
// CHECK-DAG: ttc-preallocate {{.*}} slot-bytes - Bytes of slots and state
// CHECK-DAG: ttc-encode-commands {{.*}} 9 commands - Commands, barriers and ends included
// CHECK-DAG: ttc-overlap-transfers {{.*}} 6 schedules - Schedules added
// CHECK-DAG: ttc-overlap-transfers {{.*}} parts - Traces that are copies, or parts, of others
// CHECK-DAG: ttc-size-trace-region {{.*}} region-bytes - Bytes of the trace region
// CHECK-DAG: ttc-size-trace-region {{.*}} bank-bytes - What the trace region takes of each DRAM bank
// CHECK-DAG: ttc-compile-programs {{.*}} 8 programs - Programs compiled
// CHECK-DAG: ttc-compile-programs {{.*}} code-bytes - Bytes of the shared object
// CPU-DAG: ttc-preallocate {{.*}} 2048 activation-bytes - Arena size of the activations
// CPU-DAG: ttc-preallocate {{.*}} 2048 lower-bound-bytes - Lower bound of the arena size of the activations
func.func @main(%x: tensor<1x4x8x8xf32> {ttc.name = "x"}) -> (tensor<1x4x8x8xf32> {ttc.name = "y"}) {
  %w = ttc.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]], [[[5.0]], [[6.0]], [[7.0]], [[8.0]]]]> : tensor<2x4x1x1xf32>
  %scale = ttc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %bias = ttc.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %mean = ttc.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %var = ttc.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %0 = ttc.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x8x8xf32>
  %1 = ttc.batch_norm %0, %scale, %bias, %mean, %var {epsilon = 1.0 : f32}
      : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x8x8xf32>
  %2 = ttc.tanh %1 : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %3 = ttc.max_pool %1 {kernel = [3, 3], pads = [1, 1, 1, 1]} : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %4 = ttc.concat %2, %3 {axis = 1} : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x4x8x8xf32>
  %5 = ttc.softmax %4 {axis = 1} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // Too large for what folds by itself.
  %row = ttc.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %large = ttc.expand %row : (tensor<8xf32>) -> tensor<4096x8xf32>
  %most = ttc.reduce_sum %large {axes = [0]} : (tensor<4096x8xf32>) -> tensor<8xf32>
  %6 = ttc.add %5, %row : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  %7 = ttc.softmax %6 {axis = 3} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %8 = ttc.mul %7, %most : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  %9 = ttc.softmax %8 {axis = 2} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %9 : tensor<1x4x8x8xf32>
}
