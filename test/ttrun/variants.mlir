// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three compiled variants of a sum over sequences. A batch of 2 and sequence of 5 fits two of them, and a batch of 2 and sequence of
// 12 the last one; the sum is that of the valid elements.
// REQUIRES: compiler, x86-64
// RUN: ttc-opt %s --ttc-trace-pipeline=target-cpu=x86-64-v2 | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttrun check %t.ttcb
// RUN: ttrun read %t.ttcb --entries | FileCheck %s --check-prefix=READ
// RUN: %python -c "import numpy as n; x = n.arange(1, 11, dtype='f4').reshape(2, 5); n.save('%t.x.npy', x); n.save('%t.y.npy', x.sum(1))"
// RUN: ttrun run %t.ttcb --input x=%t.x.npy --expect y=%t.y.npy --json | FileCheck %s --check-prefix=SMALL
// RUN: %python -c "import numpy as n; x = n.arange(1, 25, dtype='f4').reshape(2, 12); n.save('%t.x.npy', x); n.save('%t.y.npy', x.sum(1))"
// RUN: ttrun run %t.ttcb --input x=%t.x.npy --expect y=%t.y.npy --json | FileCheck %s --check-prefix=LARGE
// RUN: ttrun run %t.ttcb --input x=%t.x.npy --expect y=%t.y.npy --schedule=overlap-io --loops=4 --json | FileCheck %s --check-prefix=LARGE

// READ: main: batch 1..4, sequence 1..16
// READ: variant main.1x4: batch 1..1, sequence 1..4; slots
// READ: variant main.4x8: batch 1..4, sequence 1..8; slots
// READ: variant main.4x16: batch 1..4, sequence 1..16; slots
// SMALL: "entry": "main.4x8"
// SMALL: "equal": true
// LARGE: "entry": "main.4x16"
// LARGE: "equal": true
#x = affine_map<()[s0, s1] -> (s0, s1)>
#y = affine_map<()[s0, s1] -> (s0)>
module {
  func.func @main.1x4(%x: tensor<1x4xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<2xi32> {ttc.name = "extents"})
      -> (tensor<1xf32> {ttc.name = "y", ttc.dims = #y})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [1, 4]>} {
    %index = ttc.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
    %zero = ttc.constant dense<0.0> : tensor<f32>
    %n = ttc.slice %extents {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    %valid = ttc.compare lt %index, %n : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
    %masked = ttc.where %valid, %x, %zero : (tensor<4xi1>, tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %y = ttc.reduce_sum %masked {axes = [1]} : (tensor<1x4xf32>) -> tensor<1xf32>
    return %y : tensor<1xf32>
  }
  func.func @main.4x8(%x: tensor<4x8xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<2xi32> {ttc.name = "extents"})
      -> (tensor<4xf32> {ttc.name = "y", ttc.dims = #y})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 8]>} {
    %index = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
    %zero = ttc.constant dense<0.0> : tensor<f32>
    %n = ttc.slice %extents {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    %valid = ttc.compare lt %index, %n : (tensor<8xi32>, tensor<1xi32>) -> tensor<8xi1>
    %masked = ttc.where %valid, %x, %zero : (tensor<8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %y = ttc.reduce_sum %masked {axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func @main.4x16(%x: tensor<4x16xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<2xi32> {ttc.name = "extents"})
      -> (tensor<4xf32> {ttc.name = "y", ttc.dims = #y})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [4, 16]>} {
    %index = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
    %zero = ttc.constant dense<0.0> : tensor<f32>
    %n = ttc.slice %extents {starts = [1], sizes = [1], steps = [1]} : (tensor<2xi32>) -> tensor<1xi32>
    %valid = ttc.compare lt %index, %n : (tensor<16xi32>, tensor<1xi32>) -> tensor<16xi1>
    %masked = ttc.where %valid, %x, %zero : (tensor<16xi1>, tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
    %y = ttc.reduce_sum %masked {axes = [1]} : (tensor<4x16xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
