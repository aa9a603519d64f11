// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-choose-kernels --split-input-file | FileCheck %s
// RUN: ttc-opt %s --ttc-choose-kernels=winograd=false --split-input-file | FileCheck %s --check-prefix=OFF
// OFF-NOT: winograd
// OFF: ttc.kernel.gemm

module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {

// A large image: each workgroup transforms its own tiles.
// CHECK-LABEL: @large
func.func @large(%x: tensor<1x56x56x64xf32>, %b: tensor<64xf32>) -> tensor<1x56x56x64xf32> {
  %w = ttc.constant dense<1.5> : tensor<64x64x3x3xf32>
  // CHECK: %[[P:.*]] = ttc.pack_winograd %{{.*}} {nr = 16 : i64, outputs = 4 : i64} : tensor<64x64x3x3xf32> -> tensor<1x4x36x64x16xf32>
  // CHECK: %[[C:.*]] = ttc.kernel.winograd_conv %{{.*}}, %[[P]] {outputs = 4 : i64, pads = array<i64: 1, 1, 1, 1>, taps = 3 : i64, tile = array<i64: 6, 16>}
  // CHECK: ttc.add %[[C]], %{{.*}} : (tensor<1x56x56x64xf32>, tensor<64xf32>)
  %0 = ttc.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}

// Many channels: an op of its own transforms the image for all workgroups.
// CHECK-LABEL: @deep
func.func @deep(%x: tensor<1x14x14x256xf32>) -> tensor<1x14x14x256xf32> {
  %w = ttc.constant dense<2.5> : tensor<256x256x3x3xf32>
  // CHECK: %[[T:.*]] = ttc.kernel.winograd_input %{{.*}} {outputs = 4 : i64, pads = array<i64: 1, 1, 1, 1>, taps = 3 : i64} : (tensor<1x14x14x256xf32>) -> tensor<36x4112xf32>
  // CHECK: ttc.kernel.winograd_conv %[[T]], %{{.*}} : (tensor<36x4112xf32>, tensor<1x16x36x256x16xf32>) -> tensor<1x14x14x256xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x14x14x256xf32>, tensor<256x256x3x3xf32>) -> tensor<1x14x14x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}

// Where runs have as many images as they want, workgroups transform their own: the op would transform all of the
// bucket. With one image, it stays.
// CHECK-LABEL: @open_batch
// CHECK-NOT: ttc.kernel.winograd_input
// CHECK: ttc.kernel.winograd_conv %arg0
func.func @open_batch(%x: tensor<4x14x14x256xf32> {ttc.dims = affine_map<()[s0] -> (s0, 14, 14, 256)>}, %n: tensor<1xi32> {ttc.name = "extents"}) -> (tensor<4x14x14x256xf32> {ttc.dims = affine_map<()[s0] -> (s0, 14, 14, 256)>}) attributes {ttc.variant = #ttc.variant<of = "open", dims = ["batch"], low = [1], high = [4]>} {
  %w = ttc.constant dense<2.5> : tensor<256x256x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<4x14x14x256xf32>, tensor<256x256x3x3xf32>) -> tensor<4x14x14x256xf32>
  return %0 : tensor<4x14x14x256xf32>
}
// CHECK-LABEL: @one_image
// CHECK: ttc.kernel.winograd_input
func.func @one_image(%x: tensor<1x14x14x256xf32> {ttc.dims = affine_map<()[s0] -> (1, s0, 14, 256)>}, %n: tensor<1xi32> {ttc.name = "extents"}) -> (tensor<1x14x14x256xf32> {ttc.dims = affine_map<()[s0] -> (1, s0, 14, 256)>}) attributes {ttc.variant = #ttc.variant<of = "one", dims = ["height"], low = [1], high = [14]>} {
  %w = ttc.constant dense<2.5> : tensor<256x256x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x14x14x256xf32>, tensor<256x256x3x3xf32>) -> tensor<1x14x14x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}

// Few tiles for many weights of a large model: tiles of 2x2 results read fewer of them.
// CHECK-LABEL: @small
func.func @small(%x: tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32> {
  %others = ttc.constant dense<0.5> : tensor<4096x2048xf32>
  %w = ttc.constant dense<3.5> : tensor<512x512x3x3xf32>
  // CHECK: ttc.pack_winograd {{.*}}outputs = 2 : i64
  // CHECK: ttc.kernel.winograd_conv {{.*}}outputs = 2 : i64
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x7x7x512xf32>, tensor<512x512x3x3xf32>) -> tensor<1x7x7x512xf32>
  return %0 : tensor<1x7x7x512xf32>
}

