// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-count-flops | FileCheck %s
// Counting again changes nothing.
// RUN: ttc-opt %s --ttc-count-flops --ttc-count-flops | FileCheck %s

// 2 * 5 * 7 * 3 for each of 4 products, and the bias.
// CHECK-LABEL: ttc.program @matmul(
// CHECK-SAME: flops = 980 : i64
ttc.program @matmul(%a: tensor<4x3x5xf32>, %b: tensor<3x7xf32>, %c: tensor<7xf32>) -> tensor<4x5x7xf32> {
  %0 = ttc.matmul %a, %b, %c {transpose_a} : (tensor<4x3x5xf32>, tensor<3x7xf32>, tensor<7xf32>) -> tensor<4x5x7xf32>
  ttc.return %0 : tensor<4x5x7xf32>
}

// CHECK-LABEL: ttc.program @int_matmul(
// CHECK-SAME: flops = 210 : i64
ttc.program @int_matmul(%a: tensor<5x3xui8>, %b: tensor<3x7xi8>, %az: tensor<ui8>, %bz: tensor<7xi8>) -> tensor<5x7xi32> {
  %0 = ttc.int_matmul %a, %b, %az, %bz : (tensor<5x3xui8>, tensor<3x7xi8>, tensor<ui8>, tensor<7xi8>) -> tensor<5x7xi32>
  ttc.return %0 : tensor<5x7xi32>
}

// Two groups: 3 channels, 6 of the result; results of 4x4. 2 * 6*4*4 * (3 * 3*2), and the bias.
// CHECK-LABEL: ttc.program @conv_groups(
// CHECK-SAME: flops = 3552 : i64
ttc.program @conv_groups(%x: tensor<1x6x6x5xf32>, %w: tensor<6x3x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x6x4x4xf32> {
  %0 = ttc.conv %x, %w, %b {groups = 2} : (tensor<1x6x6x5xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x6x4x4xf32>
  ttc.return %0 : tensor<1x6x4x4xf32>
}

// CHECK-LABEL: ttc.program @int_conv(
// CHECK-SAME: flops = 3456 : i64
ttc.program @int_conv(%x: tensor<1x6x6x5xui8>, %w: tensor<6x3x3x2xi8>, %xz: tensor<ui8>, %wz: tensor<i8>) -> tensor<1x6x4x4xi32> {
  %0 = ttc.int_conv %x, %w, %xz, %wz {groups = 2} : (tensor<1x6x6x5xui8>, tensor<6x3x3x2xi8>, tensor<ui8>, tensor<i8>) -> tensor<1x6x4x4xi32>
  ttc.return %0 : tensor<1x6x4x4xi32>
}

// Elements of the operand, not of the result: 2 * 8*3*5 * (4 * 2*2).
// CHECK-LABEL: ttc.program @conv_transpose(
// CHECK-SAME: flops = 3840 : i64
ttc.program @conv_transpose(%x: tensor<1x8x3x5xf32>, %w: tensor<8x4x2x2xf32>) -> tensor<1x4x6x10xf32> {
  %0 = ttc.conv_transpose %x, %w {strides = [2, 2]} : (tensor<1x8x3x5xf32>, tensor<8x4x2x2xf32>) -> tensor<1x4x6x10xf32>
  ttc.return %0 : tensor<1x4x6x10xf32>
}

// A kernel counts what the tensor op counts: 2 * 6*5 * 16, and a maximum for each result.
// CHECK-LABEL: ttc.program @gemm(
// CHECK-SAME: flops = 990 : i64
ttc.program @gemm(%x: tensor<6x16xf32>, %w: tensor<1x1x16x8xf32>) -> tensor<6x5xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 8>} : (tensor<6x16xf32>, tensor<1x1x16x8xf32>) -> tensor<6x5xf32>
  %1 = ttc.relu %0 : (tensor<6x5xf32>) -> tensor<6x5xf32>
  ttc.return %1 : tensor<6x5xf32>
}

// 2 * 5*5*16 * (3*3 * 8 channels of a group).
// CHECK-LABEL: ttc.program @gemm_conv(
// CHECK-SAME: flops = 57600 : i64
ttc.program @gemm_conv(%x: tensor<1x5x5x16xf32>, %w: tensor<2x1x72x8xf32>) -> tensor<1x5x5x16xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, groups = 2 : i64,
      tile = array<i64: 6, 8>} : (tensor<1x5x5x16xf32>, tensor<2x1x72x8xf32>) -> tensor<1x5x5x16xf32>
  ttc.return %0 : tensor<1x5x5x16xf32>
}

