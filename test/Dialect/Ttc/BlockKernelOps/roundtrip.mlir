// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @pack(%w: tensor<3840xi8>) {
  %0 = ttc.pack_blocks q4_1 %w {columns = 64 : i64} : tensor<3840xi8> -> tensor<6x640xi8>
  // Each half of 48 rows has three groups.
  %1 = ttc.pack_blocks q4_1 %w {columns = 64 : i64, gated} : tensor<3840xi8> -> tensor<6x640xi8>
  return
}

func.func @kernels(%x: tensor<1x64xf32>, %w: tensor<6x640xi8>, %g: tensor<64xf32>, %b: tensor<48xf32>, %r: tensor<1x48xf32>, %e: tensor<7x1088xi8>, %t: tensor<2xi32>, %n: tensor<1xi32>, %c: tensor<96xf32>) {
  %0 = ttc.kernel.block_matmul q4_1 %x, %w {dot = #ttc.byte_dot<madd>} : (tensor<1x64xf32>, tensor<6x640xi8>) -> tensor<1x96xf32>
  %1 = ttc.kernel.block_matmul q4_1 %x, %w norm %g bias %b residual %r activations int8 {dot = #ttc.byte_dot<vnni>, epsilon = 1.0e-6 : f32, gated}
  // printed: %1 = ttc.kernel.block_matmul q4_1 %x, %w norm %g bias %b residual %r activations int8 {dot = #ttc.byte_dot<vnni>, epsilon = 9.99999997E-7 : f32, gated}
     : (tensor<1x64xf32>, tensor<6x640xi8>, tensor<64xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
  %3 = ttc.kernel.block_matmul q4_1 %x, %w count %n {dot = #ttc.byte_dot<madd>} : (tensor<1x64xf32>, tensor<6x640xi8>, tensor<1xi32>) -> tensor<1x96xf32>
  %4 = ttc.kernel.expert_matmul q4_1 %x, %w, %t activations int8 {dot = #ttc.byte_dot<vnni>, expert_count = 3 : i64, gated}
     : (tensor<1x64xf32>, tensor<6x640xi8>, tensor<2xi32>) -> tensor<2x16xf32>
  %5 = ttc.kernel.expert_matmul q4_1 %x, %w, %t bias %c count %n {dot = #ttc.byte_dot<plain>, expert_count = 2 : i64}
     : (tensor<1x64xf32>, tensor<6x640xi8>, tensor<2xi32>, tensor<96xf32>, tensor<1xi32>) -> tensor<2x48xf32>
  %2 = ttc.kernel.block_gather q8_0 %e, %t {rows = 100 : i64} : (tensor<7x1088xi8>, tensor<2xi32>) -> tensor<2x64xf32>
  return
}
