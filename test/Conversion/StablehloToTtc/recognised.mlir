// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes a module one of StableHLO, to --mlir-to-bundle, which takes others too: the names of its ops.
// RUN: split-file %s %t
// RUN: ttc-translate --mlir-to-bundle %t/tosa.mlir -o %t/tosa.ttcb
// RUN: ttc-translate --mlir-to-bundle %t/generic.mlir -o %t/generic.ttcb
// RUN: ttc-translate --mlir-to-bundle %t/chlo.mlir -o %t/chlo.ttcb
// RUN: not ttc-translate --mlir-to-bundle %t/pretty.mlir -o %t/pretty.ttcb 2>&1 | FileCheck %s
// CHECK: StableHLO is read in MLIR's generic form

//--- tosa.mlir
// %0 = "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
  stablehlo.from = "stablehlo.add", note = " \"stablehlo.add\"(%x)", chlo.list = ["chlo.erf", "\\", "stablehlo.x"]} {
  %stablehlo.0 = tosa.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("stablehlo.add"("model.py":1:2)) // stablehlo.add
  return %stablehlo.0 : tensor<4xf32>
}

//--- generic.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { // "no op"
  %0 = "stablehlo.add" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- chlo.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = "chlo.erf"(%x) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }

//--- pretty.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
