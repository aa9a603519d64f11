// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed weights that are no larger than they must be.
// RUN: ttc-opt %s --ttc-choose-kernels=optimize=speed --split-input-file | FileCheck %s --check-prefix=SPEED
// RUN: ttc-opt %s "--ttc-choose-kernels=optimize=size winograd=false" --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: ttc-opt %s "--ttc-choose-kernels=optimize=memory winograd=false" --split-input-file | FileCheck %s --check-prefix=SMALL

module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver4",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 1048576, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {

// Three vectors a panel would leave 16 columns of the last one empty.
// SPEED-LABEL: @panels
// SPEED: ttc.kernel.gemm {{.*}} tensor<1x11x64x48xf32>
// SMALL-LABEL: @panels
// SMALL: ttc.kernel.gemm {{.*}} tensor<1x16x64x32xf32>
func.func @panels(%x: tensor<64x64xf32>) -> tensor<64x512xf32> {
  %w = ttc.constant dense<1.5> : tensor<64x512xf32>
  %0 = ttc.matmul %x, %w : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

// 48 columns are three vectors in either case.
// SPEED-LABEL: @exact
// SPEED: ttc.kernel.gemm {{.*}} tensor<1x1x64x48xf32>
// SMALL-LABEL: @exact
// SMALL: ttc.kernel.gemm {{.*}} tensor<1x1x64x48xf32>
func.func @exact(%x: tensor<64x64xf32>) -> tensor<64x48xf32> {
  %w = ttc.constant dense<1.5> : tensor<64x48xf32>
  %0 = ttc.matmul %x, %w : (tensor<64x64xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// SPEED-LABEL: @bytes
// SPEED: tile = array<i64: 8, 48>
// SMALL-LABEL: @bytes
// SMALL: tile = array<i64: 14, 32>
func.func @bytes(%x: tensor<64x64xui8>) -> tensor<64x512xi32> {
  %w = ttc.constant dense<3> : tensor<64x512xi8>
  %xz = ttc.constant dense<7> : tensor<ui8>
  %wz = ttc.constant dense<0> : tensor<i8>
  %0 = ttc.int_matmul %x, %w, %xz, %wz : (tensor<64x64xui8>, tensor<64x512xi8>, tensor<ui8>, tensor<i8>) -> tensor<64x512xi32>
  return %0 : tensor<64x512xi32>
}

// The table of an embedding is the last product's matrix, too: its panels would be a second copy.
// SPEED-LABEL: @tied
// SPEED: ttc.pack
// SPEED: ttc.kernel.gemm %{{.*}} {packed
// SMALL-LABEL: @tied
// SMALL: %[[W:.*]] = ttc.constant
// SMALL: ttc.gather %[[W]]
// SMALL-NOT: ttc.pack
// SMALL: ttc.kernel.gemm %{{.*}}, %[[W]] {b_view
func.func @tied(%ids: tensor<8xi64>) -> tensor<8x512xf32> {
  %w = ttc.constant dense<1.5> : tensor<512x64xf32>
  %0 = ttc.gather %w, %ids {axis = 0 : i64} : (tensor<512x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  %1 = ttc.transpose %w {permutation = [1, 0]} : (tensor<512x64xf32>) -> tensor<64x512xf32>
  %2 = ttc.matmul %0, %1 : (tensor<8x64xf32>, tensor<64x512xf32>) -> tensor<8x512xf32>
  return %2 : tensor<8x512xf32>
}
}
