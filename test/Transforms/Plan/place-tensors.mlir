// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor takes 256 bytes of each of the two cores.
// RUN: split-file %s %t
// RUN: ttc-opt %t/room.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors | FileCheck %s --check-prefix=AUTO
// RUN: ttc-opt %t/room.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=memory=dram | FileCheck %s --check-prefix=DRAM
// RUN: ttc-opt %t/room.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=dram | FileCheck %s --check-prefix=COPY
// RUN: ttc-opt %t/tight.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=dram | FileCheck %s --check-prefix=TIGHT
// RUN: ttc-opt %t/tight.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=dram --ttc-preallocate | FileCheck %s --check-prefix=PLANNED
// RUN: ttc-opt %t/tight.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=l1 --ttc-preallocate | FileCheck %s --check-prefix=REUSED
// RUN: ttc-opt %t/room.mlir --ttc-hoist-io --ttc-schedule-queues=schedules=all --ttc-bind-buffers --ttc-place-tensors=input-memory=l1 --ttc-preallocate | FileCheck %s --check-prefix=KEPT
// RUN: ttc-opt %t/cpu.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors | FileCheck %s --check-prefix=DRAM
// RUN: ttc-opt %t/given.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors | FileCheck %s --check-prefix=GIVEN
// RUN: not ttc-opt %t/cpu.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=l1 2>&1 | FileCheck %s --check-prefix=NOT-THERE
// RUN: not ttc-opt %t/room.mlir --ttc-bind-buffers --ttc-place-tensors="memory=dram input-memory=l1" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not ttc-opt %t/room.mlir --ttc-bind-buffers --ttc-place-tensors=memory=l2 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not ttc-opt %t/room.mlir --ttc-bind-buffers --ttc-place-tensors=input-memory=here 2>&1 | FileCheck %s --check-prefix=INPUT

// Everything fits. Outputs stay in DRAM.
// AUTO-DAG: ttc.buffer slot @x : tensor<128xf32> in l1
// AUTO-DAG: ttc.buffer slot @y : tensor<128xf32> in dram
// AUTO-DAG: ttc.buffer activation @main_t0_0 : tensor<128xf32> in l1
// AUTO-DAG: ttc.buffer activation @main_t0_1 : tensor<128xf32> in l1
// AUTO-DAG: ttc.buffer activation @main_t0_2 : tensor<128xf32> in l1
// AUTO-NOT: ttc.to_memory

// DRAM-COUNT-5: in dram
// DRAM-NOT: in l1

// The slot is in DRAM, and read there once instead of twice.
// COPY-DAG: ttc.buffer slot @x : tensor<128xf32> in dram
// COPY-DAG: ttc.buffer activation @x_l1 : tensor<128xf32> in l1
// COPY: ttc.trace @main_t0(%[[X:.*]]: tensor<128xf32> {ttc.buffer = @x})
// COPY-NEXT: %[[L1:.*]] = ttc.to_memory %[[X]] {ttc.buffer = [@x_l1]} : tensor<128xf32> to tensor<128xf32, #ttc.layout<l1>>
// COPY-NEXT: ttc.dispatch @f(%[[L1]])
// COPY-NEXT: ttc.dispatch @g(%[[L1]],

// Room for one tensor and the scratch, for two without. Tensor 1, which is accessed three times, and
// 2 cannot be there together while @s runs; 0 can be there before it. x is read only once.
// TIGHT-DAG: ttc.buffer slot @x : tensor<128xf32> in dram
// TIGHT-DAG: ttc.buffer activation @main_t0_0 : tensor<128xf32> in l1
// TIGHT-DAG: ttc.buffer activation @main_t0_1 : tensor<128xf32> in l1
// TIGHT-DAG: ttc.buffer activation @main_t0_2 : tensor<128xf32> in dram
// TIGHT-NOT: ttc.to_memory
// PLANNED-DAG: @main_t0_0 : tensor<128xf32> live [1, 3) in l1 at 0x0 size 256
// PLANNED-DAG: @main_t0_1 : tensor<128xf32> live [2, 5) in l1 at 0x100 size 256

// The slot itself: its bytes are those of another tensor when x has been read.
// REUSED-DAG: ttc.buffer slot @x : tensor<128xf32> live [0, 2) in l1 at 0x100 size 256
// REUSED-DAG: ttc.buffer activation @main_t0_1 : tensor<128xf32> live [2, 5) in l1 at 0x100 size 256

// Where a schedule writes the next input ahead, the slot keeps its bytes.
// KEPT: ttc.buffer slot @x : tensor<128xf32> in l1 at

// What somebody has placed stays there.
// GIVEN-DAG: ttc.buffer activation @main_t0_0 : tensor<128xf32> in dram
// GIVEN-DAG: ttc.buffer activation @main_t0_1 : tensor<128xf32> in l1

// NOT-THERE: expected a target that interleaves over L1 for input-memory=l1, found small
// BOTH: expected memory=auto with input-memory=l1, found memory=dram, which leaves L1 to scratch and shards
// MEMORY: for the --memory option: expected auto or dram, found 'l2'
// INPUT: for the --input-memory option: expected auto, dram, dram-sharded or l1, found 'here'

//--- room.mlir
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @s(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 200 : i64}
func.func @main(%x: tensor<128xf32> {ttc.name = "x"}) -> (tensor<128xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = ttc.dispatch @g(%d, %0) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %2 = ttc.dispatch @s(%1) : (tensor<128xf32>) -> tensor<128xf32>
    %3 = ttc.dispatch @g(%1, %2) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %3 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}

//--- tight.mlir
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 512, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @s(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 200 : i64}
func.func @main(%x: tensor<128xf32> {ttc.name = "x"}) -> (tensor<128xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = ttc.dispatch @f(%0) : (tensor<128xf32>) -> tensor<128xf32>
    %2 = ttc.dispatch @s(%1) : (tensor<128xf32>) -> tensor<128xf32>
    %3 = ttc.dispatch @g(%1, %2) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %3 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}

//--- cpu.mlir
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1>} {
ttc.program @f(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @s(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 200 : i64}
func.func @main(%x: tensor<128xf32> {ttc.name = "x"}) -> (tensor<128xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = ttc.dispatch @g(%d, %0) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %2 = ttc.dispatch @s(%1) : (tensor<128xf32>) -> tensor<128xf32>
    %3 = ttc.dispatch @g(%1, %2) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %3 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}

//--- given.mlir
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 4096, l1_alignment = 16, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @g(tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
ttc.program @s(tensor<128xf32>) -> tensor<128xf32> attributes {grid = 2 : i64, scratch_bytes = 200 : i64}
func.func @main(%x: tensor<128xf32> {ttc.name = "x"}) -> (tensor<128xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<128xf32> {
    %d = ttc.to_device %x : tensor<128xf32> to tensor<128xf32>
    %0 = ttc.dispatch @f(%d) : (tensor<128xf32>) -> tensor<128xf32, #ttc.layout<dram>>
    %1 = ttc.dispatch @g(%d, %0) : (tensor<128xf32>, tensor<128xf32, #ttc.layout<dram>>) -> tensor<128xf32>
    %2 = ttc.dispatch @s(%1) : (tensor<128xf32>) -> tensor<128xf32>
    %3 = ttc.dispatch @g(%1, %2) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = ttc.from_device %3 : tensor<128xf32> to tensor<128xf32>
    ttc.yield %r : tensor<128xf32>
  }
  return %h : tensor<128xf32>
}
}
