// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-mark-parallel-loops | FileCheck %s

// A loop that adds to memory of the function's own is not parallel in it: its accesses are in another group, which only
// loops with an annotation name.
// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<parallelAccesses = #[[SUMMANDS:.*]]>{{$}}
// CHECK:         llvm.load %{{.*}} {access_groups = [#[[SUMMANDS]]]}
// CHECK:         llvm.load
// CHECK-NOT:     access_groups = [#[[SUMMANDS]]]
// CHECK-SAME:    access_groups
// CHECK:         llvm.store
// CHECK-NOT:     access_groups = [#[[SUMMANDS]]]
// CHECK-SAME:    access_groups
// CHECK:         llvm.cond_br {{.*}} {loop_annotation = #[[LOOP]]}
llvm.func @partial(%a: !llvm.ptr, %out: !llvm.ptr {ttc.in_place = array<i64: 0>}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(64 : i64) : i64
  %sums = llvm.alloca %one x !llvm.array<8 x f32> : (i64) -> !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %p : !llvm.ptr -> f32
  %q = llvm.getelementptr %sums[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %y = llvm.load %q : !llvm.ptr -> f32
  %z = llvm.fadd %x, %y : f32
  llvm.store %z, %q : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  llvm.return
}
