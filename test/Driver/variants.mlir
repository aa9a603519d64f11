// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models for ranges of sizes: which variants there are, and what cannot be asked for.
// REQUIRES: compiler, x86-64
// RUN: split-file %s %t
// RUN: onnx-text %t/rows.txt %t/rows.onnx
// RUN: ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:1..64 -o %t/rows.ttcb
// RUN: ttrun read %t/rows.ttcb | FileCheck %s
// CHECK: main: N 1..64
// CHECK: input {{.*}}f32[N, 3]
// CHECK: output {{.*}}f32[3]
// CHECK: variant main.16: N 1..16;
// CHECK: variant main.32: N 1..32;
// CHECK: variant main.64: N 1..64;
// RUN: ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:2,5 -o %t/list.ttcb
// RUN: ttrun read %t/list.ttcb | FileCheck %s --check-prefix=LIST
// LIST: variant main.2: N 1..2;
// LIST: variant main.5: N 1..5;
// RUN: ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:8..16:4 -o %t/step.ttcb
// RUN: ttrun read %t/step.ttcb | FileCheck %s --check-prefix=STEP
// STEP: main: N 8..16

// RUN: not ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:5,2 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:9..16:4 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: --dim: 'N:{{.*}}': expected a name and a size, such as sequence:128, a range
// RUN: not ttc-translate --import-onnx %t/rows.onnx --dim=N:1..64 2>&1 | FileCheck %s --check-prefix=IMPORT
// IMPORT: expected one size for each dimension, found several for 'N': --onnx-to-bundle compiles for several
// RUN: not ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:1..64 --keep-values -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: --keep-values: expected one size for each --dim, found several for 'N'
// RUN: not ttc-translate --onnx-to-bundle %t/rows.onnx --dim=N:1..64 --mesh=2 --parallel=pipeline -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: a model for ranges of sizes ('main') has no stages; expected one size for each --dim with pipeline and micro-batches
// RUN: test ! -e %t/no.ttcb

// The last row but one is at another place in each run; with one row, there is no last but one.
// RUN: onnx-text %t/last.txt %t/last.onnx
// RUN: ttc-translate --onnx-to-bundle %t/last.onnx --dim=N:2..64 -o %t/last.ttcb
// RUN: not ttc-translate --onnx-to-bundle %t/last.onnx --dim=N:1..64 -o %t/no.ttcb 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: {{.*}}'ttc.slice' op {{.*}}expected a part that is valid in every run, found

//--- rows.txt
<ir_version: 8, opset_import: ["" : 13]>
rows (float[N, 3] x) => (float[3] y) {
  y = ReduceMax <axes = [0], keepdims = 0> (x)
}
//--- last.txt
<ir_version: 8, opset_import: ["" : 13]>
last (float[N, 3] x) => (float[1, 3] y)
<int64[1] start = {-2}, int64[1] end = {-1}, int64[1] axis = {0}> {
  y = Slice(x, start, end, axis)
}
