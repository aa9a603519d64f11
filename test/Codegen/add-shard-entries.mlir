// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-add-shard-entries --split-input-file --verify-diagnostics | FileCheck %s

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// Each core has one part of a height-sharded operand, in its L1; the parts of one in DRAM are 2 rows of 32 bytes apart;
// one without shards is the same for all.
// CHECK-LABEL: ttc.program @add(
// CHECK-SAME:      attributes {grid = 4 : i64, scratch_bytes = 0 : i64, shards = array<i64: 4>}
// CHECK:      llvm.func @add(%[[OPERANDS:.*]]: !llvm.ptr, %[[BASE:.*]]: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %[[K:.*]]: i64) attributes {passthrough = ["no-builtins"], ttc.scratch_bytes = 0 : i64, ttc.workgroups = 4 : i64}
// CHECK:        llvm.urem %[[K]], %{{.*}} : i64
// CHECK:        %[[PARTS:.*]] = llvm.alloca
// CHECK:        llvm.mlir.constant(64 : i64)
// CHECK:        llvm.mlir.constant(65536 : i64)
// CHECK:        llvm.call @add.part(%[[PARTS]], %[[BASE]], %[[SCRATCH]], %{{.*}})
// CHECK-NEXT:   llvm.return
// CHECK:      llvm.func internal @add.part({{.*}} attributes {passthrough = ["no-builtins", "noinline"]}
ttc.program @add(
    %a: tensor<2x8xf32> {ttc.shard = #ttc.shard<tensor<8x8xf32>, partition = [0, -1]>}, %b: tensor<1xf32>)
    -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>} {
  builtin.module {
    llvm.func @add(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
}

// -----

// The workgroups of a part run one after the other. What has a grid is done.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-LABEL: ttc.program @loop(
// CHECK:      llvm.func @loop({{.*}} attributes {passthrough = ["no-builtins"], ttc.scratch_bytes = 64 : i64, ttc.workgroups = 4 : i64}
// CHECK:      ^bb1(%[[N:.*]]: i64):
// CHECK:        llvm.call @loop.part({{.*}}, %[[N]])
// CHECK:        %[[NEXT:.*]] = llvm.add %[[N]]
// CHECK:        %[[LAST:.*]] = llvm.icmp "eq" %[[NEXT]]
// CHECK:        llvm.cond_br %[[LAST]], ^bb2, ^bb1(%[[NEXT]] : i64)
ttc.program @loop() -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>} {
  builtin.module {
    llvm.func @loop(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 64 : i64, ttc.workgroups = 8 : i64} {
      llvm.return
    }
  }
}
// CHECK-LABEL: ttc.program @done(
// CHECK-NOT:     @done.part
ttc.program @done() -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {grid = 4 : i64, scratch_bytes = 0 : i64, shards = array<i64: 4>} {
  builtin.module {
    llvm.func @done(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %w: i64) {
      llvm.return
    }
  }
}
}

// -----

module {
ttc.program @no_workgroups() -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>} {
  builtin.module {
    // expected-error @+1 {{expects 'ttc.workgroups' of at least 1 (--ttc-add-entries or --ttc-call-kernels sets it), found none}}
    llvm.func @no_workgroups(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64} {
      llvm.return
    }
  }
}
}

// -----

module {
// expected-error @+1 {{expects an llvm.func of its name in its body, found none}}
ttc.program @no_entry() -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>} {
  builtin.module {
  }
}
}

// -----

// expected-error @+1 {{expected the module to have a target}}
module {
ttc.program @no_target() -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>} {
  builtin.module {
    llvm.func @no_target(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
}
