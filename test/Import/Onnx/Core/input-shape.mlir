// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic dimensions, and --input-shape, which sets them.
// RUN: split-file %s %t
// RUN: onnx-text %t/dynamic.txt %t/dynamic.onnx
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: graph input 'x' has dynamic shape [N, 3]; expected a size for each dimension
// OPEN: error: graph input 'z' has dynamic shape [N, M]
// One command for all; a name has one size.
// OPEN: note: this sets all; a name has one size in all inputs that share it: ttc-translate --import-onnx {{.*}}dynamic.onnx --dim=N:1 --dim=M:1{{$}}
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --dim=N:4 2>&1 | FileCheck %s --check-prefix=REST
// REST-NOT: 'x'
// REST: note: this sets it: ttc-translate --import-onnx {{.*}}dynamic.onnx --dim=N:4 --dim=M:1{{$}}
// ttc passes the command on; the default output is its own.
// RUN: cd %t && not ttc dynamic.onnx 2>&1 | FileCheck %s --check-prefix=TTC
// TTC: : ttc dynamic.onnx --dim=N:1 --dim=M:1{{$}}
// RUN: cd %t && not ttc dynamic.onnx --queues=1 -o 'a b.ttcb' 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: : ttc dynamic.onnx --queues=1 -o 'a b.ttcb' --dim=N:1 --dim=M:1{{$}}
// Dimensions without a name have one by input and axis.
// RUN: onnx-text %t/unnamed.txt %t/unnamed.onnx
// RUN: not ttc-translate --import-onnx %t/unnamed.onnx 2>&1 | FileCheck %s --check-prefix=UNNAMED
// UNNAMED: error: graph input 'img' has dynamic shape [B, 3, img.2, img.3]; expected a size for each dimension
// UNNAMED: unnamed.onnx --dim=B:1 --dim=img.2:224 --dim=img.3:224{{$}}
// RUN: onnx-text %t/open.txt %t/open.onnx
// RUN: not ttc-translate --import-onnx %t/open.onnx 2>&1 | FileCheck %s --check-prefix=NUMBERED
// NUMBERED: error: graph input 'ids' has dynamic shape [ids.0, ids.1]; expected a size for each dimension
// NUMBERED: error: graph input 'mask' has dynamic shape [mask.0, mask.1]
// NUMBERED: note: this sets all: {{.*}}open.onnx --dim=ids.0:1 --dim=ids.1:128 --dim=mask.0:1 --dim=mask.1:128{{$}}
// RUN: ttc-translate --import-onnx %t/open.onnx --dim=ids.0:1 --dim=ids.1:4 --dim=mask.0:1 --dim=mask.1:4 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=NAMED
// Two dimensions can be one.
// RUN: ttc-translate --import-onnx %t/open.onnx --dim=ids.0=mask.0:1 --dim=ids.1=mask.1:4 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=NAMED
// NAMED: tensor<1x4xi64> {ttc.name = "ids"}, %arg1: tensor<1x4xi64> {ttc.name = "mask"}
// RUN: ttc-translate --onnx-to-bundle %t/open.onnx --dim=ids.0=mask.0:1 --dim=ids.1=mask.1:2,4 -o %t/open.ttcb 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: 2 variants of main: ids.1 2, 4;
// RUN: ttrun read %t/open.ttcb | FileCheck %s --check-prefix=READ
// READ: main: ids.1 1..4
// READ-NEXT: input ids i64[1, ids.1]
// READ-NEXT: input mask i64[1, ids.1]
// RUN: ttrun run %t/open.ttcb --dim=ids.1:3 --random | FileCheck %s --check-prefix=THREE
// THREE: s i64[1, 3]
// RUN: ttc-translate --onnx-to-bundle %t/open.onnx %t/open.onnx --entry=a,b --dim=ids.0=mask.0:1 --dim=a/ids.1=a/mask.1:3 --dim=b/ids.1=b/mask.1:4 -o %t/two.ttcb
// RUN: not ttc-translate --onnx-to-bundle %t/open.onnx --dim=ids.0=mask.0:1 --dim=ids.1:1..4 --dim=mask.1:1..4 -o %t/open.ttcb 2>&1 | FileCheck %s --check-prefix=APART
// APART: (Add, opset 13): {{.*}}found [1, 2] and [1, 4]
// APART: note: dimensions that always have the same size can be one: name them 'ids.1=mask.1' in --dim{{$}}
// RUN: not ttc-translate --import-onnx %t/open.onnx --dim=ids.0=masc.0:1 2>&1 | FileCheck %s --check-prefix=ALIAS
// ALIAS: --dim names 'masc.0', but the open dimensions of the graph's inputs are: ids.0, ids.1, mask.0, mask.1
// A name that has '=' itself.
// RUN: not ttc-translate --import-onnx %t/open.onnx --dim=ids.0=mask:1 2>&1 | FileCheck %s --check-prefix=EQUALS
// EQUALS: --dim names 'ids.0=mask', but the named dimensions of the graph's inputs are: ids.0, ids.1, mask.0, mask.1
// RUN: not ttc-translate --import-onnx %t/open.onnx --dim=ids.0=mask.0:1 --dim=mask.0:1 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: --dim: 'mask.0:1': found the name twice
// RUN: onnx-text %t/mixed.txt %t/mixed.onnx --raw=w:20
// RUN: not ttc-translate --import-onnx %t/mixed.onnx 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: note: this sets all; a name has one size in all inputs that share it: {{.*}}mixed.onnx --dim=a.0:1 --dim=F:5{{$}}
// RUN: ttc-translate --import-onnx %t/mixed.onnx --input-shape=a:1x5 -o /dev/null
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=z:6x3 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: this sets it: {{.*}} --input-shape=y:1x3{{$}}
// Ranges, which are for bundles. The name says more than four dimensions with a small one.
// RUN: onnx-text %t/cache.txt %t/cache.onnx
// RUN: not ttc-translate --onnx-to-bundle %t/cache.onnx 2>&1 | FileCheck %s --check-prefix=CACHE
// CACHE: cache.onnx --dim=batch:1 --dim=seq_len:128{{$}}
// CACHE-NEXT: note: a range of sizes makes one bundle for all of them (docs/shapes.md): --dim=seq_len:1..128{{$}}
// RUN: ttc-translate --onnx-to-bundle %t/cache.onnx --dim=batch:1 --dim=seq_len:1..128 -o %t/cache.ttcb
// RUN: not ttc-translate --onnx-to-bundle %t/unnamed.onnx 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: (docs/shapes.md): --dim=img.2:112..224{{$}}
// RUN: not ttc-translate --import-onnx %t/cache.onnx 2>&1 | FileCheck %s --check-prefix=NO-RANGE
// NO-RANGE-NOT: range
// Python's and ttrun's callers have other words.
// RUN: not ttc-translate --import-onnx %t/unnamed.onnx --caller=python 2>&1 | FileCheck %s --check-prefix=PYTHON
// PYTHON: this sets it: ttc.compile(model, dims={"B": 1, "img.2": 224, "img.3": 224}){{$}}
// RUN: not ttc-translate --import-onnx %t/unnamed.onnx --caller=ttrun 2>&1 | FileCheck %s --check-prefix=BENCH
// BENCH: this sets it: --compile=--dim=B:1 --compile=--dim=img.2:224 --compile=--dim=img.3:224{{$}}
// RUN: not ttc-translate --import-onnx %t/unnamed.onnx --caller=python --dim=Q:1 --input-shape=y:2x2 2>&1 | FileCheck %s --check-prefix=PYTHON-NAMES
// PYTHON-NAMES: error: dims names 'Q', but
// PYTHON-NAMES: error: inputs names 'y', but

