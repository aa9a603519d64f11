// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If, Loop and Scan: decided while importing where the condition is known, unrolled, repeated, or selected.
// RUN: split-file %s %t

// A known condition chooses a branch, which sees the names around it; the other is not imported.
// RUN: onnx-text %t/known.txt %t/known.onnx
// RUN: ttc-translate --import-onnx %t/known.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=KNOWN
//--- known.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x) => (float[2,3] y)
<bool yes = {1}>
{
  y = If (yes) <
    then_branch = t () => (float[2,3] a) { a = Exp(x) },
    else_branch = e () => (float[2,3] b) { b = NoSuchOp(x) }>
}
// KNOWN: @main(%[[X:.*]]: tensor<2x3xf32>
// KNOWN-NEXT: %[[Y:.*]] = ttc.exp %[[X]]
// KNOWN-NEXT: return %[[Y]]

// A condition that is computed at run time selects between both.
// RUN: onnx-text %t/selected.txt %t/selected.onnx
// RUN: ttc-translate --import-onnx %t/selected.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=SELECTED
//--- selected.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x, bool c) => (float[2,3] y)
{
  y = If (c) <
    then_branch = t () => (float[2,3] a) { a = Exp(x) },
    else_branch = e () => (float[2,3] b) { b = Neg(x) }>
}
// SELECTED: @main(%[[X:.*]]: tensor<2x3xf32> {{.*}}, %[[C:.*]]: tensor<i1>
// SELECTED-NEXT: %[[A:.*]] = ttc.exp %[[X]]
// SELECTED-NEXT: %[[B:.*]] = ttc.neg %[[X]]
// SELECTED-NEXT: ttc.where %[[C]], %[[A]], %[[B]]

// The names of nodes tell the branch and the step.
// RUN: onnx-text %t/different.txt %t/different.onnx --name
// RUN: not ttc-translate --import-onnx %t/different.onnx 2>&1 | FileCheck %s --check-prefix=DIFFERENT
//--- different.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x, bool c) => (float[2,3] y, float[2,3] z)
<int64 two = {2}>
{
  y = If (c) <
    then_branch = t () => (float[3,2] a) { a = Transpose(x) },
    else_branch = e () => (float[2,3] b) { b = Neg(x) }>
  z = Loop (two, , x) <
    body = l (int64 i, bool on, float[2,3] s) => (bool go, float[2,3] n)
      { go = Identity(on) n = Magic(s) }>
}
// DIFFERENT: node 'If_0' (If, opset 13): the condition is computed at run time: expected both outcomes of value 0 to have the same type, found 'tensor<3x2xf32>' and 'tensor<2x3xf32>' (--input-value=c=NUMBER makes it constant)
// DIFFERENT: node 'Loop_1/0/n' (Magic, opset 13): the op is not supported

// One element as a scalar in one branch and as a vector in the other: the declared shape, or a vector.
// RUN: onnx-text %t/ranks.txt %t/ranks.onnx
// RUN: ttc-translate --import-onnx %t/ranks.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=RANKS
//--- ranks.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float s, float[1] v, bool c) => (float[1] y, float z)
{
  open = If (c) <then_branch = t () => (float a) { a = Exp(s) }, else_branch = e () => (float[1] b) { b = Neg(v) }>
  y = Sqrt(open)
  z = If (c) <then_branch = t () => (float a) { a = Abs(s) }, else_branch = e () => (float[1] b) { b = Erf(v) }>
}
// RANKS: %[[EXP:.*]] = ttc.exp %{{.*}} : (tensor<f32>) -> tensor<f32>
// RANKS: %[[NEG:.*]] = ttc.neg %{{.*}} : (tensor<1xf32>) -> tensor<1xf32>
// RANKS: %[[A:.*]] = ttc.reshape %[[EXP]] : (tensor<f32>) -> tensor<1xf32>
// RANKS: ttc.where %{{.*}}, %[[A]], %[[NEG]] : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
// RANKS: %[[ERF:.*]] = ttc.erf
// RANKS: %[[B:.*]] = ttc.reshape %[[ERF]] : (tensor<1xf32>) -> tensor<f32>
// RANKS: ttc.where %{{.*}}, %{{.*}}, %[[B]] : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>

