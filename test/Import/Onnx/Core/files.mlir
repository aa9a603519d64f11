// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged files, weights of the wrong size, and external data.
// RUN: rm -rf %t && split-file %s %t
// RUN: onnx-text %t/m.txt %t/m.onnx

// RUN: not ttc-translate --import-onnx %t/nothing-here.onnx 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: nothing-here.onnx
// RUN: touch %t/empty.onnx && not ttc-translate --import-onnx %t/empty.onnx 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.onnx: error: the file is empty
// RUN: head -c 100 %t/m.onnx > %t/cut.onnx && not ttc-translate --import-onnx %t/cut.onnx 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: cut.onnx: error: not an ONNX model, or damaged or cut off (found 100 bytes
// RUN: not ttc-translate --import-onnx %s 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: files.mlir: error: not an ONNX model

// RUN: onnx-text %t/m.txt %t/raw.onnx --raw=w:4095
// RUN: not ttc-translate --import-onnx %t/raw.onnx 2>&1 | FileCheck %s --check-prefix=RAW
// RAW: initializer 'w': expected 4096 bytes of raw data for 'tensor<32x32xf32>', found 4095
// RUN: onnx-text %t/few.txt %t/few.onnx
// RUN: not ttc-translate --import-onnx %t/few.onnx 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: initializer 'w': expected 4 elements for the tensor's shape [2, 2], found 3
// RUN: onnx-text %t/string.txt %t/string.onnx
// RUN: not ttc-translate --import-onnx %t/string.onnx 2>&1 | FileCheck %s --check-prefix=STRING
// STRING: initializer 'w': element type string is not supported

// External data: relative to the model, mapped, never from elsewhere.
// RUN: head -c 8192 /dev/zero > %t/weights.bin
// RUN: onnx-text %t/m.txt %t/external.onnx --external=w:weights.bin:4096:4096
// RUN: ttc-translate --import-onnx %t/external.onnx | FileCheck %s --check-prefix=EXTERNAL
// EXTERNAL: ttc.constant dense_resource<w> : tensor<32x32xf32>
// RUN: onnx-text %t/m.txt %t/short.onnx --external=w:weights.bin:4100:
// RUN: not ttc-translate --import-onnx %t/short.onnx 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: initializer 'w': external data 'weights.bin' has 8192 bytes, but 4096 bytes from offset 4100 are needed
// RUN: onnx-text %t/m.txt %t/length.onnx --external=w:weights.bin:0:100
// RUN: not ttc-translate --import-onnx %t/length.onnx 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: expected 4096 bytes of external data for 'tensor<32x32xf32>', found 100
// RUN: onnx-text %t/m.txt %t/offset.onnx --external=w:weights.bin:-1:
// RUN: not ttc-translate --import-onnx %t/offset.onnx 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: external data has an offset that is not a number: '-1'
// RUN: onnx-text %t/m.txt %t/absent.onnx --external=w:absent.bin:0:4096
// RUN: not ttc-translate --import-onnx %t/absent.onnx 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: initializer 'w': cannot find external data
// RUN: mkdir -p %t/inner && onnx-text %t/m.txt %t/inner/up.onnx --external=w:../weights.bin:0:4096
// RUN: not ttc-translate --import-onnx %t/inner/up.onnx 2>&1 | FileCheck %s --check-prefix=UP
// UP: expected external data below the model's folder, found '../weights.bin'
// RUN: onnx-text %t/m.txt %t/absolute.onnx --external=w:/etc/passwd:0:4096
// RUN: not ttc-translate --import-onnx %t/absolute.onnx 2>&1 | FileCheck %s --check-prefix=ABSOLUTE
// ABSOLUTE: expected external data below the model's folder, found '/etc/passwd'
// RUN: ln -s ../weights.bin %t/inner/link.bin && onnx-text %t/m.txt %t/inner/link.onnx --external=w:link.bin:0:4096
// RUN: not ttc-translate --import-onnx %t/inner/link.onnx 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: external data 'link.bin' leads out of the model's folder
// RUN: cat %t/external.onnx | not ttc-translate --import-onnx 2>&1 | FileCheck %s --check-prefix=STDIN
// STDIN: external data 'weights.bin' can only be found when the model is read from a file

//--- m.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[4,32] x) => (float[4,32] y)
<float[32,32] w = {0}>
{
  a = MatMul(x, w)
  y = Relu(a)
}
//--- few.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2,2] x) => (float[2,2] y)
<float[2,2] w = {1, 2, 3}>
{
  y = Add(x, w)
}
//--- string.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y)
<string[2] w = {"a", "b"}>
{
  y = Add(x, w)
}
