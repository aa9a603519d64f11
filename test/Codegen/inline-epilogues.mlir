// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-inline-epilogues | FileCheck %s

// Equal constants count once, and scalars do not.
// CHECK: llvm.func internal @two(%{{.*}}: vector<8xf32>) -> vector<8xf32> attributes {passthrough = ["alwaysinline"]}
llvm.func @two(%x: vector<8xf32>) -> vector<8xf32> attributes {ttc.epilogue = 2 : i64} {
  %0 = llvm.mlir.constant(dense<1.0> : vector<8xf32>) : vector<8xf32>
  %1 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %3 = llvm.mlir.constant(3.0 : f32) : f32
  llvm.return %x : vector<8xf32>
}

// CHECK: llvm.func internal @three({{.*}} attributes {passthrough = ["noinline"]}
llvm.func @three(%x: vector<8xf32>) -> vector<8xf32> attributes {ttc.epilogue = 2 : i64} {
  %0 = llvm.mlir.constant(dense<1.0> : vector<8xf32>) : vector<8xf32>
  %1 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %2 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
  llvm.return %x : vector<8xf32>
}

// The same epilogue in a kernel that has room for three constants.
// CHECK: llvm.func internal @three_of_three({{.*}} attributes {passthrough = ["alwaysinline"]}
llvm.func @three_of_three(%x: vector<8xf32>) -> vector<8xf32> attributes {ttc.epilogue = 3 : i64} {
  %0 = llvm.mlir.constant(dense<1.0> : vector<8xf32>) : vector<8xf32>
  %1 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %2 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
  llvm.return %x : vector<8xf32>
}

// CHECK: llvm.func @other(%{{.*}}: vector<8xf32>) -> vector<8xf32> {
llvm.func @other(%x: vector<8xf32>) -> vector<8xf32> {
  llvm.return %x : vector<8xf32>
}