// As @conv_transpose: the zeros between elements of the operand do not count.
// CHECK-LABEL: ttc.program @gemm_conv_transpose(
// CHECK-SAME: flops = 3840 : i64
ttc.program @gemm_conv_transpose(%x: tensor<1x3x5x8xf32>, %w: tensor<1x1x32x8xf32>) -> tensor<1x6x10x4xf32> {
  %0 = ttc.kernel.gemm %x, %w {packed, kernel = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      input_dilation = array<i64: 2, 2>, tile = array<i64: 6, 8>}
      : (tensor<1x3x5x8xf32>, tensor<1x1x32x8xf32>) -> tensor<1x6x10x4xf32>
  ttc.return %0 : tensor<1x6x10x4xf32>
}

// 2 * 6*5 * 13: padding to quads does not count.
// CHECK-LABEL: ttc.program @int_gemm(
// CHECK-SAME: flops = 780 : i64
ttc.program @int_gemm(%x: tensor<6x13xui8>, %w: tensor<1x1x4x8x4xi8>) -> tensor<6x5xi32> {
  %0 = ttc.kernel.int_gemm %x, %w {tile = array<i64: 6, 8>, dot = #ttc.byte_dot<plain>}
      : (tensor<6x13xui8>, tensor<1x1x4x8x4xi8>) -> tensor<6x5xi32>
  ttc.return %0 : tensor<6x5xi32>
}

// CHECK-LABEL: ttc.program @depthwise(
// CHECK-SAME: flops = 7200 : i64
ttc.program @depthwise(%x: tensor<1x5x5x16xf32>, %w: tensor<9x16xf32>) -> tensor<1x5x5x16xf32> {
  %0 = ttc.kernel.depthwise_conv %x, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x5x5x16xf32>, tensor<9x16xf32>) -> tensor<1x5x5x16xf32>
  ttc.return %0 : tensor<1x5x5x16xf32>
}

// CHECK-LABEL: ttc.program @int_depthwise(
// CHECK-SAME: flops = 7200 : i64
ttc.program @int_depthwise(%x: tensor<1x5x5x16xui8>, %w: tensor<9x16xf32>) -> tensor<1x5x5x16xi32> {
  %0 = ttc.kernel.int_depthwise_conv %x, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x5x5x16xui8>, tensor<9x16xf32>) -> tensor<1x5x5x16xi32>
  ttc.return %0 : tensor<1x5x5x16xi32>
}

// 2*2*8 results of 3*3 elements; an average divides, which counts 4.
// CHECK-LABEL: ttc.program @kernel_pools(
// CHECK-SAME: flops = 704 : i64
ttc.program @kernel_pools(%x: tensor<1x5x5x8xf32>) -> (tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) {
  %0 = ttc.kernel.pool %x {kind = #ttc.pool_kind<max>, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>}
      : (tensor<1x5x5x8xf32>) -> tensor<1x2x2x8xf32>
  %1 = ttc.kernel.pool %x {kind = #ttc.pool_kind<average>, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>}
      : (tensor<1x5x5x8xf32>) -> tensor<1x2x2x8xf32>
  ttc.return %0, %1 : tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>
}

// CHECK-LABEL: ttc.program @pools(
// CHECK-SAME: flops = 704 : i64
ttc.program @pools(%x: tensor<1x8x5x5xf32>) -> (tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32>) {
  %0 = ttc.max_pool %x {kernel = [3, 3], strides = [2, 2]} : (tensor<1x8x5x5xf32>) -> tensor<1x8x2x2xf32>
  %1 = ttc.avg_pool %x {kernel = [3, 3], strides = [2, 2]} : (tensor<1x8x5x5xf32>) -> tensor<1x8x2x2xf32>
  ttc.return %0, %1 : tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32>
}

// 200 elements each; the means of 8 channels divide.
// CHECK-LABEL: ttc.program @global_pools(
// CHECK-SAME: flops = 432 : i64
ttc.program @global_pools(%x: tensor<1x8x5x5xf32>) -> (tensor<1x8x1x1xf32>, tensor<1x8x1x1xf32>) {
  %0 = ttc.global_max_pool %x : (tensor<1x8x5x5xf32>) -> tensor<1x8x1x1xf32>
  %1 = ttc.global_avg_pool %x : (tensor<1x8x5x5xf32>) -> tensor<1x8x1x1xf32>
  ttc.return %0, %1 : tensor<1x8x1x1xf32>, tensor<1x8x1x1xf32>
}

// 3 * 24, and 4 divisions of the mean.
// CHECK-LABEL: ttc.program @reductions(
// CHECK-SAME: flops = 88 : i64
ttc.program @reductions(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) {
  %0 = ttc.reduce_sum %x {axes = [1]} : (tensor<4x6xf32>) -> tensor<4xf32>
  %1 = ttc.reduce_mean %x {axes = [1]} : (tensor<4x6xf32>) -> tensor<4xf32>
  %2 = ttc.argmax %x {axis = 1} : (tensor<4x6xf32>) -> tensor<4xi64>
  ttc.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
}

// 15 for each of 24 elements.
// CHECK-LABEL: ttc.program @softmax(
// CHECK-SAME: flops = 360 : i64
ttc.program @softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = ttc.softmax %x {axis = 1} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  ttc.return %0 : tensor<4x6xf32>
}

// 12 for each of 24 elements, and 4 logarithms.
// CHECK-LABEL: ttc.program @log_softmax(
// CHECK-SAME: flops = 320 : i64
ttc.program @log_softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = ttc.log_softmax %x {axis = 1} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  ttc.return %0 : tensor<4x6xf32>
}

