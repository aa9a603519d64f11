// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants of a model for batches of up to 2 and 4: what each serves, and how much of its ports is valid, is in the
// bundle. Read as IR and written again it is the same file.
// REQUIRES: compiler, x86-64
// RUN: ttc-opt %s --ttc-trace-pipeline=target-cpu=x86-64-v2 | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttc-translate --bundle-to-ttc %t.ttcb -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb

// CHECK-DAG: #[[B:.*]] = affine_map<()[s0, s1] -> (s0, 1, s1)>
// CHECK-DAG: #[[Y:.*]] = affine_map<()[s0, s1] -> (s0, 1, (s1 + 5) floordiv 2)>
// CHECK: ttc.entry @main.2x8 attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [2, 8]>} {
// CHECK:   ttc.input "x" at @x{{[_0-9]*}} : tensor<2x1x8xf32> {ttc.dims = #[[B]]}
// CHECK:   ttc.input "extents" at @extents{{[_0-9]*}} : tensor<2xi32>{{ loc|$}}
// CHECK:   ttc.output "y" at @y{{[_0-9]*}} : tensor<2x1x6xf32> {ttc.dims = #[[Y]]}
// CHECK: ttc.entry @main.4x8 attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [2, 8], high = [4, 8], step = [2, 8]>} {
#x = affine_map<()[s0, s1] -> (s0, 1, s1)>
#y = affine_map<()[s0, s1] -> (s0, 1, (s1 + 5) floordiv 2)>
module {
  func.func @main.2x8(%x: tensor<2x1x8xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<2xi32> {ttc.name = "extents"})
      -> (tensor<2x1x6xf32> {ttc.name = "y", ttc.dims = #y})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [2, 8]>} {
    %w = ttc.constant dense<0.5> : tensor<1x1x2xf32>
    %0 = ttc.conv %x, %w {strides = [2], pads = [5, 0]} : (tensor<2x1x8xf32>, tensor<1x1x2xf32>) -> tensor<2x1x6xf32>
    return %0 : tensor<2x1x6xf32>
  }
  func.func @main.4x8(%x: tensor<4x1x8xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<2xi32> {ttc.name = "extents"})
      -> (tensor<4x1x6xf32> {ttc.name = "y", ttc.dims = #y})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [2, 8], high = [4, 8], step = [2, 8]>} {
    %w = ttc.constant dense<0.5> : tensor<1x1x2xf32>
    %0 = ttc.conv %x, %w {strides = [2], pads = [5, 0]} : (tensor<4x1x8xf32>, tensor<1x1x2xf32>) -> tensor<4x1x6xf32>
    return %0 : tensor<4x1x6xf32>
  }
}
