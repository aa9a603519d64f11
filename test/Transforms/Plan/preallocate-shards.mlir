// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-bind-buffers --ttc-preallocate | FileCheck %s
// RUN: ttc-opt %s --ttc-bind-buffers --ttc-preallocate --ttc-encode-commands | FileCheck %s --check-prefix=ENCODED
// Shards have the same offset in every core, above the scratch of all commands, although @join, which
// needs most, does not run while @a is written. And @q does not take the bytes of @p, which is dead when it
// is made: that would put a barrier into the chain of @cut and @join.

#height = #ttc.layout<l1, height_sharded, grid = [4, 1]>
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-DAG: ttc.buffer activation @t0_0 : tensor<8x16xf32> {{.*}} in dram at 0x400 size 512
// CHECK-DAG: ttc.buffer activation @t0_1 : tensor<8x16xf32> {{.*}} in l1 at 0x100 size 128 shards 4
// CHECK-DAG: ttc.buffer activation @t0_2 : tensor<8x16xf32> {{.*}} in dram at 0x600 size 512
// ENCODED-LABEL: ttc.trace @t0
// ENCODED-NEXT:    ttc.cmd.dispatch @make
// ENCODED-NEXT:    ttc.cmd.barrier
// ENCODED-NEXT:    ttc.cmd.dispatch @cut
// ENCODED-NEXT:    ttc.cmd.dispatch @join
// ENCODED-NEXT:    ttc.cmd.barrier
// ENCODED-NEXT:    ttc.cmd.dispatch @make
// ENCODED-NEXT:    ttc.cmd.end
ttc.program @make(tensor<8x16xf32>) -> tensor<8x16xf32> attributes {grid = 8 : i64, scratch_bytes = 0 : i64}
ttc.program @cut(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>})
    -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 64 : i64}
ttc.program @join(tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #height>, partition = [0, -1]>})
    -> (tensor<2x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>, grid = 4 : i64, scratch_bytes = 256 : i64}
ttc.buffer slot @x : tensor<8x16xf32> in dram
ttc.buffer slot @y : tensor<8x16xf32> in dram
ttc.trace @t0(%x: tensor<8x16xf32> {ttc.buffer = @x}) -> (tensor<8x16xf32> {ttc.buffer = @y}) {
  %p = ttc.dispatch @make(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %a = ttc.dispatch @cut(%p) : (tensor<8x16xf32>) -> tensor<8x16xf32, #height>
  %q = ttc.dispatch @join(%a) : (tensor<8x16xf32, #height>) -> tensor<8x16xf32>
  %y = ttc.dispatch @make(%q) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.yield %y : tensor<8x16xf32>
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<8x16xf32>
  ttc.output "y" at @y : tensor<8x16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t0 on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
}
