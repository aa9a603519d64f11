// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-choose-collectives --split-input-file --verify-diagnostics | FileCheck %s
// RUN: ttc-opt %s --ttc-choose-collectives=algorithm=ring --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=RING

// Equal collectives are one. Groups differ along the op's axes only.
// CHECK: ttc.collective @all_reduce all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1, 2>, array<i64: 3, 4, 5>]
// CHECK-NEXT: ttc.collective @all_gather all_gather direct sum f32 bytes 128 groups [array<i64: 0, 3>, array<i64: 1, 4>, array<i64: 2, 5>] rows 4
// CHECK-NEXT: ttc.collective @all_reduce_0 all_reduce direct max f32 bytes 128 groups [array<i64: 0, 3, 1, 4, 2, 5>]
// CHECK-NEXT: func.func @groups
// RING: ttc.collective @all_reduce all_reduce ring sum f32
// RING: ttc.collective @all_gather all_gather ring sum f32
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 3>]>} {
  func.func @groups(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x8xf32>) {
    // CHECK: %[[A:.*]] = ttc.exchange @all_reduce(%{{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %0 = ttc.all_reduce %x {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: %[[B:.*]] = ttc.exchange @all_reduce(%[[A]])
    %1 = ttc.all_reduce %0 {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: ttc.exchange @all_gather(%[[B]]) : (tensor<4x8xf32>) -> tensor<4x16xf32>
    %2 = ttc.all_gather %1 {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x16xf32>
    // CHECK: ttc.exchange @all_reduce_0(%[[B]])
    %3 = ttc.all_reduce %1 reduction max {axes = ["y", "x"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %1, %2, %3 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x8xf32>
  }
}

// -----

// By the links: many bytes go around the ring, few in as few rounds as possible.
// CHECK: ttc.collective @all_reduce all_reduce direct sum f32 bytes 32
// CHECK: ttc.collective @all_reduce_0 all_reduce ring sum f32 bytes 4194304
// CHECK-LABEL: @by_links
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 8, topology = ring, link_bytes_per_second = 1000000000, link_latency_ns = 1000>]>} {
  func.func @by_links(%x: tensor<8xf32>, %y: tensor<1048576xf32>) -> (tensor<8xf32>, tensor<1048576xf32>) {
    %0 = ttc.all_reduce %x {axes = ["x"]} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = ttc.all_reduce %y {axes = ["x"]} : (tensor<1048576xf32>) -> tensor<1048576xf32>
    return %0, %1 : tensor<8xf32>, tensor<1048576xf32>
  }
}

// -----

// Scratch is a second result. A group of one exchanges nothing.
// RING: ttc.collective @reduce_scatter reduce_scatter ring sum f32 bytes 128
// RING-LABEL: @scratch
// CHECK-LABEL: @scratch
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 4>, <name = "y", size = 1>]>} {
  func.func @scratch(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
    // RING: ttc.exchange @reduce_scatter(%{{.*}}) : (tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<64xui8>)
    %0 = ttc.reduce_scatter %x {axes = ["x"], dimension = 0} : (tensor<4x8xf32>) -> tensor<1x8xf32>
    // RING-NEXT: return
    %1 = ttc.all_reduce %0 {axes = ["y"]} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    return %1 : tensor<1x8xf32>
  }
}

// -----

// Parts of another dimension than the one that they are concatenated along.
// CHECK: ttc.collective @all_to_all all_to_all direct sum f32 bytes 128 groups [array<i64: 0, 1>]
// CHECK-LABEL: @other_dimension
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  func.func @other_dimension(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
    // CHECK: ttc.reshape %{{.*}} : (tensor<4x8xf32>) -> tensor<4x2x4xf32>
    // CHECK: ttc.transpose %{{.*}} {permutation = [1, 0, 2]} : (tensor<4x2x4xf32>) -> tensor<2x4x4xf32>
    // CHECK: ttc.exchange @all_to_all(%{{.*}}) : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    // CHECK: ttc.reshape %{{.*}} : (tensor<2x4x4xf32>) -> tensor<8x4xf32>
    %0 = ttc.all_to_all %x {axes = ["x"], split = 1, concat = 0} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

func.func @no_mesh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expected a module with a mesh (ttc.mesh), found none}}
  %0 = ttc.all_reduce %x {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  func.func @unknown_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // expected-error @below {{expected axes of #ttc.mesh<[<name = "x", size = 2>]>, found "y"}}
    %0 = ttc.all_reduce %x {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  func.func @other_size(%x: tensor<4x8xf32>) -> tensor<4x24xf32> {
    // expected-error @below {{expected types for groups of 2 devices, as the mesh has them along the axes, found types for 3}}
    %0 = ttc.all_gather %x {axes = ["x"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x24xf32>
    return %0 : tensor<4x24xf32>
  }
}
