// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resampling, pools of regions and transforms are composed of other ops. test/conformance compares
// their numbers.
// RUN: split-file %s %t

// RUN: onnx-text %t/resize.txt %t/resize.onnx --name
// RUN: ttc-translate --import-onnx %t/resize.onnx | FileCheck %s --check-prefix=RESIZE
//--- resize.txt
<ir_version: 8, opset_import: ["" : 19]>
g (float[1,1,4,4] x, uint8[1,1,4,4] n) => (float[1,1,4,8] c, uint8[1,1,3,4] r, float[1,1,2,4] s, float[1,1,3,4] a)
<float[1] two = {2}, int64[1] three = {3}, int64[2] two_by_four = {2, 4}, float[2] roi = {0.5, 1.5}>
{
  c = Resize<mode = "cubic", axes = [3]>(x, , two)
  r = Resize<mode = "nearest", axes = [2], coordinate_transformation_mode = "tf_crop_and_resize">(n, roi, , three)
  s = Resize<mode = "linear", axes = [2, 3], antialias = 1, keep_aspect_ratio_policy = "stretch">(x, , , two_by_four)
  a = Resize<mode = "linear", axes = [2], antialias = 1>(x, , , three)
}
// Four elements with their weights; no other axis changes.
// RESIZE: ttc.gather %arg0, {{.*}} {axis = 3} : (tensor<1x1x4x4xf32>, tensor<8x4xi32>) -> tensor<1x1x4x8x4xf32>
// RESIZE: ttc.mul {{.*}} tensor<1x1x1x8x4xf32>
// RESIZE: ttc.reduce_sum {{.*}} {axes = [4]} : {{.*}} -> tensor<1x1x4x8xf32>
// Bytes stay bytes; what is outside of the operand is the extrapolation value.
// RESIZE: ttc.gather %arg1, {{.*}} {axis = 2} : (tensor<1x1x4x4xui8>, tensor<3xi32>) -> tensor<1x1x3x4xui8>
// RESIZE: ttc.where {{.*}} -> tensor<1x1x3x4xui8>
// RESIZE: ttc.gather %arg0, {{.*}} {axis = 2} : (tensor<1x1x4x4xf32>, tensor<2x4xi32>)
// RESIZE: ttc.gather %arg0, {{.*}} {axis = 2} : (tensor<1x1x4x4xf32>, tensor<3x4xi32>)

// RUN: onnx-text %t/sample.txt %t/sample.onnx --name
// RUN: ttc-translate --import-onnx %t/sample.onnx | FileCheck %s --check-prefix=SAMPLE
//--- sample.txt
<ir_version: 8, opset_import: ["" : 20]>
g (float[2,3,4,5] x, float[2,6,7,2] grid, float[2,2,3] theta) => (float[2,3,6,7] y, float[2,3,6,7] n, float[2,4,5,2] f)
<int64[4] size = {2, 3, 4, 5}>
{
  y = GridSample(x, grid)
  n = GridSample<mode = "nearest", padding_mode = "border">(x, grid)
  f = AffineGrid(theta, size)
}
// The four elements around each point, as rows of all channels.
// SAMPLE: ttc.gather {{.*}} {axis = 0} : (tensor<40x3xf32>, tensor<4x2x42xi32>) -> tensor<4x2x42x3xf32>
// SAMPLE: ttc.where
// SAMPLE: ttc.reduce_sum {{.*}} {axes = [0]}
// SAMPLE: ttc.round
// SAMPLE: ttc.gather {{.*}} {axis = 0} : (tensor<40x3xf32>, tensor<1x2x42xi32>)
// SAMPLE: ttc.matmul {{.*}} {transpose_b} : (tensor<20x3xf32>, tensor<2x2x3xf32>) -> tensor<2x20x2xf32>

// RUN: onnx-text %t/signal.txt %t/signal.onnx --name
// RUN: ttc-translate --import-onnx %t/signal.onnx | FileCheck %s --check-prefix=SIGNAL
//--- signal.txt
<ir_version: 8, opset_import: ["" : 20]>
g (float[1,16,1] x, float[1,4096,2] long) => (float[1,9,2] y, float[1,4096,2] z, float[1,3,5,2] s, float[8] w)
<int64 step = {3}, int64 eight = {8}>
{
  y = DFT<onesided = 1>(x)
  z = DFT(long)
  s = STFT(x, step, , eight)
  w = HannWindow(eight)
}
// SIGNAL: ttc.matmul {{.*}} : (tensor<1x16xf32>, tensor<16x18xf32>) -> tensor<1x18xf32>
// A long transform is made of short ones.
// SIGNAL: ttc.matmul {{.*}} : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
// SIGNAL: ttc.matmul {{.*}} : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
// SIGNAL: ttc.gather {{.*}} -> tensor<1x3x8x1xf32>
// SIGNAL: ttc.matmul {{.*}} : (tensor<3x8xf32>, tensor<8x10xf32>)
// SIGNAL: ttc.constant dense<[0.000000e+00, 0.1464466

