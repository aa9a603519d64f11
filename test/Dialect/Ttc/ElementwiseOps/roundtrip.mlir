// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

func.func @unary(%x: tensor<2x8xf32>) {
  %0 = ttc.relu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = ttc.gelu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = ttc.erf %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = ttc.sigmoid %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = ttc.tanh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = ttc.exp %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = ttc.log %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = ttc.sqrt %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %8 = ttc.rsqrt %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %9 = ttc.reciprocal %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %10 = ttc.abs %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %11 = ttc.neg %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %12 = ttc.clamp %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %rounded = ttc.reduce_precision %x {to = bf16} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %13 = ttc.leaky_relu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %14 = ttc.elu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %15 = ttc.selu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %16 = ttc.hard_sigmoid %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %17 = ttc.hard_swish %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %18 = ttc.softplus %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %19 = ttc.softsign %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %20 = ttc.floor %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %21 = ttc.ceil %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %22 = ttc.round %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %23 = ttc.sign %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %24 = ttc.sin %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %25 = ttc.cos %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

func.func @attributes(%x: tensor<2x8xf32>, %b: tensor<2x8xi1>) {
  %0 = ttc.gelu %x approximate tanh : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = ttc.gelu %x approximate none : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // printed: %1 = ttc.gelu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = ttc.clamp %x {max = 6.000000e+00, min = 0.000000e+00} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = ttc.clamp %x {max = 6.0 : f32} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // printed: %3 = ttc.clamp %x {max = 6.000000e+00} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = ttc.clamp %x {max = 0xFF800000 : f32} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = ttc.leaky_relu %x {alpha = 2.000000e-01} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = ttc.elu %x {alpha = 5.000000e-01} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = ttc.selu %x {alpha = 1.500000e+00, gamma = 2.000000e+00} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %8 = ttc.hard_sigmoid %x {alpha = 1.250000e-01, beta = 2.500000e-01} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %9 = ttc.not %b : (tensor<2x8xi1>) -> tensor<2x8xi1>
  %10 = ttc.relu %x {ttc.note = [1, 2]} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

func.func @cast(%x: tensor<2x8xf32>) {
  %0 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xf16>
  %1 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xbf16>
  %2 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xi8>
  %3 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xi16>
  %4 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xi32>
  %5 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xi64>
  %6 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xui8>
  %7 = ttc.cast %x : (tensor<2x8xf32>) -> tensor<2x8xi1>
  return
}

func.func @binary(%a: tensor<2x8xf32>, %b: tensor<8xf32>, %c: tensor<2x8xi1>, %d: tensor<8xi1>, %s: tensor<f32>, %p: tensor<2x1xui8>, %q: tensor<1x8xui8>) {
  %0 = ttc.add %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %1 = ttc.sub %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %2 = ttc.mul %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %3 = ttc.div %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %4 = ttc.pow %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %5 = ttc.min %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %6 = ttc.max %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %7 = ttc.mod %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %8 = ttc.prelu %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %10 = ttc.mod %a, %b {fmod} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %11 = ttc.and %c, %d : (tensor<2x8xi1>, tensor<8xi1>) -> tensor<2x8xi1>
  %12 = ttc.or %c, %d : (tensor<2x8xi1>, tensor<8xi1>) -> tensor<2x8xi1>
  %13 = ttc.xor %c, %d : (tensor<2x8xi1>, tensor<8xi1>) -> tensor<2x8xi1>
  %20 = ttc.compare eq %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
  %21 = ttc.compare ne %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
  %22 = ttc.compare lt %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
  %23 = ttc.compare le %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
  %24 = ttc.compare gt %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
  %25 = ttc.compare ge %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
  %30 = ttc.where %d, %a, %s : (tensor<8xi1>, tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %31 = ttc.add %p, %q : (tensor<2x1xui8>, tensor<1x8xui8>) -> tensor<2x8xui8>
  %32 = ttc.compare eq %c, %d : (tensor<2x8xi1>, tensor<8xi1>) -> tensor<2x8xi1>
  return
}

func.func @inverse_and_hyperbolic(%x: tensor<2x8xf32>) {
  %0 = ttc.asin %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = ttc.acos %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = ttc.atan %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = ttc.sinh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = ttc.cosh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = ttc.asinh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = ttc.acosh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = ttc.atanh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}
