// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-linalg-to-loops --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// What is contiguous in every operand is one loop.
// CHECK-LABEL: func.func @merged(
// CHECK-SAME:      %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>)
// CHECK-DAG:     %[[FROM:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [32], strides: [1]
// CHECK-DAG:     %[[TO:.*]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [32], strides: [1]
// CHECK:         %[[N:.*]] = arith.constant 32 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK-NOT:     scf.for
// CHECK:           %[[X:.*]] = memref.load %[[FROM]]
// CHECK:           %[[Y:.*]] = arith.negf %[[X]] :
// CHECK:           memref.store %[[Y]], %[[TO]]
func.func @merged(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<4x8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  }
  return
}

// What stays the same in the innermost loop is loaded in front of it.
// CHECK-LABEL: func.func @invariant(
// CHECK:         scf.for
// CHECK:           memref.load %arg0
// CHECK:           scf.for
// CHECK:             arith.addf
func.func @invariant(%a: memref<4xf32>, %b: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4xf32>) outs(%b : memref<4x8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.addf %x, %x : f32
      linalg.yield %n : f32
  }
  return
}

// A sum along contiguous elements is made of partial sums, in an order that no CPU changes.
// CHECK-LABEL: func.func @row_sums(
// CHECK:         %[[PARTIAL:.*]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK:           vector.store %{{.*}}, %[[PARTIAL]]
// CHECK:           scf.for
// CHECK:             scf.for %[[LANE:.*]] =
// CHECK:               %[[ACC:.*]] = memref.load %[[PARTIAL]][%[[LANE]]]
// CHECK:               %[[NEXT:.*]] = arith.addf %{{.*}}, %[[ACC]] fastmath<contract>
// CHECK:               memref.store %[[NEXT]], %[[PARTIAL]][%[[LANE]]]
// CHECK:             } {llvm.loop_annotation =
// CHECK:           %[[START:.*]] = memref.load %arg1
// CHECK:           vector.load %[[PARTIAL]]
// CHECK:           vector.shuffle {{.*}} [0, 1, 2, 3]
// CHECK:           vector.shuffle {{.*}} [4, 5, 6, 7]
// CHECK:           %[[ALL:.*]] = vector.extract
// CHECK:           %[[SUM:.*]] = arith.addf %[[START]], %[[ALL]]
// CHECK:           memref.store %[[SUM]], %arg1
func.func @row_sums(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.addf %x, %o : f32
      linalg.yield %n : f32
  }
  return
}

// Sums of columns run along contiguous elements, so the reduction is the outer loop.
// CHECK-LABEL: func.func @column_sums(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[OLD:.*]] = memref.load %arg1
// CHECK:             %[[NEW:.*]] = arith.addf
// CHECK:             memref.store %[[NEW]], %arg1
func.func @column_sums(%a: memref<4x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.addf %x, %o : f32
      linalg.yield %n : f32
  }
  return
}

// The largest element is LLVM's intrinsic.
// CHECK-LABEL: func.func @row_maxima(
// CHECK:         llvm.intr.maximum(%{{.*}}, %{{.*}}) {fastmathFlags = #llvm.fastmath<contract, reassoc>}
func.func @row_maxima(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.maximumf %x, %o : f32
      linalg.yield %n : f32
  }
  return
}

// A transpose cannot be one loop. The index is a counter.
// CHECK-LABEL: func.func @transpose(
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             arith.index_cast %[[I]] : index to i64
func.func @transpose(%a: memref<8x4xi64>, %b: memref<4x8xi64>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x4xi64>) outs(%b : memref<4x8xi64>) {
    ^bb0(%x: i64, %o: i64):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i64
      %s = arith.addi %x, %n : i64
      linalg.yield %s : i64
  }
  return
}

// Copies and named ops are loops, too: never a call of memcpy.
// CHECK-LABEL: func.func @copies(
// CHECK-NOT:     memref.copy
// CHECK-NOT:     linalg
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK-NOT:     linalg
func.func @copies(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %x: f32) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4x8xf32>)
  return
}

// Rows that are not contiguous: two loops, with the pitch in the addresses.
// CHECK-LABEL: func.func @pitch(
// CHECK-DAG:     memref.reinterpret_cast %arg0 to offset: [0], sizes: [56], strides: [1]
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           arith.constant 16 : index
// CHECK:           scf.for
func.func @pitch(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// -----

func.func @tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{expects operands in memory, found tensors}}
  %0 = linalg.copy ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The last tile of a dimension is smaller than the others: the stride of the one around it is unknown,
// and has no meaning in a tile with one element of it.
// CHECK-LABEL: func.func @last_tile(
func.func @last_tile(%rows: index, %x: memref<1x?x197xf32>, %y: memref<1x?x197xf32>) {
  // CHECK-COUNT-2: scf.for
  // CHECK-NOT: scf.for
  // CHECK: memref.load %{{.*}}[%{{[^,]*}}] : memref<?xf32, strided<[1]>>
  // CHECK-NOT: scf.for
  // CHECK: return
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<1x?x197xf32>) outs(%y : memref<1x?x197xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Rows of 96 in a loop over an unknown number of rows: LLVM must not unroll the inner loop before it vectorises, for
// then it vectorises the outer one, with scattered accesses. The vectorised loop has no annotation. Rows of 8, and
// elements that are not adjacent, are better unrolled.
// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[KEPT:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, unroll = #[[UNROLL]]>
// CHECK-LABEL: func.func @kept(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.store
// CHECK-NEXT:      } {llvm.loop_annotation = #[[KEPT]]}
// CHECK-NEXT:    }
// CHECK-LABEL: func.func @unrolled(
// CHECK-NOT:     {llvm.loop_annotation
// CHECK:         return
func.func @kept(%to: memref<?x96xf32, strided<[128, 1]>>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%to : memref<?x96xf32, strided<[128, 1]>>)
  return
}
func.func @unrolled(%to: memref<?x8xf32, strided<[128, 1]>>, %apart: memref<?x96xf32, strided<[256, 2]>>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%to : memref<?x8xf32, strided<[128, 1]>>)
  linalg.fill ins(%x : f32) outs(%apart : memref<?x96xf32, strided<[256, 2]>>)
  return
}

// -----

// Padding: a loop for each part of the row in which the condition is constant.
// CHECK-LABEL: func.func @padded(
// CHECK-NOT:     arith.cmpi
// CHECK:         scf.for
// CHECK:           arith.constant false
// CHECK:         scf.for
// CHECK:           arith.constant true
// CHECK:         } {llvm.loop_annotation
// CHECK:         scf.for
// CHECK:           arith.constant false
// CHECK-NOT:     scf.for
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @padded(%from: memref<32xf32>, %to: memref<37xf32>) {
  %low = arith.constant -2 : index
  %size = arith.constant 32 : index
  %zero = arith.constant 0 : index
  %outside = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%to : memref<37xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.addi %i, %low : index
    %inside = arith.cmpi ult, %at, %size : index
    %clamped = arith.select %inside, %at, %zero : index
    %x = memref.load %from[%clamped] : memref<32xf32>
    %y = arith.select %inside, %x, %outside : f32
    linalg.yield %y : f32
  }
  return
}
