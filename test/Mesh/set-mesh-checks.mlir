// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mesh of several devices repeats no commands, so it has no checks; one of a single device has them.
// RUN: ttc-opt %s --ttc-set-mesh=mesh=2 | FileCheck %s
// RUN: ttc-opt %s --ttc-set-mesh=mesh=1 | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[FLAG:.*]]: tensor<i1>)
// CHECK-NEXT: return %[[FLAG]]
// ONE: ttc.fail_if
func.func @main(%flag: tensor<i1>) -> tensor<i1> {
  %0 = ttc.fail_if %flag : tensor<i1>
  return %0 : tensor<i1>
}
