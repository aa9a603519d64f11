// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v3 --ttc-expand-arithmetic | FileCheck %s
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v3 --ttc-expand-arithmetic | FileCheck %s --check-prefix=NONE
// RUN: ttc-opt %s --ttc-set-target=target-cpu=x86-64-v2 --ttc-expand-arithmetic | FileCheck %s --check-prefix=OLD

// Nothing of math is left but what is an instruction, nothing narrow is computed, and nothing is left
// to the code generator to contract.
// NONE-NOT: {{math\.([b-eg-rt-z]|fl)|contract}}
// OLD-NOT: {{math\.[b-rt-z]}}

// CHECK-LABEL: func.func @exp(
// CHECK:         %[[MAGIC:.*]] = arith.constant 0x4B400000 : f32
// CHECK:         %[[SHIFTED:.*]] = math.fma %{{.*}}, %{{.*}}, %[[MAGIC]] : f32
// The difference from the magic number is exact.
// CHECK:         arith.subf %[[SHIFTED]], %[[MAGIC]] : f32
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f32
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// The same for vectors, without a scalar.
// CHECK-LABEL: func.func @vectors(
// CHECK:         arith.divf %{{.*}} : vector<8xf32>
// CHECK-NOT:     {{(add|mul|sub)f .* : f32}}
// CHECK:         return
func.func @vectors(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = math.tanh %x : vector<8xf32>
  %1 = math.erf %x : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// 2^x has a reduction of its own: scaling the argument of exp would lose 67 ulp.
// CHECK-LABEL: func.func @exp2(
// CHECK:         %[[N:.*]] = arith.subf %{{.*}}, %{{.*}} : f32
// CHECK:         %[[R:.*]] = arith.subf %{{.*}}, %[[N]] : f32
// CHECK:         arith.mulf %[[R]], %{{.*}} : f32
func.func @exp2(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @all(
func.func @all(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.exp2 %x : f32
  %1 = math.expm1 %x : f32
  %2 = math.log %x : f32
  %3 = math.log2 %x : f32
  %4 = math.log10 %x : f32
  %5 = math.log1p %x : f32
  %6 = math.sin %x : f32
  %7 = math.cos %x : f32
  %8 = math.powf %x, %y : f32
  %9 = math.rsqrt %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @rounding(
// CHECK:         %[[TWO23:.*]] = arith.constant 0x4B000000 : f32
// CHECK:         arith.addf %{{.*}}, %[[TWO23]] : f32
func.func @rounding(%x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = math.floor %x : f32
  %1 = math.ceil %x : f32
  %2 = math.trunc %x : f32
  %3 = math.round %x : f32
  %4 = math.roundeven %x : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// An instruction, or two roundings on a CPU that lacks it.
// CHECK-LABEL: func.func @fma(
// CHECK:         math.fma
// OLD-LABEL: func.func @fma(
// OLD:         %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// OLD:         arith.addf %[[P]], %{{.*}} : f32
func.func @fma(%x: f32, %y: f32, %z: f32) -> f32 {
  %0 = math.fma %x, %y, %z : f32
  return %0 : f32
}

// A square root is an instruction.
// CHECK-LABEL: func.func @sqrt(
// CHECK:         math.sqrt
func.func @sqrt(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @bf16(
// CHECK:         arith.bitcast %{{.*}} : bf16 to i16
// CHECK:         arith.bitcast %{{.*}} : i16 to bf16
func.func @bf16(%x: bf16) -> bf16 {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}

// f64 stays: nothing makes a program of it.
// CHECK-LABEL: func.func @double(
// CHECK:         math.absf
func.func @double(%x: f64) -> f64 {
  %0 = math.absf %x : f64
  return %0 : f64
}
