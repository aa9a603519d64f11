// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

ttc.program @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {markers} {
  %r:2 = ttc.zone "outer" {
    %a = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = ttc.zone "inner \"part\"" {
    // printed: %b = ttc.zone "inner \22part\22" {
      %c = ttc.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %c : tensor<4xf32>
    } {note = "kept"} : tensor<4xf32>
    ttc.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  ttc.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @lowered() {
  %z = ttc.zone_begin "part"
  ttc.zone_end %z
  return
}
