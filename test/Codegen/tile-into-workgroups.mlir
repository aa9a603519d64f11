// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-tile-into-workgroups --split-input-file --verify-diagnostics | FileCheck %s
// RUN: ttc-opt %s --ttc-tile-into-workgroups='workgroup-bytes=65536 max-workgroups=3' --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=FEW

// 256 KiB are worth 8 workgroups of 32 KiB; each has a tile of 32 rows, which is written into its part of
// the output. Of 64 KiB it would be 4 workgroups, but 3 is the limit: the tiles are divided as evenly as they can be.
// CHECK-LABEL: func.func private @elementwise(
// CHECK-SAME:      %[[IN:.*]]: memref<256x256xf32>, %[[OUT:.*]]: memref<256x256xf32>, %[[W:.*]]: index)
// CHECK-SAME:      attributes {ttc.workgroups = 8 : i64}
// CHECK:         %[[LOW:.*]] = arith.muli %[[W]], %{{.*}} : index
// CHECK:         %[[NEXT:.*]] = arith.addi %[[W]], %{{.*}} : index
// CHECK:         %[[HIGH:.*]] = arith.muli %[[NEXT]], %{{.*}} : index
// CHECK:         scf.for %[[TILE:.*]] = %[[LOW]] to %[[HIGH]]
// CHECK:           %[[ROW:.*]] = arith.muli %[[TILE]], %{{.*}} : index
// CHECK:           tensor.extract_slice %{{.*}}[%[[ROW]], 0] [32, 256] [1, 1]
// CHECK:           %[[VIEW:.*]] = memref.subview %[[OUT]][%[[ROW]], 0] [32, 256] [1, 1]
// CHECK:           %[[TO:.*]] = bufferization.to_tensor %[[VIEW]] restrict writable
// CHECK:           %[[RESULT:.*]] = linalg.generic {{.*}} outs(%[[TO]] : tensor<32x256xf32>)
// CHECK:           bufferization.materialize_in_destination %[[RESULT]] in restrict writable %[[VIEW]]
// FEW-LABEL: func.func private @elementwise(
// FEW-SAME:      attributes {ttc.workgroups = 3 : i64}
// FEW-COUNT-2:   arith.divui
// FEW:           scf.for
#id = affine_map<(i, j) -> (i, j)>
func.func private @elementwise(%in: memref<256x256xf32>, %out: memref<256x256xf32>, %w: index) {
  %a = bufferization.to_tensor %in restrict : memref<256x256xf32> to tensor<256x256xf32>
  %e = tensor.empty() : tensor<256x256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  } -> tensor<256x256xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out
      : (tensor<256x256xf32>, memref<256x256xf32>) -> ()
  return
}

// -----

// A little work is one workgroup's, without a loop.
// CHECK-LABEL: func.func private @small(
// CHECK-SAME:      attributes {ttc.workgroups = 1 : i64}
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
#id1 = affine_map<(i) -> (i)>
func.func private @small(%in: memref<8xf32>, %out: memref<8xf32>, %w: index) {
  %a = bufferization.to_tensor %in restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out
      : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// A producer is computed for the tile that reads it: 64 rows of exponentials and their sums.
// CHECK-LABEL: func.func private @producer(
// CHECK:         scf.for
// CHECK:           %[[E:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<64x64xf32>)
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[E]] : tensor<64x64xf32>)
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func private @producer(%in: memref<2048x64xf32>, %out: memref<2048xf32>, %w: index) {
  %a = bufferization.to_tensor %in restrict : memref<2048x64xf32> to tensor<2048x64xf32>
  %e = tensor.empty() : tensor<2048x64xf32>
  %0 = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2048x64xf32>) outs(%e : tensor<2048x64xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = math.exp %x : f32
      linalg.yield %n : f32
  } -> tensor<2048x64xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<2048xf32>
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<2048xf32>) -> tensor<2048xf32>
  %1 = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<2048x64xf32>) outs(%g : tensor<2048xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.addf %x, %o : f32
      linalg.yield %n : f32
  } -> tensor<2048xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out
      : (tensor<2048xf32>, memref<2048xf32>) -> ()
  return
}

// -----

