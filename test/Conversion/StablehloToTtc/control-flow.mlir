// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc | FileCheck %s

// Steps that constants count are unrolled: three tangents.
// CHECK-LABEL: func.func @loop
// CHECK-COUNT-3: ttc.tanh
// CHECK-NOT: ttc.tanh
// CHECK: return
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %n = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = "stablehlo.tanh"(%v) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%next, %t) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

// Branches see the values around them; both are computed.
// CHECK-LABEL: func.func @branches
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-DAG: %[[cos:.*]] = ttc.cos
  // CHECK-DAG: %[[sin:.*]] = ttc.sin
  // CHECK: ttc.where %{{.*}}, %[[sin]], %[[cos]] : (tensor<i1>, tensor<4xf32>, tensor<4xf32>)
  %r = "stablehlo.if"(%p) ({
    %s = "stablehlo.sine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%s) : (tensor<4xf32>) -> ()
  }, {
    %c = "stablehlo.cosine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%c) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// An index out of range means the last branch.
// CHECK-LABEL: func.func @known_case
func.func @known_case(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: ttc.sin
  // CHECK: ttc.cos
  %index = "stablehlo.constant"() <{value = dense<-7> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.case"(%index) ({
    %s = "stablehlo.sine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%s) : (tensor<4xf32>) -> ()
  }, {
    %c = "stablehlo.cosine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%c) : (tensor<4xf32>) -> ()
  }) : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @calls
// CHECK-COUNT-2: ttc.floor
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.composite"(%0) <{name = "my.floor", decomposition = @inner}> : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-NOT: @inner
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.floor"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