// 7 for each of 24 elements, 17 for each of 4 rows; without a bias 6.
// CHECK-LABEL: ttc.program @layer_norms(
// CHECK-SAME: flops = 448 : i64
ttc.program @layer_norms(%x: tensor<4x6xf32>, %s: tensor<6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = ttc.layer_norm %x, %s, %s {axis = 1} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %1 = ttc.layer_norm %x, %s {axis = 1} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  ttc.return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// 7 * 80 + 17 for each of 2 groups; the same for each of 8 channels.
// CHECK-LABEL: ttc.program @group_norms(
// CHECK-SAME: flops = 1290 : i64
ttc.program @group_norms(%x: tensor<1x8x10xf32>, %s: tensor<8xf32>) -> (tensor<1x8x10xf32>, tensor<1x8x10xf32>) {
  %0 = ttc.group_norm %x, %s, %s {groups = 2} : (tensor<1x8x10xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x10xf32>
  %1 = ttc.instance_norm %x, %s, %s : (tensor<1x8x10xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x10xf32>
  ttc.return %0, %1 : tensor<1x8x10xf32>, tensor<1x8x10xf32>
}

// 4 * 80 + 9 * 8, and (2 * 5 + 14) * 80.
// CHECK-LABEL: ttc.program @batch_norm_lrn(
// CHECK-SAME: flops = 2312 : i64
ttc.program @batch_norm_lrn(%x: tensor<1x8x10xf32>, %s: tensor<8xf32>) -> tensor<1x8x10xf32> {
  %0 = ttc.batch_norm %x, %s, %s, %s, %s : (tensor<1x8x10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x10xf32>
  %1 = ttc.lrn %0 {size = 5} : (tensor<1x8x10xf32>) -> tensor<1x8x10xf32>
  ttc.return %1 : tensor<1x8x10xf32>
}

// By element: 1 + 8 + 4 + 8 + 14 + 12 + 1, of the broadcast shape.
// CHECK-LABEL: ttc.program @elementwise(
// CHECK-SAME: flops = 288 : i64
ttc.program @elementwise(%x: tensor<6xf32>, %y: tensor<1xf32>) -> tensor<6xf32> {
  %0 = ttc.add %x, %y : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
  %1 = ttc.exp %0 : (tensor<6xf32>) -> tensor<6xf32>
  %2 = ttc.div %1, %y : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
  %3 = ttc.pow %2, %y : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
  %4 = ttc.sigmoid %3 : (tensor<6xf32>) -> tensor<6xf32>
  %5 = ttc.gelu %4 : (tensor<6xf32>) -> tensor<6xf32>
  %6 = ttc.relu %5 : (tensor<6xf32>) -> tensor<6xf32>
  ttc.return %6 : tensor<6xf32>
}

// By element: 8 + 2; conversions and bits as another type count nothing, a shift 1.
// CHECK-LABEL: ttc.program @quantized(
// CHECK-SAME: flops = 66 : i64
ttc.program @quantized(%x: tensor<6xf32>, %s: tensor<f32>, %z: tensor<ui8>, %n: tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %0 = ttc.quantize %x, %s, %z : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  %1 = ttc.dequantize %0, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %2 = ttc.cast %0 : (tensor<6xui8>) -> tensor<6xi32>
  %3 = ttc.bitcast %x : (tensor<6xf32>) -> tensor<6xi32>
  %4 = ttc.shift_left %3, %n : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
  ttc.return %1, %4 : tensor<6xf32>, tensor<6xi32>
}

// Moves elements only.
// CHECK-LABEL: ttc.program @movement(
// CHECK-SAME: flops = 0 : i64
ttc.program @movement(%x: tensor<4x6xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %0 = ttc.transpose %x {permutation = [1, 0]} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = ttc.gather %0, %i {axis = 0} : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  ttc.return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: ttc.program @pack(
// CHECK-SAME: flops = 0 : i64
ttc.program @pack(%w: tensor<16x8xf32>) -> tensor<1x1x16x8xf32> {
  %0 = ttc.pack %w {kind = #ttc.pack_kind<matmul>, nr = 8 : i64} : tensor<16x8xf32> -> tensor<1x1x16x8xf32>
  ttc.return %0 : tensor<1x1x16x8xf32>
}

// Two elements along each of two dimensions: 2 * 4 * 192 for the linear one, nothing for the nearest.
// CHECK-LABEL: ttc.program @resize(
// CHECK-SAME: flops = 1536 : i64
ttc.program @resize(%x: tensor<1x3x4x4xf32>) -> (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %0 = ttc.resize %x mode linear {scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  %1 = ttc.resize %x mode nearest {scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  ttc.return %0, %1 : tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// 8 updates that are added; 32 running sums; 32 elements of lines of 8, of which 3 comparisons each.
// CHECK-LABEL: ttc.program @sequential(
// CHECK-SAME: flops = 136 : i64
ttc.program @sequential(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x3xi64>) {
  %0 = ttc.scatter_elements %x, %i, %u reduction add {axis = 1} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %1 = ttc.cumulative sum %x {axis = 1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = ttc.argsort %x {axis = 1, count = 3} : (tensor<4x8xf32>) -> tensor<4x3xi64>
  ttc.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x3xi64>
}

// 2 * 3^3 / 3 for each of 4 matrices.
// CHECK-LABEL: ttc.program @determinant(
// CHECK-SAME: flops = 72 : i64
ttc.program @determinant(%x: tensor<4x3x3xf32>) -> tensor<4xf32> {
  %0 = ttc.determinant %x : (tensor<4x3x3xf32>) -> tensor<4xf32>
  ttc.return %0 : tensor<4xf32>
}

// How much is computed depends on data: not counted, and an old count is removed.
// CHECK-LABEL: ttc.program @unknown(
// CHECK-NOT: flops
// CHECK: ttc.non_max_suppression
ttc.program @unknown(%boxes: tensor<1x100x4xf32>, %scores: tensor<1x3x100xf32>, %most: tensor<i64>, %t: tensor<f32>)
    -> tensor<30x3xi64> attributes {flops = 5 : i64} {
  %0 = ttc.non_max_suppression %boxes, %scores, %most, %t, %t {rows = 30}
     : (tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<30x3xi64>
  ttc.return %0 : tensor<30x3xi64>
}

// A program on shards: 24 elements in each of 4 parts.
// CHECK-LABEL: ttc.program @shards(
// CHECK-SAME: flops = 96 : i64
#layout = #ttc.layout<l1, height_sharded, grid = [4, 1]>
ttc.program @shards(%x: tensor<1x24xf32> {ttc.shard = #ttc.shard<tensor<4x24xf32, #layout>, partition = [0, -1]>})
    -> (tensor<1x24xf32> {ttc.shard = #ttc.shard<tensor<4x24xf32, #layout>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>} {
  %0 = ttc.abs %x : (tensor<1x24xf32>) -> tensor<1x24xf32>
  ttc.return %0 : tensor<1x24xf32>
}

// Without a body, a count stays.
// CHECK-LABEL: ttc.program @external(
// CHECK-SAME: flops = 7 : i64
ttc.program @external(tensor<4xi8>) -> tensor<4xi8> attributes {flops = 7 : i64}