// The example is what such an input usually has, not one token or pixel.
// RUN: onnx-text %t/likely.txt %t/likely.onnx
// RUN: not ttc-translate --import-onnx %t/likely.onnx 2>&1 | FileCheck %s --check-prefix=LIKELY
// LIKELY: --dim=batch:1 --dim=sequence:128 --dim=N:1 --dim=H:224 --dim=W:224 --dim=height:224 --dim=width:224 --dim=samples:16000 --dim=time:128 --dim=past_length:0{{$}}
// What weights need, and sizes with which the model can be imported.
// RUN: onnx-text %t/weights.txt %t/weights.onnx --raw=w:40 --raw=k:48
// RUN: not ttc-translate --import-onnx %t/weights.onnx 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: --dim=rows:1 --dim=features:5 --dim=N:1 --dim=C:6 --dim=H:28 --dim=W:28{{$}}
// RUN: ttc-translate --import-onnx %t/weights.onnx --dim=rows:1 --dim=features:5 --dim=N:1 --dim=C:6 --dim=H:28 --dim=W:28 -o /dev/null
// RUN: ttc-translate --import-onnx %t/likely.onnx --dim=batch:1 --dim=sequence:128 --dim=N:1 --dim=H:224 --dim=W:64 --dim=height:1 --dim=width:1 --dim=samples:2 --dim=time:1 --dim=past_length:0 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=DIMS
// DIMS: tensor<1x128xi64> {ttc.name = "ids"}, {{.*}}tensor<1x3x224x64xf32> {ttc.name = "image"}
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --dim=N:5 --input-shape=z:6x3 --dim=Q:1 2>&1 | FileCheck %s --check-prefix=DIM-WRONG
// DIM-WRONG: --input-shape=z:6x3 contradicts --dim=N:5
// DIM-WRONG: --dim names 'Q', but the named dimensions of the graph's inputs are: N, M
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --dim=N:-1 2>&1 | FileCheck %s --check-prefix=DIM-FORM
// DIM-FORM: --dim: 'N:-1': expected a name and a size, such as sequence:128

