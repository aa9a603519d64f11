// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @fusion_argument_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.fusion' op (C1) expected one block argument for each of its 1 operands, found 0}}
  %r = "ttc.fusion"(%x) ({
    %c = ttc.constant dense<1.0> : tensor<4xf32>
    ttc.yield %c : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @fusion_argument_type(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'ttc.fusion' op (C1) expected block argument 0 of its operand's type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %r = "ttc.fusion"(%x) ({
  ^bb0(%a: tensor<8xf32>):
    ttc.yield %a : tensor<8xf32>
  }) : (tensor<4xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @fusion_terminator(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.fusion' op (C2) expected its region to end with ttc.yield, found llvm.unreachable}}
  %r = ttc.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    llvm.unreachable
  }
  return %r : tensor<4xf32>
}

// -----

func.func @fusion_result_type(%x: tensor<4xf32>) -> tensor<8xf32> {
  %r = ttc.fusion (%a = %x : tensor<4xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{'ttc.fusion' op (C2) expected values of the fusion's result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}
    ttc.yield %a : tensor<4xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @fusion_in_fusion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ttc.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'ttc.fusion' op (C3) expected no fusion in another one, found ttc.fusion}}
    %0 = ttc.fusion (%b = %a : tensor<4xf32>) -> tensor<4xf32> {
      ttc.yield %b : tensor<4xf32>
    }
    ttc.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{'ttc.program' op (C1) expected input 0 to be a ranked tensor of static shape, found 'tensor<?xf32>'}}
ttc.program @program_input(tensor<?xf32>) -> tensor<4xf32>

// -----

// expected-error @+1 {{'ttc.program' op (C1) expected result 0 to be a ranked tensor of static shape, found 'f32'}}
ttc.program @program_result(tensor<4xf32>) -> f32

// -----

// expected-error @+1 {{'ttc.program' op (C2) expected at most one block in its body, found 2}}
ttc.program @program_blocks(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  ttc.return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{'ttc.program' op (C2) expected block arguments of the program's input types ('tensor<4xf32>'), found ('tensor<8xf32>')}}
"ttc.program"() <{sym_name = "p", function_type = (tensor<4xf32>) -> tensor<8xf32>}> ({
^bb0(%a: tensor<8xf32>):
  ttc.return %a : tensor<8xf32>
}) : () -> ()

// -----

ttc.program @program_return(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'ttc.return' op (C1) expected values of the program's result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}
  ttc.return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{'ttc.program' op (C3) expected a grid of at least 1 workgroup, found 0}}
ttc.program @program_grid(tensor<4xf32>) -> tensor<4xf32> attributes {grid = 0 : i64}

// -----

// expected-error @+1 {{'ttc.program' op (C3) expected at least 0 scratch bytes, found -64}}
ttc.program @program_scratch(tensor<4xf32>) -> tensor<4xf32> attributes {scratch_bytes = -64 : i64}

// -----

// expected-error @+1 {{'ttc.program' op (C9) expected scratch of a multiple of 64 bytes that holds 4160 bytes of markers, found 64}}
ttc.program @program_markers(tensor<4xf32>) -> tensor<4xf32> attributes {markers, scratch_bytes = 64 : i64}

// -----

// expected-error @+1 {{'ttc.program' op (C9) expected scratch of a multiple of 64 bytes that holds 4160 bytes of markers, found 4164}}
ttc.program @program_markers_place(tensor<4xf32>) -> tensor<4xf32> attributes {markers, scratch_bytes = 4164 : i64}

// -----

// expected-error @+1 {{'ttc.program' op (C3) expected at least 0 operations, found -1}}
ttc.program @program_flops(tensor<4xf32>) -> tensor<4xf32> attributes {flops = -1 : i64}

// -----

// expected-error @+1 {{'ttc.program' op (C4) expected complete rows of 3 elements, found 'tensor<4xf32>'}}
ttc.program @program_rows(tensor<4xf32> {ttc.strided = #ttc.strided<row = 3, pitch = 4, alignment = 4>}) -> tensor<4xf32>

// -----

// expected-error @+1 {{'ttc.program' op (C5) expected 'ttc.in_place' to name one of its 1 arguments, found 1}}
ttc.program @program_in_place(tensor<4xf32>) -> (tensor<4xf32> {ttc.in_place = array<i64: 1>})

// -----

// expected-error @+1 {{'ttc.program' op (C5) expected 'ttc.in_place' to name an argument with the layout of result 0, found argument 0 of 'tensor<2xf32>'}}
ttc.program @program_in_place_size(tensor<2xf32>) -> (tensor<4xf32> {ttc.in_place = array<i64: 0>})

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
func.func @dispatch(%x: tensor<4xf32>) -> tensor<4xf32> {
  // diagnostic here:
  %y = ttc.dispatch @p(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// change: ttc.program @p(tensor<4xf32>) -> tensor<4xf32> =>
// expected-error {{'ttc.dispatch' op (C1) expected @p to be a ttc.program, found none}}

// change: : tensor<4xf32>) -> => : tensor<8xf32>) ->
// change: : (tensor<4xf32 => : (tensor<8xf32
// expected-error {{'ttc.dispatch' op (C2) expected operands of @p's input types ('tensor<4xf32>'), found ('tensor<8xf32>')}}

// change: 4xf32> { => 8xf32> {
// change: %x) : (tensor<4xf32>) -> tensor<4xf32 => %x) : (tensor<4xf32>) -> tensor<8xf32
// change: %y : tensor<4xf32 => %y : tensor<8xf32
// expected-error {{'ttc.dispatch' op (C2) expected results of @p's result types ('tensor<4xf32>'), found ('tensor<8xf32>')}}

// -----

// expected-error @+1 {{'ttc.program' op (C6) expected shards of at least 1 in each dimension, found [4, 0]}}
ttc.program private @shards_none(tensor<2x64xf32>) attributes {shards = array<i64: 4, 0>}

// -----

// expected-error @+1 {{'ttc.program' op (C6) expected a grid of its 4 shards, found 8}}
ttc.program private @shards_grid(tensor<2x64xf32>) attributes {shards = array<i64: 2, 2>, grid = 8}

// -----

// diagnostic here:
ttc.program private @shard_cut(
    tensor<2x64xf32> {ttc.shard = #ttc.shard<tensor<8x64xf32>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>}

// change: private @shard_cut => private @shard_without_shards
// change: attributes {shards = array<i64: 4>} =>
// expected-error {{'ttc.program' op (C7) expected 'shards' where an operand has 'ttc.shard', found none}}

// change: partition = [0, -1] => partition = [1, -1]
// expected-error {{'ttc.program' op (C7) expected a partition by its 1 dimensions of shards, found #ttc.shard<tensor<8x64xf32>, partition = [1, -1]>}}

// change: private @shard_cut => private @shard_part
// change: tensor<2x64xf32> => tensor<4x64xf32>
// expected-error {{'ttc.program' op (C7) expected parts of 'tensor<8x64xf32>', partitioned into [4, 1], found 'tensor<4x64xf32>'}}

// -----

// expected-error @+1 {{'ttc.program' op (C7) expected parts of one shard each of 'tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>', found it partitioned into [2, 1]}}
ttc.program private @shard_too_coarse(%a: tensor<4x64xf32> {ttc.shard = #ttc.shard<
    tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {shards = array<i64: 2>} {
  ttc.return
}

// -----

ttc.program private @on_shards(tensor<2x64xf32> {ttc.shard = #ttc.shard<
    tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
    attributes {shards = array<i64: 4>}
func.func @dispatch_layout(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{'ttc.dispatch' op (C2) expected operands of @on_shards's input types ('tensor<8x64xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>'), found ('tensor<8x64xf32>')}}
  ttc.dispatch @on_shards(%x) : (tensor<8x64xf32>) -> ()
  return
}

// -----

func.func @fusion_within(%x: tensor<4x8xf32>, %n: tensor<2xi32>) -> tensor<4x8xf32> {
  // diagnostic here:
  %r = ttc.fusion (%a = %x : tensor<4x8xf32>, %m = %n : tensor<2xi32>) -> tensor<4x8xf32> attributes {within = #ttc.within<argument = 1, sizes = [2, 2, 8], bounds = ()[s0, s1] -> (s0, s1, 8)>} {
    ttc.yield %a : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// change: sizes = [2, 2, 8] => sizes = [2, 4, 4]
// expected-error {{'ttc.fusion' op (C4) expected sizes that divide the dimensions of 'tensor<4x8xf32>', found #ttc.within<argument = 1, sizes = [2, 4, 4], bounds = ()[s0, s1] -> (s0, s1, 8)>}}

// change: argument = 1 => argument = 0
// expected-error {{'ttc.fusion' op (C4) expected an operand of type 'tensor<2xi32>' as the argument of #ttc.within<argument = 0, sizes = [2, 2, 8], bounds = ()[s0, s1] -> (s0, s1, 8)>, found 'tensor<4x8xf32>'}}

// change: argument = 1 => argument = 2
// expected-error {{'ttc.fusion' op (C4) expected an operand of type 'tensor<2xi32>' as the argument of #ttc.within<argument = 2, sizes = [2, 2, 8], bounds = ()[s0, s1] -> (s0, s1, 8)>, found 'none'}}

// -----

func.func @fusion_within_results(%x: tensor<4x8xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'ttc.fusion' op (C4) expected one result with 'within', found 2}}
  %r:2 = ttc.fusion (%a = %x : tensor<4x8xf32>, %m = %n : tensor<1xi32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {within = #ttc.within<argument = 1, sizes = [4, 8], bounds = ()[s0] -> (s0, 8)>} {
    ttc.yield %a, %a : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return
}

// -----

// expected-error @+1 {{'ttc.program' op (C10) expected sizes that divide the dimensions of 'tensor<4x8xf32>', found #ttc.within<argument = 1, sizes = [8, 8], bounds = ()[s0] -> (s0, 8)>}}
ttc.program private @program_within(tensor<4x8xf32>, tensor<1xi32>) -> (tensor<4x8xf32> {ttc.within = #ttc.within<argument = 1, sizes = [8, 8], bounds = ()[s0] -> (s0, 8)>})
