// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

// Each op that cannot be imported is named.
func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be imported: docs/stablehlo.md lists the ops that can}}
  %0 = "stablehlo.frobnicate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{cannot be imported}}
  %1 = "mydialect.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// expected-error @below {{expected tensors of static shape, found 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.abs"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute 'mode' is not supported}}
  %0 = "stablehlo.abs"(%x) <{mode = 3 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @result(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{expected result 0 to be 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @operands(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected 2 operands, found 1}}
  %0 = "stablehlo.add"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @below {{(C3, C4) expected dimension 0 to be sliced within 4 elements by a positive stride, found 3:5:1}}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 3>, limit_indices = array<i64: 5>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @broadcast(%x: tensor<4xf32>) -> tensor<2x5xf32> {
  // expected-error @below {{(C5) expected dimension 0 of 'tensor<4xf32>' to have size 1 or 5}}
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

func.func @direction(%x: tensor<4xf32>) -> tensor<4xi1> {
  // expected-error @below {{expected attribute 'comparison_direction' to be #stablehlo<comparison_direction ...>, found none}}
  %0 = "stablehlo.compare"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @not_a_condition(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{(C1) expected body 0 to return ('tensor<i1>'), found ('tensor<f32>')}}
  %r = "stablehlo.while"(%x) ({
  ^bb0(%v: tensor<f32>):
    "stablehlo.return"(%v) : (tensor<f32>) -> ()
  }, {
  ^bb0(%v: tensor<f32>):
    %n = "stablehlo.multiply"(%v, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%n) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @other_type(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{(C2) expected body 1 to return ('tensor<f32>'), found ('tensor<i1>')}}
  %r = "stablehlo.while"(%x) ({
  ^bb0(%v: tensor<f32>):
    %c = "stablehlo.is_finite"(%v) : (tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%v: tensor<f32>):
    %n = "stablehlo.is_finite"(%v) : (tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%n) : (tensor<i1>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expected-error @below {{expected at most 256 bodies and calls within each other}}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected mhlo.num_replicas to be 1, found 2: lower the function for one device; --mesh divides it}}
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{expected real arguments and results, found 'tensor<4xcomplex<f32>>'}}
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = "stablehlo.negate"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @smallest(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  // expected-error @below {{expected attribute 'largest' to be true, found false}}
  %0:2 = "chlo.top_k"(%x) <{k = 2 : i64, largest = false}> : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
