// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

// ttc's ops broadcast; those of StableHLO do not.
func.func @shapes(%x: tensor<4x5xf32>, %row: tensor<5xf32>, %column: tensor<4x1xf32>, %p: tensor<5xi1>, %s: tensor<f32>) {
  // expected-error @below {{(C1) expected operands of one shape, found 'tensor<4x5xf32>' and 'tensor<4x1xf32>'}}
  %0 = "stablehlo.add"(%x, %column) : (tensor<4x5xf32>, tensor<4x1xf32>) -> tensor<4x5xf32>
  // expected-error @below {{(C1) expected operands of one shape, found 'tensor<4x5xf32>' and 'tensor<f32>'}}
  %1 = "stablehlo.divide"(%x, %s) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  // expected-error @below {{(C1) expected operands of one shape, found 'tensor<4x5xf32>' and 'tensor<5xf32>'}}
  %2 = "stablehlo.atan2"(%x, %row) : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  // expected-error @below {{(C2) expected operands of one shape, found 'tensor<5xf32>' and 'tensor<4x5xf32>'}}
  %3 = "stablehlo.compare"(%row, %x) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  // expected-error @below {{(C1) expected a tensor of the shape of 'tensor<4x5xf32>', or of rank 0, found 'tensor<5xi1>'}}
  %4 = "stablehlo.select"(%p, %x, %x) : (tensor<5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  // expected-error @below {{(C2) expected a tensor of the shape of 'tensor<5xf32>', found 'tensor<f32>'}}
  %5 = "stablehlo.select"(%p, %row, %s) : (tensor<5xi1>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  // expected-error @below {{(C1) expected a tensor of the shape of 'tensor<4x5xf32>', or of rank 0, found 'tensor<5xf32>'}}
  %6 = "stablehlo.clamp"(%row, %x, %s) : (tensor<5xf32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  // expected-error @below {{(C2) expected a tensor of the shape of 'tensor<4x5xf32>', or of rank 0, found 'tensor<4x1xf32>'}}
  %7 = "stablehlo.clamp"(%s, %x, %column) : (tensor<f32>, tensor<4x5xf32>, tensor<4x1xf32>) -> tensor<4x5xf32>
  // expected-error @below {{op expected operands of one shape, found 'tensor<4x5xf32>' and 'tensor<5xf32>'}}
  %8 = "chlo.next_after"(%x, %row) : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  // A condition, a lower and an upper bound may be one number.
  %9 = "stablehlo.clamp"(%s, %x, %s) : (tensor<f32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @elements(%x: tensor<4xf32>, %i: tensor<4xi32>, %u: tensor<4xui32>, %p: tensor<4xi1>) {
  // expected-error @below {{op expected comparison_direction to be EQ, NE, GE, GT, LE or LT, found UP}}
  %0 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction UP>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // expected-error @below {{(C3) expected a compare_type of 'i32', found UNSIGNED}}
  %1 = "stablehlo.compare"(%i, %i) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // expected-error @below {{(C3) expected a compare_type of 'ui32', found SIGNED}}
  %2 = "stablehlo.compare"(%u, %u) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  // expected-error @below {{(C3) expected a compare_type of 'i32', found TOTALORDER}}
  %3 = "stablehlo.compare"(%i, %i) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = "stablehlo.compare"(%p, %p) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // expected-error @below {{expected floats, found 'tensor<4xi32>'}}
  %5 = "stablehlo.is_finite"(%i) : (tensor<4xi32>) -> tensor<4xi1>
  // expected-error @below {{expected floats, found 'tensor<4xi32>'}}
  %6 = "chlo.is_inf"(%i) : (tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

// Both parts are made by one handler: what is real would be taken for both.
func.func @complex(%x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i32>) {
  %c = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %d = "stablehlo.complex"(%y, %y) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xcomplex<f32>>
  // expected-error @below {{expected operands of complex numbers, found 'tensor<4xf32>'}}
  %0 = "stablehlo.add"(%c, %x) : (tensor<4xcomplex<f32>>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{expected results of complex numbers, found 'tensor<4xf32>'}}
  %1 = "stablehlo.negate"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // expected-error @below {{expected operands of complex numbers, found 'tensor<4xf32>'}}
  %2 = "stablehlo.dynamic_update_slice"(%c, %x, %i) : (tensor<4xcomplex<f32>>, tensor<4xf32>, tensor<i32>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{(C1) expected parts of one type of floats, found 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %3 = "stablehlo.complex"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{(C1) expected parts of one type of floats, found 'tensor<4xcomplex<f32>>' and 'tensor<4xcomplex<f32>>'}}
  %4 = "stablehlo.complex"(%c, %c) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{(C1) expected operands of one shape, found 'tensor<4xcomplex<f32>>' and 'tensor<5xcomplex<f32>>'}}
  %5 = "stablehlo.multiply"(%c, %d) : (tensor<4xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{expected a complex result of complex operands, found 'tensor<f32>'}}
  %6 = "stablehlo.dot"(%c, %c) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<f32>
  // expected-error @below {{(C3) expected compare_type FLOAT for complex numbers, found TOTALORDER}}
  %7 = "stablehlo.compare"(%c, %c) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  // expected-error @below {{(C2) expected operands of one shape}}
  %8 = "stablehlo.compare"(%c, %d) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @movement(%x: tensor<4x4xf32>, %i: tensor<4xi32>, %n: tensor<i32>) {
  // expected-error @below {{(C2) expected a permutation of 2 dimensions, found [0, 0]}}
  %0 = "stablehlo.transpose"(%x) <{permutation = array<i64: 0, 0>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{(C2) expected a permutation of 2 dimensions, found [1, 2]}}
  %1 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 2>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{(C2, C3) expected different dimensions of 2, found 1, 1}}
  %2 = "stablehlo.reverse"(%x) <{dimensions = array<i64: 1, 1>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{(C4) expected 'dimension' to be from 0 to 1, found 2}}
  %3 = "stablehlo.concatenate"(%x) <{dimension = 2 : i64}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{(C4) expected 'dimension' to be from 0 to 1, found -1}}
  %4 = "stablehlo.concatenate"(%x, %x) <{dimension = -1 : i64}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  // expected-error @below {{(C5) expected a result of shape [2, 4], found 'tensor<0x4xf32>'}}
  %5 = "stablehlo.dynamic_slice"(%x, %n, %n) <{slice_sizes = array<i64: 2, 4>}> : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<0x4xf32>
  %6 = "stablehlo.convert"(%x) : (tensor<4x4xf32>) -> tensor<4x4xi32>
  // expected-error @below {{(C2) expected an update of the elements of 'tensor<4x4xf32>', found 'tensor<4x4xi32>'}}
  %7 = "stablehlo.dynamic_update_slice"(%x, %6, %n, %n) : (tensor<4x4xf32>, tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> tensor<4x4xi32>
  return
}

// -----

func.func @branches(%p: tensor<i1>, %q: tensor<4xi1>, %i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error @below {{(C2, C3) expected body 1 to return ('tensor<4xf32>'), found ('tensor<1xf32>')}}
  %0 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%y) : (tensor<1xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  // expected-error @below {{(C3, C4) expected body 0 to return ('tensor<4xf32>'), found ('tensor<1xf32>')}}
  %1 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%y) : (tensor<1xf32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i32>) -> tensor<4xf32>
  // expected-error @below {{expected an operand of type 'tensor<i1>', found 'tensor<4xi1>'}}
  %2 = "stablehlo.if"(%q) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<4xi1>) -> tensor<4xf32>
  // expected-error @below {{expected an operand of type 'tensor<i32>', found 'tensor<i1>'}}
  %3 = "stablehlo.case"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  // expected-error @below {{(C1) expected at least one branch}}
  %4 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @loops(%x: tensor<i32>) {
  // expected-error @below {{(C1) expected body 0 to return ('tensor<i1>'), found ('tensor<i32>')}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%i: tensor<i32>):
    "stablehlo.return"(%i) : (tensor<i32>) -> ()
  }, {
  ^bb0(%i: tensor<i32>):
    "stablehlo.return"(%i) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  // expected-error @below {{(C2) expected body 1 to return ('tensor<i32>'), found ('tensor<i32>', 'tensor<i32>')}}
  %1 = "stablehlo.while"(%x) ({
  ^bb0(%i: tensor<i32>):
    %c = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>):
    "stablehlo.return"(%i, %i) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  // expected-error @below {{expected argument 0 of body 0 to be 'tensor<i32>', found 'tensor<ui32>'}}
  %2 = "stablehlo.while"(%x) ({
  ^bb0(%i: tensor<ui32>):
    %c = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>):
    "stablehlo.return"(%i) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @composites(%x: tensor<4xi32>) {
  // expected-error @below {{(C3) expected argument 0 of 'inner' to be 'tensor<4xi32>', found 'tensor<4xui32>'}}
  %0 = "stablehlo.composite"(%x) <{name = "my.number", decomposition = @inner}> : (tensor<4xi32>) -> tensor<4xf32>
  // expected-error @below {{expected 'inner' to have one block and 2 arguments}}
  %1 = "stablehlo.composite"(%x, %x) <{name = "my.number", decomposition = @inner}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}
func.func private @inner(%x: tensor<4xui32>) -> tensor<4xf32> {
  %0 = "stablehlo.convert"(%x) : (tensor<4xui32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Elements are promoted to the types of a body, but neither narrowed nor made into others.
func.func @bodies(%x: tensor<4xf32>, %h: tensor<4xf16>, %i: tensor<f32>, %n: tensor<i32>) {
  // expected-error @below {{(C2) expected an initial value of the elements of 'tensor<4xf32>', found 'tensor<i32>'}}
  %0 = "stablehlo.reduce"(%x, %n) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  // expected-error @below {{(C6) expected two arguments of body 0 of one type that 'f32' can be promoted to, found 'tensor<i32>' and 'tensor<i32>'}}
  %1 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<i32>
  // expected-error @below {{(C13) expected two arguments of body 0 of one type that 'f32' can be promoted to, found 'tensor<f16>' and 'tensor<f16>'}}
  %2 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%s) : (tensor<f16>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf16>
  // expected-error @below {{(C6) expected two arguments of body 0 of one type that 'f32' can be promoted to, found 'tensor<f32>' and 'tensor<f64>'}}
  %3 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // expected-error @below {{(C10) expected two arguments of body 1 of one type that 'f32' can be promoted to, found 'tensor<f16>' and 'tensor<f16>'}}
  %4 = "stablehlo.select_and_scatter"(%x, %x, %i) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%s) : (tensor<f16>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf16>
  // expected-error @below {{(C5) expected body 0 to return ('tensor<i1>'), found ('tensor<f32>')}}
  %5 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{expected body 0 to end with a return}}
  %6 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f16>}> : () -> tensor<f16>
  %8 = "stablehlo.reduce"(%h, %7) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf16>, tensor<f16>) -> tensor<f32>
  return
}

// -----

func.func @scatter(%p: tensor<8x5xi1>, %x: tensor<8x5xf32>, %i: tensor<4x1xi32>, %u: tensor<4x5xi32>, %v: tensor<4x5xf32>) {
  // expected-error @below {{(C6) expected updates of the elements of 'tensor<8x5xi1>', found 'tensor<4x5xi32>'}}
  %0 = "stablehlo.scatter"(%p, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = "stablehlo.or"(%a, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<8x5xi1>, tensor<4x1xi32>, tensor<4x5xi32>) -> tensor<8x5xi1>
  // expected-error @below {{(C23) expected two arguments of body 0 of one type that 'f32' can be promoted to, found 'tensor<f16>' and 'tensor<f16>'}}
  %1 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    "stablehlo.return"(%b) : (tensor<f16>) -> ()
  }) : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<4x5xf32>) -> tensor<8x5xf16>
  // expected-error @below {{(C23) expected body 0 to return ('tensor<f32>'), found ()}}
  %2 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"() : () -> ()
  }) : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  // expected-error @below {{(C9, C12, C13) expected input_batching_dims to be different dimensions, in order, of a tensor of rank 2, found [2]}}
  %3 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], input_batching_dims = [2], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

// A body in a wider type makes a result of it.
func.func @scatter_promoted(%x: tensor<8x5xf16>, %i: tensor<4x1xi32>, %v: tensor<4x5xf16>) -> tensor<8x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<8x5xf16>, tensor<4x1xi32>, tensor<4x5xf16>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

// The two ops that gather have other numbers for the same constraints.
func.func @gathers(%x: tensor<8x5xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{(C22) expected a result of shape [4, 5], found 'tensor<0x5xf32>'}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<0x5xf32>
  // expected-error @below {{(C6, C10, C11) expected operand_batching_dims to be different dimensions, in order, of a tensor of rank 2, found [2]}}
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C6) expected operand_batching_dims to be no dimensions of collapsed_slice_dims, found [0] and [0]}}
  %2 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x5xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %n = "stablehlo.constant"() <{value = dense<[1, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @below {{(C12) expected slice_sizes from 0 to the sizes of 'tensor<8x5xf32>', found [1, 6]}}
  %3 = "stablehlo.dynamic_gather"(%x, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<2xi32>) -> tensor<4x6xf32>
  %m = "stablehlo.constant"() <{value = dense<[2, 5]> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @below {{(C8) expected slice size 1 in dimension 0, found 2}}
  %4 = "stablehlo.dynamic_gather"(%x, %i, %m) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<2xi32>) -> tensor<4x5xf32>
  // expected-error @below {{(C9, C10) expected start_index_map to be different dimensions}}
  %5 = "stablehlo.dynamic_gather"(%x, %i, %m) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [4], index_vector_dim = 1>}> : (tensor<8x5xf32>, tensor<4x1xi32>, tensor<2xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @others(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %g: tensor<4x7xf32>, %k: tensor<1x1x2x2xf32>, %y: tensor<1x1x4x4xf32>, %i: tensor<f32>) {
  // expected-error @below {{(C2, C3) expected operand 4 to be 'tensor<4x8xf32>', found 'tensor<4x7xf32>'}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x7xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // expected-error @below {{(C2, C3, C4) expected operand 1 to have 4 elements}}
  %1:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 0 : i64}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // The low and high counts of two dimensions are no list of four.
  // expected-error @below {{(C4) expected attribute 'padding' to have shape [2, 2], found dense<0> : tensor<4xi64>}}
  %2 = "stablehlo.convolution"(%y, %k) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, padding = dense<0> : tensor<4xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  // expected-error @below {{(C25, C26) expected a result of shape [1, 1, 3, 3], found 'tensor<3x3xf32>'}}
  %3 = "stablehlo.convolution"(%y, %k) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>) -> tensor<3x3xf32>
  // expected-error @below {{(C4) expected fft_length to be the sizes of the last dimensions}}
  %4 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 7>}> : (tensor<4x8xf32>) -> tensor<4x4xcomplex<f32>>
  // expected-error @below {{(C5) expected a result of shape [4, 5], found 'tensor<0x5xf32>'}}
  %5 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<4x8xf32>) -> tensor<0x5xcomplex<f32>>
  // expected-error @below {{expected groups of one device, found [0] and 2 parts}}
  %6 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @below {{expected operands or a result of f64 for an algorithm that computes in f64, found a result of 'f32'}}
  %7 = "stablehlo.dot_general"(%x, %s) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  %8 = "stablehlo.dot_general"(%x, %s) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

// In the body of a reduction, tensors of rank 0 stand for whole tensors, which have dimensions that the body does not name.
func.func @within(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @below {{(C6) expected two arguments}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f64>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @below {{(C2, C3) expected different dimensions of 0, found 0}}
    %s = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0>}> : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @below {{(C2) expected padding of 0 dimensions, found 1, 1 and 1}}
    %s = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %3 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = "stablehlo.transpose"(%a) <{permutation = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %q = "stablehlo.slice"(%p) <{start_indices = array<i64>, limit_indices = array<i64>, strides = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %r = "stablehlo.reverse"(%q) <{dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %s = "stablehlo.subtract"(%r, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}
