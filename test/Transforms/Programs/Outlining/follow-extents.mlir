// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-follow-extents --split-input-file | FileCheck %s

// From the result on, backwards; rows of a product, merged and apart. The weights count as a whole.
// CHECK-LABEL: @main
// CHECK-SAME: %[[X:.*]]: tensor<4x16x32xf32> {{.*}}, %[[W:.*]]: tensor<1x1x32x32xf32>, %[[N:.*]]: tensor<2xi32>
// CHECK: ttc.fusion (%{{.*}} = %{{.*}} : tensor<64x32xf32>, %{{.*}} = %[[W]] : tensor<1x1x32x32xf32>, %{{.*}} = %[[N]] : tensor<2xi32>) -> tensor<64x32xf32>
// CHECK-SAME: within = #ttc.within<argument = 2, sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, s1, 32)>
// CHECK: ttc.fusion ({{.*}}, %{{.*}} = %[[N]] : tensor<2xi32>) -> tensor<4x16x32xf32>
// CHECK-SAME: within = #ttc.within<argument = 1, sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, s1, 32)>
func.func @main(%x: tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}, %w: tensor<1x1x32x32xf32>, %extents: tensor<2xi32> {ttc.name = "extents"}) -> (tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 16]>} {
  %0 = ttc.reshape %x : (tensor<4x16x32xf32>) -> tensor<64x32xf32>
  %1 = ttc.fusion (%a = %0 : tensor<64x32xf32>, %b = %w : tensor<1x1x32x32xf32>) -> tensor<64x32xf32> {
    %g = ttc.kernel.gemm %a, %b {packed, tile = array<i64: 6, 32>} : (tensor<64x32xf32>, tensor<1x1x32x32xf32>) -> tensor<64x32xf32>
    %r = ttc.relu %g : (tensor<64x32xf32>) -> tensor<64x32xf32>
    ttc.yield %r : tensor<64x32xf32>
  }
  %2 = ttc.reshape %1 : (tensor<64x32xf32>) -> tensor<4x16x32xf32>
  %3 = ttc.fusion (%a = %2 : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.softmax %a {axis = 2} : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  return %3 : tensor<4x16x32xf32>
}

// -----

// A softmax along the sequence needs all of it, and so does a result without valid sizes. Users that need different
// elements need all; so does a result of its own.
// CHECK-LABEL: @whole
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, 16, 32)
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, s1, 32)
// CHECK-NOT: within
func.func @whole(%x: tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}, %extents: tensor<2xi32> {ttc.name = "extents"}) -> (tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}, tensor<4x16x32xf32>, tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 16]>} {
  %0 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.exp %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %1 = ttc.fusion (%a = %0 : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.softmax %a {axis = 1} : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %2 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.tanh %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  return %1, %2, %2 : tensor<4x16x32xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>
}

// -----

// A mask ends what counts of the masked value, in another fusion, too, and at an extent that is computed; what is masked itself counts
// as a whole.
// CHECK-LABEL: @mask
// CHECK: ttc.compare
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 32], bounds = ()[s0, s1] -> (4, s1 * 2 + 1, 32)
// CHECK: ttc.exp
// CHECK: ttc.fusion
// CHECK-NOT: within
// CHECK: ttc.where
func.func @mask(%x: tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}, %extents: tensor<2xi32> {ttc.name = "extents"}) -> tensor<4x32xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 16]>} {
  %iota = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
  %0 = ttc.fusion (%e = %extents : tensor<2xi32>) -> tensor<1xi32> {
    %two = ttc.constant dense<2> : tensor<1xi32>
    %one = ttc.constant dense<1> : tensor<1xi32>
    %s = ttc.slice %e {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    %m = ttc.mul %s, %two : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %a = ttc.add %m, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    ttc.yield %a : tensor<1xi32>
  }
  %1 = ttc.fusion (%i = %iota : tensor<16xi32>, %e = %0 : tensor<1xi32>) -> tensor<16xi1> {
    %c = ttc.compare lt %i, %e : (tensor<16xi32>, tensor<1xi32>) -> tensor<16xi1>
    ttc.yield %c : tensor<16xi1>
  }
  %valid = ttc.reshape %1 : (tensor<16xi1>) -> tensor<16x1xi1>
  %2 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.exp %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %3 = ttc.fusion (%a = %2 : tensor<4x16x32xf32>, %v = %valid : tensor<16x1xi1>) -> tensor<4x16x32xf32> {
    %zero = ttc.constant dense<0.0> : tensor<f32>
    %r = ttc.where %v, %a, %zero : (tensor<16x1xi1>, tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %4 = ttc.fusion (%a = %3 : tensor<4x16x32xf32>) -> tensor<4x32xf32> {
    %r = ttc.reduce_sum %a {axes = [1]} : (tensor<4x16x32xf32>) -> tensor<4x32xf32>
    ttc.yield %r : tensor<4x32xf32>
  }
  return %4 : tensor<4x32xf32>
}

// -----

// An attention needs the keys that count, and the rows of q and the batch that its result does. Views of heads.
// CHECK-LABEL: @attention
// CHECK: ttc.fusion
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, s1, 32)
// CHECK-NEXT: ttc.exp
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, s1, 32)
// CHECK-NEXT: ttc.tanh
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 32], bounds = ()[s0, s1] -> (s0, s1, 32)
// CHECK-NEXT: ttc.sigmoid
// CHECK: ttc.fusion
// CHECK-SAME: sizes = [4, 16, 2, 16], bounds = ()[s0, s1] -> (s0, s1, 2, 16)
func.func @attention(%x: tensor<4x16x32xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 32)>}, %extents: tensor<2xi32> {ttc.name = "extents"}) -> (tensor<4x16x2x16xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 2, 16)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 16]>} {
  %n = ttc.fusion (%e = %extents : tensor<2xi32>) -> tensor<1xi32> {
    %s = ttc.slice %e {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    ttc.yield %s : tensor<1xi32>
  }
  %0 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.exp %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %1 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.tanh %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %2 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.sigmoid %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  %3 = ttc.fusion (%q = %0 : tensor<4x16x32xf32>, %k = %1 : tensor<4x16x32xf32>, %v = %2 : tensor<4x16x32xf32>, %m = %n : tensor<1xi32>) -> tensor<4x16x2x16xf32> {
    %r = ttc.kernel.attention %q, %k, %v keys(%m) {scale = 1.0 : f32, tile = array<i64: 6, 16>,
      q_view = #ttc.view<shape = [4, 2, 16, 16], strides = [512, 16, 32, 1], offset = 0>,
      k_view = #ttc.view<shape = [4, 2, 16, 16], strides = [512, 16, 1, 32], offset = 0>,
      v_view = #ttc.view<shape = [4, 2, 16, 16], strides = [512, 16, 32, 1], offset = 0>,
      result_view = #ttc.view<shape = [4, 2, 16, 16], strides = [512, 16, 32, 1], offset = 0>} : (tensor<4x16x32xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>, tensor<1xi32>) -> tensor<4x16x2x16xf32>
    ttc.yield %r : tensor<4x16x2x16xf32>
  }
  return %3 : tensor<4x16x2x16xf32>
}

// -----

// A recurrent layer reads the steps and the sequences that a run has.
// CHECK-LABEL: @steps
// CHECK: ttc.fusion {{.*}} -> tensor<5x4x20xf32> attributes {within = #ttc.within<argument = 1, sizes = [5, 4, 20], bounds = ()[s0, s1] -> (s1, s0, 20)>
// CHECK: ttc.exp
func.func @steps(%x: tensor<5x4x20xf32> {ttc.dims = affine_map<()[s0, s1] -> (s1, s0, 20)>}, %w: tensor<1x2x20x1x16xf32>, %s: tensor<1x1x4x20xf32>, %extents: tensor<2xi32> {ttc.name = "extents"}) -> (tensor<1x1x4x20xf32> {ttc.dims = affine_map<()[s0, s1] -> (1, 1, s0, 20)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 5]>} {
  %b = ttc.fusion (%a = %extents : tensor<2xi32>) -> tensor<1xi32> {
    %r = ttc.slice %a {starts = [0], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    ttc.yield %r : tensor<1xi32>
  }
  %n = ttc.fusion (%a = %extents : tensor<2xi32>) -> tensor<1xi32> {
    %r = ttc.slice %a {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    ttc.yield %r : tensor<1xi32>
  }
  %0 = ttc.fusion (%a = %x : tensor<5x4x20xf32>) -> tensor<5x4x20xf32> {
    %r = ttc.exp %a : (tensor<5x4x20xf32>) -> tensor<5x4x20xf32>
    ttc.yield %r : tensor<5x4x20xf32>
  }
  %1:2 = ttc.fusion (%a = %0 : tensor<5x4x20xf32>, %c = %w : tensor<1x2x20x1x16xf32>, %d = %s : tensor<1x1x4x20xf32>, %e = %n : tensor<1xi32>, %f = %b : tensor<1xi32>) -> (tensor<5x1x4x20xf32>, tensor<1x1x4x20xf32>) {
    %y, %last = ttc.recurrence rnn_tanh %a, %c, %d lengths %e sequences %f : (tensor<5x4x20xf32>, tensor<1x2x20x1x16xf32>, tensor<1x1x4x20xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<5x1x4x20xf32>, tensor<1x1x4x20xf32>)
    ttc.yield %y, %last : tensor<5x1x4x20xf32>, tensor<1x1x4x20xf32>
  }
  return %1#1 : tensor<1x1x4x20xf32>
}

// -----

// Without a variant, nothing is known.
// CHECK-LABEL: @other
// CHECK-NOT: within
func.func @other(%x: tensor<4x16x32xf32>, %extents: tensor<2xi32> {ttc.name = "extents"}) -> tensor<4x16x32xf32> {
  %0 = ttc.fusion (%a = %x : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
    %r = ttc.exp %a : (tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    ttc.yield %r : tensor<4x16x32xf32>
  }
  return %0 : tensor<4x16x32xf32>
}
