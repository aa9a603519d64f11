// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'builtin.module' op expected 'ttc.target' to be a #ttc.target, found "cpu"}}
module attributes {ttc.target = "cpu"} {}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.target' on a builtin.module, found it on this op}}
func.func private @target() attributes {ttc.target = 1}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.trace_region' to be an i64 of at least 0, found -64 : i64}}
module attributes {ttc.trace_region = -64} {}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.trace_region' to be an i64 of at least 0, found 64 : i32}}
module attributes {ttc.trace_region = 64 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.tuning' to be {entries = {of #ttc.kernel_choice and #ttc.gemm_plan}, file = a string}, found {entries = {conv = 3 : i64}, file = "f"}}}
module attributes {ttc.tuning = {entries = {conv = 3}, file = "f"}} {}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.max_workgroups' to be an i64 power of two from 1 to 32768, found 24 : i64}}
module attributes {ttc.max_workgroups = 24} {}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.metadata' to be a dictionary of strings whose keys have no zeros, found {architecture = 3 : i64}}}
module attributes {ttc.metadata = {architecture = 3}} {}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.metadata' on a builtin.module, found it on this op}}
func.func private @metadata() attributes {ttc.metadata = {}}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.name' on argument 1 to be a string, found @x}}
func.func private @name(tensor<4xf32>, tensor<4xf32> {ttc.name = @x})

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.name' on an argument or a result of a function, found it on this op}}
func.func private @name() attributes {ttc.name = "x"}

// -----

// expected-error @+1 {{'ttc.trace' op expected 'ttc.buffer' on argument 0 to be a symbol name, found [@x]}}
ttc.trace @argument(%x: tensor<4xf32> {ttc.buffer = [@x]}) {
  ttc.yield
}

// -----

// expected-error @+1 {{'ttc.trace' op expected 'ttc.buffer' on result 0 to be a symbol name, found "y"}}
ttc.trace @result(%x: tensor<4xf32>) -> (tensor<4xf32> {ttc.buffer = "y"}) {
  ttc.yield %x : tensor<4xf32>
}

// -----

ttc.trace @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.to_memory' op expected 'ttc.buffer' to be an array with a symbol name for each result, found @y}}
  %y = ttc.to_memory %x {ttc.buffer = @y} : tensor<4xf32> to tensor<4xf32, #ttc.layout<l1>>
  ttc.yield %x : tensor<4xf32>
}

// -----

ttc.trace @results(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.to_memory' op expected 'ttc.buffer' to be an array with a symbol name for each result, found [@y, @z]}}
  %y = ttc.to_memory %x {ttc.buffer = [@y, @z]} : tensor<4xf32> to tensor<4xf32, #ttc.layout<l1>>
  ttc.yield %x : tensor<4xf32>
}

// -----

ttc.trace @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.to_memory' op expected 'ttc.buffer' to be an array with a symbol name for each result, found [1]}}
  %y = ttc.to_memory %x {ttc.buffer = [1]} : tensor<4xf32> to tensor<4xf32, #ttc.layout<l1>>
  ttc.yield %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.buffer' on an argument or a result of a ttc.trace or an op in a ttc.trace, found it on argument 0}}
func.func private @not_in_a_trace(tensor<4xf32> {ttc.buffer = @x})

// -----

// expected-error @+1 {{'ttc.program' op expected 'ttc.strided' on argument 0 to be a #ttc.strided, found 4 : i64}}
ttc.program @strided(tensor<4xf32> {ttc.strided = 4}) -> tensor<4xf32>

// -----

// expected-error @+1 {{'ttc.program' op expected 'ttc.shard' on result 0 to be a #ttc.shard, found array<i64: 0>}}
ttc.program @shard(tensor<4xf32>) -> (tensor<4xf32> {ttc.shard = array<i64: 0>})

// -----

