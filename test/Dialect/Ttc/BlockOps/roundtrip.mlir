// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @matmul(%x: tensor<1x64xf32>, %w: tensor<3840xi8>, %g: tensor<64xf32>, %b: tensor<96xf32>, %r: tensor<1x96xf32>, %h: tensor<48xf32>, %n: tensor<1xi32>) {
  %0 = ttc.block_matmul q4_1 %x, %w : (tensor<1x64xf32>, tensor<3840xi8>) -> tensor<1x96xf32>
  %1 = ttc.block_matmul q4_1 %x, %w norm %g bias %b residual %r activations int8 {epsilon = 1.0e-6}
  // printed: %1 = ttc.block_matmul q4_1 %x, %w norm %g bias %b residual %r activations int8 {epsilon = 9.99999997E-7}
     : (tensor<1x64xf32>, tensor<3840xi8>, tensor<64xf32>, tensor<96xf32>, tensor<1x96xf32>) -> tensor<1x96xf32>
  %2 = ttc.block_matmul q4_1 %x, %w bias %h {gated} : (tensor<1x64xf32>, tensor<3840xi8>, tensor<48xf32>) -> tensor<1x48xf32>
  %3 = ttc.block_matmul q4_1 %x, %w residual %r count %n activations int8
     : (tensor<1x64xf32>, tensor<3840xi8>, tensor<1x96xf32>, tensor<1xi32>) -> tensor<1x96xf32>
  return
}

func.func @formats(%x: tensor<3x256xf32>, %a: tensor<2048xi8>, %b: tensor<1024xi8>, %c: tensor<288xi8>, %d: tensor<352xi8>, %e: tensor<420xi8>) {
  %0 = ttc.block_matmul f32 %x, %a : (tensor<3x256xf32>, tensor<2048xi8>) -> tensor<3x2xf32>
  %1 = ttc.block_matmul f16 %x, %b : (tensor<3x256xf32>, tensor<1024xi8>) -> tensor<3x2xf32>
  %2 = ttc.block_matmul bf16 %x, %b : (tensor<3x256xf32>, tensor<1024xi8>) -> tensor<3x2xf32>
  %3 = ttc.block_matmul q4_0 %x, %c : (tensor<3x256xf32>, tensor<288xi8>) -> tensor<3x2xf32>
  %4 = ttc.block_matmul q5_0 %x, %d : (tensor<3x256xf32>, tensor<352xi8>) -> tensor<3x2xf32>
  %5 = ttc.block_matmul q4_k %x, %c : (tensor<3x256xf32>, tensor<288xi8>) -> tensor<3x2xf32>
  %6 = ttc.block_matmul q5_k %x, %d : (tensor<3x256xf32>, tensor<352xi8>) -> tensor<3x2xf32>
  %7 = ttc.block_matmul q6_k %x, %e : (tensor<3x256xf32>, tensor<420xi8>) -> tensor<3x2xf32>
  return
}

func.func @experts(%x: tensor<2x64xf32>, %w: tensor<2560xi8>, %e: tensor<6xi32>, %b: tensor<64xf32>, %n: tensor<1xi32>) {
  %0 = ttc.expert_matmul q4_1 %x, %w, %e {expert_count = 4} : (tensor<2x64xf32>, tensor<2560xi8>, tensor<6xi32>) -> tensor<6x16xf32>
  %1 = ttc.expert_matmul q4_1 %x, %w, %e bias %b count %n activations int8 {expert_count = 2}
     : (tensor<2x64xf32>, tensor<2560xi8>, tensor<6xi32>, tensor<64xf32>, tensor<1xi32>) -> tensor<6x32xf32>
  %2 = ttc.expert_matmul q4_1 %x, %w, %e {expert_count = 2, gated} : (tensor<2x64xf32>, tensor<2560xi8>, tensor<6xi32>) -> tensor<6x16xf32>
  return
}

func.func @gather(%w: tensor<6800xi8>, %t: tensor<2xi32>) {
  %0 = ttc.block_gather q8_0 %w, %t {columns = 64} : (tensor<6800xi8>, tensor<2xi32>) -> tensor<2x64xf32>
  return
}
