// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States through the passes that make traces and schedules: no transfers, no ports, one buffer for all
// functions; copies where an old value is used after the update.
// RUN: ttc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(ttc-form-traces))" | FileCheck %s --check-prefix=FORM
// RUN: ttc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(ttc-form-traces),ttc-hoist-io,ttc-verify-hoisted,ttc-schedule-queues)" | FileCheck %s --check-prefix=SCHEDULE

// FORM-LABEL: func.func @step
// FORM-NEXT: ttc.traced -> tensor<4xf32>, tensor<4xf32> {
// FORM-NEXT:   %[[X:.*]] = ttc.to_device %arg1
// FORM-NEXT:   %[[Y:.*]] = ttc.dispatch @f(%arg0, %[[X]])
// FORM-NEXT:   %[[H:.*]] = ttc.from_device %[[Y]]
// FORM-NEXT:   ttc.yield %[[Y]], %[[H]]

// SCHEDULE: ttc.buffer state @s : tensor<4xf32> in dram
// SCHEDULE: ttc.entry @step {
// SCHEDULE-NEXT: ttc.input "x" at @x : tensor<4xf32>
// SCHEDULE-NEXT: ttc.output "y" at @y : tensor<4xf32>
// SCHEDULE-NEXT: ttc.schedule "single" queues 1 body {
// SCHEDULE-NEXT:   ttc.enqueue.write 0 to @x on 0
// SCHEDULE-NEXT:   ttc.enqueue.execute @step_t0 on 0
// SCHEDULE-NEXT:   ttc.enqueue.copy @s to @y bytes 16 on 0
// SCHEDULE-NEXT:   ttc.enqueue.read 0 from @y on 0
// SCHEDULE-NEXT: }
// SCHEDULE: ttc.trace @step_t0(%{{.*}}: tensor<4xf32> {ttc.buffer = @s}, %{{.*}}: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @s})
// SCHEDULE: ttc.entry @look {
// SCHEDULE-NEXT: ttc.output "output0" at @output0 : tensor<4xf32>
// SCHEDULE-NEXT: ttc.schedule "single" queues 1 body {
// SCHEDULE-NEXT:   ttc.enqueue.execute @look_t0 on 0
// SCHEDULE-NEXT:   ttc.enqueue.read 0 from @output0 on 0
// SCHEDULE-NEXT: }
ttc.state @s : tensor<4xf32>
ttc.program @f(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
func.func @step(%s: tensor<4xf32> {ttc.state = @s}, %x: tensor<4xf32> {ttc.name = "x"})
    -> (tensor<4xf32> {ttc.state = @s}, tensor<4xf32> {ttc.name = "y"}) {
  %y = ttc.dispatch @f(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}
func.func @look(%s: tensor<4xf32> {ttc.state = @s}) -> tensor<4xf32> {
  %y = ttc.dispatch @f(%s, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The old value is an output: copied before anything. Two states change places, through copies.
// FORM-LABEL: func.func @old
// FORM:      ttc.traced
// FORM-NEXT:   %[[OLD:.*]] = ttc.copy %arg0 : tensor<4xf32>
// FORM-NEXT:   %[[S:.*]] = ttc.copy %arg0 : tensor<4xf32>
// FORM-NEXT:   %[[T:.*]] = ttc.copy %arg1 : tensor<4xf32>
// FORM-NEXT:   %[[H:.*]] = ttc.from_device %[[OLD]]
// FORM-NEXT:   ttc.yield %[[T]], %[[S]], %[[H]]
// SCHEDULE-LABEL: ttc.entry @old
// SCHEDULE:         ttc.enqueue.execute @old_t0 on 0
// SCHEDULE-NEXT:    ttc.enqueue.read 0 from @old_0 on 0
ttc.state @s : tensor<4xf32>
ttc.state @t : tensor<4xf32>
func.func @old(%s: tensor<4xf32> {ttc.state = @s}, %t: tensor<4xf32> {ttc.state = @t})
    -> (tensor<4xf32> {ttc.state = @s}, tensor<4xf32> {ttc.state = @t}, tensor<4xf32> {ttc.name = "old"}) {
  return %t, %s, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A host step after the trace uses the old value: the schedule copies the new one at its end.
// SCHEDULE-LABEL: ttc.entry @late
// SCHEDULE:         ttc.enqueue.execute @late_t0 on 0
// SCHEDULE-NEXT:    ttc.enqueue.host @f(@s, @late_v0) into (@y) on 0
// SCHEDULE-NEXT:    ttc.enqueue.copy @late_v0 to @s bytes 16 on 0
// SCHEDULE-NEXT:    ttc.enqueue.read 0 from @y on 0
module attributes {ttc.target = #ttc.target<
    name = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 1, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.state @s : tensor<4xf32>
ttc.program @f(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
func.func @late(%s: tensor<4xf32> {ttc.state = @s}) -> (tensor<4xf32> {ttc.state = @s}, tensor<4xf32> {ttc.name = "y"}) {
  %0 = ttc.dispatch @f(%s, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.host_dispatch @f(%s, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
}
