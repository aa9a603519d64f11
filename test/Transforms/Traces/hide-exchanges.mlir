// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hide-exchanges | FileCheck %s

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>, ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.collective @sum all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.program private @f(tensor<32xf32>) -> tensor<32xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program private @g(tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}

// The second product is computed during the first exchange. Nothing is left for the second one. They keep their order.
// CHECK-LABEL: ttc.trace @two
// CHECK: %[[A:.*]] = ttc.dispatch @f
// CHECK-NEXT: %[[B:.*]] = ttc.dispatch @f
// CHECK-NEXT: %[[X:.*]] = ttc.exchange @sum(%[[A]]) {offer}
// CHECK-NEXT: %[[Y:.*]] = ttc.exchange @sum(%[[B]]){{.*}} :
// CHECK-NEXT: ttc.dispatch @g(%[[X]], %[[Y]])
ttc.trace @two(%x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = ttc.dispatch @f(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %1 = ttc.exchange @sum(%0) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = ttc.dispatch @f(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = ttc.exchange @sum(%2) : (tensor<32xf32>) -> tensor<32xf32>
  %4 = ttc.dispatch @g(%1, %3) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  ttc.yield %4 : tensor<32xf32>
}

// Nothing is independent.
// CHECK-LABEL: ttc.trace @chain
// CHECK: ttc.exchange @sum(%{{.*}}) : (
ttc.trace @chain(%x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = ttc.dispatch @f(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %1 = ttc.exchange @sum(%0) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = ttc.dispatch @f(%1) : (tensor<32xf32>) -> tensor<32xf32>
  ttc.yield %2 : tensor<32xf32>
}
}
