// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --ttc-add-entries --split-input-file --verify-diagnostics | FileCheck %s

// The entry turns offsets into addresses; the body's attributes become the program's.
// CHECK-LABEL: ttc.program @relu(%{{.*}}: tensor<8xf32>) -> (tensor<8xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
// CHECK:      llvm.func @relu(%[[OPERANDS:.*]]: !llvm.ptr, %[[BASE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[W:.*]]: i64) attributes {passthrough = ["no-builtins"], ttc.scratch_bytes = 0 : i64, ttc.workgroups = 4 : i64}
// CHECK-NEXT:   %[[S0:.*]] = llvm.getelementptr %[[OPERANDS]][0]
// CHECK-NEXT:   %[[O0:.*]] = llvm.load %[[S0]]
// CHECK-NEXT:   %[[A0:.*]] = llvm.getelementptr %[[BASE]][%[[O0]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:   %[[S1:.*]] = llvm.getelementptr %[[OPERANDS]][1]
// CHECK-NEXT:   %[[O1:.*]] = llvm.load %[[S1]]
// CHECK-NEXT:   %[[A1:.*]] = llvm.getelementptr %[[BASE]][%[[O1]]]
// CHECK-NEXT:   llvm.call @relu.body(%[[A0]], %[[A1]], %[[W]])
// CHECK-NEXT:   llvm.return
// CHECK:      llvm.func internal @relu.body(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64) attributes {passthrough = ["no-builtins", "noinline"]}
ttc.program @relu(%a: tensor<8xf32>) -> tensor<8xf32> {
  builtin.module {
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr {ttc.in_place = array<i64: 0>}, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 4 : i64} {
      llvm.return
    }
  }
}

// -----

// Scratch is the last argument.
// CHECK-LABEL: ttc.program @scratch(
// CHECK-SAME:      attributes {grid = 1 : i64, scratch_bytes = 128 : i64}
// CHECK:      llvm.func @scratch(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %[[W:.*]]: i64)
// CHECK:        llvm.call @scratch.body(%{{.*}}, %[[W]], %[[SCRATCH]])
ttc.program @scratch() -> tensor<8xf32> {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64, %scratch: !llvm.ptr)
        attributes {ttc.scratch_bytes = 128 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}

// -----

// On shards the grid is known with the shards' entry only.
// CHECK-LABEL: ttc.program @shards(
// CHECK-SAME:      attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>}
// CHECK:      llvm.func @shards({{.*}} attributes {passthrough = ["no-builtins"], ttc.scratch_bytes = 0 : i64, ttc.workgroups = 2 : i64}
ttc.program @shards() -> (tensor<2x8xf32> {ttc.shard = #ttc.shard<
      tensor<8x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>} {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 2 : i64} {
      llvm.return
    }
  }
}

// -----

// Without @body there is nothing to do.
// CHECK-LABEL: ttc.program @done(
// CHECK-NOT:     attributes
// CHECK:         llvm.func @done()
ttc.program @done() -> tensor<8xf32> {
  builtin.module {
    llvm.func @done()
  }
}
// CHECK-LABEL: ttc.program @tensors(
// CHECK-NEXT:    ttc.return
ttc.program @tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  ttc.return %a : tensor<8xf32>
}

// -----

ttc.program @wrong_grid() -> tensor<8xf32> {
  builtin.module {
    // diagnostic here:
    llvm.func @body(%out: !llvm.ptr, %w: i64) attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}

// change: ttc.program @wrong_grid => ttc.program @no_grid
// change: i64, ttc.workgroups = 1 : i64 => i64
// expected-error {{expects 'ttc.workgroups' of at least 1 (--ttc-tile-into-workgroups sets it), found none}}

// change: ttc.workgroups = 1 => ttc.workgroups = 0
// expected-error {{expects 'ttc.workgroups' of at least 1 (--ttc-tile-into-workgroups sets it), found 0 : i64}}

// change: ttc.program @wrong_grid => ttc.program @no_scratch
// change: ttc.scratch_bytes = 0 : i64, =>
// expected-error {{expects 'ttc.scratch_bytes' of at least 0 (--ttc-plan-scratch sets it), found none}}

// change: ttc.program @wrong_grid => ttc.program @too_few
// change: ttc.scratch_bytes = 0 => ttc.scratch_bytes = 64
// expected-error {{expects 3 arguments (1 operands of the program, the workgroup, scratch), found 2}}

// -----

ttc.program @too_early() -> tensor<8xf32> {
  builtin.module {
    // expected-error @+1 {{expects to be an llvm.func before it gets an entry}}
    func.func private @body(%out: memref<8xf32>, %w: index) {
      return
    }
  }
}
