// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules with open dimensions: what sizes they need, and what is wrong with them.
// REQUIRES: compiler, x86-64
// RUN: rm -rf %t && split-file %s %t && cd %t

// RUN: not ttc add.mlir 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: add.mlir:1:1: error: function 'main' has open dimensions without a size: input0.0, input0.1, input1.0
// OPEN: note: this sets them: ttc add.mlir --dim=input0.0:1 --dim=input0.1:1 --dim=input1.0:1; with ranges, such as 1..8, all sizes of them (docs/shapes.md)
// RUN: not ttc add.mlir --dim=input0.0=input1.0:1..4 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: function 'main' has open dimensions without a size: input0.1
// RUN: not ttc add.mlir --dim=input0.0=input1.0:1..4 --dim=input0.1:3 --dim=batch:2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: add.mlir: error: --dim names 'batch', which is no open dimension of a function's arguments
// RUN: not ttc add.mlir --dim=input0.0:2 --dim=input1.0:3 --dim=input0.1:3 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: add.mlir:2:8: error: 'tosa.add' op operands don't have broadcast-compatible shapes
// RUN: not ttc unlike.mlir --dim=input0.0:1..4 2>&1 | FileCheck %s --check-prefix=FLAT
// FLAT: unlike.mlir:3:8: error: {{.*}}'ttc.reshape' op
// RUN: test ! -e add.ttcb && test ! -e unlike.ttcb

// Several functions, of which one is called: only the public ones are entry points, with sizes of their own.
// RUN: ttc several.mlir --dim=first/input0.0:1..8 --dim=second/input0.0:3 2>&1 | FileCheck %s --check-prefix=COST
// COST: remark: 4 variants of first: input0.0 1, 2, 4, 8
// RUN: ttrun read several.ttcb --entries | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: first: input0.0 1..8
// SEVERAL: second
// SEVERAL-NEXT: input input0 f32[3, 4]
// SEVERAL: third
// SEVERAL-NEXT: input input0 f32[2, 4]
// SEVERAL-NOT: helper

//--- add.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %x, %y : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
//--- unlike.mlir
func.func @main(%x: tensor<?x4xf32>) -> tensor<4x?xf32> {
  %s = tosa.const_shape {values = dense<[4, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<?x4xf32>, !tosa.shape<2>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
//--- several.mlir
func.func private @helper(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.tanh %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @first(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = call @helper(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @second(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = call @helper(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @third(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = tosa.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
