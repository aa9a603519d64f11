// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies beyond the extents of a variant reaches none of its results.
// RUN: ttc-opt %s --ttc-mask-padding --split-input-file | FileCheck %s

// Elementwise ops and products keep padding where it is; a sum needs zeros, which are stored where the value is computed.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: -> (tensor<4x6xf32> {ttc.dims = #{{.*}}}, tensor<6xf32>)
// CHECK: %[[VALID:.*]] = ttc.compare lt %{{.*}}, %arg1
// CHECK-SAME: tensor<4xi1>
// CHECK: %[[Y:.*]] = ttc.matmul
// CHECK-NEXT: %[[COLUMN:.*]] = ttc.reshape %[[VALID]]
// CHECK-NEXT: %[[MASKED:.*]] = ttc.where %[[COLUMN]], %[[Y]]
// CHECK-NEXT: ttc.reduce_sum %[[MASKED]]
func.func @sum(%x: tensor<4x8xf32> {ttc.dims = affine_map<()[s0] -> (s0, 8)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<4x6xf32>, tensor<6xf32>)
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [4]>} {
  %w = ttc.constant dense<0.5> : tensor<8x6xf32>
  %0 = ttc.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ttc.matmul %0, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = ttc.reduce_sum %1 {axes = [0]} : (tensor<4x6xf32>) -> tensor<6xf32>
  return %1, %2 : tensor<4x6xf32>, tensor<6xf32>
}

// -----