// RUN: onnx-text %t/pools.txt %t/pools.onnx --name
// RUN: ttc-translate --import-onnx %t/pools.onnx | FileCheck %s --check-prefix=POOLS
//--- pools.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[1,3,6,6] x, float[2,4] rois, int64[2] batch, float[1,12,25] columns) => (float[1,3,3,3] y, int64[1,3,3,3] i, float[1,3,3,3] l, float[2,3,2,2] r, float[1,3,6,6] c)
<int64[2] image = {6, 6}, int64[2] block = {2, 2}>
{
  y, i = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(x)
  l = LpPool<kernel_shape = [2, 2], strides = [2, 2]>(x)
  r = RoiAlign<output_height = 2, output_width = 2, sampling_ratio = 2>(x, rois, batch)
  c = Col2Im(columns, image, block)
}
// POOLS: ttc.max_pool
// POOLS: ttc.argmax {{.*}} {axis = 2} : (tensor<3x9x4xf32>) -> tensor<3x9xi64>
// POOLS: ttc.conv {{.*}} {groups = 3, strides = [2, 2]}
// POOLS: ttc.sqrt
// POOLS: ttc.gather {{.*}} : (tensor<36x3xf32>, tensor<4x2x4x4xi32>)
// POOLS: ttc.reduce_sum {{.*}} {axes = [0, 3, 5]}
// POOLS: ttc.conv_transpose {{.*}} {groups = 3}

// RUN: onnx-text %t/errors.txt %t/errors.onnx --name
// RUN: not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS
//--- errors.txt
<ir_version: 8, opset_import: ["" : 20]>
g (float[1,3,6,6] x, float[2,4] rois, int64[2] batch, float[1,5,5,3] grid, float[2,3,3] theta, float[1,16,3] signal, float[1,18,5,5] offset, float[4,3,3,3] w) => (float[1] y)
<int64[4] size = {1, 1, 4, 4}, float[3] roi = {0, 0, 1}, int64[2] two = {7, 7}, int64 minus = {-1}, int64 step = {4}, int64 long = {99}, float hertz = {0}, float[1,16,1] real = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}>
{
  a = RoiAlign(x, rois, batch)
  b = RoiAlign<mode = "min", sampling_ratio = 1>(x, rois, batch)
  c = GridSample(x, grid)
  d = GridSample<padding_mode = "wrap">(x, grid)
  e = AffineGrid(theta, size)
  f = DFT(signal)
  h = STFT(real, step, , long)
  i = HannWindow(minus)
  j = MelWeightMatrix(step, step, step, hertz, hertz)
  k = DeformConv<strides = [2, 2]>(x, w, offset)
  l = LpPool<kernel_shape = [2, 2], p = 0>(x)
  m = Col2Im(x, two, two)
  n = MaxRoiPool<pooled_shape = [2, 2]>(x, rois)
  o = Resize<mode = "cubic", axes = [2, 3], coordinate_transformation_mode = "tf_crop_and_resize">(x, roi, , two)
  p = Resize<mode = "cubic", axes = [2, 3], keep_aspect_ratio_policy = "larger">(x, , , two)
  y = Relu(x)
}
// ERRORS: node 'RoiAlign_0' (RoiAlign, opset 20): attribute 'sampling_ratio' is 0, by which regions that are computed at run time say how many samples they need (supported: 1 and more, or constant regions)
// ERRORS: node 'RoiAlign_1' (RoiAlign, opset 20): attribute 'mode' is 'min' (supported: avg, max)
// ERRORS: node 'GridSample_2' (GridSample, opset 20): expected the grid to have the number of images of 'tensor<1x3x6x6xf32>' and vectors of 2 coordinates, found 'tensor<1x5x5x3xf32>'
// ERRORS: node 'GridSample_3' (GridSample, opset 20): attribute 'padding_mode' is 'wrap' (supported: zeros, border, reflection)
// ERRORS: node 'AffineGrid_4' (AffineGrid, opset 20): expected theta to have the shape [1, 2, 3] for images of [1, 1, 4, 4], found 'tensor<2x3x3xf32>'
// ERRORS: node 'DFT_5' (DFT, opset 20): expected the last dimension to hold the one or two parts of a number, and another one to be transformed, found axis 1 of 'tensor<1x16x3xf32>'
// ERRORS: node 'STFT_6' (STFT, opset 20): frames of 99 elements do not fit a signal of 16
// ERRORS: node 'HannWindow_7' (HannWindow, opset 20): expected size to be one number from 0 to 16777216, found [-1]
// ERRORS: node 'MelWeightMatrix_8' (MelWeightMatrix, opset 20): impossible sizes: {{.*}} mel bins from {{.*}} Hz
// ERRORS: node 'DeformConv_9' (DeformConv, opset 20): expected the offsets to have the shape [1, 18, 2, 2], found 'tensor<1x18x5x5xf32>'
// ERRORS: node 'LpPool_10' (LpPool, opset 20): attribute 'p' is 0 (supported: 1 and more)
// ERRORS: node 'Col2Im_11' (Col2Im, opset 20): expected the input to have a multiple of 49 rows and 1 columns for each image, found 'tensor<1x3x6x6xf32>'
// ERRORS: node 'MaxRoiPool_12' (MaxRoiPool, opset 20): expected images of rank 4 and regions of shape [N, 5], found 'tensor<1x3x6x6xf32>' and 'tensor<2x4xf32>'
// ERRORS: node 'Resize_13' (Resize, opset 20): expected roi to have 4 elements, found 3
// ERRORS: node 'Resize_14' (Resize, opset 20): attribute 'keep_aspect_ratio_policy' is 'larger' (supported: stretch, not_larger, not_smaller)
