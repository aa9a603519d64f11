// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @gemm_plan(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  %0 = ttc.kernel.gemm %a, %b {tile = array<i64: 6, 16>,
      plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 1], block = 1>}
      : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return
}

// change: splits = [1, 1, 1] => splits = [1, 0, 1]
// expected-error {{(C1) expected 'splits' of batch, rows and panels of at least 1, found [1, 0, 1]}}

// change: <rows = direct, splits = [1, 1, 1], block = 1> => <rows = direct, splits = [1, 1, 1], block = 0>
// expected-error {{(C1) expected 'block' to be at least 1, found 0}}

// change: <rows = direct, splits = [1, 1, 1], block = 1> => <rows = direct, splits = [1, 1, 1], block = 1, depth = -1>
// expected-error {{(C1) expected 'depth' to be at least 1, found -1}}

// -----

func.func @gemm(%a: tensor<13x8xf32>, %b: tensor<8x16xf32>) {
  // diagnostic here:
  %0 = ttc.kernel.gemm %a, %b {tile = array<i64: 6, 16>,
      plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 1], block = 1>}
      : (tensor<13x8xf32>, tensor<8x16xf32>) -> tensor<13x16xf32>
  return
}

// change: tensor<13x8xf32> => tensor<3x4x8xf32>
// change: tensor<8x16xf32> => tensor<3x8x16xf32>
// change: splits = [1, 1, 1] => splits = [4, 1, 1]
// change: tensor<13x16xf32> => tensor<3x4x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' to split the 3 batch elements into at most as many parts, found 4}}

// change: splits = [1, 1, 1] => splits = [1, 4, 1]
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' to split the 3 row tiles into at most as many parts, found 4}}

// change: tensor<13x8xf32> => tensor<4x8xf32>
// change: splits = [1, 1, 1] => splits = [1, 1, 2]
// change: tensor<13x16xf32> => tensor<4x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' to split the 1 panels into at most as many parts, found 2}}

// change: tensor<13x8xf32> => tensor<4x8xf32>
// change: <rows = direct, splits = [1, 1, 1], block = 1> => <rows = table, splits = [1, 1, 1], block = 1>
// change: tensor<13x16xf32> => tensor<4x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' with rows that the kernel can find in 'a', found table}}

// change: tensor<13x8xf32> => tensor<1x8x8x4xf32>
// change: tensor<8x16xf32> => tensor<1x1x36x16xf32>
// change: tile => packed, kernel = array<i64: 3, 3>, tile
// change: tensor<13x16xf32> => tensor<1x6x6x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' with rows that the kernel can find in 'a', found direct}}

// change: tensor<13x8xf32> => tensor<4x8xf32>
// change: <rows = direct, splits = [1, 1, 1], block = 1> => <rows = direct, splits = [1, 1, 1], block = 1, depth = 4>
// change: tensor<13x16xf32> => tensor<4x16xf32>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' with 'depth' for direct rows and a packed b, found direct rows and b not packed}}

// change: <rows = direct, splits = [1, 1, 1], block = 1> => <rows = direct, splits = [1, 1, 1], block = 4>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' with a block of at most the 3 row tiles and a depth of at most the 8 k, found 4 and 0}}

// change: tensor<8x16xf32> => tensor<1x1x8x16xf32>
// change: tile => packed, tile
// change: <rows = direct, splits = [1, 1, 1], block = 1> => <rows = direct, splits = [1, 1, 1], block = 1, depth = 9>
// expected-error {{'ttc.kernel.gemm' op (C10) expected 'plan' with a block of at most the 3 row tiles and a depth of at most the 8 k, found 1 and 9}}

// -----

func.func @copied_groups(%x: tensor<1x8x8x8xf32>, %w: tensor<2x1x36x16xf32>) {
  // expected-error@+1 {{'ttc.kernel.gemm' op (C10) expected 'plan' with rows that the kernel can find in 'a', found copied}}
  %0 = ttc.kernel.gemm %x, %w {packed, groups = 2 : i64, kernel = array<i64: 3, 3>, tile = array<i64: 6, 16>,
      plan = #ttc.gemm_plan<rows = copied, splits = [1, 1, 1], block = 1>}
      : (tensor<1x8x8x8xf32>, tensor<2x1x36x16xf32>) -> tensor<1x6x6x32xf32>
  return
}

// -----

// expected-error@+1 {{(C1) expected a 'tile' of 1 to 14 rows and 8, 16 or 32 columns, found [14, 48]}}
func.func private @tile() attributes {a = #ttc.kernel_choice<winograd, tile = [14, 48], outputs = 4>}

// -----

// expected-error@+1 {{(C1) expected a 'tile' of 1 to 14 rows and 1, 8, 16, 32 or 48 columns, found [0, 48]}}
func.func private @tile() attributes {a = #ttc.kernel_choice<direct, tile = [0, 48]>}

// -----

// expected-error@+1 {{(C2) expected 'outputs' of 2 or 4 with winograd, found 3}}
func.func private @outputs() attributes {a = #ttc.kernel_choice<winograd, tile = [14, 32], outputs = 3>}

// -----

// expected-error@+1 {{(C2) expected 'outputs' of 0 with direct, found 2}}
func.func private @outputs() attributes {a = #ttc.kernel_choice<direct, tile = [14, 32], outputs = 2>}
