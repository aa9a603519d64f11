// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @counted(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %rows = ttc.fill with 4575657222473777152 : tensor<16x4xf32>
  %0:3 = ttc.loop_begin %x, %n, %rows times 1000 : tensor<4xf32>, tensor<i32>, tensor<16x4xf32>
  %1 = ttc.exp %0#0 : (tensor<4xf32>) -> tensor<4xf32>
  %2:3 = ttc.loop_end %1, %0#1, %0#2 : tensor<4xf32>, tensor<i32>, tensor<16x4xf32>
  return %2#0 : tensor<4xf32>
}

func.func @nested(%go: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = ttc.loop_begin %go, %x while at_most 100 fails_at_limit : tensor<i1>, tensor<4xf32>
  %1:2 = ttc.loop_begin %0#0, %0#1 while at_most 1 : tensor<i1>, tensor<4xf32>
  %2 = ttc.exp %1#1 : (tensor<4xf32>) -> tensor<4xf32>
  %3:2 = ttc.loop_end %1#0, %2 : tensor<i1>, tensor<4xf32>
  %4:2 = ttc.loop_end %3#0, %3#1 : tensor<i1>, tensor<4xf32>
  return %4#1 : tensor<4xf32>
}

func.func @check(%flag: tensor<i1>, %byte: tensor<1xui8>) {
  %0 = ttc.fail_if %flag : tensor<i1>
  %1 = ttc.fail_if %byte : tensor<1xui8>
  return
}

ttc.buffer activation @x : tensor<4xf32> in dram at 0x1000 size 64
ttc.buffer activation @go : tensor<i1> in dram at 0x1040 size 64
ttc.program @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  ttc.return %0 : tensor<4xf32>
}

ttc.trace @commands() {
  ttc.cmd.repeat carried (@x) bytes [16] times 10
  ttc.cmd.repeat carried (@go, @x) bytes [1, 16] while @go at_most 7 fails_at_limit
  ttc.cmd.dispatch @step(@x) into (@x)
  ttc.cmd.barrier
  ttc.cmd.fill @go with 0 bytes 1
  ttc.cmd.end_repeat
  ttc.cmd.end_repeat
  ttc.cmd.end
}
