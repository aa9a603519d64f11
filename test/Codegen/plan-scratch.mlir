// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --mlir-print-debuginfo=false --ttc-plan-scratch --split-input-file --verify-diagnostics | FileCheck %s

// 256 and 64 bytes live together; what lives after the first one takes its bytes.
// CHECK-LABEL: func.func private @reuse(
// CHECK-SAME:      %[[IN:.*]]: memref<64xf32>, %{{.*}}: index, %[[SCRATCH:.*]]: memref<320xi8>)
// CHECK-SAME:      attributes {ttc.scratch_bytes = 320 : i64}
// CHECK-NOT:     memref.alloc
// CHECK:         %[[X:.*]] = memref.load %[[IN]]
// CHECK:         %[[O1:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[SCRATCH]][%[[O1]]][] : memref<320xi8> to memref<64xf32>
// CHECK:         %[[O2:.*]] = arith.constant 256 : index
// CHECK:         memref.view %[[SCRATCH]][%[[O2]]][] : memref<320xi8> to memref<4xf32>
// CHECK:         %[[O3:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[SCRATCH]][%[[O3]]][] : memref<320xi8> to memref<64xf32>
func.func private @reuse(%in: memref<64xf32>, %w: index) {
  %c0 = arith.constant 0 : index
  %x = memref.load %in[%c0] : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%c0] : memref<64xf32>
  %b = memref.alloc() : memref<4xf32>
  %y = memref.load %a[%c0] : memref<64xf32>
  memref.store %y, %b[%c0] : memref<4xf32>
  %c = memref.alloc() : memref<64xf32>
  memref.store %y, %c[%c0] : memref<64xf32>
  %z = memref.load %b[%c0] : memref<4xf32>
  memref.store %z, %in[%c0] : memref<64xf32>
  return
}

// -----

// A view keeps the buffer alive.
// CHECK-LABEL: func.func private @view(
// CHECK-SAME:      attributes {ttc.scratch_bytes = 512 : i64}
func.func private @view(%w: index) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %v = memref.subview %a[8] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: 8>>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%c0] : memref<64xf32>
  memref.store %x, %v[%c0] : memref<4xf32, strided<[1], offset: 8>>
  return
}

// -----

// Tiles of different sizes get what the largest one needs.
// CHECK-LABEL: func.func private @bounded(
// CHECK-SAME:      index, %[[SCRATCH:.*]]: memref<128xi8>)
// CHECK:         scf.for
// CHECK:           %[[N:[0-9]+]] = affine.min
// CHECK:           memref.view %[[SCRATCH]][%{{.*}}][%[[N]]] : memref<128xi8> to memref<?xf32>
func.func private @bounded(%w: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    %n = affine.min affine_map<(d) -> (32, 100 - d * 32)>(%i)
    %a = memref.alloc(%n) : memref<?xf32>
    memref.store %x, %a[%c0] : memref<?xf32>
  }
  return
}

// -----

// Without allocations there is no argument.
// CHECK-LABEL: func.func private @none(
// CHECK-SAME:      %{{[a-z0-9]*}}: index) attributes {ttc.scratch_bytes = 0 : i64}
func.func private @none(%w: index) {
  return
}

// -----

func.func private @unbounded(%w: index) {
  // expected-error @+1 {{expects sizes with a constant bound}}
  %a = memref.alloc(%w) : memref<?xf32>
  return
}

// -----

// expected-error @+1 {{expects no 'ttc.scratch_bytes' yet: scratch is planned once}}
func.func private @twice(%w: index) attributes {ttc.scratch_bytes = 0 : i64} {
  return
}
