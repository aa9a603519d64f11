// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle with shards of all kinds, as a person asks for them with ttc.to_memory: read as IR and
// written again it is the same file, and it computes what the same network does without them.
// REQUIRES: compiler, x86-64
// RUN: split-file %s %t
// RUN: ttc-opt %t/shards.mlir "--ttc-trace-pipeline=target=%t/small.json target-cpu=x86-64-v2" | ttc-translate --ttc-to-bundle -o %t/shards.ttcb
// RUN: ttrun check --execute %t/shards.ttcb
// RUN: ttc-translate --bundle-to-ttc --mlir-print-debuginfo %t/shards.ttcb -o %t/read.mlir
// RUN: FileCheck %s < %t/read.mlir
// RUN: ttc-translate --ttc-to-bundle %t/read.mlir -o %t/again.ttcb
// RUN: cmp %t/shards.ttcb %t/again.ttcb
// RUN: ttc-opt %t/plain.mlir "--ttc-trace-pipeline=target=%t/small.json target-cpu=x86-64-v2" | ttc-translate --ttc-to-bundle -o %t/plain.ttcb
// RUN: %python %t/input.py %t/x.npy %t/v.npy
// RUN: ttrun run %t/plain.ttcb --input x=%t/x.npy --input v=%t/v.npy --output y=%t/y.npy
// RUN: ttrun run %t/shards.ttcb --input x=%t/x.npy --input v=%t/v.npy --expect y=%t/y.npy --rtol 0 --atol 0 --cores=1
// RUN: ttrun run %t/shards.ttcb --input x=%t/x.npy --input v=%t/v.npy --expect y=%t/y.npy --rtol 0 --atol 0 --cores=3
// RUN: ttrun run %t/shards.ttcb --input x=%t/x.npy --input v=%t/v.npy --expect y=%t/y.npy --rtol 0 --atol 0 --cores=4 --no-trace

// The workgroup's own shard of four, and all shards of a layout that another command made.
// CHECK: ttc.program @softmax_4x12x64_0(tensor<1x3072xi8> {ttc.shard = #ttc.shard<tensor<4x3072xi8, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>}) -> (tensor<1x3072xi8> {{.*}}) attributes {flops = 46080 : i64, grid = 4 : i64, scratch_bytes = {{[0-9]+}} : i64, shards = array<i64: 4>}
// CHECK: ttc.program @to_width_4x12x64(tensor<4x3072xi8> {ttc.shard = #ttc.shard<{{.*}}, partition = [-1, -1]>}) -> (tensor<4x3072xi8> {ttc.shard = #ttc.shard<{{.*}}, partition = [-1, -1]>}) attributes {grid = 16 : i64
// CHECK: ttc.buffer activation @main_t0_0 : tensor<4x12x64xf32> live [{{.*}}) in l1 at 0x{{[0-9a-f]+}} size 3072 shards 4
// CHECK: ttc.cmd.dispatch @softmax_4x12x64_0(@{{.*}}) into (@{{.*}})
// CHECK-NEXT: ttc.cmd.barrier
// CHECK-NEXT: ttc.cmd.dispatch @to_width_4x12x64(@{{.*}}) into (@{{.*}})

//--- small.json
{"name": "small", "grid_rows": 2, "grid_cols": 2, "l1_bytes": 65536, "dram_banks": 1, "dram_bank_bytes": 1048576}

//--- shards.mlir
#height = #ttc.layout<l1, height_sharded>
#width = #ttc.layout<l1, width_sharded, grid = [1, 4]>
#block = #ttc.layout<l1, block_sharded, grid = [2, 2]>
func.func @main(%x: tensor<4x12x64xf32> {ttc.name = "x"}, %v: tensor<64xf32> {ttc.name = "v"})
    -> (tensor<4x12x64xf32> {ttc.name = "y"}) {
  %s = ttc.to_memory %x : tensor<4x12x64xf32> to tensor<4x12x64xf32, #height>
  %0 = ttc.softmax %s {axis = 2} : (tensor<4x12x64xf32, #height>) -> tensor<4x12x64xf32, #height>
  %w = ttc.to_memory %0 : tensor<4x12x64xf32, #height> to tensor<4x12x64xf32, #width>
  %1 = ttc.add %w, %v : (tensor<4x12x64xf32, #width>, tensor<64xf32>) -> tensor<4x12x64xf32>
  %b = ttc.to_memory %1 : tensor<4x12x64xf32> to tensor<4x12x64xf32, #block>
  %2 = ttc.exp %b : (tensor<4x12x64xf32, #block>) -> tensor<4x12x64xf32, #block>
  %3 = ttc.to_memory %2 : tensor<4x12x64xf32, #block> to tensor<4x12x64xf32>
  return %3 : tensor<4x12x64xf32>
}

//--- plain.mlir
func.func @main(%x: tensor<4x12x64xf32> {ttc.name = "x"}, %v: tensor<64xf32> {ttc.name = "v"})
    -> (tensor<4x12x64xf32> {ttc.name = "y"}) {
  %0 = ttc.softmax %x {axis = 2} : (tensor<4x12x64xf32>) -> tensor<4x12x64xf32>
  %1 = ttc.add %0, %v : (tensor<4x12x64xf32>, tensor<64xf32>) -> tensor<4x12x64xf32>
  %2 = ttc.exp %1 : (tensor<4x12x64xf32>) -> tensor<4x12x64xf32>
  return %2 : tensor<4x12x64xf32>
}

//--- input.py
import struct, sys
# .npy, written by hand: no packages are needed for this test.
for path, shape in ((sys.argv[1], (4, 12, 64)), (sys.argv[2], (64,))):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    count = 1
    for size in shape:
        count *= size
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{count}f", *[((i * 2654435761) % 1000) / 250 - 2 for i in range(count)]))
