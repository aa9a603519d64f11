// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-add-entries --split-input-file --verify-diagnostics | FileCheck %s

// The scratch ends with the markers, at a multiple of 64 bytes; the body is the main zone.
// CHECK-LABEL: ttc.program @scratch(
// CHECK-SAME:      attributes {grid = 1 : i64, markers, scratch_bytes = 4288 : i64}
// CHECK:      llvm.func @scratch(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %[[W:.*]]: i64)
// CHECK-SAME:     ttc.scratch_bytes = 4288 : i64
// CHECK:        %[[MARKERS:.*]] = llvm.getelementptr %[[SCRATCH]][128] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:   %[[NAME:.*]] = llvm.mlir.addressof @zone.body
// CHECK-NEXT:   llvm.call @ttc_kernel_begin_main(%[[MARKERS]], %[[NAME]])
// CHECK-NEXT:   llvm.call @scratch.body(%{{.*}}, %[[W]], %[[SCRATCH]], %[[MARKERS]])
// CHECK-NEXT:   %[[SAME:.*]] = llvm.mlir.addressof @zone.body
// CHECK-NEXT:   llvm.call @ttc_kernel_end_main(%[[MARKERS]], %[[SAME]])
// CHECK-NEXT:   llvm.return
ttc.program @scratch() -> tensor<8xf32> attributes {markers} {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64, %scratch: !llvm.ptr, %markers: !llvm.ptr)
        attributes {ttc.scratch_bytes = 100 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}

// -----

// A body without scratch of its own does not get it.
// CHECK-LABEL: ttc.program @no_scratch(
// CHECK-SAME:      attributes {grid = 1 : i64, markers, scratch_bytes = 4160 : i64}
// CHECK:        llvm.call @no_scratch.body(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, !llvm.ptr) -> ()
ttc.program @no_scratch() -> tensor<8xf32> attributes {markers} {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64, %markers: !llvm.ptr)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}

// -----

ttc.program @too_few() -> tensor<8xf32> attributes {markers} {
  builtin.module {
    // expected-error @+1 {{expects 3 arguments (1 operands of the program, the workgroup, markers), found 2}}
    llvm.func @body(%out: !llvm.ptr, %w: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.return
    }
  }
}
