// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --ttc-schedule-queues --verify-diagnostics

// expected-error@+1 {{expected argument 0 to name a ttc.state, found @cache}}
func.func @main(%s: tensor<4xf32> {ttc.state = @cache}) -> tensor<4xf32> {
  return %s : tensor<4xf32>
}

// -----

ttc.event @cache
// expected-error@+1 {{expected result 0 to name a ttc.state, found @cache}}
func.func @main(%s: tensor<4xf32>) -> (tensor<4xf32> {ttc.state = @cache}) {
  return %s : tensor<4xf32>
}
