// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @fusion(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %r:2 = ttc.fusion (%a = %x : tensor<4x8xf32>, %b = %y : tensor<8xf32>)
      -> (tensor<4x8xf32>, tensor<8xf32>) {
    ttc.yield %a, %b : tensor<4x8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<8xf32>
}

func.func @fusion_without_operands() -> tensor<2xf32> {
  %r = ttc.fusion () -> tensor<2xf32> attributes {note = "kept"} {
    %c = ttc.constant dense<1.0> : tensor<2xf32>
    ttc.yield %c : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

ttc.program @identity(%a: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {grid = 4 : i64, scratch_bytes = 256 : i64} {
  ttc.return %a : tensor<4x8xf32>
}

ttc.program @lowered(%a: tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64} {
  builtin.module {
    llvm.func @lowered(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
  }
}

ttc.program @compiled(tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    attributes {grid = 2 : i64, scratch_bytes = 0 : i64}

func.func @dispatch(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %y = ttc.dispatch @identity(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %z:2 = ttc.dispatch @compiled(%y) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %z#1 : tensor<8xf32>
}
