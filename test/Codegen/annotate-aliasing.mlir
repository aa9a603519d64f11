// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-annotate-aliasing --split-input-file --verify-diagnostics | FileCheck %s

// Distinct memory, all of it.
// CHECK: func.func private @distinct(%{{.*}}: memref<8xf32> {llvm.noalias}, %{{.*}}: memref<8xf32> {llvm.noalias}, %{{.*}}: index)
func.func private @distinct(%a: memref<8xf32>, %out: memref<8xf32>, %w: index)
    attributes {ttc.scratch_bytes = 0 : i64} {
  return
}

// The output and what it may be written over get no promise; the others do.
// CHECK: func.func private @in_place(%{{.*}}: memref<8xf32>, %{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<8xf32> {ttc.in_place = array<i64: 0>}, %{{.*}}: index)
func.func private @in_place(%a: memref<8xf32>, %b: memref<4xf32>, %out: memref<8xf32> {ttc.in_place = array<i64: 0>}, %w: index)
    attributes {ttc.scratch_bytes = 0 : i64} {
  return
}

// With scratch nothing is in place.
// CHECK: func.func private @scratch(%{{.*}}: memref<8xf32> {llvm.noalias}, %{{.*}}: memref<8xf32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: memref<64xi8> {llvm.noalias})
func.func private @scratch(%a: memref<8xf32>, %out: memref<8xf32> {ttc.in_place = array<i64: 0>}, %w: index, %scratch: memref<64xi8>)
    attributes {ttc.scratch_bytes = 64 : i64} {
  return
}

// -----

// expected-error @+1 {{expects 'ttc.scratch_bytes' of at least 0 (--ttc-plan-scratch sets it), found none}}
func.func private @unplanned(%a: memref<8xf32>, %w: index) {
  return
}

// -----

// expected-error @+1 {{expects 'ttc.in_place' of argument 1 to name other arguments that are memrefs, found 2}}
func.func private @not_a_memref(%a: memref<8xf32>, %out: memref<8xf32> {ttc.in_place = array<i64: 2>}, %w: index)
    attributes {ttc.scratch_bytes = 0 : i64} {
  return
}

// -----

// expected-error @+1 {{expects 'ttc.in_place' of argument 1 to name other arguments that are memrefs, found 1}}
func.func private @itself(%a: memref<8xf32>, %out: memref<8xf32> {ttc.in_place = array<i64: 1>}, %w: index)
    attributes {ttc.scratch_bytes = 0 : i64} {
  return
}
