// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements, in the forms of all opsets.
// RUN: split-file %s %t
// RUN: onnx-text %t/shape.txt %t/shape.onnx && ttc-translate --import-onnx %t/shape.onnx | FileCheck %s --check-prefix=SHAPE
// RUN: onnx-text %t/axes11.txt %t/axes11.onnx && ttc-translate --import-onnx %t/axes11.onnx | FileCheck %s --check-prefix=AXES11
// RUN: onnx-text %t/slice9.txt %t/slice9.onnx && ttc-translate --import-onnx %t/slice9.onnx | FileCheck %s --check-prefix=SLICE9
// RUN: onnx-text %t/slice13.txt %t/slice13.onnx && ttc-translate --import-onnx %t/slice13.onnx | FileCheck %s --check-prefix=SLICE13
// RUN: onnx-text %t/split.txt %t/split.onnx && ttc-translate --import-onnx %t/split.onnx | FileCheck %s --check-prefix=SPLIT
// RUN: onnx-text %t/pad9.txt %t/pad9.onnx && ttc-translate --import-onnx %t/pad9.onnx | FileCheck %s --check-prefix=PAD9
// RUN: onnx-text %t/pad18.txt %t/pad18.onnx && ttc-translate --import-onnx %t/pad18.onnx | FileCheck %s --check-prefix=PAD18
// RUN: onnx-text %t/gather.txt %t/gather.onnx && ttc-translate --import-onnx %t/gather.onnx | FileCheck %s --check-prefix=GATHER
// RUN: onnx-text %t/resize.txt %t/resize.onnx && ttc-translate --import-onnx %t/resize.onnx | FileCheck %s --check-prefix=RESIZE
// RUN: onnx-text %t/upsample.txt %t/upsample.onnx && ttc-translate --import-onnx %t/upsample.onnx | FileCheck %s --check-prefix=UPSAMPLE

//--- shape.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3,4] x, float[1,8,2,2] z) => (float[6,4] r, float[2,12] f, float[2,3,4,1] u, float[3,4] q, float[4,3,2] t, float[2,6,4] c, float[2,3,8] d, float[5,3,1] e, float[1,2,4,4] g, float[1,8,2,2] h)
<int64[2] shape = {-1, 4}, int64[1] three = {3}, int64[1] one = {1}, int64[1] zero = {0}, int64[3] repeats = {1, 1, 2}, int64[3] big = {5, 1, 1}, float[3,1] k = {1, 2, 3}>
{
  r = Reshape(x, shape)
  f = Flatten(x)
  u = Unsqueeze(x, three)
  s = Slice(x, zero, one, zero)
  q = Squeeze(s, zero)
  t = Transpose(x)
  c = Concat<axis = -2>(x, x)
  d = Tile(x, repeats)
  l = Relu(k)
  e = Expand(l, big)
  g = DepthToSpace<blocksize = 2, mode = "CRD">(z)
  h = SpaceToDepth<blocksize = 2>(g)
}
// SHAPE: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// SHAPE: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
// SHAPE: ttc.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<2x3x4x1xf32>
// SHAPE: ttc.slice
// SHAPE: ttc.reshape %{{.*}} : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
// SHAPE: ttc.transpose %arg0 {permutation = [2, 1, 0]}
// SHAPE: ttc.concat %arg0, %arg0 {axis = 1}
// SHAPE: ttc.tile %arg0 {repeats = [1, 1, 2]}
// SHAPE: ttc.depth_to_space %arg1 mode crd {block = [2, 2]}
// SHAPE: ttc.space_to_depth %{{.*}} {block = 2}

//--- axes11.txt
<ir_version: 6, opset_import: ["" : 11]>
g (float[2,1,3] x) => (float[2,3] q, float[1,2,1,1,3] u, float[2,3] r)
{
  q = Squeeze(x)
  u = Unsqueeze<axes = [0, -2]>(x)
  r = Squeeze<axes = [1]>(x)
}
// AXES11: ttc.reshape %arg0 : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
// AXES11: ttc.reshape %arg0 : (tensor<2x1x3xf32>) -> tensor<1x2x1x1x3xf32>
// AXES11: ttc.reshape %arg0 : (tensor<2x1x3xf32>) -> tensor<2x3xf32>

//--- slice9.txt
<ir_version: 4, opset_import: ["" : 9]>
g (float[4,6] x) => (float[4,2] y)
{
  y = Slice<axes = [1], starts = [-3], ends = [-1]>(x)
}
// SLICE9: ttc.slice %arg0 {sizes = [4, 2], starts = [0, 3], steps = [1, 1]}

