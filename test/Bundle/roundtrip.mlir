// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle read as IR with its locations and written again is the same file, byte for byte; so is
// one compiled again.
// RUN: ttc-opt %s --ttc-trace-pipeline=target-cpu=x86-64-v2 | ttc-translate --ttc-to-bundle -o %t.ttcb
// RUN: ttrun check %t.ttcb
// RUN: ttc-translate --bundle-to-ttc --mlir-print-debuginfo %t.ttcb -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ttc-translate --ttc-to-bundle %t.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb
// RUN: ttc-opt %s --ttc-trace-pipeline=target-cpu=x86-64-v2 | ttc-translate --ttc-to-bundle -o %t.twice.ttcb
// RUN: cmp %t.ttcb %t.twice.ttcb

// CHECK: module attributes {ttc.target = #ttc.target<name = "cpu"
// CHECK: ttc.program @{{.*}} -> (tensor<80xi8> {ttc.in_place = array<i64: 0, 1>}) attributes {flops = 40 : i64
// CHECK-DAG: ttc.buffer constant @{{.*}} : tensor<20xf32> = dense<
// CHECK-DAG: ttc.buffer slot @x : tensor<20xf32> in dram at 0x1000 size 128
// CHECK-DAG: ttc.buffer slot @y : tensor<5x4xf32> in dram at 0x1080 size 128
// CHECK: ttc.trace @main_t0 region at dram
// CHECK:   ttc.cmd.dispatch @{{.*}} into (@y)
// CHECK:   ttc.cmd.end
// CHECK: ttc.entry @main {
// CHECK:   ttc.input "x" at @x : tensor<20xf32>
// CHECK:   ttc.output "y" at @y : tensor<5x4xf32>
// CHECK:   ttc.schedule "single" queues 1 body {
// CHECK:     ttc.enqueue.write 0 to @x on 0
// CHECK:     ttc.enqueue.execute @main_t0 on 0
// CHECK:     ttc.enqueue.read 0 from @y on 0
// CHECK: ttc.binary @code
func.func @main(%x: tensor<20xf32> {ttc.name = "x"}) -> (tensor<5x4xf32> {ttc.name = "y"}) {
  %w = ttc.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0]> : tensor<20xf32>
  %0 = ttc.mul %x, %w : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
  %1 = ttc.relu %0 : (tensor<20xf32>) -> tensor<20xf32>
  %2 = ttc.reshape %1 : (tensor<20xf32>) -> tensor<5x4xf32>
  return %2 : tensor<5x4xf32>
}
