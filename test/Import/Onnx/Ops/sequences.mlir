// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optionals are known while importing, and leave nothing in the model.
// RUN: split-file %s %t
// RUN: onnx-text %t/sequence.txt %t/sequence.onnx
// RUN: ttc-translate --import-onnx %t/sequence.onnx --mlir-print-debuginfo=false | FileCheck %s
//--- sequence.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float[3] x, float[3] y) => (float[3] a, float[6] joined, int64 count, bool there)
<int64 first = {0}, int64 last = {-1}>
{
  s = SequenceConstruct(x, y)
  e = Exp(x)
  t = SequenceInsert(s, e, first)
  u = SequenceErase(t, last)
  a = SequenceAt(u, first)
  joined = ConcatFromSequence<axis = 0>(u)
  count = SequenceLength(t)
  o = Optional(x)
  there = OptionalHasElement(o)
}
// CHECK: @main(%[[X:.*]]: tensor<3xf32> {{.*}}, %[[Y:.*]]: tensor<3xf32>
// CHECK-NOT: unrealized
// CHECK: %[[E:.*]] = ttc.exp %[[X]]
// CHECK: %[[J:.*]] = ttc.concat %[[E]], %[[X]] {axis = 0}
// CHECK-DAG: %[[N:.*]] = ttc.constant dense<3> : tensor<i64>
// CHECK-DAG: %[[T:.*]] = ttc.constant dense<true> : tensor<i1>
// CHECK: return %[[E]], %[[J]], %[[N]], %[[T]]

// RUN: onnx-text %t/wrong.txt %t/wrong.onnx --name
// RUN: not ttc-translate --import-onnx %t/wrong.onnx 2>&1 | FileCheck %s --check-prefix=WRONG
//--- wrong.txt
<ir_version: 8, opset_import: ["" : 17]>
g (float[3] x, int64 i) => (float[3] a, float[3] b, float[3] c, float[3] d)
<int64 two = {2}, int64[0] none = {}>
{
  s = SequenceConstruct(x, x)
  a = SequenceAt(s, two)
  b = SequenceAt(s, i)
  c = Exp(s)
  d = Identity(s)
  e = SequenceConstruct(x, s)
  f = SequenceAt(s, s)
  h = SplitToSequence(s)
  j = SplitToSequence(x, none)
  one = SequenceConstruct(x)
  k = SequenceMap<body = add (float[3] p, float[3] q) => (float[3] r) { r = Add(p, q) }>(s, one)
}
// WRONG: node 'SequenceAt_1' (SequenceAt, opset 17): position 2 is out of range for a sequence of 2 elements
// WRONG: node 'SequenceAt_2' (SequenceAt, opset 17): expected input 1 (position) to be constant
// WRONG: node 'Exp_3' (Exp, opset 17): expected input 0 to be a tensor, found a sequence
// WRONG: node 'SequenceConstruct_5' (SequenceConstruct, opset 17): expected element 1 of the sequence to be a tensor, found a sequence
// WRONG: node 'SequenceAt_6' (SequenceAt, opset 17): expected input 1 to be a tensor, found a sequence
// WRONG: node 'SplitToSequence_7' (SplitToSequence, opset 17): expected input 0 to be a tensor, found a sequence
// WRONG: node 'SplitToSequence_8' (SplitToSequence, opset 17): expected from 1 to 65536 parts of dimension 0 of 'tensor<3xf32>', found 0
// WRONG: node 'SequenceMap_10' (SequenceMap, opset 17): expected sequences of 2 elements, found one of 1 (input 1)
// WRONG: graph output 'd': expected a tensor (sequences, maps and optionals are not supported)