// Ends far outside mean "to the end"; steps may go backwards.
//--- slice13.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[4,6] x) => (float[4,6] y, float[2,3] z, float[4,6] w)
<int64[1] last = {-1}, int64[1] lowest = {-9223372036854775807}, int64[1] one = {1}, int64[1] back = {-1}, int64[2] starts = {1, 0}, int64[2] ends = {9223372036854775807, 100}, int64[2] axes = {0, 1}, int64[2] steps = {2, 2}, int64[1] zero = {0}>
{
  y = Slice(x, last, lowest, one, back)
  z = Slice(x, starts, ends, axes, steps)
  big = Constant<value_ints = [1000000]>()
  w = Slice(x, zero, big)
}
// SLICE13: ttc.slice %arg0 {sizes = [4, 6], starts = [0, 5], steps = [1, -1]}
// SLICE13: ttc.slice %arg0 {sizes = [2, 3], starts = [1, 0], steps = [2, 2]}
// SLICE13-NOT: ttc.slice
// SLICE13: return %{{.*}}, %{{.*}}, %arg0

//--- split.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,7] x) => (float[2,3] a, float[2,3] b, float[2,1] c, float[2,2] d, float[2,5] e)
<int64[2] sizes = {2, 5}>
{
  a, b, c = Split<axis = 1, num_outputs = 3>(x)
  d, e = Split<axis = -1>(x, sizes)
}
// SPLIT: ttc.split %arg0 {axis = 1, sizes = [3, 3, 1]}
// SPLIT: ttc.split %arg0 {axis = 1, sizes = [2, 5]}

// Negative pads cut off.
//--- pad9.txt
<ir_version: 4, opset_import: ["" : 9]>
g (float[2,4] x) => (float[2,6] y, float[3,4] z, float[2,4] w)
{
  y = Pad<pads = [0, 1, 0, 1], mode = "reflect">(x)
  z = Pad<pads = [1, -1, 0, 1], value = 2.5>(x)
  w = Pad<pads = [0, 0, 0, 0]>(x)
}
// PAD9: ttc.pad %arg0 mode reflect {high = [0, 1], low = [0, 1]
// PAD9: %[[CUT:.*]] = ttc.slice %arg0 {sizes = [2, 3], starts = [0, 1], steps = [1, 1]}
// PAD9: ttc.pad %[[CUT]] {high = [0, 1], low = [1, 0], value = 2.500000e+00}
// PAD9: return %{{.*}}, %{{.*}}, %arg0

//--- pad18.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[2,4] x) => (float[2,7] y, float[3,5] z)
<int64[2] pads = {1, 2}, int64[4] all = {1, 1, 0, 0}, int64[1] axes = {-1}>
{
  value = Constant<value_float = -1.0>()
  y = Pad(x, pads, value, axes)
  z = Pad<mode = "edge">(x, all)
}
// PAD18: ttc.pad %arg0 {high = [0, 2], low = [0, 1], value = -1.000000e+00}
// PAD18: ttc.pad %arg0 mode edge

//--- gather.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[5,4] x, int64[2,3] i, int64[5,2] j) => (float[2,3,4] a, float[5,2] b, float[2] c, float[2,3,8] d)
<int64[2,2] k = {0, 1, 4, 3}, float[2] values = {0.0, 1.0}>
{
  depth = Constant<value_int = 8>()
  a = Gather(x, i)
  b = GatherElements<axis = -1>(x, j)
  c = GatherND(x, k)
  d = OneHot(i, depth, values)
}
// GATHER: ttc.gather %arg0, %arg1 {axis = 0}
// GATHER: ttc.gather_elements %arg0, %arg2 {axis = 1}
// GATHER: ttc.gather_nd %arg0,
// GATHER: ttc.compare lt
// GATHER: ttc.compare {{.*}} -> tensor<2x3x8xi1>
// GATHER: ttc.where {{.*}} -> tensor<2x3x8xf32>

//--- resize.txt
<ir_version: 8, opset_import: ["" : 18]>
g (float[1,1,4,4] x) => (float[1,1,8,8] y, float[1,1,6,6] z, float[1,1,4,2] w)
<float[4] scales = {1, 1, 2, 2}, int64[4] sizes = {1, 1, 6, 6}, float[1] half = {0.5}>
{
  y = Resize<mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(x, , scales)
  z = Resize<mode = "linear", coordinate_transformation_mode = "align_corners">(x, , , sizes)
  w = Resize<axes = [3]>(x, , half)
}
// RESIZE: ttc.resize %arg0 mode nearest coordinates asymmetric rounding floor {scales = [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]}
// RESIZE: ttc.resize %arg0 mode linear coordinates align_corners {scales = [1.000000e+00, 1.000000e+00, 1.500000e+00, 1.500000e+00]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
// RESIZE: ttc.resize %arg0 mode nearest {scales = [1.000000e+00, 1.000000e+00, 1.000000e+00, 5.000000e-01]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x2xf32>

//--- upsample.txt
<ir_version: 4, opset_import: ["" : 9]>
g (float[1,1,4,4] x) => (float[1,1,8,8] y)
<float[4] scales = {1, 1, 2, 2}>
{
  y = Upsample<mode = "nearest">(x, scales)
}
// UPSAMPLE: ttc.resize %arg0 mode nearest coordinates asymmetric rounding floor
