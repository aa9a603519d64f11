// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-elide-copies --split-input-file | FileCheck %s

// A value from before the loop is needed after it, and in each iteration: it is no part of a concat in the loop. What
// the iteration makes is.
// CHECK-LABEL: ttc.trace @outside
// CHECK:         %[[A:.*]] = ttc.dispatch @relu(%arg0)
// CHECK-NEXT:    %[[V:.*]] = ttc.loop_begin
// CHECK-NEXT:    %[[B:.*]] = ttc.dispatch @relu_0(%[[V]])
// CHECK-NEXT:    %[[P:.*]] = ttc.dispatch @copy_1(%[[A]])
// CHECK-NEXT:    %[[C:.*]] = ttc.concat %[[P]], %[[B]] {axis = 1}
// CHECK-NEXT:    %[[N:.*]] = ttc.dispatch @halve(%[[C]])
// CHECK-NEXT:    %[[R:.*]] = ttc.loop_end %[[N]]
// CHECK-NEXT:    ttc.dispatch @relu(%[[A]])
ttc.trace @outside(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = ttc.dispatch @relu(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = ttc.loop_begin %x times 3 : tensor<4x8xf32>
  %b = ttc.dispatch @relu(%v) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = ttc.dispatch @concat(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %n = ttc.dispatch @halve(%c) : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %r = ttc.loop_end %n : tensor<4x8xf32>
  %e = ttc.dispatch @relu(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.yield %r, %e : tensor<4x8xf32>, tensor<4x8xf32>
}
ttc.program private @relu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ttc.relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %0 : tensor<4x8xf32>
}
ttc.program private @halve(%a: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %0 = ttc.slice %a {starts = [0, 4], sizes = [4, 8], steps = [1, 1]} : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %1 = ttc.tanh %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %1 : tensor<4x8xf32>
}
ttc.program private @concat(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = ttc.concat %a, %b {axis = 1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  ttc.return %0 : tensor<4x16xf32>
}
