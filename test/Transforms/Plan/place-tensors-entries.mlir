// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// L1 has room for one tensor. Two entry points never run at the same time, so each has one there, unless their
// activations must not share bytes.
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=dram | FileCheck %s --check-prefix=SHARED
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors="input-memory=dram share-activations=false" | FileCheck %s --check-prefix=APART
// SHARED-DAG: ttc.buffer activation @a_t0_0 : tensor<128xf32> in l1
// SHARED-DAG: ttc.buffer activation @b_t0_0 : tensor<128xf32> in l1
// APART-COUNT-1: ttc.buffer activation @{{[ab]}}_t0_0 : tensor<128xf32> in l1
// APART-NOT: in l1
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 256, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @a(%x: tensor<128xf32>) -> tensor<128xf32> {
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = ttc.dispatch @f(%0) : (tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %1 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
func.func @b(%x: tensor<128xf32>) -> tensor<128xf32> {
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = ttc.dispatch @f(%0) : (tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %1 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}