// Where a branch does not fit, an option decides the condition, if it comes from inputs of few elements.
// RUN: onnx-text %t/rate.txt %t/rate.onnx --name
// RUN: not ttc-translate --import-onnx %t/rate.onnx 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: ttc-translate --import-onnx %t/rate.onnx --input-value=sr=16000 | FileCheck %s --check-prefix=FIXED
//--- rate.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,8] x, int64 sr) => (float[2,8] y)
<int64 k = {16000}, int64[2] eight = {2,8}, int64[2] four = {2,4}>
{
  c = Equal(sr, k)
  y = If (c) <then_branch = t () => (float[2,8] a) { a = Reshape(x, eight) },
              else_branch = e () => (float[2,4] b) { b = Reshape(x, four) }>
}
// RATE: node 'If_1/else/b' (Reshape, opset 13): cannot reshape 'tensor<2x8xf32>' to [2, 4]
// RATE: node 'If_1' (If, opset 13): both branches are imported, since the condition is computed at run time (--input-value=sr=NUMBER makes it constant)
// FIXED: return %arg0

// A loop: two states, a scan output, the number of the step.
// RUN: onnx-text %t/loop.txt %t/loop.onnx --name
// RUN: ttc-translate --import-onnx %t/loop.onnx | FileCheck %s --check-prefix=LOOP
//--- loop.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[3] x) => (float[3] y, float[2,3] all)
<int64 trips = {2}, bool on = {1}>
{
  y, all = Loop (trips, on, x) <
    body = l (int64 i, bool c, float[3] s) => (bool go, float[3] n, float[3] e)
      { go = Identity(c) f = Cast<to = 1>(i) n = Add(s, f) e = Exp(n) }>
}
// LOOP: @main(%[[X:.*]]: tensor<3xf32>
// LOOP: %[[N0:.*]] = ttc.add %[[X]], {{.*}} loc(#[[ADD0:.*]])
// LOOP: %[[E0:.*]] = ttc.exp %[[N0]]
// LOOP: %[[N1:.*]] = ttc.add %[[N0]], {{.*}} loc(#[[ADD1:.*]])
// LOOP: %[[E1:.*]] = ttc.exp %[[N1]]
// LOOP: %[[ALL:.*]] = ttc.concat {{.*}} {axis = 0} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
// LOOP: return %[[N1]], %[[ALL]]
// LOOP-DAG: #[[ADD0]] = loc("Loop_0/0/n")
// LOOP-DAG: #[[ADD1]] = loc("Loop_0/1/n")

// A condition that is computed in the loop stops the states. Too many steps are an error.
// RUN: onnx-text %t/while.txt %t/while.onnx --name
// RUN: ttc-translate --import-onnx %t/while.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=WHILE
//--- while.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float x, float limit) => (float y)
<int64 trips = {2}>
{
  y = Loop (trips, , x) <
    body = l (int64 i, bool c, float s) => (bool go, float n)
      { n = Exp(s) go = Less(n, limit) }>
}
// WHILE: @main(%[[X:.*]]: tensor<f32> {{.*}}, %[[LIMIT:.*]]: tensor<f32>
// WHILE-NEXT: %[[N0:.*]] = ttc.exp %[[X]]
// WHILE-NEXT: %[[GO:.*]] = ttc.compare lt %[[N0]], %[[LIMIT]]
// WHILE-NEXT: %[[N1:.*]] = ttc.exp %[[N0]]
// WHILE-NEXT: %[[Y:.*]] = ttc.where %[[GO]], %[[N1]], %[[N0]]
// WHILE-NEXT: return %[[Y]]

