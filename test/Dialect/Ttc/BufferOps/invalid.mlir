// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

ttc.buffer constant @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> in dram

// change: = dense<1.0> : tensor<2xf32> =>
// expected-error {{'ttc.buffer' op (C1) expected a constant to have a value, found none}}

// change: ttc.buffer constant => ttc.buffer slot
// expected-error {{'ttc.buffer' op (C1) expected only a constant to have a value, found one for a slot}}

// change: 2xf32> in => 3xf32> in
// expected-error {{'ttc.buffer' op (C1) expected a value of type 'tensor<2xf32>', found 'tensor<3xf32>'}}

// change: ttc.buffer constant @w => ttc.buffer activation @a
// change: = dense<1.0> : tensor<2xf32> => live [3, 3)
// expected-error {{'ttc.buffer' op (C2) expected a lifetime that begins at 0 or later and ends after it begins, found [3, 3)}}

// change: in dram => in l1
// expected-error {{'ttc.buffer' op (C4) expected a constant buffer in dram, found l1}}

// change: ttc.buffer constant @w : tensor<2xf32> = dense<1.0> => ttc.buffer state @s
// change: in dram => in l1
// expected-error {{'ttc.buffer' op (C4) expected a state buffer in dram, found l1}}

// change: ttc.buffer constant @w : tensor<2xf32> = dense<1.0> => ttc.buffer scratch @s
// expected-error {{'ttc.buffer' op (C4) expected a scratch buffer in l1, found dram}}

// change: ttc.buffer constant @w : tensor<2xf32> = dense<1.0> => ttc.buffer host @h
// expected-error {{'ttc.buffer' op (C4) expected a host buffer in host, found dram}}

// -----

// expected-error @+1 {{'ttc.buffer' op (C3) expected an address of at least 0, found -64}}
ttc.buffer activation @a : tensor<2xf32> live [0, 3) in dram at -64 size 64

// -----

// expected-error @+1 {{'ttc.buffer' op (C3) expected at least the 128 bytes of 'tensor<32xf32>', found a size of 64}}
ttc.buffer activation @a : tensor<32xf32> live [0, 3) in dram at 0 size 64

// -----

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1, interleaved_l1 = true>} {
  // expected-error @+1 {{'ttc.buffer' op (C3) expected at least the 512 bytes of 'tensor<128xf32>' on 4 cores together, found a size of 64}}
  ttc.buffer activation @a : tensor<128xf32> live [0, 3) in l1 at 0 size 64
}

// -----

// expected-error @+1 {{'ttc.buffer' op (C5) expected at least 1 shard, of an activation in l1 or dram, or a slot in dram, found 0 of a activation in l1}}
ttc.buffer activation @a : tensor<32xf32> live [0, 3) in l1 at 0 size 128 shards 0

// -----

// expected-error @+1 {{'ttc.buffer' op (C5) expected at least 1 shard, of an activation in l1 or dram, or a slot in dram, found 2 of a slot in l1}}
ttc.buffer slot @a : tensor<32xf32> live [0, 3) in l1 at 0 size 128 shards 2

// -----

// expected-error @+1 {{'ttc.buffer' op (C5) expected at least 1 shard, of an activation in l1 or dram, or a slot in dram, found 2 of a state in dram}}
ttc.buffer state @a : tensor<32xf32> in dram at 0 size 128 shards 2

// -----

// expected-error @+1 {{'ttc.binary' op (C1) expected a one-dimensional tensor of i8, found 'tensor<4xi32>'}}
ttc.binary @code dense<0> : tensor<4xi32>

// -----

// expected-error @+1 {{'ttc.binary' op (C2) expected sorted zone names that are not empty, found "a" after 'b'}}
ttc.binary @code dense<0> : tensor<4xi8> {zone_names = ["b", "a"]}

// -----

// expected-error @+1 {{'ttc.binary' op (C2) expected sorted zone names that are not empty, found "" after ''}}
ttc.binary @code dense<0> : tensor<4xi8> {zone_names = [""]}

// -----

// expected-error @+1 {{'ttc.binary' op (C2) expected zone names with different hashes, found 'costarring' and 'liquid' with the same one; rename a zone}}
ttc.binary @code dense<0> : tensor<4xi8> {zone_names = ["costarring", "liquid"]}
