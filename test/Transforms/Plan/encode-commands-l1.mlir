// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-encode-commands --ttc-size-trace-region --ttc-verify-plan | FileCheck %s

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @one(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @s(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 1 : i64, scratch_bytes = 100 : i64}
ttc.program @m(tensor<64xf32>) -> tensor<64xf32> attributes {grid = 2 : i64, scratch_bytes = 100 : i64}
// @i is interleaved and lies in the bytes of core 1 that the second shard of @h has had, so a barrier
// stands between them; the first shard alone shares nothing with what lies on the other core. What core 0
// does alone, with its scratch, it does in order: @e may lie in the bytes of @s's scratch, but @k not in those of
// @m's, without a barrier.
// CHECK-LABEL: ttc.trace @t0
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@h)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@a)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @f(@h) into (@i)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @one(@i) into (@b)
// CHECK-NEXT:    ttc.cmd.dispatch @s(@b) into (@c)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@c) into (@e)
// CHECK-NEXT:    ttc.cmd.dispatch @s(@b) into (@g)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @m(@b) into (@d)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @one(@g) into (@k)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@k) into (@y)
// CHECK-NEXT:    ttc.cmd.end
ttc.buffer slot @x : tensor<64xf32> in dram at 0x0 size 256
ttc.buffer slot @y : tensor<64xf32> in dram at 0x100 size 256
ttc.buffer activation @h : tensor<64xf32> live [1, 4) in l1 at 0x0 size 256 shards 1
ttc.buffer activation @a : tensor<64xf32> live [2, 3) in dram at 0x200 size 256
ttc.buffer activation @i : tensor<64xf32> live [3, 5) in l1 at 0x100 size 128
ttc.buffer activation @b : tensor<64xf32> live [4, 9) in l1 at 0x80 size 128
ttc.buffer activation @c : tensor<64xf32> live [5, 7) in l1 at 0x100 size 128
ttc.buffer activation @e : tensor<64xf32> live [6, 7) in l1 at 0x0 size 128
ttc.buffer activation @g : tensor<64xf32> live [7, 10) in l1 at 0x180 size 128
ttc.buffer activation @d : tensor<64xf32> live [8, 9) in l1 at 0x200 size 128
ttc.buffer activation @k : tensor<64xf32> live [9, 11) in l1 at 0x0 size 128
ttc.trace @t0(%x: tensor<64xf32> {ttc.buffer = @x}) -> (tensor<64xf32> {ttc.buffer = @y}) {
  %h = ttc.dispatch @one(%x) {ttc.buffer = [@h]} : (tensor<64xf32>) -> tensor<64xf32>
  %a = ttc.dispatch @one(%x) {ttc.buffer = [@a]} : (tensor<64xf32>) -> tensor<64xf32>
  %i = ttc.dispatch @f(%h) {ttc.buffer = [@i]} : (tensor<64xf32>) -> tensor<64xf32>
  %b = ttc.dispatch @one(%i) {ttc.buffer = [@b]} : (tensor<64xf32>) -> tensor<64xf32>
  %c = ttc.dispatch @s(%b) {ttc.buffer = [@c]} : (tensor<64xf32>) -> tensor<64xf32>
  %e = ttc.dispatch @one(%c) {ttc.buffer = [@e]} : (tensor<64xf32>) -> tensor<64xf32>
  %g = ttc.dispatch @s(%b) {ttc.buffer = [@g]} : (tensor<64xf32>) -> tensor<64xf32>
  %d = ttc.dispatch @m(%b) {ttc.buffer = [@d]} : (tensor<64xf32>) -> tensor<64xf32>
  %k = ttc.dispatch @one(%g) {ttc.buffer = [@k]} : (tensor<64xf32>) -> tensor<64xf32>
  %y = ttc.dispatch @one(%k) {ttc.buffer = [@y]} : (tensor<64xf32>) -> tensor<64xf32>
  ttc.yield %y : tensor<64xf32>
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<64xf32>
  ttc.output "y" at @y : tensor<64xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t0 on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
}
