// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-trace-pipeline=instrument=true | FileCheck %s

// Programs that are made after outlining have markers, too: the copy of %y into the result.
// CHECK: ttc.program private @relu{{.*}}markers
// CHECK: ttc.program private @copy{{.*}}markers
// CHECK: ttc.binary @code {{.*}} {zone_names = ["body", "relu"]}
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = ttc.relu %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = ttc.concat %0, %y {axis = 0} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %1 : tensor<128x64xf32>
}