// Its counters stay constant: what is selected are the results, not what the next step computes with. A
// state that the model does not read is not selected at all.
// RUN: onnx-text %t/counter.txt %t/counter.onnx --name
// RUN: ttc-translate --import-onnx %t/counter.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=COUNTER
//--- counter.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[3] x, float[1] sum) => (float[1] y)
<int64 trips = {3}, int64[1] first = {0}, int64[1] one = {1}, float[1] limit = {5}>
{
  i, y = Loop (trips, , first, sum) <
    body = l (int64 step, bool c, int64[1] at, float[1] s) => (bool go, int64[1] next, float[1] n)
      { next = Add(at, one) row = Slice(x, at, next) n = Add(s, row) go = Less(n, limit) }>
}
// COUNTER: %[[R0:.*]] = ttc.slice %[[X:.*]] {sizes = [1], starts = [0]
// COUNTER: %[[N0:.*]] = ttc.add %{{.*}}, %[[R0]]
// COUNTER: %[[GO0:.*]] = ttc.compare lt %[[N0]]
// COUNTER: ttc.slice %[[X]] {sizes = [1], starts = [1]
// COUNTER: %[[N1:.*]] = ttc.add %[[N0]],
// COUNTER: ttc.where %{{.*}}, %[[N1]], %[[N0]]
// COUNTER: ttc.slice %[[X]] {sizes = [1], starts = [2]
// COUNTER: %[[N2:.*]] = ttc.add %[[N1]],
// COUNTER: ttc.where
// COUNTER-NOT: ttc.where

// RUN: onnx-text %t/endless.txt %t/endless.onnx --name
// RUN: not ttc-translate --import-onnx --node-limit=5000 %t/endless.onnx 2>&1 | FileCheck %s --check-prefix=ENDLESS
//--- endless.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float x, int64 n) => (float y, float z)
<int64 many = {9000000000000000000}>
{
  y, scanned = Loop (n, , x) <
    body = l (int64 i, bool c, float s) => (bool go, float n, float t) { n = Exp(s) t = Neg(s) go = Identity(c) }>
  z = Loop (many, , x) <
    body = l (int64 i, bool c, float s) => (bool go, float n) { n = Exp(s) go = Identity(c) }>
}
// ENDLESS: node 'Loop_0' (Loop, opset 13): expected input 0 (trip count) to be constant
// ENDLESS: expected at most 5000 nodes (--node-limit) with loops unrolled and functions inlined, found more

// Nothing says how many steps it has at most: the device repeats it.
// RUN: onnx-text %t/repeated.txt %t/repeated.onnx --name
// RUN: ttc-translate --import-onnx %t/repeated.onnx | FileCheck %s --check-prefix=REPEATED
//--- repeated.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x, int64 n) => (float[2] y)
{
  y = Loop (n, , x) <
    body = l (int64 i, bool c, float[2] s) => (bool go, float[2] t) { t = Exp(s) go = Identity(c) }>
}
// REPEATED: func.func @{{.*}}(%[[X:.*]]: tensor<2xf32> {{.*}}, %[[N:.*]]: tensor<i64>
// REPEATED: %[[GO:.*]] = ttc.compare gt %[[N]], %[[ZERO:.*]] :
// REPEATED: %[[V:.*]]:3 = ttc.loop_begin %[[GO]], %[[ZERO]], %[[X]] while at_most 2147483647 fails_at_limit : tensor<i1>, tensor<i64>, tensor<2xf32>
// REPEATED: %[[T:.*]] = ttc.exp %[[V]]#2
// REPEATED: %[[NEXT:.*]] = ttc.add %[[V]]#1, %{{.*}}
// REPEATED: %[[ON:.*]] = ttc.compare gt %[[N]], %[[NEXT]]
// REPEATED: %[[R:.*]]:3 = ttc.loop_end %{{.*}}, %[[NEXT]], %[[T]] : tensor<i1>, tensor<i64>, tensor<2xf32>

