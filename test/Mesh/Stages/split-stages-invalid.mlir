// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file --verify-diagnostics --ttc-split-stages=parallel=pipeline

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  // expected-error @+1 {{--parallel=pipeline: expected at least 2 programs, one for each stage, found 0 in 'main'}}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  // expected-error @+1 {{--parallel=pipeline: expected a function of one block, found 2}}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    cf.br ^end
  ^end:
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.program private @neg(%a: tensor<4xf32>) -> tensor<4xf32>
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{--parallel=pipeline: expected ops without regions, found this one}}
    %0 = ttc.traced -> tensor<4xf32> {
      %1 = ttc.dispatch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.program private @neg(%a: tensor<4xf32>) -> tensor<4xf32>
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ttc.dispatch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{--parallel=pipeline: expected no ttc.traced region and no event, found ttc.trace_boundary: each stage is a trace of its own; leave them out}}
    ttc.trace_boundary
    %1 = ttc.dispatch @neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// The state is read first and updated last.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @s : tensor<4xf32>
  ttc.program private @neg(%a: tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{--parallel=pipeline: expected 2 stages, each of which updates the states that it uses, and the same as in other functions; found states that 'main' uses in too many places}}
  func.func @main(%s: tensor<4xf32> {ttc.state = @s}) -> (tensor<4xf32> {ttc.state = @s}) {
    %0 = ttc.dispatch @neg(%s) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.dispatch @neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "micro-batch", size = 2>]>} {
  ttc.state @s : tensor<4xf32>
  ttc.program private @neg(%a: tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{--micro-batches: expected a function without states, which change from run to run, found 1 in 'main'}}
  func.func @main(%s: tensor<4xf32> {ttc.state = @s}) -> tensor<4xf32> {
    %0 = ttc.dispatch @neg(%s) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.dispatch @neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// The first function has the states in two stages.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @a : tensor<4xf32>
  ttc.state @b : tensor<4xf32>
  ttc.program private @neg(%a: tensor<4xf32>) -> tensor<4xf32>
  func.func @main(%a: tensor<4xf32> {ttc.state = @a}, %b: tensor<4xf32> {ttc.state = @b}) -> (tensor<4xf32> {ttc.state = @a}, tensor<4xf32> {ttc.state = @b}) {
    %0 = ttc.dispatch @neg(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.dispatch @neg(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  // expected-error @+1 {{--parallel=pipeline: expected state @b in the stage of @a, whose value it becomes in 'copy', found it in stage 1 and not 0}}
  func.func @copy(%x: tensor<4xf32>, %a: tensor<4xf32> {ttc.state = @a}) -> (tensor<4xf32>, tensor<4xf32> {ttc.state = @b}) {
    %0 = ttc.dispatch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.dispatch @neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1, %a : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The second function uses both at one place.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @a : tensor<4xf32>
  ttc.state @b : tensor<4xf32>
  ttc.program private @neg(%a: tensor<4xf32>) -> tensor<4xf32>
  ttc.program private @both(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
  func.func @main(%a: tensor<4xf32> {ttc.state = @a}, %b: tensor<4xf32> {ttc.state = @b}) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = ttc.dispatch @neg(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.dispatch @neg(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  // expected-error @+1 {{found states that 'other' uses in too many places}}
  func.func @other(%a: tensor<4xf32> {ttc.state = @a}, %b: tensor<4xf32> {ttc.state = @b}) -> tensor<4xf32> {
    %0 = ttc.dispatch @both(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.dispatch @neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
