// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]

// change: [array<i64: 0, 1>] => [array<i64: 0, 1>, array<i64: 2>]
// expected-error {{'ttc.collective' op (C1) expected groups of equal size, at least 1, found 1 beside 2}}

// change: [array<i64: 0, 1>] => [array<i64: 0, 1>, array<i64: 2, 1>]
// expected-error {{'ttc.collective' op (C1) expected each device at most once, below 4096, found 1}}

// change: array<i64: 0, 1> => array<i64: 0, 4096>
// expected-error {{'ttc.collective' op (C1) expected each device at most once, below 4096, found 4096}}

// change: [array<i64: 0, 1>] => []
// expected-error {{'ttc.collective' op (C1) expected at least one group, found none}}

// change: all_reduce direct => all_reduce halving
// change: array<i64: 0, 1> => array<i64: 0, 1, 2>
// expected-error {{'ttc.collective' op (C2) expected an algorithm for all_reduce of 3 devices, found halving}}

// change: all_reduce direct => broadcast ring
// expected-error {{'ttc.collective' op (C2) expected an algorithm for broadcast of 2 devices, found ring}}

// change: all_reduce => all_gather
// change: [array<i64: 0, 1>] => [array<i64: 0, 1>] rows 3
// expected-error {{'ttc.collective' op (C3) expected bytes that divide into 3 rows of 1 parts of 'f32', found 128}}

// change: all_reduce => reduce_scatter
// change: array<i64: 0, 1> => array<i64: 0, 1, 2>
// expected-error {{'ttc.collective' op (C3) expected bytes that divide into 1 rows of 3 parts of 'f32', found 128}}

// change: all_reduce => broadcast
// change: [array<i64: 0, 1>] => [array<i64: 0, 1>] root 2
// expected-error {{'ttc.collective' op (C4) expected 'root' below 2, found 2}}

// change: all_reduce => permute
// expected-error {{'ttc.collective' op (C5) expected sources of a permutation, one for each of 2 devices, and of nothing else, found 0}}

// change: all_reduce => permute
// change: [array<i64: 0, 1>] => [array<i64: 0, 1>] sources [1, 1]
// expected-error {{'ttc.collective' op (C5) expected distinct sources below 2, or -1, found 1}}

// change: all_reduce => permute
// change: [array<i64: 0, 1>] => [array<i64: 0, 1>] sources [-2, 0]
// expected-error {{'ttc.collective' op (C5) expected distinct sources below 2, or -1, found -2}}

// change: sum f32 => sum i1
// expected-error {{'ttc.collective' op (C6) expected a sum of f32, f64, f16, bf16 or integers, found 'i1'}}

// -----

