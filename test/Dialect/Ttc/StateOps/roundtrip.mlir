// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

ttc.state @cache : tensor<2x16x4xf16>
ttc.state @flags : tensor<4xi1>

func.func @step(%cache: tensor<2x16x4xf16> {ttc.state = @cache}) -> (tensor<2x16x4xf16> {ttc.state = @cache}) {
  %0 = ttc.copy %cache : tensor<2x16x4xf16>
  return %0 : tensor<2x16x4xf16>
}
