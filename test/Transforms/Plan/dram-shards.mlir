// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An input with a part of its rows in each bank of DRAM, which a trace moves to shards in L1. Its type requests
// that, or the option. In the flat address range it is the same bytes; its size counts as much in every bank.
// RUN: split-file %s %t
// RUN: ttc-opt %t/type.mlir --ttc-hoist-io --ttc-schedule-queues="slots=2 schedules=all" --ttc-shard-tensors --ttc-bind-buffers --ttc-place-tensors --ttc-preallocate | FileCheck %s
// RUN: ttc-opt %t/type.mlir --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=l1 | FileCheck %s --check-prefix=L1
// RUN: ttc-opt %t/option.mlir --verify-diagnostics --ttc-hoist-io --ttc-schedule-queues --ttc-bind-buffers --ttc-place-tensors=input-memory=dram-sharded --ttc-preallocate | FileCheck %s --check-prefix=OPTION
// RUN: not ttc-opt %t/banks.mlir --ttc-verify-plan 2>&1 | FileCheck %s --check-prefix=BANKS

// CHECK: ttc.buffer slot @x : tensor<8x16xf32> in dram at 0x0 size 768 shards 4
// CHECK: ttc.buffer slot @x_slot1 : tensor<8x16xf32> in dram at {{.*}} size 768 shards 4
// CHECK: ttc.buffer activation @main_t0_0 : tensor<8x16xf32> {{.*}} in l1 {{.*}} shards 2
// CHECK: ttc.to_memory %{{.*}} by @to_height_8x16 {{.*}} : tensor<8x16xf32, #ttc.layout<dram, height_sharded, grid = [4, 1]>> to tensor<8x16xf32, #ttc.layout<l1, height_sharded, grid = [2, 1]>>
// A workgroup for each shard in L1, from the rows of two banks.
// CHECK: ttc.program private @to_height_8x16(%{{.*}}: tensor<4x16xf32> {ttc.shard = #ttc.shard<tensor<8x16xf32, #ttc.layout<dram, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})

// L1: ttc.buffer slot @x : tensor<8x16xf32> in l1{{ *$}}

// 12 rows between 6 banks; 64 bytes of a shard, and as many in each of 6.
// OPTION: ttc.buffer slot @a : tensor<3x4x16xf32> in dram at 0x0 size 768 shards 6
// 7 rows are not divided.
// OPTION: ttc.buffer slot @b : tensor<7x16xf32> in dram at {{.*}} size 448{{ *$}}

// BANKS: expected @x to have a shard in each of up to 6 banks of DRAM, found 8

//--- type.mlir
#banks = #ttc.layout<dram, height_sharded, grid = [4, 1]>
#cores = #ttc.layout<l1, height_sharded, grid = [2, 1]>
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 6, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.program private @relu(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = ttc.relu %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  ttc.return %0 : tensor<8x16xf32>
}
func.func @main(%x: tensor<8x16xf32> {ttc.name = "x"}) -> (tensor<8x16xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<8x16xf32> {
    %d = ttc.to_device %x : tensor<8x16xf32> to tensor<8x16xf32, #banks>
    %0 = ttc.to_memory %d : tensor<8x16xf32, #banks> to tensor<8x16xf32, #cores>
    %1 = ttc.dispatch @relu(%0) : (tensor<8x16xf32, #cores>) -> tensor<8x16xf32>
    %r = ttc.from_device %1 : tensor<8x16xf32> to tensor<8x16xf32>
    ttc.yield %r : tensor<8x16xf32>
  }
  return %h : tensor<8x16xf32>
}
}

//--- option.mlir
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 6, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<3x4x16xf32>, tensor<7x16xf32>) -> tensor<8xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
// expected-remark @+2 {{input 'b' is interleaved over the banks of DRAM: up to 6 banks, none but 1 divides the rows of 'tensor<7x16xf32>'}}
func.func @main(%a: tensor<3x4x16xf32> {ttc.name = "a"},
                %b: tensor<7x16xf32> {ttc.name = "b"}) -> (tensor<8xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<8xf32> {
    %d = ttc.to_device %a : tensor<3x4x16xf32> to tensor<3x4x16xf32>
    %e = ttc.to_device %b : tensor<7x16xf32> to tensor<7x16xf32>
    %0 = ttc.dispatch @f(%d, %e) : (tensor<3x4x16xf32>, tensor<7x16xf32>) -> tensor<8xf32>
    %r = ttc.from_device %0 : tensor<8xf32> to tensor<8xf32>
    ttc.yield %r : tensor<8xf32>
  }
  return %h : tensor<8xf32>
}
}

//--- banks.mlir
module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 6, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {
ttc.program @f(tensor<8x16xf32>) -> tensor<8x16xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<8x16xf32> in dram at 0x0 size 768 shards 8
ttc.buffer slot @y : tensor<8x16xf32> in dram at 0x300 size 512
ttc.trace @t0 region at dram 0x5fffc0 size 40 {
  ttc.cmd.dispatch @f(@x) into (@y)
  ttc.cmd.end
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<8x16xf32>
  ttc.output "y" at @y : tensor<8x16xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.execute @t0 on 0
    ttc.enqueue.read 0 from @y on 0
  }
}
}
