// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error for a module that is not planned names the pass to run.
// RUN: not ttc-translate --ttc-to-bundle %s -o %t.none 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected the module to have a target (ttc.target), found none; --ttc-set-target gives it one
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v2 | not ttc-translate --ttc-to-bundle -o %t.none 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: expected at least one ttc.entry, found none

// RUN: ttc-opt %s --ttc-trace-pipeline="target-cpu=x86-64-v2 compile=false" -o %t.code.mlir
// RUN: not ttc-translate --ttc-to-bundle %t.code.mlir -o %t.none 2>&1 | FileCheck %s --check-prefix=CODE
// CODE: error: expected one ttc.binary, found 0; run --ttc-compile-programs

// RUN: ttc-opt %s --ttc-trace-pipeline="target-cpu=x86-64-v2 queues=1" -o %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.ttcb
// RUN: sed 's/ region at dram 0x[0-9a-f]* size [0-9]*/()/' %t.mlir | not ttc-translate --ttc-to-bundle -o %t.none 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: expected @main_t0 to have commands and an address in the trace region, found no address; run --ttc-size-trace-region
// RUN: sed 's/ region at dram 0x[0-9a-f]* / region at dram 64 /' %t.mlir | not ttc-translate --ttc-to-bundle -o %t.none 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: error: expected the stream of @main_t0 at dram {{[0-9]+}}, found it at 64; run --ttc-size-trace-region
// RUN: sed 's/dram_banks = 1/dram_banks = 2/' %t.mlir | not ttc-translate --ttc-to-bundle -o %t.none 2>&1 | FileCheck %s --check-prefix=WHERE2
// WHERE2: error: expected the stream of @main_t0 at dram
// RUN: test ! -e %t.none
func.func @main(%x: tensor<20xf32> {ttc.name = "x"}) -> (tensor<20xf32> {ttc.name = "y"}) {
  %0 = ttc.relu %x : (tensor<20xf32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}
