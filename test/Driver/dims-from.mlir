// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --dims-from: variants for the requests of a file, and what is wrong with a file.
// REQUIRES: compiler, x86-64
// RUN: split-file %s %t
// RUN: onnx-text %t/rows.txt %t/rows.onnx
// RUN: onnx-text %t/pixels.txt %t/pixels.onnx

// Convolutions: one variant for each of the frequent sizes is better than one for each size.
// RUN: cd %t && ttc-translate --onnx-to-bundle pixels.onnx --dims-from=images.csv --variant-limit=3 -o pixels.ttcb 2>&1 | FileCheck %s --check-prefix=PIXELS
// PIXELS: remark: 3 variants of main: H x W 64x96, 96x64, 128x128; expected time 1.15 times that of exact shapes, for the requests of images.csv
// RUN: ttrun read %t/pixels.ttcb | FileCheck %s --check-prefix=READ
// READ: variants/main {{.*}} B
// READ: main: H 1..128, W 1..128
// READ: expected time 1.15 times that of exact shapes, for the requests of images.csv
// READ: variant main.64x96: H 1..64, W 1..96;
// READ: variant main.96x64: H 1..96, W 1..64;
// READ: variant main.128x128: H 1..128, W 1..128;

// What follows the extents needs few buckets. A column of one size is no range.
// RUN: cd %t && ttc-translate --onnx-to-bundle rows.onnx --dims-from=rows.csv -o rows.ttcb 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: remark: 1 variant of main: N 100; expected time 1.06 times
// RUN: ttrun read %t/rows.ttcb | FileCheck %s --check-prefix=FIXED
// FIXED: input {{.*}}f32[N, 3]
// A dimension that the file does not have.
// RUN: cd %t && ttc-translate --onnx-to-bundle rows.onnx --dims-from=n.csv --dim=K:2..3 -o rows.ttcb 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: variant{{s?}} of main: K {{.*}}3; N {{.*}}9; {{.*}} if all sizes are equally frequent
// RUN: cd %t && ttc-translate --onnx-to-bundle rows.onnx rows.onnx --entry=a,b --dims-from=entries.csv --dim=K:3 -o rows.ttcb 2>&1 | FileCheck %s --check-prefix=ENTRIES
// One model of several has variants.
// RUN: cd %t && ttc-translate --onnx-to-bundle rows.onnx rows.onnx --entry=a,b --dim=a/N:3 --dim=b/N:1..8 --dim=K:3 -o one.ttcb
// RUN: ttrun read %t/one.ttcb | FileCheck %s --check-prefix=ONE
// ONE: b: N 1..8
// ENTRIES: of a: N {{.*}}8;
// ENTRIES: of b: N {{.*}}5;
// RUN: cd %t && ttc-translate --onnx-to-bundle rows.onnx --dims-from=one.csv --dim=K:3 -o one.ttcb 2>&1 | count 0

// One dimension of two that have no name.
// RUN: onnx-text %t/open.txt %t/open.onnx
// RUN: cd %t && ttc-translate --onnx-to-bundle open.onnx --dims-from=open.csv -o open.ttcb 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: of main: a.0 {{.*}}9;

// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=no-file.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: --dims-from: no-file.csv: cannot read the file: No such file or directory
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=unknown.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: --dims-from names 'user', but the named dimensions of the graph's inputs are: N, K
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=n.csv --dim=N:4 --dim=K:3 -o no.ttcb 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --dims-from: n.csv: 'N' is a column here; expected no --dim of it
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=empty.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.csv: expected a line for each request, found none
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=header.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=HEADER
// HEADER: header.csv: line 1: expected the names of dimensions, such as batch,sequence; found '3,4'
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=zero.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: zero.csv: line 3: 'N': expected a whole number from 1, found '0'
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=text.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.csv: line 2: 'N': expected a whole number from 1, found '3.5'
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=fields.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=FIELDS
// FIELDS: fields.csv: line 2: expected 2 fields, one for each column, found 1
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=same.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: same.csv: line 1: found the column 'N' twice
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=counts.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: counts.csv: line 1: expected a column for each dimension, found 'count' alone
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=n.csv --dims-from=rows.csv -o no.ttcb 2>&1 | FileCheck %s --check-prefix=FILES
// FILES: rows.csv: expected one file, found also 'n.csv'
// RUN: cd %t && not ttc-translate --onnx-to-bundle rows.onnx --dims-from=n.csv --variant-limit=0 -o no.ttcb 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: --variant-limit: expected a number from 1 to 64 and --dims-from, found 0
// RUN: not ttc compile %t/rows.csv.mlir --dims-from=n.csv 2>&1 | FileCheck %s --check-prefix=MLIR
// MLIR: rows.csv.mlir: error: expected a function, found none
// RUN: test ! -e %t/no.ttcb

// A list whose sizes alone run, because other numbers of rows are errors.
// RUN: onnx-text %t/halves.txt %t/halves.onnx
// RUN: ttc-translate --onnx-to-bundle %t/halves.onnx --dim=N:8,16 -o %t/halves.ttcb 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: remark: main runs only sizes of N 8..16 by 8, because the model has no meaning for others: node 'pooled' (MaxPool, opset 13): {{.*}}found 2 and 1
// HALVES: remark: 2 variants of main: N 8, 16; expected time 1.{{[0-9]+}} times that of exact shapes, if all sizes are equally frequent

//--- rows.txt
<ir_version: 8, opset_import: ["" : 13]>
rows (float[N, K] x) => (float[N, K] y) {
  y = Exp(x)
}
//--- pixels.txt
<ir_version: 8, opset_import: ["" : 13]>
pixels (float[1, 1, H, W] x) => (float[1, 1, H, W] y)
<float[1, 1, 3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {
  y = Conv <pads = [1, 1, 1, 1]> (x, w)
}
//--- halves.txt
<ir_version: 8, opset_import: ["" : 13]>
halves (float[1, 2, N, 4] x) => (float[1, 2, N, 4] y)
<float[4] scales = {1, 1, 2, 1}> {
  pooled = MaxPool <kernel_shape = [2, 1], strides = [2, 1]> (x)
  up = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"> (pooled, , scales)
  y = Add(x, up)
}
//--- open.txt
<ir_version: 8, opset_import: ["" : 13]>
open (float[?] a, float[?] b) => (float[N] y) {
  y = Add(a, b)
}
//--- open.csv
a.0=b.0
4
9
//--- images.csv
"H", W, count
64,96,1000
96,64,1000

100,128,100
128,100,100
1,1,0
//--- rows.csv
N,K
10,3
100,3
37,3
//--- n.csv
N
3
9
//--- entries.csv
a/N,b/N
3,4
8,5
//--- one.csv
N
7
7
//--- unknown.csv
N,user
3,4
5,6
//--- empty.csv
N,K
//--- header.csv
3,4
//--- zero.csv
N
1
0
//--- text.csv
N
3.5
//--- fields.csv
N,K
3
//--- same.csv
N,N
//--- counts.csv
count
3
//--- rows.csv.mlir
