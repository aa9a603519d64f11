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

// A loop of many ops is repeated. What no step changes is not handed on.
// CHECK-LABEL: func.func @long_loop
// CHECK: %[[I:.*]] = ttc.constant dense<0> : tensor<i32>
// CHECK: %[[B:.*]]:2 = ttc.loop_begin %[[I]], %arg0 times 3000 : tensor<i32>, tensor<4xf32>
// CHECK-DAG: %[[T:.*]] = ttc.mul %[[B]]#1, %arg1
// CHECK-DAG: %[[N:.*]] = ttc.add %[[B]]#0
// CHECK: %[[E:.*]]:2 = ttc.loop_end %[[N]], %[[T]] : tensor<i32>, tensor<4xf32>
// CHECK: return %[[E]]#1, %arg1
func.func @long_loop(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %x, %w) ({
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>, %f: tensor<4xf32>):
    %n = "stablehlo.constant"() <{value = dense<3000> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>, %f: tensor<4xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = "stablehlo.multiply"(%v, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%next, %t, %f) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}

// Downwards by two, up to and including 1: 1500 steps. The limit is a constant operand that no step changes.
// CHECK-LABEL: func.func @downwards
// CHECK: ttc.loop_begin {{.*}} times 1500 :
func.func @downwards(%x: tensor<4xf32>) -> tensor<4xf32> {
  %first = "stablehlo.constant"() <{value = dense<3000> : tensor<i16>}> : () -> tensor<i16>
  %last = "stablehlo.constant"() <{value = dense<1> : tensor<i16>}> : () -> tensor<i16>
  %r:3 = "stablehlo.while"(%first, %last, %x) ({
  ^bb0(%i: tensor<i16>, %n: tensor<i16>, %v: tensor<4xf32>):
    %c = "stablehlo.compare"(%n, %i) <{comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<i16>, tensor<i16>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i16>, %n: tensor<i16>, %v: tensor<4xf32>):
    %two = "stablehlo.constant"() <{value = dense<2> : tensor<i16>}> : () -> tensor<i16>
    %next = "stablehlo.subtract"(%i, %two) : (tensor<i16>, tensor<i16>) -> tensor<i16>
    %t = "stablehlo.tanh"(%v) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%next, %n, %t) : (tensor<i16>, tensor<i16>, tensor<4xf32>) -> ()
  }) : (tensor<i16>, tensor<i16>, tensor<4xf32>) -> (tensor<i16>, tensor<i16>, tensor<4xf32>)
  return %r#2 : tensor<4xf32>
}

// Data ends the loop: the flag is the condition for the initial values, then for the next ones.
// CHECK-LABEL: func.func @data_decides
// CHECK: %[[C:.*]] = ttc.compare lt %arg0, %{{.*}}
// CHECK: %[[B:.*]]:2 = ttc.loop_begin %[[C]], %arg0 while at_most 2147483647 fails_at_limit : tensor<i1>, tensor<f32>
// CHECK: %[[M:.*]] = ttc.mul %[[B]]#1, %[[B]]#1
// CHECK: %[[D:.*]] = ttc.compare lt %[[M]], %{{.*}}
// CHECK: %[[E:.*]]:2 = ttc.loop_end %[[D]], %[[M]] : tensor<i1>, tensor<f32>
// CHECK: return %[[E]]#1
func.func @data_decides(%x: tensor<f32>) -> tensor<f32> {
  %r = "stablehlo.while"(%x) ({
  ^bb0(%v: tensor<f32>):
    %n = "stablehlo.constant"() <{value = dense<9.0> : tensor<f32>}> : () -> tensor<f32>
    %c = "stablehlo.compare"(%v, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%v: tensor<f32>):
    %n = "stablehlo.multiply"(%v, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%n) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// A branch with a loop is computed only if it is taken.
// CHECK-LABEL: func.func @loop_in_branch
// CHECK: %[[A:.*]]:2 = ttc.loop_begin %arg0, %{{.*}} while at_most 1 : tensor<i1>, tensor<f32>
// CHECK: ttc.loop_begin {{.*}} while at_most 2147483647 fails_at_limit
// CHECK: ttc.loop_end
// CHECK: %[[R:.*]]:2 = ttc.loop_end %[[A]]#0, %{{.*}} : tensor<i1>, tensor<f32>
// CHECK: %[[N:.*]] = ttc.not %arg0
// CHECK: %[[B:.*]]:2 = ttc.loop_begin %[[N]], %[[R]]#1 while at_most 1 : tensor<i1>, tensor<f32>
// CHECK: %[[S:.*]] = ttc.sin %arg1
// CHECK: %[[Z:.*]]:2 = ttc.loop_end %[[B]]#0, %[[S]] : tensor<i1>, tensor<f32>
// CHECK: return %[[Z]]#1
func.func @loop_in_branch(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %r = "stablehlo.if"(%p) ({
    %w = "stablehlo.while"(%x) ({
    ^bb0(%v: tensor<f32>):
      %n = "stablehlo.constant"() <{value = dense<9.0> : tensor<f32>}> : () -> tensor<f32>
      %c = "stablehlo.compare"(%v, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%v: tensor<f32>):
      %n = "stablehlo.multiply"(%v, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%n) : (tensor<f32>) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%w) : (tensor<f32>) -> ()
  }, {
    %s = "stablehlo.sine"(%x) : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f32>
  return %r : tensor<f32>
}
