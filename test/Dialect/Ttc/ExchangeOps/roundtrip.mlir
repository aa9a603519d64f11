// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 2, topology = ring, link_bytes_per_second = 1000000000, link_latency_ns = 500>]>} {
  ttc.collective @sum all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>, array<i64: 2, 3>]
  ttc.collective @largest all_reduce halving max i32 bytes 128 groups [array<i64: 0, 1, 2, 3>]
  ttc.collective @gather all_gather ring sum f32 bytes 128 groups [array<i64: 0, 2>] rows 4
  ttc.collective @scatter reduce_scatter ring sum f32 bytes 128 groups [array<i64: 0, 1, 2, 3>]
  ttc.collective @from_one broadcast direct sum f32 bytes 128 groups [array<i64: 0, 1>] root 1
  ttc.collective @shift permute direct sum i1 bytes 4 groups [array<i64: 0, 1>] sources [1, 0]

  ttc.collective @next permute direct sum f32 bytes 128 groups [array<i64: 0, 2>, array<i64: 1, 3>] sources [-1, 0]

  func.func @main_0(%x: tensor<4x8xf32>) attributes {ttc.devices = array<i64: 0, 1>, ttc.part_of = "main"} {
    ttc.send @next(%x) : tensor<4x8xf32>
    return
  }
  func.func @main_1() -> tensor<4x8xf32> attributes {ttc.devices = array<i64: 2, 3>, ttc.part_of = "main"} {
    %0 = ttc.receive @next : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }

  ttc.trace @on_tensors(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<1x8xf32>) {
    %0 = ttc.exchange @sum(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1:2 = ttc.exchange @scatter(%0) : (tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<64xui8>)
    ttc.yield %0, %1#0 : tensor<4x8xf32>, tensor<1x8xf32>
  }

  ttc.buffer activation @a : tensor<4x8xf32> in dram at 0x0 size 128
  ttc.buffer activation @b : tensor<8x8xf32> in dram at 0x80 size 256
  ttc.buffer activation @c : tensor<64xui8> in dram at 0x180 size 64
  ttc.trace @commands() {
    ttc.cmd.exchange @sum(@a) into (@b + 128)
    ttc.cmd.exchange @scatter(@a) into (@b, @c)
    ttc.cmd.offer @sum(@b + 128)
    ttc.cmd.send @next(@a)
    ttc.cmd.send @next(@b + 64)
    ttc.cmd.receive @next into (@a)
    ttc.cmd.exchange @sum(@b + 128) into (@a)
    ttc.cmd.end
  }
}
