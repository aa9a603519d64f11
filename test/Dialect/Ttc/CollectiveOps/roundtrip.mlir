// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 4, topology = ring,
    link_bytes_per_second = 12500000000, link_latency_ns = 700>]>} {

func.func @collectives(%x: tensor<4x8xf32> {ttc.sharding = [["x", "y"], []]}) {
  %0 = ttc.all_reduce %x {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ttc.all_reduce %x reduction max {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = ttc.all_gather %x {axes = ["x", "y"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x64xf32>
  %3 = ttc.reduce_scatter %x {axes = ["y"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %4 = ttc.all_to_all %x {axes = ["y"], split = 0, concat = 1} : (tensor<4x8xf32>) -> tensor<1x32xf32>
  // printed: %4 = ttc.all_to_all %x {axes = ["y"], concat = 1, split = 0} : (tensor<4x8xf32>) -> tensor<1x32xf32>
  %5 = ttc.broadcast %x {axes = ["y"], root = 3} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = ttc.permute %x {axes = ["y"], sources = [3, 0, 1, 2]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = ttc.constant #ttc.shards<[dense<1.0> : tensor<2xf32>, dense<2.0> : tensor<2xf32>], [0, 1, 0, 1, 0, 1, 0, 1]>
  // printed: %7 = ttc.constant #ttc.shards<[dense<1.000000e+00> : tensor<2xf32>, dense<2.000000e+00> : tensor<2xf32>], [0, 1, 0, 1, 0, 1, 0, 1]> : tensor<2xf32>
  return
}
}
