// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-trace-pipeline=instrument=true | FileCheck %s
// RUN: ttc-opt %s --ttc-trace-pipeline | FileCheck %s --check-prefix=PLAIN

// A hand-written program has the zones that it names, others automatic ones.
// CHECK: ttc.program @written(tensor<64x64xf32>) -> {{.*}}markers
// CHECK: ttc.program private @softmax{{.*}}markers
// CHECK: ttc.binary @code {{.*}} {zone_names = ["body", "mine", "softmax.exp"{{.*}}]}
// PLAIN-NOT: {{markers|zone_names}}
// PLAIN: ttc.binary
ttc.program @written(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = ttc.zone "mine" {
  %1 = ttc.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  ttc.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  ttc.return %r : tensor<64x64xf32>
}

func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ttc.dispatch @written(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = ttc.softmax %0 {axis = 1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
