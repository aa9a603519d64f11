// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every op on tensors has a way to linalg: of all the ops that round trips show, none is left.
// RUN: ttc-opt %source/test/Dialect/Ttc/BitwiseOps/roundtrip.mlir --convert-ttc-to-linalg | FileCheck %s
// RUN: ttc-opt %source/test/Dialect/Ttc/ConvolutionOps/roundtrip.mlir --convert-ttc-to-linalg | FileCheck %s
// RUN: ttc-opt %source/test/Dialect/Ttc/DataMovementOps/roundtrip.mlir --convert-ttc-to-linalg | FileCheck %s
// RUN: ttc-opt %source/test/Dialect/Ttc/ElementwiseOps/roundtrip.mlir --convert-ttc-to-linalg | FileCheck %s
// RUN: ttc-opt %source/test/Dialect/Ttc/NormalizationOps/roundtrip.mlir --convert-ttc-to-linalg | FileCheck %s
// RUN: ttc-opt %source/test/Dialect/Ttc/ReductionOps/roundtrip.mlir --convert-ttc-to-linalg | FileCheck %s
// CHECK-NOT: ttc.
// CHECK: linalg.generic
// CHECK-NOT: ttc.
