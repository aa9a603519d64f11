// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'ttc.collective' op (C1) expected groups of equal size, at least 1, found 1 beside 2}}
ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>, array<i64: 2>]

// -----

// expected-error @below {{'ttc.collective' op (C1) expected each device at most once, below 4096, found 1}}
ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>, array<i64: 2, 1>]

// -----

// expected-error @below {{'ttc.collective' op (C1) expected each device at most once, below 4096, found 4096}}
ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 4096>]

// -----

// expected-error @below {{'ttc.collective' op (C1) expected at least one group, found none}}
ttc.collective @c all_reduce direct sum f32 bytes 128 groups []

// -----

// expected-error @below {{'ttc.collective' op (C2) expected an algorithm for all_reduce of 3 devices, found halving}}
ttc.collective @c all_reduce halving sum f32 bytes 128 groups [array<i64: 0, 1, 2>]

// -----

// expected-error @below {{'ttc.collective' op (C2) expected an algorithm for broadcast of 2 devices, found ring}}
ttc.collective @c broadcast ring sum f32 bytes 128 groups [array<i64: 0, 1>]

// -----

// expected-error @below {{'ttc.collective' op (C3) expected bytes that divide into 3 rows of 1 parts of 'f32', found 128}}
ttc.collective @c all_gather direct sum f32 bytes 128 groups [array<i64: 0, 1>] rows 3

// -----

// expected-error @below {{'ttc.collective' op (C3) expected bytes that divide into 1 rows of 3 parts of 'f32', found 128}}
ttc.collective @c reduce_scatter direct sum f32 bytes 128 groups [array<i64: 0, 1, 2>]

// -----

// expected-error @below {{'ttc.collective' op (C4) expected 'root' below 2, found 2}}
ttc.collective @c broadcast direct sum f32 bytes 128 groups [array<i64: 0, 1>] root 2

// -----

// expected-error @below {{'ttc.collective' op (C5) expected sources of a permutation, one for each of 2 devices, and of nothing else, found 0}}
ttc.collective @c permute direct sum f32 bytes 128 groups [array<i64: 0, 1>]

// -----

// expected-error @below {{'ttc.collective' op (C5) expected distinct sources below 2, or -1, found 1}}
ttc.collective @c permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [1, 1]

// -----

// expected-error @below {{'ttc.collective' op (C6) expected a sum of f32, f64, f16, bf16 or integers, found 'i1'}}
ttc.collective @c all_reduce direct sum i1 bytes 128 groups [array<i64: 0, 1>]

// -----

ttc.trace @t(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'ttc.exchange' op (C1) expected @none to be a ttc.collective, found none}}
  %0 = ttc.exchange @none(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.yield %0 : tensor<4x8xf32>
}

// -----

ttc.collective @c all_gather direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'ttc.exchange' op (C2) expected an operand and results of 128, 256 bytes, as @c says, found 128, 128}}
  %0 = ttc.exchange @c(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.yield %0 : tensor<4x8xf32>
}

// -----

ttc.collective @c reduce_scatter ring sum f32 bytes 96 groups [array<i64: 0, 1, 2>]
ttc.trace @t(%x: tensor<24xf32>) -> tensor<8xf32> {
  // expected-error @below {{'ttc.exchange' op (C2) expected scratch of ui8, found 'tensor<8xf32>'}}
  %0:2 = ttc.exchange @c(%x) : (tensor<24xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  ttc.yield %0#0 : tensor<8xf32>
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.exchange' op (C1) expected @none to be a ttc.collective, found none}}
  ttc.cmd.exchange @none(@a) into (@a)
  ttc.cmd.end
}

// -----

ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.exchange' op (C2) expected 1 input and 1 outputs, found 1 and 2}}
  ttc.cmd.exchange @c(@a) into (@a, @a)
  ttc.cmd.end
}

// -----

ttc.collective @c all_gather direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.exchange' op (C2) expected @a to hold at least 256 bytes, found 128}}
  ttc.cmd.exchange @c(@a) into (@a)
  ttc.cmd.end
}

// -----

ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.buffer activation @b : tensor<64xf32> in dram at 0x80 size 256
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.exchange' op (C3) expected}}
  ttc.cmd.exchange @c(@a) into (@b + -64)
  ttc.cmd.end
}

// -----

ttc.collective @c all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.buffer activation @b : tensor<32xf32> in l1 at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.exchange' op (C4) expected @b to be in dram, found it in l1}}
  ttc.cmd.exchange @c(@a) into (@b)
  ttc.cmd.end
}

// -----

// expected-error @below {{'ttc.collective' op (C5) expected distinct sources below 2, or -1, found -2}}
ttc.collective @c permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-2, 0]

// -----

