// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-lower-zones | FileCheck %s

// CHECK-LABEL: ttc.program @marked(
// CHECK:         llvm.mlir.global internal constant @zone.part("part\00")
// CHECK:         llvm.func @ttc_kernel_begin_zone(!llvm.ptr, !llvm.ptr) -> i32
// CHECK:         llvm.func @body(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %[[MARKERS:.*]]: !llvm.ptr)
// CHECK-NEXT:      %[[NAME:.*]] = llvm.mlir.addressof @zone.part : !llvm.ptr
// CHECK-NEXT:      %[[ZONE:.*]] = llvm.call @ttc_kernel_begin_zone(%[[MARKERS]], %[[NAME]])
// CHECK-NEXT:      llvm.store
// CHECK-NEXT:      llvm.call @ttc_kernel_end_zone(%[[MARKERS]], %[[ZONE]])
// CHECK-NEXT:      llvm.return
ttc.program @marked() -> tensor<8xi64> attributes {markers} {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64) {
      %0 = ttc.zone_begin "part"
      llvm.store %w, %out : i64, !llvm.ptr
      ttc.zone_end %0
      llvm.return
    }
  }
}

// A body gets the argument even if it has no zone: --ttc-add-entries counts on it.
// CHECK-LABEL: ttc.program @without_zone(
// CHECK:         llvm.func @body(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
ttc.program @without_zone() -> tensor<8xi64> attributes {markers} {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64) {
      llvm.return
    }
  }
}

// CHECK-LABEL: ttc.program @unmarked(
// CHECK:         llvm.func @body(%{{.*}}: !llvm.ptr, %{{.*}}: i64) {
// CHECK-NEXT:      llvm.return
ttc.program @unmarked() -> tensor<8xi64> {
  builtin.module {
    llvm.func @body(%out: !llvm.ptr, %w: i64) {
      %0 = ttc.zone_begin "part"
      ttc.zone_end %0
      llvm.return
    }
  }
}

// A kernel's program has its zones in the kernel.
// CHECK-LABEL: ttc.program @kernel(
// CHECK:         llvm.func @kernel()
// CHECK-NOT:     zone
ttc.program @kernel() -> tensor<8xi64> attributes {markers} {
  builtin.module {
    llvm.func @kernel()
  }
}
