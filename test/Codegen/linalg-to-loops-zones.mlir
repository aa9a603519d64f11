// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-linalg-to-loops | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#loops = {indexing_maps = [#id, #id], iterator_types = ["parallel"]}

// Consecutive ops of a zone are in it together; what is nested in it begins and ends inside.
// CHECK-LABEL: func.func @nested
// CHECK:         %[[A:.*]] = ttc.zone_begin "a"
// CHECK:         scf.for
// CHECK-NOT:     zone
// CHECK:         math.exp
// CHECK:         %[[B:.*]] = ttc.zone_begin "b"
// CHECK:         math.sqrt
// CHECK:         ttc.zone_end %[[B]]
// CHECK-NEXT:    ttc.zone_end %[[A]]
// CHECK:         math.absf
// CHECK-NOT:     zone
func.func @nested(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32 loc(fused<{ttc.zone = ["a"]}>["op"])
    linalg.yield %0 : f32
  }
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32 loc(fused<{ttc.zone = ["a"]}>["op"])
    linalg.yield %0 : f32
  }
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.sqrt %a : f32 loc(fused<{ttc.zone = ["a", "b"]}>["op"])
    linalg.yield %0 : f32
  }
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.absf %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Fused ops of different zones: those that they share, and one of all other names.
// CHECK-LABEL: func.func @fused
// CHECK:         %[[A:.*]] = ttc.zone_begin "a"
// CHECK-NEXT:    %[[B:.*]] = ttc.zone_begin "b+c"
// CHECK-NOT:     zone_begin
func.func @fused(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.sqrt %a : f32 loc(fused<{ttc.zone = ["a", "b"]}>["op"])
    %1 = math.absf %0 : f32 loc(fused<{ttc.zone = ["a", "c"]}>["op"])
    %2 = arith.negf %1 : f32 loc(fused<{ttc.zone = ["a", "b"]}>["op"])
    linalg.yield %2 : f32
  }
  return
}

// Automatic zones are around each op; several kinds of one name are told apart. A fill has none.
// CHECK-LABEL: func.func @automatic
// CHECK-NOT:     zone_begin
// CHECK:         %[[A:.*]] = ttc.zone_begin "softmax.exp"
// CHECK:         ttc.zone_end %[[A]]
// CHECK:         %[[B:.*]] = ttc.zone_begin "softmax.sqrt"
// CHECK:         ttc.zone_end %[[B]]
// CHECK:         %[[C:.*]] = ttc.zone_begin "softmax.sqrt"
// CHECK:         ttc.zone_end %[[C]]
// CHECK:         %[[D:.*]] = ttc.zone_begin "neg"
// CHECK:         ttc.zone_end %[[D]]
func.func @automatic(%x: memref<8xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8xf32>) loc(fused<{ttc.zone = "softmax"}>["op"])
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32 loc(fused<{ttc.zone = "softmax"}>["op"])
    linalg.yield %0 : f32
  }
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.sqrt %a : f32 loc(fused<{ttc.zone = "softmax"}>["op"])
    linalg.yield %0 : f32
  }
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.sqrt %a : f32 loc(fused<{ttc.zone = "softmax"}>["op"])
    linalg.yield %0 : f32
  }
  linalg.generic #loops ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32 loc(fused<{ttc.zone = "neg"}>["op"])
    linalg.yield %0 : f32
  }
  return
}

// In a loop: a copy of a whole row is worth a zone, one of eight elements is not.
// CHECK-LABEL: func.func @tiles
// CHECK:         scf.for
// CHECK-NOT:       zone_begin
// CHECK:           %[[A:.*]] = ttc.zone_begin "large"
// CHECK:           ttc.zone_end %[[A]]
// CHECK-NOT:       zone_begin
func.func @tiles(%x: memref<256xf32>, %y: memref<256xf32>, %u: memref<8xf32>, %v: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.copy %x, %y : memref<256xf32> to memref<256xf32>
    linalg.copy ins(%x : memref<256xf32>) outs(%y : memref<256xf32>) loc(fused<{ttc.zone = "large"}>["op"])
    linalg.copy ins(%u : memref<8xf32>) outs(%v : memref<8xf32>) loc(fused<{ttc.zone = "small"}>["op"])
  }
  return
}
