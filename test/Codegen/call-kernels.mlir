// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-plan-gemms --ttc-call-kernels --split-input-file --verify-diagnostics | FileCheck %s

module attributes {ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "haswell", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// The kernel's operands come first, then the result, then what the tail reads: of the program's order
// (x, bias, p, residual | result) these are 0, 2, 4, 1, 3. The bias is read along the columns, the residual at
// the vector's row, too; only valid lanes of both. The result may be written over the residual.
// CHECK-LABEL: ttc.program @product(
// CHECK-SAME:      -> (tensor<1x6x16xf32> {ttc.in_place = array<i64: 3>})
// CHECK-SAME:      attributes {grid = 1 : i64, scratch_bytes = {{[0-9]+}} : i64}
// CHECK:      llvm.mlir.global internal constant @params(dense<[{{.*}}]> : tensor<{{[0-9]+}}xi64>)
// CHECK-NEXT: llvm.func @ttc_kernel_gemm(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-NEXT: llvm.func @product(%[[OPERANDS:.*]]: !llvm.ptr, %[[BASE:.*]]: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr, %[[W:.*]]: i64) attributes {passthrough = ["no-builtins"], ttc.scratch_bytes = {{[0-9]+}} : i64, ttc.workgroups = 1 : i64}
// CHECK:        %[[ARRAY:.*]] = llvm.alloca
// CHECK:        llvm.getelementptr %[[OPERANDS]][0]
// CHECK:        llvm.getelementptr %[[ARRAY]][0]
// CHECK:        llvm.getelementptr %[[OPERANDS]][2]
// CHECK:        llvm.getelementptr %[[ARRAY]][1]
// CHECK:        llvm.getelementptr %[[OPERANDS]][4]
// CHECK:        llvm.getelementptr %[[ARRAY]][2]
// CHECK:        llvm.getelementptr %[[OPERANDS]][1]
// CHECK:        llvm.getelementptr %[[ARRAY]][3]
// CHECK:        llvm.getelementptr %[[OPERANDS]][3]
// CHECK:        llvm.getelementptr %[[ARRAY]][4]
// CHECK:        %[[PARAMS:.*]] = llvm.mlir.addressof @params
// CHECK:        %[[F:.*]] = func.constant @epilogue
// CHECK:        %[[EPILOGUE:.*]] = builtin.unrealized_conversion_cast %[[F]] : {{.*}} to !llvm.ptr
// CHECK:        %[[MARKERS:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:        llvm.call @ttc_kernel_gemm(%[[ARRAY]], %[[SCRATCH]], %[[W]], %[[PARAMS]], %[[EPILOGUE]], %[[MARKERS]])
// CHECK:      func.func @epilogue(%[[ACC:.*]]: vector<8xf32>, %[[ROW:.*]]: i64, %[[COL:.*]]: i64, %[[LANES:.*]]: i64, %[[OPS:.*]]: !llvm.ptr) -> vector<8xf32> attributes {ttc.epilogue = 2 : i64}
// CHECK:        llvm.getelementptr %[[OPS]][3]
// CHECK:        %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK:        %[[BIAS:.*]] = llvm.intr.masked.load %{{.*}}, %[[MASK]]
// CHECK:        %[[SUM:.*]] = arith.addf %[[ACC]], %[[BIAS]]
// CHECK:        llvm.getelementptr %[[OPS]][4]
// CHECK:        arith.muli %[[ROW]], %{{.*}} : i64
// CHECK:        %[[RESIDUAL:.*]] = llvm.intr.masked.load
// CHECK:        %[[RESULT:.*]] = arith.addf %[[SUM]], %[[RESIDUAL]]
// CHECK:        return %[[RESULT]]
ttc.program @product(%x: tensor<1x6x64xf32>, %bias: tensor<16xf32>, %p: tensor<1x1x64x16xf32>,
                     %residual: tensor<1x6x16xf32>) -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  %1 = ttc.add %0, %bias : (tensor<1x6x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  %2 = ttc.add %1, %residual
      : (tensor<1x6x16xf32>, tensor<1x6x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %2 : tensor<1x6x16xf32>
}

// The extents are a program's operand: the kernel gets the numbers that it computes of them in their place, after the
// result, and what the tail reads follows.
// CHECK-LABEL: ttc.program @bounded(
// CHECK:        llvm.func @bounded(%[[OPERANDS:[^:]*]]: !llvm.ptr, %[[BASE:[^:]*]]: !llvm.ptr
// CHECK:        %[[ARRAY:.*]] = llvm.alloca
// CHECK:        llvm.getelementptr %[[ARRAY]][2]
// CHECK:        llvm.getelementptr %[[OPERANDS]][2]
// CHECK-NEXT:   llvm.load
// CHECK-NEXT:   %[[EXTENTS:.*]] = llvm.getelementptr %[[BASE]]
// CHECK:        %[[BOUNDS:.*]] = llvm.alloca
// CHECK:        %[[BATCH:.*]] = llvm.getelementptr %[[EXTENTS]][0]
// CHECK:        llvm.load %[[BATCH]] : !llvm.ptr -> i32
// CHECK:        arith.extsi
// CHECK:        arith.floordivsi
// CHECK:        %[[AT:.*]] = llvm.getelementptr %[[ARRAY]][3]
// CHECK:        llvm.store %[[BOUNDS]], %[[AT]]
// CHECK:        llvm.getelementptr %[[OPERANDS]][3]
// CHECK:        llvm.getelementptr %[[ARRAY]][4]
// CHECK:      func.func @epilogue({{.*}}, %[[OPS:.*]]: !llvm.ptr)
// CHECK:        llvm.getelementptr %[[OPS]][4]
ttc.program @bounded(%x: tensor<12x64xf32>, %p: tensor<1x1x64x16xf32>, %extents: tensor<2xi32>, %bias: tensor<16xf32>)
    -> (tensor<12x16xf32> {ttc.within = #ttc.within<argument = 2, sizes = [2, 6, 16], bounds = ()[s0, s1] -> (s0, s1 floordiv 2, 16)>}) {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<12x64xf32>, tensor<1x1x64x16xf32>) -> tensor<12x16xf32>
  %1 = ttc.add %0, %bias : (tensor<12x16xf32>, tensor<16xf32>) -> tensor<12x16xf32>
  ttc.return %1 : tensor<12x16xf32>
}

// No tail: the epilogue gives back what it gets. A scalar is loaded once.
// CHECK-LABEL: ttc.program @alone(
// CHECK:         func.func @epilogue(%[[ACC:.*]]: vector<8xf32>
// CHECK-NEXT:      return %[[ACC]]
ttc.program @alone(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %0 : tensor<1x6x16xf32>
}
// CHECK-LABEL: ttc.program @scalar(
// CHECK:         %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:         vector.broadcast %[[S]] : f32 to vector<8xf32>
ttc.program @scalar(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>, %s: tensor<1xf32>)
    -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  %1 = ttc.mul %0, %s : (tensor<1x6x16xf32>, tensor<1xf32>) -> tensor<1x6x16xf32>
  ttc.return %1 : tensor<1x6x16xf32>
}

// Each of several results comes after the operands; those that the kernel updates are written over their operands.
// CHECK-LABEL: ttc.program @updates(
// CHECK-SAME:      -> (tensor<2x4x32x32xf16> {ttc.in_place = array<i64: 2>}, tensor<2x1x128x32xf16> {ttc.in_place = array<i64: 1>})
// CHECK:         %[[OPERANDS:.*]] = llvm.alloca
// CHECK:         llvm.getelementptr %{{.*}}[4]
// CHECK:         llvm.getelementptr %[[OPERANDS]][4]
// CHECK:         llvm.getelementptr %{{.*}}[5]
// CHECK:         llvm.getelementptr %[[OPERANDS]][5]
// CHECK:         llvm.call @ttc_kernel_update_cache(%[[OPERANDS]]
ttc.program @updates(%p: tensor<1xi32>, %v: tensor<2x1x128x32xf16>, %k: tensor<2x4x32x32xf16>, %qkv: tensor<16x256xf32>)
    -> (tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>) {
  %0:2 = ttc.kernel.update_cache %qkv, %k, %v, %p {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>)
        -> (tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  ttc.return %0#0, %0#1 : tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>
}

// An operand that the kernel reads in another place, too, is not written over.
// CHECK-LABEL: ttc.program @reads_twice(
// CHECK-SAME:      -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32> {ttc.in_place = array<i64: 2>}, tensor<128xi32> {ttc.in_place = array<i64: 3>})
ttc.program @reads_twice(%l: tensor<1x100xf32>, %t: tensor<1xi32>, %s: tensor<64xi32>, %h: tensor<128xi32>)
    -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>) {
  %0:5 = ttc.sample %l, %t, %t, %s, %h : (tensor<1x100xf32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>)
      -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>)
  ttc.return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<128xi32>
}

// What has no kernel stays.
// CHECK-LABEL: ttc.program @tensors(
// CHECK-NEXT:    ttc.relu
ttc.program @tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = ttc.relu %a : (tensor<8xf32>) -> tensor<8xf32>
  ttc.return %0 : tensor<8xf32>
}
}

