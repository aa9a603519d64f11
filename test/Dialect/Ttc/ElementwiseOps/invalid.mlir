// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @arithmetic(%a: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // diagnostic here:
  %r = ttc.add %a, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// each: add, sub, mul, div, pow, min, max, mod
// change: ttc.add => ttc.$each
// change: tensor<4xf32> => tensor<4xi32>
// expected-error {{'ttc.$each' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}

// change: ttc.add => ttc.prelu
// change: tensor<4xf32> => tensor<4xf64>
// expected-error {{'ttc.prelu' op (C1) expected operands of the same element type, found 'f32' and 'f64'}}

// each: add, sub, mul, div, pow, min, max, mod, prelu
// change: ttc.add => ttc.$each
// change: tensor<4xf32> => tensor<3xf32>
// expected-error {{'ttc.$each' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}

// change: -> tensor<2x4xf32> => -> tensor<4xf32>
// expected-error {{'ttc.add' op expected result 0 to be 'tensor<2x4xf32>', found 'tensor<4xf32>'}}

// change: f32 => i1
// expected-error {{'ttc.add' op operand #0 must be tensor of static shape and at most 2^40 elements of numbers (f32, f64, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64), but got 'tensor<2x4xi1>'}}

// -----

func.func @logic(%a: tensor<2x4xi1>, %b: tensor<4xi1>) {
  // diagnostic here:
  %r = ttc.and %a, %b : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
  return
}

// each: and, or, xor
// change: ttc.and => ttc.$each
// change: tensor<4xi1> => tensor<4xf32>
// expected-error {{'ttc.$each' op operand #1 must be tensor of static shape and at most 2^40 elements of bools (i1), but got 'tensor<4xf32>'}}

// each: and, or, xor
// change: ttc.and => ttc.$each
// change: tensor<4xi1> => tensor<5xi1>
// expected-error {{'ttc.$each' op (C1) expected operands whose shapes broadcast, found [2, 4] and [5]}}

// -----

func.func @others(%x: tensor<4xf32>, %half: tensor<4xf16>, %three: tensor<3xf32>, %c: tensor<2x1xi1>) {
  %0 = ttc.compare lt %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = ttc.where %c, %x, %x : (tensor<2x1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = ttc.cast %x : (tensor<4xf32>) -> tensor<4xi32>
  %3 = ttc.clamp %x {max = 6.0, min = 0.0} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %5 = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %6 = ttc.reduce_precision %x {to = bf16} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// change: lt %x, %x : (tensor<4xf32>, tensor<4xf32>) => lt %x, %half : (tensor<4xf32>, tensor<4xf16>)
// expected-error {{'ttc.compare' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: lt %x, %x : (tensor<4xf32>, tensor<4xf32>) => eq %x, %three : (tensor<4xf32>, tensor<3xf32>)
// expected-error {{'ttc.compare' op (C2) expected operands whose shapes broadcast, found [4] and [3]}}

// change: tensor<4xi1> => tensor<1xi1>
// expected-error {{'ttc.compare' op expected result 0 to be 'tensor<4xi1>', found 'tensor<1xi1>'}}

// change: where %c, %x, %x : (tensor<2x1xi1>, tensor<4xf32>, tensor<4xf32>) => where %c, %x, %half : (tensor<2x1xi1>, tensor<4xf32>, tensor<4xf16>)
// expected-error {{'ttc.where' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}

// change: where %c, %x, %x : (tensor<2x1xi1>, tensor<4xf32>, tensor<4xf32>) => where %c, %x, %three : (tensor<2x1xi1>, tensor<4xf32>, tensor<3xf32>)
// expected-error {{'ttc.where' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}

// change: tensor<4xi32> => tensor<5xi32>
// expected-error {{'ttc.cast' op (C1) expected a result of shape [4], found 'tensor<5xi32>'}}

// change: max = 6.0, min = 0.0 => max = 0.0, min = 6.0
// expected-error {{'ttc.clamp' op (C1) expected 'min' <= 'max', found 6.000000e+00 : f32 and 0.000000e+00 : f32}}

// change: max = 6.0, min = 0.0 => min = 0x7FC00000 : f32
// expected-error {{'ttc.clamp' op (C1) expected 'min' <= 'max', found 0x7FC00000 : f32 and 0x7F800000 : f32}}

// change: relu %x : (tensor<4xf32>) -> tensor<4xf32> => relu %x : (tensor<4xf32>) -> tensor<4xf16>
// expected-error {{'ttc.relu' op expected result 0 to be 'tensor<4xf32>', found 'tensor<4xf16>'}}

// change: %half: tensor<4xf16> => %half: tensor<?xf32>
// change: exp %x : (tensor<4xf32>) -> tensor<4xf32> => exp %half : (tensor<?xf32>) -> tensor<?xf32>
// expected-error at exp {{'ttc.exp' op operand #0 must be tensor of static shape and at most 2^40 elements of floats (f32, f64, f16, bf16), but got 'tensor<?xf32>'}}

// reduce_precision (C1)
// change: to = bf16 => to = f32
// expected-error {{'ttc.reduce_precision' op attribute 'to' failed to satisfy constraint: type attribute of 16-bit float or bfloat16 type}}

// change: reduce_precision %x {to = bf16} : (tensor<4xf32>) -> tensor<4xf32> => reduce_precision %half {to = bf16} : (tensor<4xf16>) -> tensor<4xf16>
// expected-error {{'ttc.reduce_precision' op operand #0 must be tensor of static shape and at most 2^40 elements of f32, but got 'tensor<4xf16>'}}
