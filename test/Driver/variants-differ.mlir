// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models that are not the same at all sizes: what differs, where, by which dimension, and what to do.
// REQUIRES: compiler, x86-64
// RUN: split-file %s %t
// RUN: onnx-text %t/branch.txt %t/branch.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/branch.onnx --dim=N:2..64 --dim=K:2..3 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: y/long: 'ttc.exp' op expected the same ops for all sizes; with N 2, K 3, the model has 'ttc.neg' (y/short) here
// BRANCH: note: y/long: what differs depends on N: give it one size, such as --dim=N:64, or a range without the sizes at which the model differs
// RUN: onnx-text %t/reversed.txt %t/reversed.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/reversed.onnx --dim=N:2..64 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=REVERSED
// REVERSED: error: {{.*}}'ttc.constant' op its 64 elements depend on sizes: expected those with N {{[0-9]+}} to be the first ones of those with the largest, or at most 16 whole numbers that are sums of multiples of the sizes
// REVERSED: note: {{.*}}what differs depends on N: give it one size, such as --dim=N:64, or a range
// Sizes that are rounded twice, or not as a line: a part, what is made of one number, a number.
// RUN: onnx-text %t/twice.txt %t/twice.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/twice.onnx --dim=N:8..640 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: y: 'ttc.slice' op dimension 0 of operand 0 has a size of its own in each run (N): expected a part that is valid in every run, found {{[0-9]+}} elements from 0 on; a size of its own in each run is a sum of multiples of the dimensions, rounded down at most once
// RUN: onnx-text %t/rest.txt %t/rest.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/rest.onnx --dim=N:8..640 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=REST
// REST: error: y: {{.*}} op dimension 0 of the result has {{[0-9]+}} elements with N 8, expected {{[0-9]+}} from how its operands depend on the sizes
// RUN: onnx-text %t/number.txt %t/number.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/number.onnx --dim=N:8..640 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: {{.*}}'ttc.constant' op its 1 elements depend on sizes: {{.*}} at most 16 whole numbers that are sums of multiples of the sizes, rounded down at most once
// NUMBER: note: {{.*}}what differs depends on N: give it one size, such as --dim=N:640
// RUN: onnx-text %t/root.txt %t/root.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/root.onnx --dim=N:8..640 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=ROOT
// ROOT: error: {{.*}}'ttc.constant' op its 1 elements depend on sizes: {{.*}} at most 16 whole numbers
// RUN: test ! -e %t/no.ttcb

//--- branch.txt
<ir_version: 8, opset_import: ["" : 13]>
branch (float[N, K] x) => (float[N, K] y)
<int64 zero = {0}, int64 ten = {10}> {
  shape = Shape(x)
  n = Gather(shape, zero)
  isShort = Less(n, ten)
  y = If (isShort) <
    then_branch = then () => (float[N, K] short) { short = Neg(x) },
    else_branch = else () => (float[N, K] long) { long = Exp(x) }
  >
}
//--- reversed.txt
<ir_version: 8, opset_import: ["" : 13]>
reversed (int64[N] x) => (int64[N] y)
<int64 zero = {0}, int64 minus = {-1}> {
  shape = Shape(x)
  n = Gather(shape, zero)
  last = Add(n, minus)
  numbers = Range(last, minus, minus)
  y = Add(x, numbers)
}
//--- twice.txt
<ir_version: 8, opset_import: ["" : 13]>
twice (float[N] x) => (float[M] y)
<int64[1] four = {4}, int64[1] three = {3}, int64[1] zero = {0}> {
  shape = Shape(x)
  rows = Div(shape, four)
  end = Mul(rows, three)
  y = Slice(x, zero, end, zero)
}
//--- rest.txt
<ir_version: 8, opset_import: ["" : 13]>
rest (float[N] x) => (float[M] y)
<int64[1] seven = {7}, float one = {1.0}> {
  shape = Shape(x)
  rest = Mod(shape, seven)
  y = Expand(one, rest)
}
//--- number.txt
<ir_version: 8, opset_import: ["" : 13]>
number (float[N] x) => (float[N] y)
<int64[1] four = {4}, int64[1] three = {3}> {
  shape = Shape(x)
  rows = Div(shape, four)
  most = Mul(rows, three)
  number = Cast<to = 1>(most)
  y = Mul(x, number)
}
//--- root.txt
<ir_version: 8, opset_import: ["" : 13]>
root (float[N] x) => (float[N] y)
<int64 zero = {0}> {
  shape = Shape(x)
  n = Gather(shape, zero)
  number = Cast <to = 1> (n)
  root = Sqrt(number)
  y = Mul(x, root)
}
