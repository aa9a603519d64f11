// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A state's next value is written over the old one by work that may do so, if nothing reads the old one
// later; otherwise it is copied at the end of the trace.
// RUN: ttc-opt %s --ttc-bind-buffers | FileCheck %s

ttc.program @in_place(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @apart(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.buffer state @s : tensor<4xf32> in dram
ttc.buffer state @t : tensor<4xf32> in dram

// CHECK-LABEL: ttc.trace @updated
// CHECK:      ttc.dispatch @in_place(%arg0, %arg1) {ttc.buffer = [@s]}
// CHECK-NEXT: ttc.yield
ttc.trace @updated(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @s}) {
  %0 = ttc.dispatch @in_place(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0 : tensor<4xf32>
}

// Read before the update, by other work.
// CHECK-LABEL: ttc.trace @read_before
// CHECK:      ttc.dispatch @apart(%arg0, %arg1) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.dispatch @in_place(%arg0, %arg1) {ttc.buffer = [@s]}
// CHECK-NEXT: ttc.yield
ttc.trace @read_before(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x})
    -> (tensor<4xf32> {ttc.buffer = @s}, tensor<4xf32> {ttc.buffer = @y}) {
  %1 = ttc.dispatch @apart(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = ttc.dispatch @in_place(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Read after it.
// CHECK-LABEL: ttc.trace @read_later
// CHECK:      %[[NEW:.*]] = ttc.dispatch @in_place(%arg0, %arg1) {ttc.buffer = [@read_later_0]}
// CHECK-NEXT: ttc.dispatch @apart(%arg0, %arg1) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.copy %[[NEW]] {ttc.buffer = [@s]}
ttc.trace @read_later(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x})
    -> (tensor<4xf32> {ttc.buffer = @s}, tensor<4xf32> {ttc.buffer = @y}) {
  %0 = ttc.dispatch @in_place(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.dispatch @apart(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Read by the same work, which may not overwrite it: all of it, or the other operand.
// CHECK-LABEL: ttc.trace @not_in_place
// CHECK:      %[[NEW:.*]] = ttc.dispatch @apart(%arg0, %arg1) {ttc.buffer = [@not_in_place_0]}
// CHECK-NEXT: ttc.copy %[[NEW]] {ttc.buffer = [@s]}
ttc.trace @not_in_place(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @s}) {
  %0 = ttc.dispatch @apart(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0 : tensor<4xf32>
}
// CHECK-LABEL: ttc.trace @other_operand
// CHECK:      ttc.dispatch @in_place(%arg1, %arg0) {ttc.buffer = [@other_operand_0]}
// CHECK-NEXT: ttc.copy %{{.*}} {ttc.buffer = [@s]}
ttc.trace @other_operand(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @s}) {
  %0 = ttc.dispatch @in_place(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0 : tensor<4xf32>
}

// It stays as it is; two states get one value; two change places.
// CHECK-LABEL: ttc.trace @unchanged
// CHECK-NEXT: ttc.yield %arg0
ttc.trace @unchanged(%s: tensor<4xf32> {ttc.buffer = @s}) -> (tensor<4xf32> {ttc.buffer = @s}) {
  ttc.yield %s : tensor<4xf32>
}
// CHECK-LABEL: ttc.trace @twice
// CHECK:      %[[NEW:.*]] = ttc.dispatch @apart(%arg0, %arg0) {ttc.buffer = [@s]}
// CHECK-NEXT: ttc.copy %[[NEW]] {ttc.buffer = [@t]}
ttc.trace @twice(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @s}, tensor<4xf32> {ttc.buffer = @t}) {
  %0 = ttc.dispatch @apart(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: ttc.trace @swapped
// CHECK-NEXT: %[[S:.*]] = ttc.copy %arg0 {ttc.buffer = [@swapped_0]}
// CHECK-NEXT: ttc.copy %arg1 {ttc.buffer = [@s]}
// CHECK-NEXT: ttc.copy %[[S]] {ttc.buffer = [@t]}
ttc.trace @swapped(%s: tensor<4xf32> {ttc.buffer = @s}, %t: tensor<4xf32> {ttc.buffer = @t})
    -> (tensor<4xf32> {ttc.buffer = @s}, tensor<4xf32> {ttc.buffer = @t}) {
  ttc.yield %t, %s : tensor<4xf32>, tensor<4xf32>
}

// Views of a state are arguments of their own, and read after it was given another value only if that is
// elsewhere.
// CHECK-LABEL: ttc.trace @read_as_a_view
// CHECK:      ttc.dispatch @apart(%arg0, %arg0) {ttc.buffer = [@read_as_a_view_0]}
// CHECK-NEXT: %[[NEW:.*]] = ttc.dispatch @in_place(%arg1, %arg2) {ttc.buffer = [@read_as_a_view_1]}
// CHECK-NEXT: ttc.dispatch @apart(%arg0, %{{.*}}) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.copy %[[NEW]] {ttc.buffer = [@s]}
ttc.trace @read_as_a_view(%v: tensor<4xf32> {ttc.buffer = @s}, %s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x})
    -> (tensor<4xf32> {ttc.buffer = @s}, tensor<4xf32> {ttc.buffer = @y}) {
  %1 = ttc.dispatch @apart(%v, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = ttc.dispatch @in_place(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.dispatch @apart(%v, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// A view that stands after the work that updates its source is copied before it.
// CHECK-LABEL: ttc.trace @viewed_late
// CHECK-NEXT: %[[VIEW:.*]] = ttc.reshape %arg0
// CHECK-NEXT: %[[SAME:.*]] = ttc.reshape %[[VIEW]]
// CHECK-NEXT: ttc.copy %[[SAME]] {ttc.buffer = [@t]}
// CHECK-NEXT: ttc.dispatch @in_place(%arg0, %arg1) {ttc.buffer = [@s]}
ttc.trace @viewed_late(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x})
    -> (tensor<4xf32> {ttc.buffer = @s}, tensor<4xf32> {ttc.buffer = @t}) {
  %0 = ttc.dispatch @in_place(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.reshape %s : (tensor<4xf32>) -> tensor<2x2xf32>
  %2 = ttc.reshape %1 : (tensor<2x2xf32>) -> tensor<4xf32>
  ttc.yield %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// The next value is given back in another shape, too.
// CHECK-LABEL: ttc.trace @two_shapes
// CHECK:      %[[NEW:.*]] = ttc.dispatch @in_place(%arg0, %arg1) {ttc.buffer = [@s]}
// CHECK-NEXT: %[[VIEW:.*]] = ttc.reshape %[[NEW]]
// CHECK-NEXT: ttc.yield %[[NEW]], %[[VIEW]]
ttc.trace @two_shapes(%s: tensor<4xf32> {ttc.buffer = @s}, %x: tensor<4xf32> {ttc.buffer = @x})
    -> (tensor<4xf32> {ttc.buffer = @s}, tensor<2x2xf32> {ttc.buffer = @s}) {
  %0 = ttc.dispatch @in_place(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
  ttc.yield %0, %1 : tensor<4xf32>, tensor<2x2xf32>
}
