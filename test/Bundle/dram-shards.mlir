// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An input in shards in DRAM, which the trace moves to shards in L1: the bundle says so, and the outputs are those of whole
// tensors.
// REQUIRES: compiler
// RUN: split-file %s %t
// RUN: ttc-opt %t/shards.mlir --ttc-trace-pipeline="target=wormhole_n150 queues=1" | ttc-translate --ttc-to-bundle -o %t/shards.ttcb
// RUN: ttc-opt %t/whole.mlir --ttc-trace-pipeline="target=wormhole_n150 queues=1" | ttc-translate --ttc-to-bundle -o %t/whole.ttcb
// RUN: ttrun read %t/shards.ttcb --buffers | FileCheck %s
// 4 of the 12 banks have 128 bytes.
// CHECK: {{^ *}}1536 {{.*}} slot x 8x16xf32, 4 shards
// CHECK: {{^ *}}64 {{.*}} activation main_t0_0 8x16xf32, 8 shards
// RUN: ttrun run %t/whole.ttcb --random=5 --output y=%t/y.npy
// RUN: ttrun run %t/shards.ttcb --random=5 --cores=3 --expect y=%t/y.npy --rtol=0
// RUN: ttc-translate --bundle-to-ttc %t/shards.ttcb | ttc-translate --ttc-to-bundle -o %t/again.ttcb
// RUN: cmp %t/shards.ttcb %t/again.ttcb

//--- shards.mlir
#banks = #ttc.layout<dram, height_sharded, grid = [4, 1]>
#cores = #ttc.layout<l1, height_sharded, grid = [8, 1]>
func.func @main(%x: tensor<8x16xf32> {ttc.name = "x"}) -> (tensor<8x16xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<8x16xf32> {
    %d = ttc.to_device %x : tensor<8x16xf32> to tensor<8x16xf32, #banks>
    %0 = ttc.to_memory %d : tensor<8x16xf32, #banks> to tensor<8x16xf32, #cores>
    %1 = ttc.dispatch @relu(%0) : (tensor<8x16xf32, #cores>) -> tensor<8x16xf32, #cores>
    %2 = ttc.to_memory %1 : tensor<8x16xf32, #cores> to tensor<8x16xf32>
    %r = ttc.from_device %2 : tensor<8x16xf32> to tensor<8x16xf32>
    ttc.yield %r : tensor<8x16xf32>
  }
  return %h : tensor<8x16xf32>
}
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}

//--- whole.mlir
func.func @main(%x: tensor<8x16xf32> {ttc.name = "x"}) -> (tensor<8x16xf32> {ttc.name = "y"}) {
  %0 = ttc.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
