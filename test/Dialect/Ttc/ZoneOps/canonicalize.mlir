// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --canonicalize | FileCheck %s

// What a zone passes through is not its result, and what is unused is not computed.
// CHECK-LABEL: ttc.program @fewer(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[R:.*]] = ttc.zone "part" {
// CHECK-NEXT:      %[[A:.*]] = ttc.exp %[[X]]
// CHECK-NEXT:      ttc.yield %[[A]] : tensor<4xf32>
// CHECK-NEXT:    } : tensor<4xf32>
// CHECK-NEXT:    ttc.return %[[X]], %[[R]]
ttc.program @fewer(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:3 = ttc.zone "part" {
    %a = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = ttc.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %b, %x, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  ttc.return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: ttc.program @none(
// CHECK-NOT:     ttc.zone
ttc.program @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ttc.zone "empty" {
    ttc.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  %unused = ttc.zone "unused" {
    %a = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %a : tensor<4xf32>
  } : tensor<4xf32>
  ttc.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @lowered
// CHECK-NEXT:    ttc.zone_begin
// CHECK-NEXT:    ttc.zone_end
func.func @lowered() {
  %z = ttc.zone_begin "part"
  ttc.zone_end %z
  return
}
