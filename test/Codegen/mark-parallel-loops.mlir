// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-mark-parallel-loops | FileCheck %s

// CHECK: #[[GROUP:.*]] = #llvm.access_group<id = distinct[0]<>>
// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[LOOP:.*]] = #llvm.loop_annotation<parallelAccesses = #[[GROUP]]>
// CHECK-DAG: #[[KEPT:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-DAG: #[[BOTH:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]], parallelAccesses = #{{.*}}>

// All accesses are in one group, and the branch back names it; the one ahead does not.
// CHECK-LABEL: llvm.func @in_place(
// CHECK:         llvm.br ^[[HEADER:.*]](%{{.*}} : i64)
// CHECK-NOT:     loop_annotation
// CHECK:         llvm.load %{{.*}} {access_groups = [#[[GROUP]]]} : !llvm.ptr -> f32
// CHECK:         llvm.store %{{.*}}, %{{.*}} {access_groups = [#[[GROUP]]]} : f32, !llvm.ptr
// CHECK:         llvm.br ^[[HEADER]](%{{.*}} : i64) {loop_annotation = #[[LOOP]]}
llvm.func @in_place(%a: !llvm.ptr, %out: !llvm.ptr {ttc.in_place = array<i64: 0>}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^header(%zero : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %p : !llvm.ptr -> f32
  %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %x, %q : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^header(%next : i64)
^end:
  llvm.return
}

// Where arguments are known to be distinct, LLVM needs no help.
// CHECK-LABEL: llvm.func @distinct(
// CHECK-NOT:     access_groups
// CHECK-NOT:     loop_annotation
llvm.func @distinct(%a: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %x = llvm.load %a : !llvm.ptr -> f32
  llvm.store %x, %out : f32, !llvm.ptr
  %more = llvm.icmp "slt" %i, %zero : i64
  llvm.cond_br %more, ^loop(%i : i64), ^end
^end:
  llvm.return
}

// CHECK: llvm.func @declared(!llvm.ptr {ttc.in_place = array<i64>})
llvm.func @declared(!llvm.ptr {ttc.in_place = array<i64>})

// What --ttc-linalg-to-loops said of a loop becomes the branch's, alone or together with the group.
// CHECK-LABEL: llvm.func @known(
// CHECK:         llvm.cond_br {{.*}} {loop_annotation = #[[KEPT]]}
llvm.func @known(%a: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %more = llvm.icmp "slt" %i, %zero : i64
  llvm.cond_br %more, ^loop(%i : i64), ^end {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^end:
  llvm.return
}
// CHECK-LABEL: llvm.func @known_in_place(
// CHECK:         llvm.cond_br {{.*}} {loop_annotation = #[[BOTH]]}
llvm.func @known_in_place(%a: !llvm.ptr {ttc.in_place = array<i64: 0>}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %more = llvm.icmp "slt" %i, %zero : i64
  llvm.cond_br %more, ^loop(%i : i64), ^end {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^end:
  llvm.return
}