ttc.collective @sum all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.collective @other all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.collective @gather all_gather direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.collective @scatter reduce_scatter ring sum f32 bytes 128 groups [array<i64: 0, 1, 2, 3>]
ttc.collective @swap permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [1, 0]
ttc.collective @next permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.buffer activation @b : tensor<64xf32> in dram at 0x80 size 256
ttc.buffer activation @l : tensor<32xf32> in l1 at 0x0 size 128
ttc.trace @tensors(%x: tensor<4x8xf32>, %half: tensor<4x4xf32>) {
  %sum = ttc.exchange @sum(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %part:2 = ttc.exchange @scatter(%x) : (tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<64xui8>)
  ttc.send @next(%x) : tensor<4x8xf32>
  %received = ttc.receive @next : tensor<4x8xf32>
  ttc.yield
}
ttc.trace @commands() {
  ttc.cmd.exchange @sum(@a) into (@a)
  ttc.cmd.send @next(@a)
  ttc.cmd.receive @next into (@a)
  ttc.cmd.offer @sum(@a)
  ttc.cmd.exchange @other(@a) into (@b)
  ttc.cmd.exchange @sum(@a) into (@b)
  ttc.cmd.end
}

// change: %sum = ttc.exchange @sum => %sum = ttc.exchange @none
// expected-error {{'ttc.exchange' op (C1) expected @none to be a ttc.collective, found none}}

// change: %sum = ttc.exchange @sum => %sum = ttc.exchange @gather
// expected-error {{'ttc.exchange' op (C2) expected an operand and results of 128, 256 bytes, as @gather says, found 128, 128}}

// change: tensor<64xui8> => tensor<16xf32>
// expected-error {{'ttc.exchange' op (C2) expected scratch of ui8, found 'tensor<16xf32>'}}

// change: cmd.exchange @sum(@a) into (@a) => cmd.exchange @none(@a) into (@a)
// expected-error {{'ttc.cmd.exchange' op (C1) expected @none to be a ttc.collective, found none}}

// change: cmd.exchange @sum(@a) into (@a) => cmd.exchange @sum(@a) into (@a, @a)
// expected-error {{'ttc.cmd.exchange' op (C2) expected 1 input and 1 outputs, found 1 and 2}}

// change: cmd.exchange @sum(@a) into (@a) => cmd.exchange @gather(@a) into (@a)
// expected-error {{'ttc.cmd.exchange' op (C2) expected @a to hold at least 256 bytes, found 128}}

// change: cmd.exchange @sum(@a) into (@a) => cmd.exchange @sum(@a) into (@b + -64)
// expected-error {{'ttc.cmd.exchange' op (C3) expected}}

// change: cmd.exchange @sum(@a) into (@a) => cmd.exchange @sum(@a) into (@l)
// expected-error {{'ttc.cmd.exchange' op (C4) expected @l to be in dram, found it in l1}}

// change: ttc.send @next => ttc.send @none
// expected-error {{'ttc.send' op (C1) expected @none to be a ttc.collective, found none}}

// change: ttc.send @next => ttc.send @sum
// expected-error {{'ttc.send' op (C1) expected @sum to be a permutation in which some devices receive nothing, found all_reduce}}

// change: ttc.send @next(%x) : tensor<4x8xf32> => ttc.send @next(%half) : tensor<4x4xf32>
// expected-error {{'ttc.send' op (C2) expected an operand of 128 bytes, as @next says, found 64}}

// change: ttc.receive @next => ttc.receive @swap
// expected-error {{'ttc.receive' op (C1) expected @swap to be a permutation in which some devices receive nothing, found permute}}

// change: ttc.receive @next : tensor<4x8xf32> => ttc.receive @next : tensor<4x4xf32>
// expected-error {{'ttc.receive' op (C2) expected a result of 128 bytes, as @next says, found 64}}

// change: cmd.send @next(@a) => cmd.send @none(@a)
// expected-error {{'ttc.cmd.send' op (C1) expected @none to be a ttc.collective, found none}}

// change: cmd.send @next(@a) => cmd.send @swap(@a)
// expected-error {{'ttc.cmd.send' op (C1) expected @swap to be a permutation in which some devices receive nothing, found permute}}

// change: cmd.send @next(@a) => cmd.send @next(@a + 64)
// expected-error {{'ttc.cmd.send' op (C2) expected @a to hold at least 192 bytes, found 128}}

// change: cmd.send @next(@a) => cmd.send @next(@a + -64)
// expected-error {{'ttc.cmd.send' op (C2) expected an offset of at least 0, found -64}}

// change: cmd.send @next(@a) => cmd.send @next(@l)
// expected-error {{'ttc.cmd.send' op (C3) expected @l to be in dram, found it in l1}}

// change: cmd.receive @next into (@a) => cmd.receive @none into (@a)
// expected-error {{'ttc.cmd.receive' op (C1) expected @none to be a ttc.collective, found none}}

// change: cmd.receive @next into (@a) => cmd.receive @swap into (@a)
// expected-error {{'ttc.cmd.receive' op (C1) expected @swap to be a permutation in which some devices receive nothing, found permute}}

// change: cmd.receive @next into (@a) => cmd.receive @next into (@a + 64)
// expected-error {{'ttc.cmd.receive' op (C2) expected @a to hold at least 192 bytes, found 128}}

// change: cmd.receive @next into (@a) => cmd.receive @next into (@a + -64)
// expected-error {{'ttc.cmd.receive' op (C2) expected an offset of at least 0, found -64}}

// change: cmd.receive @next into (@a) => cmd.receive @next into (@l)
// expected-error {{'ttc.cmd.receive' op (C3) expected @l to be in dram, found it in l1}}

// change: cmd.offer @sum => cmd.offer @none
// expected-error {{'ttc.cmd.offer' op (C1) expected @none to be a ttc.collective, found none}}

// change: cmd.offer @sum(@a) => cmd.offer @sum(@a + 64)
// expected-error {{'ttc.cmd.offer' op (C2) expected @a to hold at least 192 bytes, found 128}}

// change: cmd.offer @sum(@a) => cmd.offer @sum(@l)
// expected-error {{'ttc.cmd.offer' op (C3) expected @l to be in dram, found it in l1}}

// change:   ttc.cmd.exchange @sum(@a) into (@b)\n =>
// expected-error at cmd.offer {{'ttc.cmd.offer' op (C4) expected an exchange of @sum after it in the trace, found none}}

// change: cmd.exchange @sum(@a) into (@b) => cmd.exchange @sum(@b) into (@a)
// expected-error at cmd.offer {{'ttc.cmd.offer' op (C4) expected the next exchange of @sum to have the same input, found [@b]}}

// change: cmd.exchange @other(@a) into (@b) => cmd.exchange @other(@b) into (@a)
// expected-error at cmd.offer {{'ttc.cmd.offer' op (C4) expected that nothing writes @a before the exchange, found ttc.cmd.exchange}}