// A mean divides by the number of valid elements, here of both dimensions.
// CHECK-LABEL: func.func @mean
// CHECK: %[[HEIGHT:.*]] = ttc.slice %arg1 {{.*}}starts = [0]
// CHECK: %[[WIDTH:.*]] = ttc.slice %arg1 {{.*}}starts = [1]
// CHECK: %[[COUNT:.*]] = ttc.mul %[[HEIGHT]], %[[WIDTH]]
// CHECK-NEXT: %[[SCALAR:.*]] = ttc.reshape %[[COUNT]]
// CHECK-NEXT: %[[NUMBER:.*]] = ttc.cast %[[SCALAR]]
// CHECK: %[[SUM:.*]] = ttc.reduce_sum
// CHECK-NEXT: ttc.div %[[SUM]], %[[NUMBER]]
func.func @mean(%x: tensor<1x2x8x8xf32> {ttc.dims = affine_map<()[s0, s1] -> (1, 2, s0, s1)>},
                %extents: tensor<2xi32> {ttc.name = "extents"}) -> tensor<1x2xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["height", "width"], low = [1, 1], high = [8, 8]>} {
  %0 = ttc.reduce_mean %x {axes = [2, 3]} : (tensor<1x2x8x8xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

// What a product of bytes sums becomes its zero point, which adds nothing.
// CHECK-LABEL: func.func @bytes
// CHECK-DAG: %[[A:.*]] = ttc.where %{{.*}}, %arg0, %arg2 : (tensor<8xi1>, tensor<2x8xui8>, tensor<2x1xui8>)
// CHECK-DAG: %[[B:.*]] = ttc.where %{{.*}}, %arg1, %arg3 : (tensor<8x1xi1>, tensor<8x6xi8>, tensor<i8>)
// CHECK: ttc.int_matmul %[[A]], %[[B]], %arg2, %arg3
func.func @bytes(%a: tensor<2x8xui8> {ttc.dims = affine_map<()[s0] -> (2, s0)>},
                 %b: tensor<8x6xi8> {ttc.dims = affine_map<()[s0] -> (s0, 6)>},
                 %az: tensor<2x1xui8>, %bz: tensor<i8>, %extents: tensor<1xi32> {ttc.name = "extents"}) -> tensor<2x6xi32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [8]>} {
  %0 = ttc.int_matmul %a, %b, %az, %bz : (tensor<2x8xui8>, tensor<8x6xi8>, tensor<2x1xui8>, tensor<i8>) -> tensor<2x6xi32>
  return %0 : tensor<2x6xi32>
}

// -----

// Two ops that need other numbers there do not share a mask.
// CHECK-LABEL: func.func @two_numbers
// CHECK-DAG: %[[ZERO:.*]] = ttc.constant dense<0.000000e+00>
// CHECK-DAG: %[[LOWEST:.*]] = ttc.constant dense<0xFF800000>
// CHECK-DAG: %[[A:.*]] = ttc.where %{{.*}}, %{{.*}}, %[[ZERO]]
// CHECK-DAG: %[[B:.*]] = ttc.where %{{.*}}, %{{.*}}, %[[LOWEST]]
// CHECK: ttc.reduce_sum %[[A]]
// CHECK: ttc.reduce_max %[[B]]
func.func @two_numbers(%x: tensor<8x6xf32> {ttc.dims = affine_map<()[s0] -> (s0, 6)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<6xf32>, tensor<6xf32>)
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  %0 = ttc.reduce_sum %x {axes = [0]} : (tensor<8x6xf32>) -> tensor<6xf32>
  %1 = ttc.reduce_max %x {axes = [0]} : (tensor<8x6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}

// -----

// Strided windows without padding at the end see only what is valid: no mask.
// CHECK-LABEL: func.func @patches
// CHECK-SAME: ttc.dims = #[[DIMS:.*]]})
// CHECK-NOT: ttc.where
func.func @patches(%x: tensor<1x3x32xf32> {ttc.dims = affine_map<()[s0] -> (1, 3, s0)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<1x4x8xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["length"], low = [4], high = [32]>} {
  %w = ttc.constant dense<0.5> : tensor<4x3x4xf32>
  %0 = ttc.conv %x, %w {strides = [4]} : (tensor<1x3x32xf32>, tensor<4x3x4xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

// What follows a padded part is moved to its place: element i of the result is element i + (gap) from the part's end on.
// CHECK-LABEL: func.func @after
// CHECK-SAME: -> (tensor<10xf32> {ttc.dims = #{{.*}}})
// CHECK: %[[MINUS:.*]] = ttc.mul %arg1
// CHECK: %[[GAP:.*]] = ttc.add %[[MINUS]]
// CHECK: %[[ALL:.*]] = ttc.concat
// CHECK: %[[I:.*]] = ttc.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]>
// CHECK: %[[BEFORE:.*]] = ttc.compare lt %[[I]], %arg1
// CHECK: %[[MOVED:.*]] = ttc.add %[[I]], %[[GAP]]
// CHECK: %[[INDEX:.*]] = ttc.where %[[BEFORE]], %[[I]], %[[MOVED]]
// CHECK: ttc.gather %[[ALL]], %[[INDEX]] {axis = 0}
func.func @after(%x: tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<10xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  %w = ttc.constant dense<0.5> : tensor<2xf32>
  %0 = ttc.concat %x, %w {axis = 0} : (tensor<8xf32>, tensor<2xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// Rows of an image that become one list: element i is pixel i % width of row i / width.
// CHECK-LABEL: func.func @pixels
// CHECK-SAME: -> (tensor<2x48xf32> {ttc.dims = #[[DIMS:.*]]})
// CHECK: %[[WIDTH:.*]] = ttc.slice %arg1 {{.*}}starts = [1]
// CHECK: %[[FLAT:.*]] = ttc.reshape %arg0
// CHECK: %[[I:.*]] = ttc.constant {{.*}} : tensor<48xi32>
// CHECK: %[[ROW:.*]] = ttc.div %[[I]], %[[WIDTH]]
// CHECK: %[[BEFORE:.*]] = ttc.mul %[[ROW]], %[[WIDTH]]
// CHECK: %[[COLUMN:.*]] = ttc.sub %[[I]], %[[BEFORE]]
// CHECK: %[[BEGIN:.*]] = ttc.mul %[[ROW]], %{{.*}}
// CHECK: %[[INDEX:.*]] = ttc.add %[[COLUMN]], %[[BEGIN]]
// CHECK: ttc.gather %[[FLAT]], %[[INDEX]] {axis = 1}
func.func @pixels(%x: tensor<2x8x6xf32> {ttc.dims = affine_map<()[s0, s1] -> (2, s0 floordiv 2, s1)>}, %extents: tensor<2xi32> {ttc.name = "extents"})
    -> tensor<2x48xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["height", "width"], low = [2, 1], high = [16, 6], step = [2, 1]>} {
  %0 = ttc.reshape %x : (tensor<2x8x6xf32>) -> tensor<2x48xf32>
  return %0 : tensor<2x48xf32>
}

// -----

// The last row, and some columns of it.
// CHECK-LABEL: func.func @last
// CHECK: %[[LAST:.*]] = ttc.add %arg1
// CHECK: %[[ROW:.*]] = ttc.gather %arg0, %{{.*}} {axis = 0}
// CHECK: ttc.slice %[[ROW]] {{.*}}starts = [0, 1], steps = [1, 2]}
func.func @last(%x: tensor<8x6xf32> {ttc.dims = affine_map<()[s0] -> (s0, 6)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<1x3xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  %0 = ttc.slice %x {starts = [7, 1], sizes = [1, 3], steps = [1, 2], ttc.numbers = affine_map<()[s0] -> (s0 - 1, 1)>} : (tensor<8x6xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// -----

// Rows that are written into a cache: those beyond the extent have an index that is out of range.
// CHECK-LABEL: func.func @cache
// CHECK-SAME: -> (tensor<16x6xf32> {ttc.name = "new"})
// CHECK: %[[LOWEST:.*]] = ttc.constant dense<-9223372036854775808> : tensor<i64>
// CHECK: %[[ROWS:.*]] = ttc.where %{{.*}}, %arg1, %[[LOWEST]]
// CHECK: ttc.scatter_nd %arg0, %[[ROWS]], %arg2
func.func @cache(%old: tensor<16x6xf32>, %rows: tensor<8x1xi64> {ttc.dims = affine_map<()[s0] -> (s0, 1)>}, %x: tensor<8x6xf32> {ttc.dims = affine_map<()[s0] -> (s0, 6)>},
                 %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<16x6xf32> {ttc.name = "new"})
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  %0 = ttc.scatter_nd %old, %rows, %x : (tensor<16x6xf32>, tensor<8x1xi64>, tensor<8x6xf32>) -> tensor<16x6xf32>
  return %0 : tensor<16x6xf32>
}

// -----

// Negative indices count from the extent of the data.
// CHECK-LABEL: func.func @elements
// CHECK-SAME: -> (tensor<8xf32> {ttc.dims = #{{.*}}})
// CHECK: %[[NEGATIVE:.*]] = ttc.compare lt %arg1
// CHECK: %[[COUNTED:.*]] = ttc.add %arg1
// CHECK: %[[INDEX:.*]] = ttc.where %[[NEGATIVE]], %[[COUNTED]], %arg1
// CHECK: ttc.scatter_elements %arg0, %[[INDEX]], %arg2 reduction add
func.func @elements(%old: tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0)>}, %i: tensor<2xi32>, %x: tensor<2xf32>, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<8xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  %0 = ttc.scatter_elements %old, %i, %x reduction add {axis = 0} : (tensor<8xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A recurrent layer has as many steps as are valid, and no sequence that is not. What it stores beyond them is 0.
// CHECK-LABEL: func.func @recurrence
// CHECK-DAG: %[[STEPS:.*]] = ttc.slice %arg3 {{.*}}starts = [0]
// CHECK-DAG: %[[BATCH:.*]] = ttc.slice %arg3 {{.*}}starts = [1]
// CHECK: %[[Y:.*]], %{{.*}} = ttc.recurrence rnn_tanh %arg0, %arg1, %arg2 lengths %[[STEPS]] sequences %[[BATCH]]
// CHECK-NOT: ttc.where
// CHECK: ttc.reduce_sum %[[Y]]
func.func @recurrence(%x: tensor<5x3x20xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 20)>}, %w: tensor<1x2x20x1x16xf32>,
                      %s: tensor<1x1x3x20xf32> {ttc.dims = affine_map<()[s0, s1] -> (1, 1, s1, 20)>},
                      %extents: tensor<2xi32> {ttc.name = "extents"}) -> tensor<1x3x20xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["steps", "batch"], low = [1, 1], high = [5, 3]>} {
  %0:2 = ttc.recurrence rnn_tanh %x, %w, %s : (tensor<5x3x20xf32>, tensor<1x2x20x1x16xf32>, tensor<1x1x3x20xf32>)
    -> (tensor<5x1x3x20xf32>, tensor<1x1x3x20xf32>)
  %1 = ttc.reduce_sum %0#0 {axes = [0]} : (tensor<5x1x3x20xf32>) -> tensor<1x3x20xf32>
  return %1 : tensor<1x3x20xf32>
}

// -----

// Two texts as one list, beside a table that has no gaps: the list's are closed, and then padded at its end.
// CHECK-LABEL: func.func @beside
// CHECK-SAME: -> (tensor<14xf32> {ttc.dims = #[[DIMS:.*]]})
// CHECK: %[[FLAT:.*]] = ttc.reshape %arg0
// CHECK: %[[LIST:.*]] = ttc.gather %[[FLAT]]
// CHECK: %[[SUM:.*]] = ttc.add %[[LIST]], %arg1
// CHECK: ttc.pad %{{.*}} {high = [2]
func.func @beside(%x: tensor<2x6xf32> {ttc.dims = affine_map<()[s0] -> (2, s0)>}, %table: tensor<12xf32> {ttc.dims = affine_map<()[s0] -> (s0 * 2)>},
                  %extents: tensor<1xi32> {ttc.name = "extents"}) -> tensor<14xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["length"], low = [1], high = [6]>} {
  %0 = ttc.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = ttc.add %0, %table : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %2 = ttc.pad %1 {low = [0], high = [2], value = 0.0} : (tensor<12xf32>) -> tensor<14xf32>
  return %2 : tensor<14xf32>
}

// -----

// Both results of a split read its operand's padding: the second one, which needs another number, is
// masked itself.
// CHECK-LABEL: func.func @parts
// CHECK: %[[HIGHEST:.*]] = ttc.where %{{.*}}, %arg0
// CHECK: %[[PARTS:.*]]:2 = ttc.split %[[HIGHEST]]
// CHECK-DAG: ttc.reduce_min %[[PARTS]]#0
// CHECK-DAG: %[[LOWEST:.*]] = ttc.where %{{.*}}, %[[PARTS]]#1
// CHECK-DAG: ttc.reduce_max %[[LOWEST]]
func.func @parts(%x: tensor<4x8xf32> {ttc.dims = affine_map<()[s0] -> (4, s0)>},
                 %extents: tensor<1xi32> {ttc.name = "extents"}) -> (tensor<1xf32>, tensor<3xf32>)
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["length"], low = [1], high = [8]>} {
  %0:2 = ttc.split %x {axis = 0, sizes = [1, 3]} : (tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<3x8xf32>)
  %1 = ttc.reduce_min %0#0 {axes = [1]} : (tensor<1x8xf32>) -> tensor<1xf32>
  %2 = ttc.reduce_max %0#1 {axes = [1]} : (tensor<3x8xf32>) -> tensor<3xf32>
  return %1, %2 : tensor<1xf32>, tensor<3xf32>
}
