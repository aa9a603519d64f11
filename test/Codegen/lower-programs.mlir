// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-plan-gemms --ttc-lower-programs | FileCheck %s
// RUN: ttc-opt %s --ttc-plan-gemms --ttc-lower-programs --ttc-lower-programs | FileCheck %s
// RUN: ttc-opt %s --ttc-plan-gemms --ttc-lower-programs --ttc-compile-programs | FileCheck %s --check-prefix=COMPILED
// COMPILED: ttc.binary

// The whole pipeline, once more for what is lowered already: then it changes nothing.
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "haswell", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// In place: loops are marked, and arguments may be the same.
// CHECK: #[[GROUP:.*]] = #llvm.access_group
// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<parallelAccesses = #[[GROUP]]>
// CHECK-LABEL: ttc.program @relu(%{{.*}}: tensor<256x256xf32>) -> (tensor<256x256xf32> {ttc.in_place = array<i64: 0>})
// CHECK-SAME:      attributes {grid = 8 : i64, scratch_bytes = 0 : i64}
// CHECK:         llvm.func @relu(
// CHECK:           llvm.call @relu.body(
// CHECK:         llvm.func internal @relu.body(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK-SAME:        passthrough = ["no-builtins", "noinline"]
// CHECK:           llvm.load %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK:           loop_annotation = #[[LOOP]]
ttc.program @relu(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = ttc.relu %a : (tensor<256x256xf32>) -> tensor<256x256xf32>
  ttc.return %0 : tensor<256x256xf32>
}

// With temporaries: they are scratch, and no argument is another one's memory.
// CHECK-LABEL: ttc.program @softmax(
// CHECK-SAME:      -> tensor<64x100xf32> attributes {grid = {{[0-9]+}} : i64, scratch_bytes = {{[1-9][0-9]*}} : i64}
// CHECK:         llvm.func internal @softmax.body(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-NOT:       access_groups
ttc.program @softmax(%a: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = ttc.softmax %a {axis = 1 : i64} : (tensor<64x100xf32>) -> tensor<64x100xf32>
  ttc.return %0 : tensor<64x100xf32>
}

// A kernel: a short epilogue is inlined, one of many constants is called.
// CHECK-LABEL: ttc.program @relu_after(
// CHECK-SAME:      attributes {grid = 1 : i64, scratch_bytes = {{[0-9]+}} : i64}
// CHECK:         llvm.func @relu_after(
// CHECK:           %[[EPILOGUE:.*]] = llvm.mlir.addressof @epilogue : !llvm.ptr
// CHECK:           llvm.call @ttc_kernel_gemm(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[EPILOGUE]], %{{.*}})
// CHECK:         llvm.func internal @epilogue({{.*}}) -> vector<8xf32> attributes {passthrough = ["alwaysinline"]}
// CHECK-NOT:     unrealized_conversion_cast
ttc.program @relu_after(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  %1 = ttc.relu %0 : (tensor<1x6x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %1 : tensor<1x6x16xf32>
}
// CHECK-LABEL: ttc.program @tanh_after(
// CHECK:         llvm.func internal @epilogue({{.*}}) -> vector<8xf32> attributes {passthrough = ["noinline"]}
ttc.program @tanh_after(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  %1 = ttc.tanh %0 : (tensor<1x6x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %1 : tensor<1x6x16xf32>
}
}
