// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-shard-tensors=shard=width --split-input-file --verify-diagnostics -o /dev/null

// A remark gives the reason for each result of a dispatch that is not sharded.
#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// expected-warning @+1 {{no tensor was sharded by width; remarks give the reasons}}
module @rows attributes {ttc.target = #target} {
ttc.trace @rows(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-remark @+1 {{not sharded by width: no command reads its shards in the cores that write them}}
  %a = ttc.dispatch @relu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark @+1 {{not sharded by width: program @softmax cannot compute a shard of its result on its own}}
  %b = ttc.dispatch @softmax(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark @+1 {{not sharded by width: the trace returns it, and takes and returns whole tensors only}}
  %c = ttc.dispatch @relu(%b) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.yield %c : tensor<8x16xf32>
}
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
ttc.program private @softmax(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.softmax %a {axis = 1} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// expected-warning @+1 {{no tensor was sharded by width; remarks give the reasons}}
module @odd attributes {ttc.target = #target} {
ttc.trace @odd(%x: tensor<8x7xf32>) -> tensor<8x14xf32> {
  // expected-remark @+1 {{not sharded by width: it is used by ttc.concat, which takes whole tensors only}}
  %a = ttc.dispatch @relu(%x) : (tensor<8x7xf32>) -> tensor<8x7xf32>
  // expected-remark @+1 {{not sharded by width: no split of tensor<8x7xf32> into equal parts uses more than one of the 4 cores}}
  %b = ttc.dispatch @relu(%a) : (tensor<8x7xf32>) -> tensor<8x7xf32>
  // expected-remark @+1 {{not sharded by width: it is used by ttc.concat}}
  %c = ttc.dispatch @relu(%b) : (tensor<8x7xf32>) -> tensor<8x7xf32>
  %d = ttc.concat %a, %c {axis = 1} : (tensor<8x7xf32>, tensor<8x7xf32>) -> tensor<8x14xf32>
  ttc.yield %d : tensor<8x14xf32>
}
ttc.program private @relu(%a: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %0 = ttc.relu %a : (tensor<8x7xf32>) -> tensor<8x7xf32>
  ttc.return %0 : tensor<8x7xf32>
}
}

// -----

#target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>

// expected-warning @+1 {{no tensor was sharded by width; remarks give the reasons}}
module @large attributes {ttc.target = #target} {
ttc.trace @large(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @+1 {{not sharded by width: 4096 bytes for each core do not fit in addition to 0 of other shards into half of L1, 2048 bytes}}
  %a = ttc.dispatch @relu(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @+1 {{not sharded by width: the trace returns it}}
  %b = ttc.dispatch @relu(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  ttc.yield %b : tensor<64x64xf32>
}
ttc.program private @relu(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ttc.relu %a : (tensor<64x64xf32>) -> tensor<64x64xf32>
  ttc.return %0 : tensor<64x64xf32>
}
}
