// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-size-trace-region | FileCheck %s
// RUN: ttc-opt %s --ttc-size-trace-region=trace-region-size=128 | FileCheck %s
// RUN: not ttc-opt %s --ttc-size-trace-region=trace-region-size=127 2>&1 | FileCheck %s --check-prefix=SMALL

// Streams end where DRAM ends, each padded to 64 bytes.
// CHECK: ttc.trace @t0 region at dram 0xfff80 size 48
// CHECK: ttc.trace @t1 region at dram 0xfffc0 size 40
// SMALL: expected a trace region of at least 128 bytes, found trace-region-size=127
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
  ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x : tensor<16xf32> in dram at 0x0 size 64
  ttc.buffer slot @y : tensor<16xf32> in dram at 0x40 size 64
  ttc.trace @t0() {
    ttc.cmd.dispatch @f(@x) into (@y)
    ttc.cmd.barrier
    ttc.cmd.end
  }
  ttc.trace @t1() {
    ttc.cmd.fill @x with 0 bytes 64
    ttc.cmd.end
  }
}
