// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module carries beside its ops is in its bundle, and comes back from it.
// RUN: ttc-opt %s --ttc-trace-pipeline=target-cpu=x86-64-v2 | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttrun check %t.ttcb
// RUN: ttc-translate --bundle-to-ttc --mlir-print-debuginfo %t.ttcb -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb
// RUN: ttrun read %t.ttcb | FileCheck %s --check-prefix=TEXT
// RUN: ttrun read %t.ttcb --metadata-value=bytes > %t.bytes
// RUN: %python -c "assert open('%t.bytes', 'rb').read() == bytes([0, 1, 255, 34])"
// RUN: not ttrun read %t.ttcb --metadata-value=none 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {ttc.metadata = {architecture = "llama", bytes = "\00\01\FF\22", "chat template" = "", tokenizer = "{{x+}}"}, ttc.target
// TEXT: metadata of the model
// TEXT-NEXT: architecture 5 B: llama
// TEXT-NEXT: bytes 4 B:
// TEXT-NEXT: chat template 0 B{{$}}
// TEXT-NEXT: tokenizer 48 B{{$}}
// NONE: no metadata 'none'; the bundle has: architecture, bytes, chat template, tokenizer
module attributes {ttc.metadata = {tokenizer = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", architecture = "llama", "chat template" = "", bytes = "\00\01\FF\22"}} {
  func.func @main(%x: tensor<20xf32> {ttc.name = "x"}) -> (tensor<20xf32> {ttc.name = "y"}) {
    %0 = ttc.relu %x : (tensor<20xf32>) -> tensor<20xf32>
    return %0 : tensor<20xf32>
  }
}
