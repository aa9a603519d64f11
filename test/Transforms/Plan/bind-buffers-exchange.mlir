// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other devices reach no constants: what a collective reads of them is copied before. What a dispatch reads stays where it is.
// RUN: ttc-opt %s --ttc-bind-buffers | FileCheck %s
// RUN: ttc-opt %s --ttc-bind-buffers --mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=COUNT

// COUNT: 2 constant-copies - Constants that are copied for other devices
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>, ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.collective @sum all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.program private @f(tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.buffer constant @c : tensor<32xf32> = dense<1.0> : tensor<32xf32> in dram
ttc.buffer slot @x : tensor<32xf32> in dram
ttc.buffer slot @y : tensor<32xf32> in dram
// CHECK: ttc.trace @t0(%[[C:.*]]: tensor<32xf32> {ttc.buffer = @c}, %[[X:.*]]: tensor<32xf32> {ttc.buffer = @x})
ttc.trace @t0(%c: tensor<32xf32> {ttc.buffer = @c}, %x: tensor<32xf32> {ttc.buffer = @x})
    -> (tensor<32xf32> {ttc.buffer = @y}) {
  // CHECK: %[[COPY:.*]] = ttc.copy %[[C]] {ttc.buffer = [@t0_0]}
  // CHECK: ttc.exchange @sum(%[[COPY]])
  %0 = ttc.exchange @sum(%c) : (tensor<32xf32>) -> tensor<32xf32>
  // CHECK: ttc.exchange @sum(%[[X]])
  %1 = ttc.exchange @sum(%x) : (tensor<32xf32>) -> tensor<32xf32>
  // CHECK: ttc.reshape %[[C]]
  // CHECK: ttc.copy
  %2 = ttc.reshape %c : (tensor<32xf32>) -> tensor<4x8xf32>
  %3 = ttc.exchange @sum(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = ttc.reshape %3 : (tensor<4x8xf32>) -> tensor<32xf32>
  // CHECK: ttc.dispatch @f(%{{.*}}, %[[C]])
  %5 = ttc.dispatch @f(%0, %c) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %6 = ttc.dispatch @f(%1, %5) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %7 = ttc.dispatch @f(%4, %6) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  ttc.yield %7 : tensor<32xf32>
}
}
