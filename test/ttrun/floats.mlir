// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reads or writes floats in a model that multiplies bytes: the quantisation of the input, a softmax that nothing
// quantises, and the product whose result it reads. The first product reads and writes bytes.
// RUN: ttc-translate --mlir-to-bundle %s -o %t.ttcb
// RUN: ttrun perf %t.ttcb --loops=3 --cores=1 | FileCheck %s
// CHECK:      median us  share   grid commands
// CHECK:      in floats    3 of 4 commands, {{[0-9.]+}} of {{[0-9.]+}} us ({{[0-9.]+}}%)
// CHECK:      median us  share      types commands
// CHECK-NOT:  u8 to u8
// CHECK-DAG:  f32 to u8        1  quantize_
// CHECK-DAG:  u8 to f32        1  int_gemm_
// CHECK-DAG:  f32 to f32        1  softmax_
// CHECK-NOT:  more

// RUN: ttrun perf %t.ttcb --loops=3 --cores=1 --ops --json > %t.json
// RUN: %python -c "import json, sys; print(*(op.get('floats', '-') for op in json.load(open(sys.argv[1]))['ops']), sep=', ')" %t.json | FileCheck %s --check-prefix=JSON
// JSON: f32 to u8, -, u8 to f32, f32 to f32

// A model without products of bytes has no such part.
// RUN: ttc-translate --onnx-to-bundle %source/examples/digits/digits.onnx -o %t.digits.ttcb
// RUN: ttrun perf %t.digits.ttcb --loops=3 --cores=1 | FileCheck %s --check-prefix=NONE
// RUN: ttrun perf %t.digits.ttcb --loops=3 --cores=1 --programs --json | FileCheck %s --check-prefix=NONE
// NONE-NOT: floats

func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = ttc.constant dense<3> : tensor<64x64xi8>
  %s = ttc.constant dense<0.5> : tensor<f32>
  %z = ttc.constant dense<7> : tensor<ui8>
  %wz = ttc.constant dense<0> : tensor<i8>
  %0 = ttc.quantize %x, %s, %z : (tensor<64x64xf32>, tensor<f32>, tensor<ui8>) -> tensor<64x64xui8>
  %1 = ttc.dequantize %0, %s, %z : (tensor<64x64xui8>, tensor<f32>, tensor<ui8>) -> tensor<64x64xf32>
  %2 = ttc.dequantize %w, %s, %wz : (tensor<64x64xi8>, tensor<f32>, tensor<i8>) -> tensor<64x64xf32>
  %3 = ttc.matmul %1, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = ttc.quantize %3, %s, %z : (tensor<64x64xf32>, tensor<f32>, tensor<ui8>) -> tensor<64x64xui8>
  %5 = ttc.dequantize %4, %s, %z : (tensor<64x64xui8>, tensor<f32>, tensor<ui8>) -> tensor<64x64xf32>
  %6 = ttc.matmul %5, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %7 = ttc.softmax %6 {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %7 : tensor<64x64xf32>
}
