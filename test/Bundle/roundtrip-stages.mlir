// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle of two stages of two devices each: entry points of some devices, sends and receives, constants
// of a stage, and some that differ between its devices. Read as IR and written again it is the same file.
// REQUIRES: compiler, x86-64
// RUN: ttc-opt %s "--ttc-trace-pipeline=target-cpu=x86-64-v2 parallel=pipeline:y" | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttc-translate --bundle-to-ttc %t.ttcb -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb

// CHECK: ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 2>]>
// CHECK-DAG: ttc.buffer constant @{{.*}} : tensor<{{.*}}> = #ttc.shards<[{{.*}}], [0, 0, 1, 0]> : tensor<{{.*}}> live [0, {{.*}}) in dram at 0x0
// CHECK-DAG: ttc.buffer constant @{{.*}} : tensor<{{.*}}> = #ttc.shards<[{{.*}}], [0, 0, 0, 1]> : tensor<{{.*}}> live [{{.*}}) in dram at 0x0
// CHECK-DAG: ttc.collective @permute permute direct sum f32 bytes 128 groups [array<i64: 0, 1>, array<i64: 2, 3>] sources [-1, 0]
// CHECK: ttc.cmd.send @permute(@[[S0:.*]]) loc
// CHECK: ttc.entry @main_0 attributes {devices = array<i64: 0, 2>, part_of = "main"}
// CHECK: ttc.input "x" at @x : tensor<8x4xf32>
// CHECK: ttc.entry @main_1 attributes {devices = array<i64: 1, 3>, part_of = "main"}
// CHECK: ttc.output "y" at @y : tensor<8x4xf32>
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 2>]>} {
  func.func @main(%x: tensor<8x4xf32> {ttc.name = "x"}) -> (tensor<8x4xf32> {ttc.name = "y"}) {
    %w1 = ttc.constant #ttc.shards<[dense<[[-3.0, -1.5, 0.0, 1.5], [3.0, -2.5, -1.0, 0.5], [2.0, 3.5, -2.0, -0.5], [1.0, 2.5, -3.0, -1.5]]> : tensor<4x4xf32>, dense<[[-3.0, -0.5, 2.0, -2.5], [0.0, 2.5, -2.0, 0.5], [3.0, -1.5, 1.0, 3.5], [-1.0, 1.5, -3.0, -0.5]]> : tensor<4x4xf32>], [0, 0, 1, 1]>
    %w2 = ttc.constant #ttc.shards<[dense<[[-3.0, 0.5, -3.0, 0.5], [-3.0, 0.5, -3.0, 0.5], [-3.0, 0.5, -3.0, 0.5], [-3.0, 0.5, -3.0, 0.5]]> : tensor<4x4xf32>, dense<[[-3.0, -2.5, -2.0, -1.5], [-1.0, -0.5, 0.0, 0.5], [1.0, 1.5, 2.0, 2.5], [3.0, 3.5, -3.0, -2.5]]> : tensor<4x4xf32>], [0, 0, 1, 1]>
    %b = ttc.constant dense<[0.5, -0.5, 1.5, 2.5]> : tensor<4xf32>
    %0 = ttc.matmul %x, %w1 : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = ttc.all_reduce %0 {axes = ["x"]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = ttc.matmul %1, %w2 : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %3 = ttc.add %2, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}