// One input sets N for the others.
// RUN: ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=z:5x3 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=FIXED
// FIXED: @main(%arg0: tensor<5x3xf32> {ttc.name = "x"}, %arg1: tensor<5x3xf32> {ttc.name = "y"}, %arg2: tensor<5x3xf32> {ttc.name = "z"})

// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x4 --input-shape=z:6x3 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: --input-shape=x:5x4 contradicts the model, whose shape is [N, 3]
// Two sizes of a name say nothing about other inputs that have it.
// WRONG: graph input 'y' has dynamic shape [N, 3]

// Exporters give different dimensions the same name. Each input may have its own size.
// RUN: onnx-text %t/same.txt %t/same.onnx
// RUN: ttc-translate --import-onnx %t/same.onnx --input-shape=x:5x3 --input-shape=y:2x3 --mlir-print-debuginfo=false | FileCheck %s --check-prefix=SAME
// SAME: @main(%arg0: tensor<5x3xf32> {ttc.name = "x"}, %arg1: tensor<2x3xf32> {ttc.name = "y"})

// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=z:5x3 --input-shape=q:1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: --input-shape names 'q', but the graph's inputs are: x, y, z

// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x 2>&1 | FileCheck %s --check-prefix=NOCOLON
// NOCOLON: --input-shape: 'x': expected name:1x3x224x224, found no colon
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:1xN 2>&1 | FileCheck %s --check-prefix=NONUMBER
// NONUMBER: 'x:1xN': expected name:1x3x224x224, found the dimension 'N'
// RUN: not ttc-translate --import-onnx %t/dynamic.onnx --input-shape=x:5x3 --input-shape=x:5x3 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: found the name twice

//--- dynamic.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[N,3] x, float[N,3] y, float[N,M] z) => (float[N,3] r)
{
  s = Add(x, y)
  r = Add(s, z)
}

//--- cache.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[batch,4,seq_len,8] keys) => (float[batch,4,seq_len,8] r)
{
  r = Relu(keys)
}

//--- same.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[N,3] x, float[N,3] y) => (float[M,3] r)
{
  r = Concat<axis = 0>(x, y)
}

//--- unnamed.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[B,3,?,?] img) => (float[B,3,H,W] r)
{
  r = Relu(img)
}

//--- open.txt
<ir_version: 8, opset_import: ["" : 13]>
g (int64[?,?] ids, int64[?,?] mask) => (int64[A,B] s)
{
  s = Add(ids, mask)
}

//--- weights.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[rows,features] x, float[N,C,H,W] image) => (float[rows,F] y, float[N,4704] z)
<float[2,5] w = {0.0}, float[6,2,1,1] k = {0.0}, int64[2] flat = {1, 4704}>
{
  s = Relu(x)
  t = Transpose<perm = [1, 0]>(w)
  y = MatMul(s, t)
  c = Conv<group = 3>(image, k)
  z = Reshape(c, flat)
}

//--- mixed.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[?,F] a, float[F] b) => (float[N,F] r)
<float[5] w = {0.0}>
{
  s = Add(b, w)
  r = Add(a, s)
}

//--- likely.txt
<ir_version: 8, opset_import: ["" : 13]>
g (int64[batch,sequence] ids, float[N,3,H,W] image, float[N,height,width,3] last, float[batch,samples] wave,
   float[batch,time,80] mel, float[batch,8,past_length,64] past) => (float[N,3,H,W] r)
{
  r = Relu(image)
}
