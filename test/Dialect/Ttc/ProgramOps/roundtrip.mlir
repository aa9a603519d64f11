// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | FileCheck %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | FileCheck %s

// CHECK-LABEL: func.func @fusion
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<8xf32>)
func.func @fusion(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // CHECK: %[[R:.*]]:2 = ttc.fusion (%[[A:.*]] = %[[X]] : tensor<4x8xf32>, %[[B:.*]] = %[[Y]] : tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: ttc.yield %[[A]], %[[B]] : tensor<4x8xf32>, tensor<8xf32>
  %r:2 = ttc.fusion (%a = %x : tensor<4x8xf32>, %b = %y : tensor<8xf32>)
      -> (tensor<4x8xf32>, tensor<8xf32>) {
    ttc.yield %a, %b : tensor<4x8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @fusion_without_operands
func.func @fusion_without_operands() -> tensor<2xf32> {
  // CHECK: ttc.fusion () -> tensor<2xf32> attributes {note = "kept"} {
  %r = ttc.fusion () -> tensor<2xf32> attributes {note = "kept"} {
    %c = ttc.constant dense<1.0> : tensor<2xf32>
    ttc.yield %c : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// CHECK: ttc.program @identity(%[[A:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {grid = 4 : i64, scratch_bytes = 256 : i64} {
// CHECK-NEXT: ttc.return %[[A]] : tensor<4x8xf32>
ttc.program @identity(%a: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {grid = 4 : i64, scratch_bytes = 256 : i64} {
  ttc.return %a : tensor<4x8xf32>
}

// CHECK: ttc.program @lowered(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64} {
// CHECK-NEXT: builtin.module {
ttc.program @lowered(%a: tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64} {
  builtin.module {
    llvm.func @lowered(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
  }
}

// CHECK: ttc.program @compiled(tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
// CHECK-SAME: attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
// CHECK-NOT: {
ttc.program @compiled(tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    attributes {grid = 2 : i64, scratch_bytes = 0 : i64}

// CHECK-LABEL: func.func @dispatch
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
func.func @dispatch(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  // CHECK: %[[Y:.*]] = ttc.dispatch @identity(%[[X]]) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = ttc.dispatch @identity(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: ttc.dispatch @compiled(%[[Y]]) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  %z:2 = ttc.dispatch @compiled(%y) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %z#1 : tensor<8xf32>
}
