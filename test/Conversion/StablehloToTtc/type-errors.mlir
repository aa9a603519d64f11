// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

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