// Clips: frames of their own are images, and several are summed before they are transformed back.
// CHECK-LABEL: @frames
func.func @frames(%x: tensor<1x8x28x28x64xf32>) -> tensor<1x8x28x28x64xf32> {
  %w = ttc.constant dense<5.5> : tensor<64x64x1x3x3xf32>
  // CHECK: ttc.kernel.winograd_conv %arg0, {{.*}} -> tensor<1x8x28x28x64xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 1, 1, 0, 1, 1>,
      dilations = array<i64: 1, 1, 1>, channels_last}
     : (tensor<1x8x28x28x64xf32>, tensor<64x64x1x3x3xf32>) -> tensor<1x8x28x28x64xf32>
  return %0 : tensor<1x8x28x28x64xf32>
}
// CHECK-LABEL: @clip
func.func @clip(%x: tensor<1x8x28x28x64xf32>) -> tensor<1x8x28x28x64xf32> {
  %w = ttc.constant dense<6.5> : tensor<64x64x3x3x3xf32>
  // CHECK: %[[T:.*]] = ttc.kernel.winograd_input %arg0 {outputs = 4 : i64, pads = array<i64: 1, 1, 1, 1, 1, 1>, taps = 3 : i64} : (tensor<1x8x28x28x64xf32>) -> tensor<36x31376xf32>
  // CHECK: ttc.kernel.winograd_conv %[[T]], {{.*}}frames = 3 : i64
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>,
      dilations = array<i64: 1, 1, 1>, channels_last}
     : (tensor<1x8x28x28x64xf32>, tensor<64x64x3x3x3xf32>) -> tensor<1x8x28x28x64xf32>
  return %0 : tensor<1x8x28x28x64xf32>
}
// Not in a variant, whose kernels follow the valid part of images only.
// CHECK-LABEL: @clip_of_variant
// CHECK-NOT: winograd
func.func @clip_of_variant(%x: tensor<1x8x28x28x64xf32> {ttc.dims = affine_map<()[s0] -> (1, 8, s0, 28, 64)>}, %n: tensor<1xi32> {ttc.name = "extents"}) -> (tensor<1x8x28x28x64xf32> {ttc.dims = affine_map<()[s0] -> (1, 8, s0, 28, 64)>}) attributes {ttc.variant = #ttc.variant<of = "clip", dims = ["height"], low = [1], high = [28]>} {
  %w = ttc.constant dense<7.5> : tensor<64x64x3x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>,
      dilations = array<i64: 1, 1, 1>, channels_last}
     : (tensor<1x8x28x28x64xf32>, tensor<64x64x3x3x3xf32>) -> tensor<1x8x28x28x64xf32>
  return %0 : tensor<1x8x28x28x64xf32>
}

// Dilated lines, as temporal convolutions have them.
// CHECK-LABEL: @line
func.func @line(%x: tensor<1x512x128xf32>) -> tensor<1x512x128xf32> {
  %w = ttc.constant dense<8.5> : tensor<128x128x3xf32>
  // CHECK: ttc.pack_winograd {{.*}} : tensor<128x128x3xf32> -> tensor<1x8x6x128x16xf32>
  // CHECK: ttc.kernel.winograd_conv {{.*}}dilation = 8 : i64, line = 0 : i64, outputs = 4 : i64, pads = array<i64: 8, 8>
  %0 = ttc.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 8, 8>, dilations = array<i64: 8>, channels_last}
     : (tensor<1x512x128xf32>, tensor<128x128x3xf32>) -> tensor<1x512x128xf32>
  return %0 : tensor<1x512x128xf32>
}
// Images that are padded where they have no taps are direct.
// CHECK-LABEL: @padded_elsewhere
// CHECK-NOT: winograd
func.func @padded_elsewhere(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x58x64xf32> {
  %w = ttc.constant dense<9.5> : tensor<64x64x3x1xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      channels_last} : (tensor<1x56x56x64xf32>, tensor<64x64x3x1xf32>) -> tensor<1x56x58x64xf32>
  return %0 : tensor<1x56x58x64xf32>
}

// CHECK-LABEL: @five
func.func @five(%x: tensor<1x27x27x96xf32>) -> tensor<1x27x27x256xf32> {
  %w = ttc.constant dense<4.5> : tensor<256x48x5x5xf32>
  // CHECK: ttc.pack_winograd {{.*}}groups = 2 : i64, {{.*}}outputs = 2 : i64
  // CHECK: ttc.kernel.winograd_conv {{.*}}groups = 2 : i64, outputs = 2 : i64, pads = array<i64: 2, 2, 2, 2>, taps = 5 : i64
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>,
      dilations = array<i64: 1, 1>, groups = 2 : i64, channels_last}
     : (tensor<1x27x27x96xf32>, tensor<256x48x5x5xf32>) -> tensor<1x27x27x256xf32>
  return %0 : tensor<1x27x27x256xf32>
}

