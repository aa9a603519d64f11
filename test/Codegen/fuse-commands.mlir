// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-add-entries --ttc-fuse-commands --split-input-file | FileCheck %s

// A loop with a known number of iterations becomes a part of the program. @act is memory of the program's own; @h, which iterations
// hand on, is an argument and a result in its place.
// CHECK-NOT:   @act
// CHECK:       ttc.trace @loop() {
// CHECK-NEXT:    ttc.cmd.dispatch @loop_1000_mul_tanh_copy(@h, @w) into (@h)
// CHECK-NEXT:    ttc.cmd.end
// CHECK-NEXT:  }
// CHECK-NEXT:  ttc.program private @loop_1000_mul_tanh_copy(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK-SAME:      -> (tensor<4xf32> {ttc.in_place = array<i64: 0>}) attributes {flops = 8000 : i64, grid = 1 : i64, scratch_bytes = 256 : i64}
// CHECK:         llvm.func @loop_1000_mul_tanh_copy(
// CHECK:           llvm.call @loop_1000_mul_tanh_copy.body(
// CHECK:         llvm.func internal @loop_1000_mul_tanh_copy.body(%[[OLD:.*]]: !llvm.ptr, %[[W:.*]]: !llvm.ptr {llvm.noalias}, %[[H:.*]]: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %[[SCRATCH:.*]]: !llvm.ptr {llvm.noalias})
// CHECK-SAME:        passthrough = ["no-builtins", "noinline"]
// CHECK:           %[[A:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// CHECK:           %[[B:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// The argument may be in another place than the result: then its bytes are copied there first.
// CHECK:           %[[SAME:.*]] = llvm.icmp "eq"
// CHECK-NEXT:      llvm.cond_br %[[SAME]], ^[[AFTER:.*]], ^[[COPY:.*]]
// CHECK:         ^[[COPY]]:
// CHECK:           "llvm.intr.memcpy"(%[[H]], %[[OLD]], %{{.*}})
// CHECK-NEXT:      llvm.br ^[[AFTER]]
// CHECK:         ^[[AFTER]]:
// CHECK:           llvm.br ^[[HEADER:.*]](%{{.*}} : i64)
// CHECK:         ^[[HEADER]](%[[I:.*]]: i64):
// CHECK-NEXT:      llvm.call @p1.call(%[[H]], %[[W]], %[[A]], %[[SCRATCH]])
// CHECK-NEXT:      llvm.call @p2.call(%[[A]], %[[B]], %[[SCRATCH]])
// CHECK:           "llvm.intr.memcpy"(%[[H]], %[[B]], %{{.*}})
// CHECK:           %[[LAST:.*]] = llvm.mlir.constant(1000 : i64)
// CHECK-NEXT:      %[[MORE:.*]] = llvm.icmp "ult" %{{.*}}, %[[LAST]]
// CHECK-NEXT:      llvm.cond_br %[[MORE]], ^[[HEADER]](%{{.*}} : i64), ^[[END:.*]]
// CHECK:         ^[[END]]:
// CHECK-NEXT:      llvm.return
// An entry takes addresses. What was kept apart from its caller is inlined after products are contracted.
// CHECK:         llvm.func internal @p1.call(%[[P0:.*]]: !llvm.ptr, %[[P1:.*]]: !llvm.ptr, %[[P2:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-NEXT:      %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT:      llvm.call @p1.mul.body(%[[P0]], %[[P1]], %[[P2]], %[[ZERO]])
// CHECK:         llvm.func internal @p1.mul.body(
// CHECK-SAME:        passthrough = ["no-builtins", "noinline", "ttc-inline-last"]
// CHECK:         llvm.func internal @p2.call(%[[P0:.*]]: !llvm.ptr, %[[P1:.*]]: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr)
// CHECK:           llvm.call @p2.tanh.body(%[[P0]], %[[P1]], %{{.*}}, %[[SCRATCH]])
// CHECK-NOT:   ttc.program
ttc.program private @mul(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {flops = 4 : i64} {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %in1: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.program private @tanh(%a: tensor<4xf32>) -> tensor<4xf32> attributes {flops = 4 : i64} {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64, %scratch: !llvm.ptr)
        attributes {ttc.scratch_bytes = 256 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.buffer slot @h : tensor<4xf32> in dram at 0x40 size 64
ttc.buffer slot @w : tensor<4xf32> in dram at 0x80 size 64
ttc.buffer activation @act : tensor<4xf32> live [3, 5) in dram at 0xc0 size 64
ttc.buffer activation @act2 : tensor<4xf32> live [4, 6) in dram at 0x100 size 64
ttc.trace @loop() {
  ttc.cmd.repeat carried (@h) bytes [16] times 1000
  ttc.cmd.dispatch @mul(@h, @w) into (@act)
  ttc.cmd.dispatch @tanh(@act) into (@act2)
  ttc.cmd.copy @act2 to @h bytes 16
  ttc.cmd.end_repeat
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @loop on 0
  }
}

// -----

// Data ends this loop, so that it remains one, of one command. Only its last iteration's @y is used after it, and @n only before it is
// written, by both commands.
// CHECK:       ttc.trace @while() {
// CHECK-NEXT:    ttc.cmd.repeat carried (@go, @n) bytes [4, 4] while @go at_most 50
// CHECK-NEXT:    ttc.cmd.dispatch @twice_less(@n) into (@n, @go)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK:       ttc.program private @twice_less(%{{.*}}: tensor<1xi32>) -> (tensor<1xi32> {ttc.in_place = array<i64: 0>}, tensor<1xi32>)
// CHECK:           llvm.call @p1.call(%[[N:.*]], %[[N]])
// CHECK-NEXT:      llvm.call @p2.call(%[[N]], %{{.*}})
ttc.program private @twice(%a: tensor<1xi32>) -> tensor<1xi32> {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr {ttc.in_place = array<i64: 0>}, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.program private @less(%a: tensor<1xi32>) -> tensor<1xi32> {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.buffer slot @n : tensor<1xi32> in dram at 0x40 size 64
ttc.buffer slot @go : tensor<1xi32> in dram at 0x80 size 64
ttc.trace @while() {
  ttc.cmd.repeat carried (@go, @n) bytes [4, 4] while @go at_most 50
  ttc.cmd.dispatch @twice(@n) into (@n)
  ttc.cmd.dispatch @less(@n) into (@go)
  ttc.cmd.end_repeat
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @while on 0
  }
}

// -----

// What stays as it is: commands outside of loops; a command of several workgroups, or a barrier, between two others; buffers of one
// place that are not the program's own; and operands of which one is a part of what another one reads.
// CHECK:       ttc.trace @kept() {
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@y)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@z)
// CHECK-NEXT:    ttc.cmd.repeat carried (@y, @go) bytes [16, 1] while @go at_most 50
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@y)
// CHECK-NEXT:    ttc.cmd.dispatch @wide(@y) into (@z)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@y) into (@x)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.repeat carried (@y) bytes [16] times 9
// CHECK-NEXT:    ttc.cmd.dispatch @one(@y) into (@z)
// CHECK-NEXT:    ttc.cmd.barrier
// CHECK-NEXT:    ttc.cmd.dispatch @one(@z) into (@y)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.repeat carried (@x) bytes [16] times 9
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@y)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@over)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK-NEXT:    ttc.cmd.repeat carried (@x) bytes [16] times 9
// CHECK-NEXT:    ttc.cmd.dispatch @part(@y) into (@x + 4)
// CHECK-NEXT:    ttc.cmd.dispatch @one(@x) into (@z)
// CHECK-NEXT:    ttc.cmd.end_repeat
ttc.program private @one(%a: tensor<4xf32>) -> tensor<4xf32> {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.program private @wide(%a: tensor<4xf32>) -> tensor<4xf32> {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 4 : i64} {
      llvm.return
    }
  }
}
ttc.program private @part(%a: tensor<4xf32>) -> (tensor<1xf32> {ttc.strided = #ttc.strided<row = 1, pitch = 1, alignment = 4>}) {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.buffer slot @x : tensor<4xf32> in dram at 0x40 size 64
ttc.buffer slot @y : tensor<4xf32> in dram at 0x80 size 64
ttc.buffer slot @z : tensor<4xf32> in dram at 0xc0 size 64
ttc.buffer slot @over : tensor<4xf32> in dram at 0x80 size 64
ttc.buffer slot @go : tensor<i1> in dram at 0x100 size 64
ttc.trace @kept() {
  ttc.cmd.dispatch @one(@x) into (@y)
  ttc.cmd.dispatch @one(@x) into (@z)
  ttc.cmd.repeat carried (@y, @go) bytes [16, 1] while @go at_most 50
  ttc.cmd.dispatch @one(@x) into (@y)
  ttc.cmd.dispatch @wide(@y) into (@z)
  ttc.cmd.dispatch @one(@y) into (@x)
  ttc.cmd.end_repeat
  ttc.cmd.repeat carried (@y) bytes [16] times 9
  ttc.cmd.dispatch @one(@y) into (@z)
  ttc.cmd.barrier
  ttc.cmd.dispatch @one(@z) into (@y)
  ttc.cmd.end_repeat
  ttc.cmd.repeat carried (@x) bytes [16] times 9
  ttc.cmd.dispatch @one(@x) into (@y)
  ttc.cmd.dispatch @one(@x) into (@over)
  ttc.cmd.end_repeat
  ttc.cmd.repeat carried (@x) bytes [16] times 9
  ttc.cmd.dispatch @part(@y) into (@x + 4)
  ttc.cmd.dispatch @one(@x) into (@z)
  ttc.cmd.end_repeat
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @kept on 0
  }
}

// -----

// Operands are the bytes that commands read before they write them, and those that they write: parts together are one operand. It has
// the type of a dispatch's operand of the same bytes, if there is one.
// CHECK:       ttc.trace @parts() {
// CHECK-NEXT:    ttc.cmd.repeat
// CHECK-NEXT:    ttc.cmd.dispatch @half_half2_all(@x + 4) into (@y + 4, @z)
// CHECK-NEXT:    ttc.cmd.end_repeat
// CHECK:       ttc.program private @half_half2_all(%{{.*}}: tensor<8xi8>)
// CHECK-SAME:      -> (tensor<2xf32> {ttc.strided = #ttc.strided<row = 2, pitch = 2, alignment = 4>}, tensor<2xf32>)
ttc.program private @half(%a: tensor<1xf32> {ttc.strided = #ttc.strided<row = 1, pitch = 1, alignment = 4>})
    -> (tensor<1xf32> {ttc.strided = #ttc.strided<row = 1, pitch = 1, alignment = 4>}) {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.program private @half2(%a: tensor<1xf32> {ttc.strided = #ttc.strided<row = 1, pitch = 1, alignment = 4>})
    -> (tensor<1xf32> {ttc.strided = #ttc.strided<row = 1, pitch = 1, alignment = 4>}) {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.program private @all(%a: tensor<2xf32> {ttc.strided = #ttc.strided<row = 2, pitch = 2, alignment = 4>}) -> tensor<2xf32> {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
ttc.buffer slot @x : tensor<4xf32> in dram at 0x3c size 64
ttc.buffer slot @y : tensor<4xf32> in dram at 0x80 size 64
ttc.buffer slot @z : tensor<2xf32> in dram at 0xc0 size 64
ttc.buffer slot @go : tensor<i1> in dram at 0x100 size 64
ttc.trace @parts() {
  ttc.cmd.repeat carried (@go) bytes [1] while @go at_most 50
  ttc.cmd.dispatch @half(@x + 4) into (@y + 4)
  ttc.cmd.dispatch @half2(@x + 8) into (@y + 8)
  ttc.cmd.dispatch @all(@y + 4) into (@z)
  ttc.cmd.end_repeat
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @parts on 0
  }
}