// A long loop, of which all is known: its rows are written where they stand. If its states do not keep their types, it is unrolled.
// RUN: onnx-text %t/long.txt %t/long.onnx --name
// RUN: ttc-translate --import-onnx %t/long.onnx | FileCheck %s --check-prefix=LONG
// RUN: not ttc-translate --import-onnx --keep-values --node-limit=5000 %t/long.onnx 2>&1 | FileCheck %s --check-prefix=EMPTY
//--- long.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x, float limit) => (float[2] y, float[3000,2] all, float last, float[2] z)
<int64 trips = {3000}, int64 few = {900}, int64[1] zero = {0}, int64[1] two = {2}, bool on = {1}, float[1] one = {1}>
{
  y, all = Loop (trips, on, x) <
    body = l (int64 i, bool c, float[2] s) => (bool go, float[2] n, float[2] e)
      { go = Identity(c) n = Exp(s) e = Neg(n) }>
  last = Loop (trips, , limit) <
    body = l (int64 i, bool c, float s) => (bool go, float n) { n = Exp(s) go = Less(n, limit) }>
  grown = Loop (few, on, x) <
    body = l (int64 i, bool c, s) => (bool go, n) { go = Identity(c) n = Concat<axis = 0>(s, one) }>
  z = Slice (grown, zero, two)
}
// LONG: %[[L:.*]]:3 = ttc.loop_begin %{{.*}}, %{{.*}}, %{{.*}} times 3000 : tensor<i64>, tensor<2xf32>, tensor<3000x2xf32>
// LONG: %[[N:.*]] = ttc.exp %[[L]]#1
// LONG: ttc.scatter_nd %[[L]]#2,
// LONG: ttc.loop_end
// LONG: ttc.loop_begin %{{.*}} while at_most 3000 : tensor<i1>, tensor<i64>, tensor<f32>
// LONG: ttc.loop_end
// LONG-NOT: ttc.loop_begin
// LONG: ttc.concat

// RUN: not ttc-translate --import-onnx --node-limit=0 %t/endless.onnx 2>&1 | FileCheck %s --check-prefix=NODES
// NODES: --node-limit: expected a positive number, found 0

// A body without nodes does not run forever, and the largest trip count is a number.
// RUN: onnx-text %t/empty.txt %t/empty.onnx --name
// RUN: not ttc-translate --import-onnx --node-limit=5000 %t/empty.onnx 2>&1 | FileCheck %s --check-prefix=EMPTY
//--- empty.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float x) => (float y)
<int64 many = {9223372036854775807}>
{
  y = Loop (many, , x) <body = l (int64 i, bool c, float s) => (bool c, float s) {}>
}
// EMPTY: expected at most 5000 nodes (--node-limit) with loops unrolled and functions inlined, found more

// A scan backwards.
// RUN: onnx-text %t/scan.txt %t/scan.onnx
// RUN: ttc-translate --import-onnx %t/scan.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=SCAN
//--- scan.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[3] init, float[2,3] x) => (float[3] last, float[2,3] all)
{
  last, all = Scan <num_scan_inputs = 1, scan_input_directions = [1],
    body = s (float[3] state, float[3] in) => (float[3] next, float[3] out)
      { next = Add(state, in) out = Exp(next) }> (init, x)
}
// SCAN: @main(%[[INIT:.*]]: tensor<3xf32> {{.*}}, %[[X:.*]]: tensor<2x3xf32>
// SCAN-NEXT: ttc.slice %[[X]] {sizes = [1, 3], starts = [1, 0], steps = [1, 1]}
// SCAN: %[[N0:.*]] = ttc.add %[[INIT]],
// SCAN: ttc.slice %[[X]] {sizes = [1, 3], starts = [0, 0], steps = [1, 1]}
// SCAN: %[[N1:.*]] = ttc.add %[[N0]],
// SCAN: return %[[N1]],