// -----

module {
ttc.program @no_elementwise_op(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>) -> tensor<1x6xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  // expected-error @+1 {{expected an elementwise op after a kernel, found ttc.reduce_sum}}
  %1 = ttc.reduce_sum %0 {axes = array<i64: 2>} : (tensor<1x6x16xf32>) -> tensor<1x6xf32>
  ttc.return %1 : tensor<1x6xf32>
}
}

// -----

module {
// expected-error @+1 {{expected one result of a program with a kernel, found 2}}
ttc.program @two_results(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>)
    -> (tensor<1x6x16xf32>, tensor<1x6x16xf32>) {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %0, %0 : tensor<1x6x16xf32>, tensor<1x6x16xf32>
}
}

// -----

module {
// expected-error @+1 {{expected the 2 results of its kernel, found 1}}
ttc.program @one_of_two(%p: tensor<1xi32>, %v: tensor<2x1x128x32xf16>, %k: tensor<2x4x32x32xf16>, %qkv: tensor<16x256xf32>)
    -> tensor<2x4x32x32xf16> {
  %0:2 = ttc.kernel.update_cache %qkv, %k, %v, %p {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>)
        -> (tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  ttc.return %0#0 : tensor<2x4x32x32xf16>
}
}

// -----

module {
// expected-error @+1 {{expected the results of its kernel, in their order, found others}}
ttc.program @other_order(%p: tensor<1xi32>, %v: tensor<2x1x128x32xf16>, %k: tensor<2x4x32x32xf16>, %qkv: tensor<16x256xf32>)
    -> (tensor<2x1x128x32xf16>, tensor<2x4x32x32xf16>) {
  %0:2 = ttc.kernel.update_cache %qkv, %k, %v, %p {heads = 4 : i64, kv_heads = 2 : i64, scale = 0.125 : f32}
      : (tensor<16x256xf32>, tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>, tensor<1xi32>)
        -> (tensor<2x4x32x32xf16>, tensor<2x1x128x32xf16>)
  ttc.return %0#1, %0#0 : tensor<2x1x128x32xf16>, tensor<2x4x32x32xf16>
}
}

// -----

module {
ttc.program @other_shape(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>, %s: tensor<1x6x1xf32>)
    -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  // expected-error @+1 {{expected an operand of the kernel's shape 'tensor<1x6x16xf32>', one along its last dimension, or a scalar, found 'tensor<1x6x1xf32>'}}
  %1 = ttc.add %0, %s : (tensor<1x6x16xf32>, tensor<1x6x1xf32>) -> tensor<1x6x16xf32>
  ttc.return %1 : tensor<1x6x16xf32>
}
}

