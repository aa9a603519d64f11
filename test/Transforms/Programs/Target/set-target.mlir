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
// NO-CPU: expected LLVM's name of a CPU of x86-64 or AArch64, or native, found 'z80'
// Names that LLVM accepts, of CPUs without 64 bits.
// RUN: not ttc-opt %s --ttc-set-target=target-cpu=pentium3 2>&1 | FileCheck %s --check-prefix=IA32
// IA32: expected LLVM's name of a CPU of x86-64 or AArch64, or native, found 'pentium3'
// RUN: not ttc-opt %s --ttc-set-target=target-cpu=cortex-a9 2>&1 | FileCheck %s --check-prefix=ARM32
// ARM32: expected LLVM's name of a CPU of x86-64 or AArch64, or native, found 'cortex-a9'

// The CPU's name determines the architecture.
// RUN: ttc-opt %s --ttc-set-target=target-cpu=cortex-a76 | FileCheck %s --check-prefix=ARM
// ARM: triple = "aarch64-{{.*}}", cpu = "cortex-a76", features = ""

// The default of workgroups needs no attribute.
// RUN: ttc-opt %s --ttc-set-target=workgroups=64 | FileCheck %s --check-prefix=GRIDS
// GRIDS: module attributes {ttc.max_workgroups = 64 : i64, ttc.target =
// RUN: ttc-opt %s --ttc-set-target=workgroups=16 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT-NOT: ttc.max_workgroups
// RUN: not ttc-opt %s --ttc-set-target=workgroups=24 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: expected 'workgroups' to be a power of two from 1 to 32768, found 24
// RUN: not ttc-opt %s --ttc-set-target=workgroups=65536 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: expected 'workgroups' to be a power of two from 1 to 32768, found 65536
// RUN: not ttc-opt %s --ttc-set-target=workgroups=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected 'workgroups' to be a power of two from 1 to 32768, found -1

// For this machine's CPU, DRAM is the machine's memory in whole 256 MiB; for another it is 64 GiB.
// RUN: ttc-opt %s --ttc-set-target=target=cpu > %t.native
// RUN: %python -c "import os, re, sys; d = int(re.search('dram_bank_bytes = ([0-9]+)', open(sys.argv[1]).read())[1]); m = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGESIZE'); u = 1 << 28; assert d == max(m // u * u, u), (d, m)" %t.native
// RUN: ttc-opt %s --ttc-set-target="target=cpu target-cpu=x86-64-v3" | FileCheck %s --check-prefix=OTHER
// OTHER: name = "cpu"{{.*}} cpu = "x86-64-v3", features = "", grid_rows = 1, grid_cols = 1, l1_bytes = 524288, {{.*}}dram_bank_bytes = 68719476736
module {}
