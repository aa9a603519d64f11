// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-target="target=wormhole_n150 target-cpu=x86-64-v3" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-opt %s --ttc-set-target=target=blackhole_p150 | FileCheck %s --check-prefix=P150
// RUN: ttc-opt %s --ttc-set-target | FileCheck %s --check-prefix=CPU
// CHECK: module attributes {ttc.target = #ttc.target<name = "wormhole_n150", triple = "{{[^"]+}}", cpu = "x86-64-v3", features = "", grid_rows = 8, grid_cols = 8, l1_bytes = 1499136, l1_alignment = 16, dram_banks = 12, dram_bank_bytes = 1073741824, dram_alignment = 32, queues = 2, chips = 1
// P150: name = "blackhole_p150"
// P150-SAME: grid_rows = 13, grid_cols = 10
// CPU: name = "cpu"

// A module keeps the target that it has.
// RUN: ttc-opt %t.mlir --ttc-set-target=target=cpu | FileCheck %s

// RUN: not ttc-opt %s --ttc-set-target=target=wormhole 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: expected a target (cpu, wormhole_n150, wormhole_n300, blackhole_p150, or a file that ends with .json), found 'wormhole'
// RUN: not ttc-opt %s --ttc-set-target=target-cpu=z80 2>&1 | FileCheck %s --check-prefix=NO-CPU
// NO-CPU: expected the name of a CPU that LLVM knows, or native; found 'z80'
module {}