// expected-error @+1 {{'ttc.program' op expected 'ttc.in_place' on result 0 to be an array<i64>, found [0]}}
ttc.program @in_place(tensor<4xf32>) -> (tensor<4xf32> {ttc.in_place = [0]})

// -----

// expected-error @+1 {{'ttc.program' op expected 'ttc.in_place' on a result of a ttc.program or an argument of a function, found it on argument 0}}
ttc.program @in_place_argument(tensor<4xf32> {ttc.in_place = array<i64: 0>}) -> tensor<4xf32>

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.strided' on an argument or a result of a ttc.program, found it on result 0}}
func.func private @not_a_program() -> (tensor<4xf32> {ttc.strided = #ttc.strided<row = 2, pitch = 4, alignment = 8>})

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.devices' to be an array<i64> of distinct devices in ascending order, at least one, found array<i64: 1, 1>}}
func.func private @devices() attributes {ttc.devices = array<i64: 1, 1>}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.devices' to be an array<i64> of distinct devices in ascending order, at least one, found [0]}}
func.func private @devices() attributes {ttc.devices = [0]}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.part_of' to be a string, found @main}}
func.func private @devices() attributes {ttc.part_of = @main}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.devices' on a function, found it on this op}}
module attributes {ttc.devices = array<i64: 0>} {}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.part_of' on a function, found it on this op}}
module attributes {ttc.part_of = "main"} {}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.variant' to be a #ttc.variant, found "main"}}
func.func private @f() attributes {ttc.variant = "main"}

// -----

// expected-error @+1 {{'builtin.module' op expected 'ttc.variant' on a function or a ttc.entry, found it on this op}}
module attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>} {}

// -----

// expected-error @+1 {{'func.func' op expected a variant to have an argument 'extents' of type 'tensor<1xi32>', found none}}
func.func private @f(tensor<2xi32> {ttc.name = "extents"}, tensor<1xi32> {ttc.name = "n"}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.dims' on argument 0 to be an affine map, found array<i64: 1>}}
func.func private @f(tensor<8xf32> {ttc.dims = array<i64: 1>})

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.dims' on an op of a variant or an argument or a result of a function or a ttc.input or ttc.output, found it on this op}}
func.func private @f(tensor<8xf32>) attributes {ttc.dims = affine_map<()[s0] -> (s0)>}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.dims' in a function with 'ttc.variant'}}
func.func private @f(tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0)>})

// -----

// expected-error @+1 {{'func.func' op result 0: (D1) expected 'ttc.dims' to map 1 symbols to the dimensions of 'tensor<8xf32>', found ()[s0, s1] -> (s0)}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D1) expected 'ttc.dims' to map 1 symbols to the dimensions of 'tensor<8xf32>', found ()[s0] -> (s0, 1)}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0, 1)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D1) expected 'ttc.dims' to map 1 symbols to the dimensions of 'tensor<8xf32>', found (d0)[s0] -> (s0)}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<(d0)[s0] -> (s0)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D2) expected a sum of multiples, products and quotients, found s0 mod 9}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0 mod 9)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D2) expected a sum of multiples, products and quotients, found (s0 * s0) floordiv 2 + (s0 * s0) floordiv 3}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0] -> ((s0 * s0) floordiv 2 + (s0 * s0) floordiv 3)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D2) expected a sum of multiples, products and quotients, found -s0 + 16}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (16 - s0)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D3) expected a size of 8 in dimension 0 at the extents [8], and of at least 0 at [1], found s0 + 1}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0 + 1)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op result 0: (D3) expected a size of 8 in dimension 0 at the extents [8], and of at least 0 at [1], found s0 * 2 - 8}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}) -> (tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0 * 2 - 8)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}

// -----

// expected-error @+1 {{'func.func' op expected 'ttc.dims' on a ranked tensor, found it on 'f32'}}
func.func private @f(tensor<1xi32> {ttc.name = "extents"}, f32 {ttc.dims = affine_map<()[s0] -> (s0)>}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>}
