// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-elide-copies --split-input-file | FileCheck %s

// Both operands lie in the concat: no program joins them, and the producers write rows. The reader of
// one of them reads it there.
// CHECK-LABEL: ttc.trace @joined
// CHECK:         %[[A:.*]] = ttc.dispatch @relu_0(%arg0)
// CHECK-NEXT:    %[[B:.*]] = ttc.dispatch @tanh_1(%[[A]])
// CHECK-NEXT:    %[[C:.*]] = ttc.concat %[[A]], %[[B]] {axis = 1}
// CHECK-NEXT:    %[[D:.*]] = ttc.dispatch @scale(%[[C]])
// CHECK-NEXT:    ttc.yield %[[D]]
ttc.trace @joined(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %a = ttc.dispatch @relu(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = ttc.dispatch @tanh(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = ttc.dispatch @concat(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %d = ttc.dispatch @scale(%c) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  ttc.yield %d : tensor<4x16xf32>
}
// What the trace gives lies in a buffer of its own, and an argument lies where it lies: both are copied.
// CHECK-LABEL: ttc.trace @taken
// CHECK:         %[[A:.*]] = ttc.dispatch @relu(%arg0)
// CHECK-NEXT:    %[[C:.*]] = ttc.dispatch @concat_taken(%arg0, %[[A]])
// CHECK-NEXT:    ttc.yield %[[A]], %[[C]]
ttc.trace @taken(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>) {
  %a = ttc.dispatch @relu(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = ttc.dispatch @concat_taken(%x, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  ttc.yield %a, %c : tensor<4x8xf32>, tensor<4x16xf32>
}
// CHECK-DAG:   ttc.program private @relu_0(%{{.*}}: tensor<4x8xf32>) -> (tensor<4x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 64>})
// CHECK-DAG:   ttc.program private @tanh_1(%{{.*}}: tensor<4x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 64>}) -> (tensor<4x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>})
ttc.program private @relu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ttc.relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %0 : tensor<4x8xf32>
}
ttc.program private @tanh(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ttc.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %0 : tensor<4x8xf32>
}
ttc.program private @scale(%a: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = ttc.add %a, %a : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  ttc.return %0 : tensor<4x16xf32>
}
ttc.program private @concat(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = ttc.concat %a, %b {axis = 1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  ttc.return %0 : tensor<4x16xf32>
}
ttc.program private @concat_taken(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = ttc.concat %a, %b {axis = 1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  ttc.return %0 : tensor<4x16xf32>
}

// -----

// A concat that begins with the operands of another one takes its result; @a then lies in @c, which
// lies in @d. What a trace takes is copied once.
// CHECK-LABEL: ttc.trace @dense
// CHECK:         %[[X:.*]] = ttc.dispatch @copy
// CHECK-NEXT:    %[[C:.*]] = ttc.concat %[[X]], %{{.*}} {axis = 1}
// CHECK:         ttc.concat %[[C]], %{{.*}} {axis = 1} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
ttc.trace @dense(%x: tensor<4x8xf32>) -> tensor<4x24xf32> {
  %a = ttc.dispatch @relu(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = ttc.dispatch @concat(%x, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %b = ttc.dispatch @reduce(%c) : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %d = ttc.dispatch @concat3(%x, %a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  ttc.yield %d : tensor<4x24xf32>
}
ttc.program private @relu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ttc.relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %0 : tensor<4x8xf32>
}
// Reads columns 0 to 16 of each row of 24, writes columns 16 to 24.
// CHECK: ttc.program private @reduce{{.*}}(%{{.*}}: tensor<4x16xf32> {ttc.strided = #ttc.strided<row = 16, pitch = 24, alignment = 32>}) -> (tensor<4x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 24, alignment = 32>})
ttc.program private @reduce(%a: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %0 = ttc.slice %a {starts = [0, 4], sizes = [4, 8], steps = [1, 1]} : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %1 = ttc.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %1 : tensor<4x8xf32>
}
ttc.program private @concat(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = ttc.concat %a, %b {axis = 1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  ttc.return %0 : tensor<4x16xf32>
}
ttc.program private @concat3(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x24xf32> {
  %0 = ttc.concat %a, %b, %c {axis = 1} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  ttc.return %0 : tensor<4x24xf32>
}

// -----

// Parts of an operand are read where they lie: columns in rows, rows contiguously (the same program
// where the part is aligned like a buffer).
// CHECK-LABEL: ttc.trace @cut
// CHECK:         %[[A:.*]]:2 = ttc.split %arg0 {axis = 1, sizes = [4, 12]}
// CHECK-NEXT:    ttc.dispatch @relu_0(%[[A]]#1)
// CHECK-NEXT:    %[[B:.*]] = ttc.slice %arg0
// CHECK-NEXT:    ttc.dispatch @tanh(%[[B]])
ttc.trace @cut(%x: tensor<4x16xf32>) -> (tensor<4x12xf32>, tensor<2x16xf32>) {
  %a:2 = ttc.dispatch @split(%x) : (tensor<4x16xf32>) -> (tensor<4x4xf32>, tensor<4x12xf32>)
  %0 = ttc.dispatch @relu(%a#1) : (tensor<4x12xf32>) -> tensor<4x12xf32>
  %b = ttc.dispatch @slice(%x) : (tensor<4x16xf32>) -> tensor<2x16xf32>
  %1 = ttc.dispatch @tanh(%b) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  ttc.yield %0, %1 : tensor<4x12xf32>, tensor<2x16xf32>
}
ttc.program private @split(%x: tensor<4x16xf32>) -> (tensor<4x4xf32>, tensor<4x12xf32>) {
  %0:2 = ttc.split %x {axis = 1, sizes = [4, 12]} : (tensor<4x16xf32>) -> (tensor<4x4xf32>, tensor<4x12xf32>)
  ttc.return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x12xf32>
}
ttc.program private @slice(%x: tensor<4x16xf32>) -> tensor<2x16xf32> {
  %0 = ttc.slice %x {starts = [1, 0], sizes = [2, 16], steps = [1, 1]} : (tensor<4x16xf32>) -> tensor<2x16xf32>
  ttc.return %0 : tensor<2x16xf32>
}
ttc.program private @relu(%a: tensor<4x12xf32>) -> tensor<4x12xf32> {
  %0 = ttc.relu %a : (tensor<4x12xf32>) -> tensor<4x12xf32>
  ttc.return %0 : tensor<4x12xf32>
}
ttc.program private @tanh(%a: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = ttc.tanh %a : (tensor<2x16xf32>) -> tensor<2x16xf32>
  ttc.return %0 : tensor<2x16xf32>
}
