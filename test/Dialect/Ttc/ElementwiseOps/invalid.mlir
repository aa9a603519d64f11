// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -verify-diagnostics -split-input-file

func.func @add_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.add' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.add %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @add_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.add' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.add %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sub_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.sub' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.sub %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @sub_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.sub' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.sub %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @mul_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.mul' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.mul %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @mul_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.mul' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.mul %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @div_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.div' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.div %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @div_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.div' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.div %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @pow_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.pow' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.pow %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @pow_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.pow' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.pow %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @min_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.min' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.min %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @min_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.min' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.min %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @max_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.max' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.max %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @max_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.max' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.max %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @mod_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.mod' op (C1) expected operands of the same element type, found 'f32' and 'i32'}}
  %r = ttc.mod %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @mod_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.mod' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.mod %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @and_type(%a: tensor<4xi1>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.and' op operand #1 must be tensor of static shape and at most 2^40 elements of bools (i1), but got 'tensor<4xf32>'}}
  %r = ttc.and %a, %b : (tensor<4xi1>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @and_c1(%a: tensor<4xi1>, %b: tensor<2x5xi1>) {
  // expected-error@+1 {{'ttc.and' op (C1) expected operands whose shapes broadcast, found [4] and [2, 5]}}
  %r = ttc.and %a, %b : (tensor<4xi1>, tensor<2x5xi1>) -> tensor<2x5xi1>
  return
}

// -----

func.func @or_type(%a: tensor<4xi1>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.or' op operand #1 must be tensor of static shape and at most 2^40 elements of bools (i1), but got 'tensor<4xf32>'}}
  %r = ttc.or %a, %b : (tensor<4xi1>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @or_c1(%a: tensor<4xi1>, %b: tensor<2x5xi1>) {
  // expected-error@+1 {{'ttc.or' op (C1) expected operands whose shapes broadcast, found [4] and [2, 5]}}
  %r = ttc.or %a, %b : (tensor<4xi1>, tensor<2x5xi1>) -> tensor<2x5xi1>
  return
}

// -----

func.func @xor_type(%a: tensor<4xi1>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.xor' op operand #1 must be tensor of static shape and at most 2^40 elements of bools (i1), but got 'tensor<4xf32>'}}
  %r = ttc.xor %a, %b : (tensor<4xi1>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @xor_c1(%a: tensor<4xi1>, %b: tensor<2x5xi1>) {
  // expected-error@+1 {{'ttc.xor' op (C1) expected operands whose shapes broadcast, found [4] and [2, 5]}}
  %r = ttc.xor %a, %b : (tensor<4xi1>, tensor<2x5xi1>) -> tensor<2x5xi1>
  return
}

// -----

func.func @compare_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{'ttc.compare' op (C1) expected operands of the same element type, found 'i32' and 'i64'}}
  %r = ttc.compare lt %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_c2(%a: tensor<4xi32>, %b: tensor<5xi32>) {
  // expected-error@+1 {{'ttc.compare' op (C2) expected operands whose shapes broadcast, found [4] and [5]}}
  %r = ttc.compare eq %a, %b : (tensor<4xi32>, tensor<5xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_result(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'ttc.compare' op expected result 0 to be 'tensor<4xi1>', found 'tensor<1xi1>'}}
  %r = ttc.compare eq %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<1xi1>
  return
}

// -----

func.func @where_c1(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{'ttc.where' op (C1) expected operands of the same element type, found 'f32' and 'f16'}}
  %r = ttc.where %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @where_c2(%c: tensor<2x1xi1>, %a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'ttc.where' op (C2) expected operands whose shapes broadcast, found [2, 4] and [3]}}
  %r = ttc.where %c, %a, %b : (tensor<2x1xi1>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @cast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.cast' op (C1) expected a result of shape [4], found 'tensor<5xi32>'}}
  %r = ttc.cast %x : (tensor<4xf32>) -> tensor<5xi32>
  return
}

// -----

func.func @clamp_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.clamp' op (C1) expected 'min' <= 'max', found 6.000000e+00 : f32 and 0.000000e+00 : f32}}
  %r = ttc.clamp %x {max = 0.0, min = 6.0} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_c1_nan(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.clamp' op (C1) expected 'min' <= 'max', found 0x7FC00000 : f32 and 0x7F800000 : f32}}
  %r = ttc.clamp %x {min = 0x7FC00000 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @relu_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.relu' op expected result 0 to be 'tensor<4xf32>', found 'tensor<4xf16>'}}
  %r = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @add_result(%a: tensor<2x1xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.add' op expected result 0 to be 'tensor<2x4xf32>', found 'tensor<4xf32>'}}
  %r = ttc.add %a, %b : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @add_bool(%a: tensor<4xi1>, %b: tensor<4xi1>) {
  // expected-error@+1 {{'ttc.add' op operand #0 must be tensor of static shape and at most 2^40 elements of numbers (f32, f64, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64), but got 'tensor<4xi1>'}}
  %r = ttc.add %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error@+1 {{'ttc.exp' op operand #0 must be tensor of static shape and at most 2^40 elements of floats (f32, f64, f16, bf16), but got 'tensor<?xf32>'}}
  %r = ttc.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

// reduce_precision (C1)
func.func @reduce_precision_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ttc.reduce_precision' op attribute 'to' failed to satisfy constraint: type attribute of 16-bit float or bfloat16 type}}
  %r = ttc.reduce_precision %x {to = f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision_operand(%x: tensor<4xf16>) {
  // expected-error@+1 {{'ttc.reduce_precision' op operand #0 must be tensor of static shape and at most 2^40 elements of f32, but got 'tensor<4xf16>'}}
  %r = ttc.reduce_precision %x {to = bf16} : (tensor<4xf16>) -> tensor<4xf16>
  return
}
