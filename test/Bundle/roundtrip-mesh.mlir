// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle for a mesh: collectives of several algorithms, constants that differ between devices, ports that
// axes divide. Read as IR and written again it is the same file.
// REQUIRES: compiler, x86-64
// RUN: ttc-opt %s "--ttc-trace-pipeline=target-cpu=x86-64-v2 algorithm=ring" | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttc-translate --bundle-to-ttc %t.ttcb -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb

// CHECK: ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 2, topology = ring, link_bytes_per_second = 1000000000, link_latency_ns = 700>]>
// Constants of all devices, then on a page of their own those that differ.
// CHECK: ttc.buffer constant @{{.*}} : tensor<{{.*}}> = dense<{{.*}} in dram at 0x0
// CHECK: ttc.buffer constant @{{.*}} : tensor<{{.*}}> = #ttc.shards<[{{.*}}], [0, 1, 0, 1]> : tensor<{{.*}}> in dram at 0x1000
// CHECK-DAG: ttc.collective @all_reduce all_reduce ring sum f32 bytes 64 groups [array<i64: 0, 1>, array<i64: 2, 3>]
// CHECK-DAG: ttc.collective @permute permute direct sum f32 bytes 64 groups [array<i64: 0, 2>, array<i64: 1, 3>] sources [1, 0]
// CHECK-DAG: ttc.collective @reduce_scatter reduce_scatter ring sum f32 bytes 64 groups [array<i64: 0, 1, 2, 3>]
// CHECK: ttc.cmd.exchange @all_reduce(@{{.*}}) into (@{{.*}})
// CHECK: ttc.cmd.exchange @reduce_scatter(@{{.*}}) into (@{{.*}}, @{{.*}})
// CHECK: ttc.input "x" at @x : tensor<4x8xf32> {ttc.sharding = {{\[\[}}"x"], []]}
// CHECK: ttc.output "y" at @y : tensor<1x4xf32> {ttc.sharding = {{\[\[}}"x", "y"], []]}
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 2, topology = ring, link_bytes_per_second = 1000000000, link_latency_ns = 700>]>} {
  func.func @main(%x: tensor<4x8xf32> {ttc.name = "x", ttc.sharding = [["x"], []]})
      -> (tensor<1x4xf32> {ttc.name = "y", ttc.sharding = [["x", "y"], []]}) {
    %w = ttc.constant #ttc.shards<[dense<[[1.0, 2.0, 3.0, 4.0], [-1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 0.5, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0]]> : tensor<8x4xf32>, dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.5, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.5]]> : tensor<8x4xf32>], [0, 1, 0, 1]>
    %b = ttc.constant dense<[0.5, -0.5, 1.5, 2.5]> : tensor<4xf32>
    %0 = ttc.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = ttc.all_reduce %0 {axes = ["y"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = ttc.add %1, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %3 = ttc.permute %2 {axes = ["x"], sources = [1, 0]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = ttc.reduce_scatter %3 {axes = ["x", "y"], dimension = 0} : (tensor<4x4xf32>) -> tensor<1x4xf32>
    return %4 : tensor<1x4xf32>
  }
}
