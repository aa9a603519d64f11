// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-fuse-elementwise | FileCheck %s

#rows = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#id1 = affine_map<(i) -> (i)>

// A cheap producer is computed in each of its consumers.
// CHECK-LABEL: func.func @cheap_twice
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @cheap_twice(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = arith.addf %x, %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = arith.mulf %x, %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// A costly one is, if its only consumer runs as often.
// CHECK-LABEL: func.func @costly_once
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:           arith.negf
// CHECK-NOT:     linalg.generic
func.func @costly_once(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = math.exp %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Not into a broadcast, which would compute each exponential 64 times. MLIR's
// linalg-fuse-elementwise-ops does that.
// CHECK-LABEL: func.func @broadcast
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK:           arith.negf
func.func @broadcast(%a: tensor<8xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = math.exp %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %f = tensor.empty() : tensor<8x64xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8xf32>) outs(%f : tensor<8x64xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  } -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// A constant becomes a part of the body, and a dead op goes.
// CHECK-LABEL: func.func @constant
// CHECK:         %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>) outs
// CHECK:           arith.mulf %{{.*}}, %[[C]]
// CHECK-NOT:     linalg.generic
func.func @constant(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %dead = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %n = math.exp %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%a, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.mulf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Each link of a chain is computed once, though it is both operands of the next one.
// CHECK-LABEL: func.func @chain
// CHECK:         linalg.generic
// CHECK-COUNT-8:   arith.addf
// CHECK-NOT:       arith.addf
// CHECK:         return
func.func @chain(%v: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%v, %v : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%0, %0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%1, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%2, %2 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %4 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%3, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %5 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%4, %4 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %6 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%5, %5 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %7 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%6, %6 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  return %7 : tensor<8xf32>
}

// Nor is a link copied that two ops lead to.
// CHECK-LABEL: func.func @diamonds
// CHECK:         linalg.generic
// CHECK-COUNT-4:   arith.addf
// CHECK-NOT:       arith.addf
// CHECK:         return
func.func @diamonds(%v: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%v : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = arith.negf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %b0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%v : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = math.absf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %c0 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%a0, %b0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %x1: f32, %out: f32):
      %n = arith.addf %x0, %x1 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %a1 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%c0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = arith.negf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %b1 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%c0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = math.absf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %c1 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%a1, %b1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %x1: f32, %out: f32):
      %n = arith.addf %x0, %x1 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %a2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%c1 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = arith.negf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %b2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%c1 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = math.absf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %c2 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%a2, %b2 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %x1: f32, %out: f32):
      %n = arith.addf %x0, %x1 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %a3 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%c2 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = arith.negf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %b3 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%c2 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %out: f32):
      %n = math.absf %x0 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  %c3 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%a3, %b3 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x0: f32, %x1: f32, %out: f32):
      %n = arith.addf %x0, %x1 : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  return %c3 : tensor<8xf32>
}
