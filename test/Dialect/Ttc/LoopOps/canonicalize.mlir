// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --canonicalize | FileCheck %s

// A check that holds for sure goes; one that fails for sure, or is not known, stays, although nothing uses its result.
// CHECK-LABEL: func.func @checks
// CHECK-NEXT: %[[YES:.*]] = ttc.constant dense<true> : tensor<i1>
// CHECK-NEXT: ttc.fail_if %[[YES]] : tensor<i1>
// CHECK-NEXT: ttc.fail_if %{{.*}} : tensor<1xui8>
// CHECK-NEXT: return
func.func @checks(%byte: tensor<1xui8>) {
  %no = ttc.constant dense<false> : tensor<i1>
  %yes = ttc.constant dense<true> : tensor<i1>
  %0 = ttc.fail_if %no : tensor<i1>
  %1 = ttc.fail_if %yes : tensor<i1>
  %2 = ttc.fail_if %byte : tensor<1xui8>
  return
}
