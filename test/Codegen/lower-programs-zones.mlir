// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t

// Zones leave nothing in a program without markers: the machine code with them and without is the same.
// RUN: ttc-opt %t/zones.mlir --ttc-lower-programs --ttc-compile-programs -o %t/zones.out
// RUN: ttc-opt %t/bare.mlir --ttc-lower-programs --ttc-compile-programs -o %t/bare.out
// RUN: cmp %t/zones.out %t/bare.out
// RUN: FileCheck %s < %t/zones.out
// CHECK: ttc.binary @code dense_resource<code> : tensor<{{[0-9]+}}xi8>{{$}}

// With markers, each loop nest is in its zone, and ops are fused as before.
// RUN: sed 's/> {$/> attributes {markers} {/' %t/zones.mlir > %t/marked.mlir
// RUN: ttc-opt %t/marked.mlir --ttc-lower-programs --ttc-compile-programs | FileCheck %s --check-prefix=MARKED
// MARKED: ttc.program @p({{.*}} attributes {grid = {{[0-9]+}} : i64, markers, scratch_bytes = {{[0-9]+}} : i64}
// MARKED: ttc.binary @code {{.*}} {zone_names = ["body", "first+second", "sums"]}

//--- zones.mlir
ttc.program @p(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ttc.zone "first" {
    %1 = ttc.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
    ttc.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  %2 = ttc.zone "second" {
    %3 = ttc.sqrt %0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
    ttc.yield %3 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  %4 = ttc.zone "sums" {
    %5 = ttc.softmax %2 {axis = 1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    ttc.yield %5 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  ttc.return %4 : tensor<64x64xf32>
}

//--- bare.mlir
ttc.program @p(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %1 = ttc.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = ttc.sqrt %1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = ttc.softmax %3 {axis = 1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  ttc.return %5 : tensor<64x64xf32>
}