// Few tiles pay if the weights of the whole function are still in L2 from the inference before.
// CHECK-LABEL: @resident
func.func @resident(%x: tensor<1x4x4x32xf32>) -> tensor<1x4x4x64xf32> {
  %w = ttc.constant dense<5.5> : tensor<64x32x3x3xf32>
  // CHECK: ttc.kernel.winograd_conv {{.*}}outputs = 2 : i64
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x4x4x32xf32>, tensor<64x32x3x3xf32>) -> tensor<1x4x4x64xf32>
  return %0 : tensor<1x4x4x64xf32>
}

// The same convolution beside many other weights.
// CHECK-LABEL: @from_memory
func.func @from_memory(%x: tensor<1x4x4x32xf32>, %y: tensor<1x512xf32>) -> (tensor<1x4x4x64xf32>, tensor<1x512xf32>) {
  %w = ttc.constant dense<6.5> : tensor<64x32x3x3xf32>
  %v = ttc.constant dense<7.5> : tensor<512x512xf32>
  // CHECK-NOT: winograd
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x4x4x32xf32>, tensor<64x32x3x3xf32>) -> tensor<1x4x4x64xf32>
  %1 = ttc.matmul %y, %v : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
  return %0, %1 : tensor<1x4x4x64xf32>, tensor<1x512xf32>
}

// Strides, dilations of one dimension, other windows, weights of run time, one tile.
// CHECK-LABEL: @direct
// CHECK-NOT: winograd
func.func @direct(%x: tensor<1x28x28x64xf32>, %v: tensor<64x64x3x3xf32>, %y: tensor<1x1x1x64xf32>)
    -> (tensor<1x14x14x64xf32>, tensor<1x26x28x64xf32>, tensor<1x28x28x64xf32>, tensor<1x28x28x64xf32>, tensor<1x1x1x64xf32>) {
  %w = ttc.constant dense<8.5> : tensor<64x64x3x3xf32>
  %u = ttc.constant dense<9.5> : tensor<64x64x1x7xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x28x28x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x14x14x64xf32>
  %1 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 2, 1>, channels_last}
     : (tensor<1x28x28x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x26x28x64xf32>
  %2 = ttc.conv %x, %u {strides = array<i64: 1, 1>, pads = array<i64: 0, 3, 0, 3>, dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x28x28x64xf32>, tensor<64x64x1x7xf32>) -> tensor<1x28x28x64xf32>
  %3 = ttc.conv %x, %v {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x28x28x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x28x28x64xf32>
  %4 = ttc.conv %y, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x1x1x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x1x1x64xf32>
  return %0, %1, %2, %3, %4 : tensor<1x14x14x64xf32>, tensor<1x26x28x64xf32>, tensor<1x28x28x64xf32>, tensor<1x28x28x64xf32>, tensor<1x1x1x64xf32>
}
}

// -----

// L1 is too small for the scratch.
module attributes {ttc.target = #ttc.target<name = "small", triple = "x86_64-linux-gnu", cpu = "haswell",
    features = "", grid_rows = 8, grid_cols = 8, l1_bytes = 262144, l1_alignment = 16, dram_banks = 12,
    dram_bank_bytes = 1073741824, dram_alignment = 32, queues = 2, chips = 1>} {
// CHECK-LABEL: @small_l1
// CHECK-NOT: winograd
func.func @small_l1(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
  %w = ttc.constant dense<10.5> : tensor<64x64x3x3xf32>
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}
}

// -----

module attributes {ttc.target = #ttc.target<name = "cpu", triple = "x86_64-linux-gnu", cpu = "skylake-avx512",
    features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1>} {

// With AVX-512, weights of a small model come from L3 fast enough for tiles of 4x4.
// CHECK-LABEL: @near
func.func @near(%x: tensor<1x14x14x128xf32>) -> tensor<1x14x14x128xf32> {
  %w = ttc.constant dense<3.25> : tensor<128x128x3x3xf32>
  // CHECK: ttc.pack_winograd {{.*}}outputs = 4 : i64
  // CHECK: ttc.kernel.winograd_conv {{.*}}outputs = 4 : i64
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x14x14x128xf32>, tensor<128x128x3x3xf32>) -> tensor<1x14x14x128xf32>
  return %0 : tensor<1x14x14x128xf32>
}

// Those of a large one come from memory.
// CHECK-LABEL: @far
func.func @far(%x: tensor<1x14x14x128xf32>) -> tensor<1x14x14x128xf32> {
  %others = ttc.constant dense<0.5> : tensor<4096x2048xf32>
  %w = ttc.constant dense<3.125> : tensor<128x128x3x3xf32>
  // CHECK: ttc.pack_winograd {{.*}}outputs = 2 : i64
  // CHECK: ttc.kernel.winograd_conv {{.*}}outputs = 2 : i64
  %0 = ttc.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, channels_last}
     : (tensor<1x14x14x128xf32>, tensor<128x128x3x3xf32>) -> tensor<1x14x14x128xf32>
  return %0 : tensor<1x14x14x128xf32>
}
}
