// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-plan-gemms | FileCheck %s
// Planning again changes nothing.
// RUN: ttc-opt %s --ttc-plan-gemms --ttc-plan-gemms | FileCheck %s
// RUN: not ttc-opt %s --pass-pipeline='builtin.module(ttc.program(ttc-lower-programs))' 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// UNPLANNED: 'ttc.kernel.gemm' op expected a plan before its program is lowered, found none

// Few rows: workgroups split the panels of B, so that each streams a part of it.
// CHECK-LABEL: ttc.program @few_rows
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 8], block = 1>
ttc.program @few_rows(%x: tensor<5x768xf32>, %w: tensor<1x64x768x16xf32>) -> tensor<5x1024xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<5x768xf32>, tensor<1x64x768x16xf32>) -> tensor<5x1024xf32>
  ttc.return %0 : tensor<5x1024xf32>
}

// Many rows: workgroups split the rows, and each walks them in blocks that stay in L2.
// CHECK-LABEL: ttc.program @many_rows
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [1, 16, 1], block = 43>
ttc.program @many_rows(%x: tensor<1x64x64x256xf32>, %w: tensor<1x4x256x16xf32>)
    -> tensor<1x64x64x64xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 1, 1>, tile = array<i64: 6, 16>}
      : (tensor<1x64x64x256xf32>, tensor<1x4x256x16xf32>) -> tensor<1x64x64x64xf32>
  ttc.return %0 : tensor<1x64x64x64xf32>
}

// A deep product: each part of a panel is multiplied with all rows before the next one.
// CHECK-LABEL: ttc.program @deep
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 16], block = 4, depth = 768>
ttc.program @deep(%x: tensor<128x3072xf32>, %w: tensor<1x48x3072x16xf32>) -> tensor<128x768xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<128x3072xf32>, tensor<1x48x3072x16xf32>) -> tensor<128x768xf32>
  ttc.return %0 : tensor<128x768xf32>
}

// 7 row tiles for 8 workgroups: both panels are split, too, and 14 are even on two cores.
// CHECK-LABEL: ttc.program @even
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [1, 7, 2], block = 1>
ttc.program @even(%x: tensor<42x2048xf32>, %w: tensor<1x2x2048x16xf32>) -> tensor<42x32xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<42x2048xf32>, tensor<1x2x2048x16xf32>) -> tensor<42x32xf32>
  ttc.return %0 : tensor<42x32xf32>
}

// Batch elements are split first. B is packed when it is used.
// CHECK-LABEL: ttc.program @batch
// CHECK: plan = #ttc.gemm_plan<rows = direct, splits = [12, 1, 1], block = 22>
ttc.program @batch(%a: tensor<12x128x64xf32>, %b: tensor<12x64x128xf32>) -> tensor<12x128x128xf32> {
  %0 = ttc.kernel.gemm %a, %b {tile = array<i64: 6, 16>}
      : (tensor<12x128x64xf32>, tensor<12x64x128xf32>) -> tensor<12x128x128xf32>
  ttc.return %0 : tensor<12x128x128xf32>
}

// A window: rows by a table of pointers.
// CHECK-LABEL: ttc.program @window
// CHECK: plan = #ttc.gemm_plan<rows = table, splits = [1, 16, 1], block = 33>
ttc.program @window(%x: tensor<1x56x56x64xf32>, %w: tensor<1x4x576x16xf32>)
    -> tensor<1x56x56x64xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
      tile = array<i64: 6, 16>}
      : (tensor<1x56x56x64xf32>, tensor<1x4x576x16xf32>) -> tensor<1x56x56x64xf32>
  ttc.return %0 : tensor<1x56x56x64xf32>
}

// A window of one pixel with strides of two reads a quarter of the image: all rows stay in L2 while
// the weights stream past them once.
// CHECK-LABEL: ttc.program @skipped_pixels
// CHECK: plan = #ttc.gemm_plan<rows = table, splits = [1, 1, 16], block = 9>
ttc.program @skipped_pixels(%x: tensor<1x14x14x1024xf32>, %w: tensor<1x128x1024x16xf32>)
    -> tensor<1x7x7x2048xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>,
      tile = array<i64: 6, 16>}
      : (tensor<1x14x14x1024xf32>, tensor<1x128x1024x16xf32>) -> tensor<1x7x7x2048xf32>
  ttc.return %0 : tensor<1x7x7x2048xf32>
}

// Few channels: the input lines are copied; not if pixels are stored apart.
// CHECK-LABEL: ttc.program @few_channels
// CHECK: plan = #ttc.gemm_plan<rows = copied, splits = [1, 16, 1], block = 131>
ttc.program @few_channels(%x: tensor<1x224x224x4xf32>, %w: tensor<1x4x196x16xf32>)
    -> tensor<1x112x112x64xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 7, 7>, strides = array<i64: 2, 2>,
      pads = array<i64: 3, 3, 3, 3>, tile = array<i64: 6, 16>}
      : (tensor<1x224x224x4xf32>, tensor<1x4x196x16xf32>) -> tensor<1x112x112x64xf32>
  ttc.return %0 : tensor<1x112x112x64xf32>
}
// Lines that are longer than a block: it copies the parts that its rows read, so that it is not the
// length of a line that limits it.
// CHECK-LABEL: ttc.program @few_channels_long
// CHECK: plan = #ttc.gemm_plan<rows = copied, splits = [1, 16, 1], block = 209>
ttc.program @few_channels_long(%x: tensor<1x400000x8xf32>, %w: tensor<1x1x56x8xf32>)
    -> tensor<1x400000x8xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 7>, pads = array<i64: 3, 3>,
      tile = array<i64: 12, 8>}
      : (tensor<1x400000x8xf32>, tensor<1x1x56x8xf32>) -> tensor<1x400000x8xf32>
  ttc.return %0 : tensor<1x400000x8xf32>
}
// CHECK-LABEL: ttc.program @few_channels_wide
// CHECK: plan = #ttc.gemm_plan<rows = copied, splits = [1, 16, 1], block = 82>
ttc.program @few_channels_wide(%x: tensor<1x1080x1920x3xf32>, %w: tensor<1x4x147x16xf32>)
    -> tensor<1x540x960x64xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 7, 7>, strides = array<i64: 2, 2>,
      pads = array<i64: 3, 3, 3, 3>, tile = array<i64: 6, 16>}
      : (tensor<1x1080x1920x3xf32>, tensor<1x4x147x16xf32>) -> tensor<1x540x960x64xf32>
  ttc.return %0 : tensor<1x540x960x64xf32>
}
// CHECK-LABEL: ttc.program @few_channels_apart
// CHECK: plan = #ttc.gemm_plan<rows = table, splits = [1, 16, 1], block = 27>
ttc.program @few_channels_apart(
    %x: tensor<1x224x224x4xf32> {ttc.strided = #ttc.strided<row = 4, pitch = 8, alignment = 16>},
    %w: tensor<1x4x196x16xf32>) -> tensor<1x112x112x64xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 7, 7>, strides = array<i64: 2, 2>,
      pads = array<i64: 3, 3, 3, 3>, tile = array<i64: 6, 16>}
      : (tensor<1x224x224x4xf32>, tensor<1x4x196x16xf32>) -> tensor<1x112x112x64xf32>
  ttc.return %0 : tensor<1x112x112x64xf32>
}
