// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-call-kernels | FileCheck %s

// The kernel is the main zone, and gets the markers after its own scratch.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "haswell", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-LABEL: ttc.program @pool(
// CHECK-SAME:      attributes {grid = 1 : i64, markers, scratch_bytes = 4160 : i64}
// CHECK:         llvm.mlir.global internal constant @zone.pool("pool\00")
// CHECK:         llvm.func @pool(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %{{.*}}: i64)
// CHECK:           %[[MARKERS:.*]] = llvm.getelementptr %[[SCRATCH]][0]
// CHECK:           llvm.call @ttc_kernel_begin_main(%[[MARKERS]], %{{.*}})
// CHECK-NEXT:      llvm.call @ttc_kernel_pool(%{{.*}}, %[[SCRATCH]], %{{.*}}, %{{.*}}, %{{.*}}, %[[MARKERS]])
// CHECK:           llvm.call @ttc_kernel_end_main(%[[MARKERS]], %{{.*}})
ttc.program @pool(%x: tensor<1x4x4x16xf32>) -> tensor<1x2x2x16xf32> attributes {markers} {
  %0 = ttc.kernel.pool %x {kind = #ttc.pool_kind<max>, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x4x16xf32>) -> tensor<1x2x2x16xf32>
  ttc.return %0 : tensor<1x2x2x16xf32>
}
}
