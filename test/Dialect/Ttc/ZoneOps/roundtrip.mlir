// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK: ttc.program @nested(%[[X:.*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {markers} {
ttc.program @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {markers} {
  // CHECK-NEXT: %[[R:.*]]:2 = ttc.zone "outer" {
  %r:2 = ttc.zone "outer" {
    // CHECK-NEXT: %[[A:.*]] = ttc.relu %[[X]]
    %a = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK-NEXT: %[[B:.*]] = ttc.zone "inner \22part\22" {
    %b = ttc.zone "inner \"part\"" {
      // CHECK-NEXT: %[[C:.*]] = ttc.exp %[[A]]
      %c = ttc.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      // CHECK-NEXT: ttc.yield %[[C]] : tensor<4xf32>
      ttc.yield %c : tensor<4xf32>
    // CHECK-NEXT: } {note = "kept"} : tensor<4xf32>
    } {note = "kept"} : tensor<4xf32>
    // CHECK-NEXT: ttc.yield %[[A]], %[[B]] : tensor<4xf32>, tensor<4xf32>
    ttc.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: } : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  ttc.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @lowered
func.func @lowered() {
  // CHECK-NEXT: %[[Z:.*]] = ttc.zone_begin "part"
  %z = ttc.zone_begin "part"
  // CHECK-NEXT: ttc.zone_end %[[Z]]
  ttc.zone_end %z
  return
}
