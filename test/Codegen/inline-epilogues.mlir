// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-inline-epilogues | FileCheck %s
// RUN: ttc-opt %s --ttc-inline-epilogues='max-constants=3' | FileCheck %s --check-prefix=MORE
// RUN: ttc-opt %s --ttc-inline-epilogues='max-int-constants=2' | FileCheck %s --check-prefix=FEW

// Equal constants count once, and scalars do not.
// CHECK: llvm.func internal @two(%{{.*}}: vector<8xf32>) -> vector<8xf32> attributes {passthrough = ["alwaysinline"]}
// MORE: llvm.func internal @two({{.*}} attributes {passthrough = ["alwaysinline"]}
llvm.func @two(%x: vector<8xf32>) -> vector<8xf32> attributes {ttc.epilogue} {
  %0 = llvm.mlir.constant(dense<1.0> : vector<8xf32>) : vector<8xf32>
  %1 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %3 = llvm.mlir.constant(3.0 : f32) : f32
  llvm.return %x : vector<8xf32>
}

// CHECK: llvm.func internal @three({{.*}} attributes {passthrough = ["noinline"]}
// MORE: llvm.func internal @three({{.*}} attributes {passthrough = ["alwaysinline"]}
llvm.func @three(%x: vector<8xf32>) -> vector<8xf32> attributes {ttc.epilogue} {
  %0 = llvm.mlir.constant(dense<1.0> : vector<8xf32>) : vector<8xf32>
  %1 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %2 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
  llvm.return %x : vector<8xf32>
}

// Epilogues of integers have a limit of their own.
// CHECK: llvm.func internal @integers({{.*}} attributes {passthrough = ["alwaysinline"]}
// FEW: llvm.func internal @integers({{.*}} attributes {passthrough = ["noinline"]}
llvm.func @integers(%x: vector<8xi32>) -> vector<8xi32> attributes {ttc.epilogue} {
  %0 = llvm.mlir.constant(dense<1.0> : vector<8xf32>) : vector<8xf32>
  %1 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
  %2 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
  llvm.return %x : vector<8xi32>
}

// CHECK: llvm.func @other(%{{.*}}: vector<8xf32>) -> vector<8xf32> {
llvm.func @other(%x: vector<8xf32>) -> vector<8xf32> {
  llvm.return %x : vector<8xf32>
}