// -----

module {
ttc.program @constant_operand(%p: tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32> {
  %r = ttc.constant dense<1.0> : tensor<1x6x64xf32>
  // expected-error @+1 {{expects operands that are inputs of the program}}
  %0 = ttc.kernel.gemm %r, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %0 : tensor<1x6x16xf32>
}
}

// -----

module {
ttc.program @packed_in_rows(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32> {ttc.strided = #ttc.strided<row = 16, pitch = 32, alignment = 64>})
    -> tensor<1x6x16xf32> {
  // expected-error @+1 {{expects operand 1 in rows that it can read, found}}
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %0 : tensor<1x6x16xf32>
}
}

// -----

module {
ttc.program @integers(%x: tensor<1x6x64xf32>, %p: tensor<1x1x64x16xf32>, %c: tensor<1x6x16xi1>, %o: tensor<1x6x16xf32>)
    -> tensor<1x6x16xf32> {
  %0 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<1x6x16xf32>
  // expected-error @+1 {{expected f32 inputs of the program after a kernel, found 'tensor<1x6x16xi1>'}}
  %1 = ttc.where %c, %0, %o
      : (tensor<1x6x16xi1>, tensor<1x6x16xf32>, tensor<1x6x16xf32>) -> tensor<1x6x16xf32>
  ttc.return %1 : tensor<1x6x16xf32>
}
}

// -----

// The product of one row waits for its weights: a byte of them counts as much as four products of many rows.
module attributes {ttc.max_workgroups = 8 : i64, ttc.target = #ttc.target<
    name = "small", triple = "x86_64-linux-gnu", cpu = "haswell", features = "", grid_rows = 2,
    grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
// CHECK-LABEL: ttc.program @row_of_bytes(
// CHECK-SAME:      attributes {grid = 4 : i64,
ttc.program @row_of_bytes(%a: tensor<1x768xui8>, %b: tensor<1x128x192x16x4xi8>) -> tensor<1x2048xi32> {
  %0 = ttc.kernel.int_gemm %a, %b {dot = #ttc.byte_dot<madd>, tile = array<i64: 6, 16>}
      : (tensor<1x768xui8>, tensor<1x128x192x16x4xi8>) -> tensor<1x2048xi32>
  ttc.return %0 : tensor<1x2048xi32>
}
}
