// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-bind-buffers --verify-diagnostics --split-input-file

ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<16xf32> in dram
// expected-error @+1 {{expected result 0 to be bound to a buffer, found none; --ttc-schedule-queues binds the traces that a schedule executes}}
ttc.trace @t(%x: tensor<16xf32> {ttc.buffer = @x}) -> tensor<16xf32> {
  %y = ttc.dispatch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %y : tensor<16xf32>
}

// -----

ttc.program @f(tensor<16xf32>) -> tensor<16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @y : tensor<16xf32> in dram
// expected-error @+1 {{expected argument 0 to be bound to a buffer, found none; --ttc-schedule-queues binds the traces that a schedule executes}}
ttc.trace @t(%x: tensor<16xf32>) -> (tensor<16xf32> {ttc.buffer = @y}) {
  %y = ttc.dispatch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  ttc.yield %y : tensor<16xf32>
}
