// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points that are variants of one model, or have its name, must agree.
// REQUIRES: compiler, x86-64
// RUN: ttc-opt %s "--ttc-trace-pipeline=target-cpu=x86-64-v2" -o %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.ttcb
// RUN: sed 's/dims = \["n"\], low = \[1\], high = \[8\]/dims = ["m"], low = [1], high = [8]/' %t.mlir > %t.dims.mlir
// RUN: not ttc-translate --ttc-to-bundle %t.dims.mlir 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: error: expected variants of model 'main' that agree, found 'main.4' and 'main.8' with other dimensions
// RUN: sed 's/output "y" at @y_2/output "z" at @y_2/' %t.mlir > %t.name.mlir
// RUN: not ttc-translate --ttc-to-bundle %t.name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected variants of model 'main' that agree, found 'main.4' and 'main.8', which differ in 'z'
// RUN: sed 's/ttc.entry @main.8 attributes {.*} {/ttc.entry @main {/; s/ : tensor<8xf32> {ttc.dims = .*}/ : tensor<8xf32>/' %t.mlir > %t.none.mlir
// RUN: not ttc-translate --ttc-to-bundle %t.none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected variants of model 'main' that agree, found 'main.4' and 'main', of which one has no 'ttc.variant'
#x = affine_map<()[s0] -> (s0)>
module {
  func.func @main.4(%x: tensor<4xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<1xi32> {ttc.name = "extents"})
      -> (tensor<4xf32> {ttc.name = "y", ttc.dims = #x})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [4]>} {
    %y = ttc.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func @main.8(%x: tensor<8xf32> {ttc.name = "x", ttc.dims = #x}, %extents: tensor<1xi32> {ttc.name = "extents"})
      -> (tensor<8xf32> {ttc.name = "y", ttc.dims = #x})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>} {
    %y = ttc.add %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
