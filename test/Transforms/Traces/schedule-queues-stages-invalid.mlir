// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages with rings: the host of one without outputs would end after another inference than the others.
// RUN: ttc-opt %s --ttc-form-traces --ttc-hoist-io --ttc-schedule-queues="schedules=overlap-io slots=2" -verify-diagnostics

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>, ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
ttc.collective @permute permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.program private @f(tensor<32xf32>) -> tensor<32xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
// expected-error @+1 {{expected slots=1, found slots=2: stage 'main_0' of 'main' has no outputs, so nothing tells its host where a ring ends}}
func.func @main_0(%x: tensor<32xf32> {ttc.name = "x"}) attributes {ttc.devices = array<i64: 0>, ttc.part_of = "main"} {
  %0 = ttc.dispatch @f(%x) : (tensor<32xf32>) -> tensor<32xf32>
  ttc.send @permute(%0) : tensor<32xf32>
  return
}
func.func @main_1() -> (tensor<32xf32> {ttc.name = "y"}) attributes {ttc.devices = array<i64: 1>, ttc.part_of = "main"} {
  %0 = ttc.receive @permute : tensor<32xf32>
  %1 = ttc.dispatch @f(%0) : (tensor<32xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
}
