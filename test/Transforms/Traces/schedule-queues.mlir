// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which schedules an entry point shall have, and how many slots its inputs and outputs.
// RUN: ttc-opt %s --ttc-schedule-queues | FileCheck %s --check-prefix=SINGLE
// RUN: ttc-opt %s --ttc-schedule-queues="schedules=overlap-io,single slots=3" | FileCheck %s --check-prefix=RING
// RUN: ttc-opt %s --ttc-schedule-queues="schedules=all" | FileCheck %s --check-prefix=ALL
// RUN: ttc-opt %s --ttc-schedule-queues="schedules=all queues=1" | FileCheck %s --check-prefix=ONE
// RUN: not ttc-opt %s --ttc-schedule-queues="schedules=all queues=3" 2>&1 | FileCheck %s --check-prefix=QUEUES
// RUN: sed "s/queues = 2/queues = 1/" %s | not ttc-opt --ttc-schedule-queues="schedules=all queues=2" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not ttc-opt %s --ttc-schedule-queues="schedules=overlap-io queues=1" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not ttc-opt %s --ttc-schedule-queues="schedules=overlap" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ttc-opt %s --ttc-schedule-queues="slots=2" 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: not ttc-opt %s --ttc-schedule-queues="schedules=overlap-io slots=0" 2>&1 | FileCheck %s --check-prefix=NO-SLOT
// RUN: not ttc-opt %s --ttc-schedule-queues="schedules=overlap-io slots=1025" 2>&1 | FileCheck %s --check-prefix=MOST

// SINGLE: ttc.buffer slot @x : tensor<4xf32> in dram
// SINGLE-NEXT: ttc.buffer slot @output0 : tensor<4xf32> in dram
// SINGLE-NEXT: ttc.entry @main {
// SINGLE-NEXT: ttc.input "x" at @x : tensor<4xf32>
// SINGLE-NEXT: ttc.output "output0" at @output0 : tensor<4xf32>
// SINGLE-NEXT: ttc.schedule "single" queues 1 body {
// SINGLE-NEXT: ttc.enqueue.write 0 to @x on 0
// SINGLE-NEXT: ttc.enqueue.execute @t0 on 0
// SINGLE-NEXT: ttc.enqueue.read 0 from @output0 on 0

// An input that is an output has one slot.
// RING: ttc.buffer slot @x_slot1 : tensor<4xf32> in dram
// RING-NEXT: ttc.buffer slot @x_slot2 : tensor<4xf32> in dram
// RING-NEXT: ttc.buffer slot @output0_slot1 : tensor<4xf32> in dram
// RING-NEXT: ttc.buffer slot @output0_slot2 : tensor<4xf32> in dram
// RING-NEXT: ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
// RING-NEXT: ttc.input "x" at @x ring [@x_slot1, @x_slot2] : tensor<4xf32>
// RING-NEXT: ttc.output "output0" at @output0 ring [@output0_slot1, @output0_slot2] : tensor<4xf32>
// RING: ttc.input "x" at @x_0 : tensor<4xf32>
// RING-NEXT: ttc.output "output0" at @x_0 : tensor<4xf32>

// ALL: wanted_schedules = ["overlap-io-signals", "overlap-io", "overlap-input", "single-untraced", "overlap-io-untraced", "overlap-input-untraced"]
// ONE: wanted_schedules = ["single-untraced"]

// TARGET: expected queues of at most 1, as many as small has; found queues=2
// QUEUES: for the --queues option: expected 1, 2 or all, found '3'
// FEW: expected schedules for 1 queue, found 'overlap-io', which takes 2
// NAME: for the --schedules option: expected all, single, overlap-io-signals, {{.*}} or overlap-input-untraced, found 'overlap'
// SLOTS: expected slots=1, or up to 1024 where a schedule has two queues; found slots=2 and none with two queues
// NO-SLOT: expected slots=1, or up to 1024 where a schedule has two queues; found slots=0
// MOST: expected slots=1, or up to 1024 where a schedule has two queues; found slots=1025
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.program @f(tensor<4xf32>) -> tensor<4xf32>
  ttc.trace @t0(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %y : tensor<4xf32>
  }
  func.func @main(%x: tensor<4xf32> {ttc.name = "x"}) -> tensor<4xf32> {
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    %y = ttc.execute @t0(%d) : (tensor<4xf32>) -> tensor<4xf32>
    %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
    return %h : tensor<4xf32>
  }
  func.func @echo(%x: tensor<4xf32> {ttc.name = "x"}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