// An insertion on the way to the output becomes a view of it, and what is no linalg op is copied.
// CHECK-LABEL: func.func private @insertion(
// CHECK-SAME:      %[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>
// CHECK:         %[[PART:.*]] = memref.subview %[[OUT]][2] [4] [1]
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     tensor.insert_slice
func.func private @insertion(%in: memref<4xf32>, %to: memref<8xf32>, %out: memref<8xf32>, %w: index) {
  %a = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
  %b = bufferization.to_tensor %to restrict : memref<8xf32> to tensor<8xf32>
  %0 = tensor.insert_slice %a into %b[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out
      : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Nothing to do is one workgroup's work.
// CHECK-LABEL: func.func private @nothing(
// CHECK-SAME:      attributes {ttc.workgroups = 1 : i64}
func.func private @nothing(%w: index) {
  return
}

// -----

// expected-error @+1 {{expects the workgroup's number, an index, as its last argument, found '(memref<8xf32>) -> ()'}}
func.func private @no_workgroup(%out: memref<8xf32>) {
  return
}

// -----

// A window's elements are operands of one value: the slice that holds all of them is computed once.
// CHECK-LABEL: func.func private @window(
// CHECK:         scf.for
// CHECK:           %[[WHOLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<{{[0-9]+}}x259xf32>)
// CHECK:             math.exp
// CHECK-NOT:       math.exp
// CHECK-DAG:       %[[NEAR:.*]] = tensor.extract_slice %[[WHOLE]][0, 0] [{{[0-9]+}}, 257] [1, 1]
// CHECK-DAG:       %[[FAR:.*]] = tensor.extract_slice %[[WHOLE]][0, 0] [{{[0-9]+}}, 259] [1, 1]
// CHECK:           linalg.generic {{.*}} ins(%[[NEAR]], %[[FAR]] :
// CHECK-NOT:       math.exp
#id2 = affine_map<(i, j) -> (i, j)>
#near = affine_map<(i, j) -> (i, j + 1)>
#far = affine_map<(i, j) -> (i, j + 3)>
func.func private @window(%in: memref<256x259xf32>, %out: memref<256x256xf32>, %w: index) {
  %a = bufferization.to_tensor %in restrict : memref<256x259xf32> to tensor<256x259xf32>
  %e = tensor.empty() : tensor<256x259xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<256x259xf32>) outs(%e : tensor<256x259xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = math.exp %x : f32
      linalg.yield %n : f32
  } -> tensor<256x259xf32>
  %f = tensor.empty() : tensor<256x256xf32>
  %1 = linalg.generic {indexing_maps = [#near, #far, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<256x259xf32>, tensor<256x259xf32>) outs(%f : tensor<256x256xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
  } -> tensor<256x256xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out
      : (tensor<256x256xf32>, memref<256x256xf32>) -> ()
  return
}

// -----

// Only some elements count, of two dimensions: their tiles are shared out over the workgroups, as many as the extents say in
// this run, and each ends with what counts. Any other number means all.
// CHECK: #[[$LIMIT:.*]] = affine_map<(d0, d1) -> (16, d1 - d0)>
// CHECK-LABEL: func.func private @bounded(
// CHECK-SAME:      %[[IN:.*]]: memref<4x64x512xf32>, %[[EXTENTS:.*]]: memref<2xi32>, %[[OUT:.*]]: memref<4x64x512xf32>, %[[W:.*]]: index)
// CHECK:         memref.load %[[EXTENTS]]
// CHECK:         %[[BATCH:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK:         memref.load %[[EXTENTS]]
// CHECK:         arith.muli
// CHECK:         %[[ROWS:.*]] = arith.addi
// CHECK:         %[[LESS:.*]] = arith.subi %[[ROWS]]
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %[[LESS]], %[[ALL:.*]] : index
// CHECK:         %[[LENGTH:.*]] = arith.select %[[IS]], %[[ROWS]], %[[ALL]] : index
// CHECK:         arith.ceildivui %[[BATCH]]
// CHECK:         arith.ceildivui %[[LENGTH]]
// CHECK:         scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}}
// CHECK:           %[[COUNT:.*]] = arith.ceildivui %[[LENGTH]]
// CHECK:           arith.remui %[[TILE]], %[[COUNT]]
// CHECK:           %[[AT:.*]] = arith.muli
// CHECK:           %[[SIZE:.*]] = affine.min #[[$LIMIT]](%[[AT]], %[[LENGTH]])
// CHECK:           memref.subview %[[OUT]][%{{.*}}, %[[AT]], 0] [1, %[[SIZE]], 512] [1, 1, 1]
func.func private @bounded(%x: memref<4x64x512xf32>, %extents: memref<2xi32>,
    %y: memref<4x64x512xf32> {ttc.within = #ttc.within<argument = 1, sizes = [4, 64, 512], bounds = ()[s0, s1] -> (s0, s1 * 2 + 1, 512)>},
    %w: index) {
  %0 = bufferization.to_tensor %x restrict : memref<4x64x512xf32> to tensor<4x64x512xf32>
  %1 = tensor.empty() : tensor<4x64x512xf32>
  %2 = linalg.exp ins(%0 : tensor<4x64x512xf32>) outs(%1 : tensor<4x64x512xf32>) -> tensor<4x64x512xf32>
  bufferization.materialize_in_destination %2 in restrict writable %y : (tensor<4x64x512xf32>, memref<4x64x512xf32>) -> ()
  return
}
