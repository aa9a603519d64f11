// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-form-traces --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-preallocate --ttc-encode-commands --ttc-size-trace-region --ttc-verify-plan | FileCheck %s

// Each stage has its constants, equal ones, too, at the same addresses as those of other stages, and alive as long as its
// entry point: after the page of those that all devices have. Activations of stages share bytes, slots do not.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>, ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-DAG: ttc.buffer constant @constant{{[_0-9]*}} : tensor<32xf32> = dense<1.000000e+00> : tensor<32xf32> live [0, 7) in dram at 0x1000 size 128
// CHECK-DAG: ttc.buffer constant @constant{{[_0-9]*}} : tensor<32xf32> = dense<2.000000e+00> : tensor<32xf32> live [0, 7) in dram at 0x1080 size 128
// CHECK-DAG: ttc.buffer slot @x : tensor<32xf32> in dram at 0x2000 size 128
// CHECK: ttc.entry @main_0 attributes {devices = array<i64: 0>, part_of = "main"}
// CHECK: ttc.buffer activation @{{.*}} : tensor<32xf32> live [1, 4) in dram at 0x2200 size 128
// CHECK: ttc.trace @main_0_t0
// CHECK-NEXT: ttc.cmd.dispatch
// CHECK-NEXT: ttc.cmd.barrier
// CHECK: ttc.cmd.send @permute
// CHECK-DAG: ttc.buffer constant @constant{{[_0-9]*}} : tensor<32xf32> = dense<1.000000e+00> : tensor<32xf32> live [7, 12) in dram at 0x1000 size 128
// CHECK-DAG: ttc.buffer slot @y : tensor<32xf32> in dram at 0x2080 size 128
// CHECK: ttc.entry @main_1 attributes {devices = array<i64: 1>, part_of = "main"}
// CHECK: ttc.buffer activation @{{.*}} : tensor<32xf32> live [7, 10) in dram at 0x2200 size 128
// CHECK: ttc.trace @main_1_t0
// CHECK-NEXT: ttc.cmd.receive @permute
// CHECK: ttc.buffer constant @constant{{[_0-9]*}} : tensor<32xf32> = dense<3.000000e+00> : tensor<32xf32> in dram at 0x0 size 128
// CHECK: ttc.entry @all {
ttc.collective @permute permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.program private @f(tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
func.func @main_0(%x: tensor<32xf32> {ttc.name = "x"}) attributes {ttc.devices = array<i64: 0>, ttc.part_of = "main"} {
  %w = ttc.constant dense<1.0> : tensor<32xf32>
  %v = ttc.constant dense<2.0> : tensor<32xf32>
  %0 = ttc.dispatch @f(%x, %w) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %1 = ttc.dispatch @f(%0, %v) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  ttc.send @permute(%1) : tensor<32xf32>
  return
}
func.func @main_1() -> (tensor<32xf32> {ttc.name = "y"}) attributes {ttc.devices = array<i64: 1>, ttc.part_of = "main"} {
  %w = ttc.constant dense<1.0> : tensor<32xf32>
  %0 = ttc.receive @permute : tensor<32xf32>
  %1 = ttc.dispatch @f(%0, %w) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
func.func @all(%x: tensor<32xf32>) -> tensor<32xf32> {
  %w = ttc.constant dense<3.0> : tensor<32xf32>
  %0 = ttc.dispatch @f(%x, %w) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
}
