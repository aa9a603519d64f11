// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What iterations hand on has a home: a buffer in which initial and next values are written at once where
// nothing else needs the home meanwhile, and into which they are copied otherwise.
// RUN: ttc-opt %s --ttc-bind-buffers | FileCheck %s

ttc.program @in_place(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32> {ttc.in_place = array<i64: 0>}) attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.program @apart(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.buffer slot @z : tensor<4xf32> in dram
ttc.buffer state @s : tensor<4xf32> in dram

// The slot of the result is the home. The initial value is an argument, and copied.
// CHECK-LABEL: ttc.trace @updated
// CHECK-NEXT: %[[C:.*]] = ttc.copy %arg0 {ttc.buffer = [@y]}
// CHECK-NEXT: %[[V:.*]] = ttc.loop_begin %[[C]] times 9 {ttc.buffer = [@y]}
// CHECK-NEXT: %[[N:.*]] = ttc.dispatch @in_place(%[[V]], %arg1) {ttc.buffer = [@y]}
// CHECK-NEXT: %[[E:.*]] = ttc.loop_end %[[N]] {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.yield %[[E]]
ttc.trace @updated(%x: tensor<4xf32> {ttc.buffer = @x}, %z: tensor<4xf32> {ttc.buffer = @z}) -> (tensor<4xf32> {ttc.buffer = @y}) {
  %v = ttc.loop_begin %x times 9 : tensor<4xf32>
  %n = ttc.dispatch @in_place(%v, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = ttc.loop_end %n : tensor<4xf32>
  ttc.yield %e : tensor<4xf32>
}

// One update after the other, of a value that is computed: no copy at all.
// CHECK-LABEL: ttc.trace @chain
// CHECK-NEXT: ttc.dispatch @apart(%arg0, %arg1) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.loop_begin {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.loop_end {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.yield
ttc.trace @chain(%x: tensor<4xf32> {ttc.buffer = @x}, %z: tensor<4xf32> {ttc.buffer = @z}) -> (tensor<4xf32> {ttc.buffer = @y}) {
  %i = ttc.dispatch @apart(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = ttc.loop_begin %i times 9 : tensor<4xf32>
  %m = ttc.dispatch @in_place(%v, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = ttc.dispatch @in_place(%m, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = ttc.loop_end %n : tensor<4xf32>
  ttc.yield %e : tensor<4xf32>
}

// The value at the beginning is read after the next one is computed, or by work that does not overwrite it.
// CHECK-LABEL: ttc.trace @read_later
// CHECK:      ttc.loop_begin {{.*}} {ttc.buffer = [@y, @z]}
// CHECK-NEXT: %[[N:.*]] = ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@read_later_0]}
// CHECK-NEXT: %[[M:.*]] = ttc.dispatch @apart({{.*}}) {ttc.buffer = [@read_later_1]}
// CHECK-NEXT: ttc.copy %[[N]] {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.copy %[[M]] {ttc.buffer = [@z]}
// CHECK-NEXT: ttc.loop_end {{.*}} {ttc.buffer = [@y, @z]}
ttc.trace @read_later(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}, tensor<4xf32> {ttc.buffer = @z}) {
  %v:2 = ttc.loop_begin %x, %x times 9 : tensor<4xf32>, tensor<4xf32>
  %n = ttc.dispatch @in_place(%v#0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %m = ttc.dispatch @apart(%v#0, %v#1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e:2 = ttc.loop_end %n, %m : tensor<4xf32>, tensor<4xf32>
  ttc.yield %e#0, %e#1 : tensor<4xf32>, tensor<4xf32>
}

// Values that change places are set aside first; one that stays is not touched.
// CHECK-LABEL: ttc.trace @swapped
// CHECK:      %[[V:.*]]:3 = ttc.loop_begin {{.*}} {ttc.buffer = [@y, @z, @swapped_0]}
// CHECK-NEXT: %[[A:.*]] = ttc.copy %[[V]]#1 {ttc.buffer = [@swapped_1]}
// CHECK-NEXT: %[[B:.*]] = ttc.copy %[[V]]#0 {ttc.buffer = [@swapped_2]}
// CHECK-NEXT: %[[C:.*]] = ttc.copy %[[A]] {ttc.buffer = [@y]}
// CHECK-NEXT: %[[D:.*]] = ttc.copy %[[B]] {ttc.buffer = [@z]}
// CHECK-NEXT: ttc.loop_end %[[C]], %[[D]], %[[V]]#2 {ttc.buffer = [@y, @z, @swapped_0]}
ttc.trace @swapped(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}, tensor<4xf32> {ttc.buffer = @z}) {
  %v:3 = ttc.loop_begin %x, %x, %x times 9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %e:3 = ttc.loop_end %v#1, %v#0, %v#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  ttc.yield %e#0, %e#1 : tensor<4xf32>, tensor<4xf32>
}

// A value from outside of the loop is needed in each iteration: nothing in the loop overwrites it, though it
// is used only there. The temporary of an iteration may be overwritten.
// CHECK-LABEL: ttc.trace @outside
// CHECK-NEXT: %[[O:.*]] = ttc.dispatch @apart(%arg0, %arg0) {ttc.buffer = [@[[OUTSIDE:.*]]]}
// CHECK:      ttc.loop_begin {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.dispatch @in_place(%[[O]], {{.*}}) {ttc.buffer = [@[[TEMPORARY:outside_1]]]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@[[TEMPORARY]]]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@y]}
ttc.trace @outside(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}) {
  %o = ttc.dispatch @apart(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = ttc.loop_begin %x times 9 : tensor<4xf32>
  %a = ttc.dispatch @in_place(%o, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = ttc.dispatch @in_place(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = ttc.dispatch @in_place(%v, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = ttc.loop_end %n : tensor<4xf32>
  ttc.yield %e : tensor<4xf32>
}

// The initial value is needed in the loop, and one value is two initial ones: copies.
// CHECK-LABEL: ttc.trace @initial
// CHECK-NEXT: %[[I:.*]] = ttc.dispatch @apart(%arg0, %arg0) {ttc.buffer = [@initial_0]}
// CHECK-NEXT: ttc.copy %[[I]] {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.copy %[[I]] {ttc.buffer = [@z]}
// CHECK-NEXT: ttc.loop_begin {{.*}} {ttc.buffer = [@y, @z]}
ttc.trace @initial(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}, tensor<4xf32> {ttc.buffer = @z}) {
  %i = ttc.dispatch @apart(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v:2 = ttc.loop_begin %i, %i times 9 : tensor<4xf32>, tensor<4xf32>
  %n = ttc.dispatch @in_place(%v#0, %i) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %m = ttc.dispatch @in_place(%v#1, %i) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e:2 = ttc.loop_end %n, %m : tensor<4xf32>, tensor<4xf32>
  ttc.yield %e#0, %e#1 : tensor<4xf32>, tensor<4xf32>
}

// A value that two loops hand on, one in the other, has one home.
// CHECK-LABEL: ttc.trace @nested
// CHECK-NEXT: ttc.copy %arg0 {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.loop_begin {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.loop_begin {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}) {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.loop_end {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.loop_end {{.*}} {ttc.buffer = [@y]}
ttc.trace @nested(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}) {
  %v = ttc.loop_begin %x times 9 : tensor<4xf32>
  %a = ttc.dispatch @in_place(%v, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %w = ttc.loop_begin %a times 5 : tensor<4xf32>
  %b = ttc.dispatch @in_place(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %f = ttc.loop_end %b : tensor<4xf32>
  %e = ttc.loop_end %f : tensor<4xf32>
  ttc.yield %e : tensor<4xf32>
}

// The outer value is needed after the inner loop has begun.
// CHECK-LABEL: ttc.trace @nested_apart
// CHECK:      %[[V:.*]] = ttc.loop_begin {{.*}} {ttc.buffer = [@y]}
// CHECK-NEXT: ttc.copy %[[V]] {ttc.buffer = [@nested_apart_0]}
// CHECK-NEXT: ttc.loop_begin {{.*}} {ttc.buffer = [@nested_apart_0]}
// CHECK-NEXT: ttc.dispatch @in_place({{.*}}, %[[V]]) {ttc.buffer = [@nested_apart_0]}
// CHECK-NEXT: %[[F:.*]] = ttc.loop_end {{.*}} {ttc.buffer = [@nested_apart_0]}
// CHECK-NEXT: ttc.copy %[[F]] {ttc.buffer = [@y]}
ttc.trace @nested_apart(%x: tensor<4xf32> {ttc.buffer = @x}) -> (tensor<4xf32> {ttc.buffer = @y}) {
  %v = ttc.loop_begin %x times 9 : tensor<4xf32>
  %w = ttc.loop_begin %v times 5 : tensor<4xf32>
  %b = ttc.dispatch @in_place(%w, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %f = ttc.loop_end %b : tensor<4xf32>
  %e = ttc.loop_end %f : tensor<4xf32>
  ttc.yield %e : tensor<4xf32>
}

// No loop accesses a state: it is copied before, and written after.
// CHECK-LABEL: ttc.trace @state
// CHECK-NEXT: %[[S:.*]] = ttc.copy %arg0 {ttc.buffer = [@state_{{.*}}]}
// CHECK-NEXT: %[[I:.*]] = ttc.copy %[[S]] {ttc.buffer = [@[[HOME:state_.*]]]}
// CHECK-NEXT: %[[V:.*]] = ttc.loop_begin %[[I]] times 9 {ttc.buffer = [@[[HOME]]]}
// CHECK-NEXT: ttc.dispatch @in_place(%[[V]], %[[S]]) {ttc.buffer = [@[[HOME]]]}
// CHECK-NEXT: %[[E:.*]] = ttc.loop_end {{.*}} {ttc.buffer = [@[[HOME]]]}
// CHECK-NEXT: ttc.copy %[[E]] {ttc.buffer = [@s]}
ttc.trace @state(%s: tensor<4xf32> {ttc.buffer = @s}) -> (tensor<4xf32> {ttc.buffer = @s}) {
  %v = ttc.loop_begin %s times 9 : tensor<4xf32>
  %n = ttc.dispatch @in_place(%v, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = ttc.loop_end %n : tensor<4xf32>
  ttc.yield %e : tensor<4xf32>
}