ttc.trace @t(%x: tensor<4x8xf32>) {
  // expected-error @below {{'ttc.send' op (C1) expected @none to be a ttc.collective, found none}}
  ttc.send @none(%x) : tensor<4x8xf32>
  ttc.yield
}

// -----

ttc.collective @r all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t(%x: tensor<4x8xf32>) {
  // expected-error @below {{'ttc.send' op (C1) expected @r to be a permutation in which some devices receive nothing, found all_reduce}}
  ttc.send @r(%x) : tensor<4x8xf32>
  ttc.yield
}

// -----

ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t(%x: tensor<4x4xf32>) {
  // expected-error @below {{'ttc.send' op (C2) expected an operand of 128 bytes, as @p says, found 64}}
  ttc.send @p(%x) : tensor<4x4xf32>
  ttc.yield
}

// -----

ttc.collective @s permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [1, 0]
ttc.trace @t() -> tensor<4x8xf32> {
  // expected-error @below {{'ttc.receive' op (C1) expected @s to be a permutation in which some devices receive nothing, found permute}}
  %0 = ttc.receive @s : tensor<4x8xf32>
  ttc.yield %0 : tensor<4x8xf32>
}

// -----

ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() -> tensor<4x4xf32> {
  // expected-error @below {{'ttc.receive' op (C2) expected a result of 128 bytes, as @p says, found 64}}
  %0 = ttc.receive @p : tensor<4x4xf32>
  ttc.yield %0 : tensor<4x4xf32>
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.send' op (C1) expected @none to be a ttc.collective, found none}}
  ttc.cmd.send @none(@a)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @s permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.send' op (C1) expected @s to be a permutation in which some devices receive nothing, found permute}}
  ttc.cmd.send @s(@a)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.send' op (C2) expected @a to hold at least 192 bytes, found 128}}
  ttc.cmd.send @p(@a + 64)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.send' op (C2) expected an offset of at least 0, found -64}}
  ttc.cmd.send @p(@a + -64)
  ttc.cmd.end
}

// -----

ttc.buffer activation @l : tensor<32xf32> in l1 at 0x0 size 128
ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.send' op (C3) expected @l to be in dram, found it in l1}}
  ttc.cmd.send @p(@l)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.receive' op (C1) expected @none to be a ttc.collective, found none}}
  ttc.cmd.receive @none into (@a)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @s permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.receive' op (C1) expected @s to be a permutation in which some devices receive nothing, found permute}}
  ttc.cmd.receive @s into (@a)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.receive' op (C2) expected @a to hold at least 192 bytes, found 128}}
  ttc.cmd.receive @p into (@a + 64)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.receive' op (C2) expected an offset of at least 0, found -64}}
  ttc.cmd.receive @p into (@a + -64)
  ttc.cmd.end
}

// -----

ttc.buffer activation @l : tensor<32xf32> in l1 at 0x0 size 128
ttc.collective @p permute direct sum f32 bytes 128 groups [array<i64: 0, 1>] sources [-1, 0]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.receive' op (C3) expected @l to be in dram, found it in l1}}
  ttc.cmd.receive @p into (@l)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.offer' op (C1) expected @none to be a ttc.collective, found none}}
  ttc.cmd.offer @none(@a)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.collective @r all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.offer' op (C2) expected @a to hold at least 192 bytes, found 128}}
  ttc.cmd.offer @r(@a + 64)
  ttc.cmd.end
}

// -----

ttc.buffer activation @l : tensor<32xf32> in l1 at 0x0 size 128
ttc.collective @r all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.offer' op (C3) expected @l to be in dram, found it in l1}}
  ttc.cmd.offer @r(@l)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.buffer activation @b : tensor<32xf32> in dram at 0x80 size 128
ttc.collective @r all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.collective @r2 all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.offer' op (C4) expected an exchange of @r after it in the trace, found none}}
  ttc.cmd.offer @r(@a)
  ttc.cmd.exchange @r2(@a) into (@b)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.buffer activation @b : tensor<32xf32> in dram at 0x80 size 128
ttc.collective @r all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.offer' op (C4) expected the next exchange of @r to have the same input, found [@b]}}
  ttc.cmd.offer @r(@a)
  ttc.cmd.exchange @r(@b) into (@a)
  ttc.cmd.end
}

// -----

ttc.buffer activation @a : tensor<32xf32> in dram at 0x0 size 128
ttc.buffer activation @b : tensor<32xf32> in dram at 0x80 size 128
ttc.collective @r all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.collective @r2 all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
ttc.trace @t() {
  // expected-error @below {{'ttc.cmd.offer' op (C4) expected that nothing writes @a before the exchange, found ttc.cmd.exchange}}
  ttc.cmd.offer @r(@a)
  ttc.cmd.exchange @r2(@b) into (@a)
  ttc.cmd.exchange @r(@a) into (@b)
  ttc.cmd.end
}
