// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file --ttc-set-mesh=mesh=2 --ttc-annotate-sharding=parallel=tensor --ttc-partition --mlir-elide-elementsattrs-if-larger=16 | FileCheck %s

// One layer, divided by heads of keys and values: a device has its heads of queries, keys and values, and its rows of
// gate and factor. Two sums, each followed by the residual; an invalid row stays 0.
// CHECK-LABEL: func.func @layer
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x128xf32>
// CHECK-SAME: %[[KEYS:[a-z0-9]+]]: tensor<1x2x32x32xf32>
// CHECK-SAME: %[[VALUES:[a-z0-9]+]]: tensor<1x1x64x32xf32>
// CHECK-SAME: -> (tensor<1x128xf32>, tensor<1x2x32x32xf32> {ttc.state = @keys}, tensor<1x1x64x32xf32> {ttc.state = @values})
// CHECK: %[[QKV:.*]] = ttc.block_matmul q8_0 %[[X]], %{{.*}} norm %{{.*}} bias %{{.*}} count %[[COUNT:.*]] : (tensor<1x128xf32>, tensor<17408xi8>, tensor<128xf32>, tensor<128xf32>, tensor<1xi32>) -> tensor<1x128xf32>
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = ttc.cached_attention %[[QKV]], %[[KEYS]], %[[VALUES]], %{{.*}} {heads = 2, kv_heads = 1,
// CHECK-SAME: -> (tensor<1x64xf32>, tensor<1x2x32x32xf32>, tensor<1x1x64x32xf32>)
// CHECK: %[[P:.*]] = ttc.block_matmul q8_0 %[[Y]], %{{.*}} count %[[COUNT]] : (tensor<1x64xf32>, tensor<8704xi8>, tensor<1xi32>) -> tensor<1x128xf32>
// CHECK: %[[S:.*]] = ttc.all_reduce %[[P]] {axes = ["x"]}
// CHECK: %[[A:.*]] = ttc.add %[[S]], %[[X]]
// CHECK: %[[M:.*]] = ttc.compare lt %{{.*}}, %[[COUNT]]
// CHECK: %[[R:.*]] = ttc.where %[[M]], %[[A]], %{{.*}}
// CHECK: %[[G:.*]] = ttc.block_matmul q4_0 %[[R]], %{{.*}} norm %{{.*}} count %[[COUNT]] {gated} : (tensor<1x128xf32>, tensor<13824xi8>, tensor<128xf32>, tensor<1xi32>) -> tensor<1x96xf32>
// CHECK: %[[D:.*]] = ttc.block_matmul q4_0 %[[G]], %{{.*}} count %[[COUNT]] : (tensor<1x96xf32>, tensor<6912xi8>, tensor<1xi32>) -> tensor<1x128xf32>
// CHECK: %[[S1:.*]] = ttc.all_reduce %[[D]]
// CHECK: %[[A1:.*]] = ttc.add %[[S1]], %[[R]]
// CHECK: ttc.where %[[M]], %[[A1]]
// CHECK-NOT: ttc.all_
ttc.state @keys : tensor<2x2x32x32xf32>
ttc.state @values : tensor<2x1x64x32xf32>
func.func @layer(%x: tensor<1x128xf32>, %keys: tensor<2x2x32x32xf32> {ttc.state = @keys},
                 %values: tensor<2x1x64x32xf32> {ttc.state = @values}, %position: tensor<1xi32>, %count: tensor<1xi32>)
    -> (tensor<1x128xf32>, tensor<2x2x32x32xf32> {ttc.state = @keys}, tensor<2x1x64x32xf32> {ttc.state = @values}) {
  %norm = ttc.constant dense<1.0> : tensor<128xf32>
  %wqkv = ttc.constant dense<1> : tensor<34816xi8>
  %bias = ttc.constant dense<0.5> : tensor<256xf32>
  %wo = ttc.constant dense<2> : tensor<17408xi8>
  %wgate = ttc.constant dense<3> : tensor<27648xi8>
  %wdown = ttc.constant dense<4> : tensor<13824xi8>
  %qkv = ttc.block_matmul q8_0 %x, %wqkv norm %norm bias %bias count %count
       : (tensor<1x128xf32>, tensor<34816xi8>, tensor<128xf32>, tensor<256xf32>, tensor<1xi32>) -> tensor<1x256xf32>
  %y, %k, %v = ttc.cached_attention %qkv, %keys, %values, %position {heads = 4, kv_heads = 2, scale = 0.125 : f32}
       : (tensor<1x256xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>, tensor<1xi32>)
         -> (tensor<1x128xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>)
  %o = ttc.block_matmul q8_0 %y, %wo residual %x count %count
       : (tensor<1x128xf32>, tensor<17408xi8>, tensor<1x128xf32>, tensor<1xi32>) -> tensor<1x128xf32>
  %g = ttc.block_matmul q4_0 %o, %wgate norm %norm count %count {gated}
       : (tensor<1x128xf32>, tensor<27648xi8>, tensor<128xf32>, tensor<1xi32>) -> tensor<1x192xf32>
  %d = ttc.block_matmul q4_0 %g, %wdown residual %o count %count
       : (tensor<1x192xf32>, tensor<13824xi8>, tensor<1x128xf32>, tensor<1xi32>) -> tensor<1x128xf32>
  return %d, %k, %v : tensor<1x128xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>
}

// -----

// Tied: the embedding and the head have the same rows of the same constant. A device gathers the rows that it has. Two variants:
// one gathers all logits, the other one 64 runs of 16 of each device.
// CHECK-LABEL: func.func @decode(
// CHECK: %[[ROW:.*]] = ttc.block_gather q8_0 %{{.*}}, %{{.*}} {columns = 64} : (tensor<73984xi8>, tensor<1xi32>) -> tensor<1x64xf32>
// CHECK: %[[OWN:.*]] = ttc.where %{{.*}}, %[[ROW]], %{{.*}}
// CHECK: %[[X:.*]] = ttc.all_reduce %[[OWN]]
// CHECK: %[[L:.*]] = ttc.block_matmul q8_0 %[[X]], %{{.*}} : (tensor<1x64xf32>, tensor<73984xi8>) -> tensor<1x1088xf32>
// CHECK: %[[ALL:.*]] = ttc.all_gather %[[L]] {axes = ["x"], dimension = 1} : (tensor<1x1088xf32>) -> tensor<1x2176xf32>
// CHECK: ttc.sample %[[ALL]]
// CHECK-LABEL: func.func @decode_best(
// CHECK: %[[B:.*]] = ttc.block_matmul q8_0
// CHECK: %[[RUNS:.*]] = ttc.reshape %{{.*}} : (tensor<1x1088xf32>) -> tensor<1x68x16xf32>
// CHECK: %[[MAX:.*]] = ttc.reduce_max %[[RUNS]] {axes = [2]} : (tensor<1x68x16xf32>) -> tensor<1x68xf32>
// CHECK: ttc.argsort %[[MAX]] {axis = 1, count = 64, largest} : (tensor<1x68xf32>) -> tensor<1x64xi64>
// CHECK: ttc.all_gather %{{.*}} {axes = ["x"], dimension = 1} : (tensor<1x64x17xf32>) -> tensor<1x128x17xf32>
// CHECK: %[[PUT:.*]] = ttc.scatter_nd %{{.*}} : (tensor<136x16xf32>, tensor<128x1xi32>, tensor<128x16xf32>) -> tensor<136x16xf32>
// CHECK: %[[BEST:.*]] = ttc.reshape %[[PUT]] : (tensor<136x16xf32>) -> tensor<1x2176xf32>
// CHECK: ttc.sample %[[BEST]]
ttc.state @token : tensor<1xi32>
ttc.state @position : tensor<1xi32>
ttc.state @sampling : tensor<64xi32>
ttc.state @history : tensor<32xi32>
func.func @decode(%token: tensor<1xi32> {ttc.state = @token}, %position: tensor<1xi32> {ttc.state = @position},
                  %sampling: tensor<64xi32> {ttc.state = @sampling}, %history: tensor<32xi32> {ttc.state = @history})
    -> (tensor<1xi32>, tensor<1xi32> {ttc.state = @token}, tensor<1xi32> {ttc.state = @position},
        tensor<64xi32> {ttc.state = @sampling}, tensor<32xi32> {ttc.state = @history}) {
  %w = ttc.constant dense<1> : tensor<147968xi8>
  %x = ttc.block_gather q8_0 %w, %token {columns = 64} : (tensor<147968xi8>, tensor<1xi32>) -> tensor<1x64xf32>
  %logits = ttc.block_matmul q8_0 %x, %w : (tensor<1x64xf32>, tensor<147968xi8>) -> tensor<1x2176xf32>
  %emitted, %t, %p, %s, %h = ttc.sample %logits, %token, %position, %sampling, %history
      : (tensor<1x2176xf32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<32xi32>)
        -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<32xi32>)
  return %emitted, %t, %p, %s, %h : tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<64xi32>, tensor<32xi32>
}

// -----

// Products of several formats make queries, keys and values: each device has its heads of each.
// CHECK-LABEL: func.func @formats
// CHECK: %[[QK:.*]] = ttc.block_matmul q8_0 {{.*}} -> tensor<1x96xf32>
// CHECK: %[[V:.*]] = ttc.block_matmul q4_0 {{.*}} -> tensor<1x32xf32>
// CHECK: %[[QKV:.*]] = ttc.concat %[[QK]], %[[V]] {axis = 1} : (tensor<1x96xf32>, tensor<1x32xf32>) -> tensor<1x128xf32>
// CHECK: ttc.cached_attention %[[QKV]], {{.*}} {heads = 2, kv_heads = 1,
ttc.state @keys : tensor<2x2x32x32xf32>
ttc.state @values : tensor<2x1x64x32xf32>
func.func @formats(%x: tensor<1x128xf32>, %keys: tensor<2x2x32x32xf32> {ttc.state = @keys},
                   %values: tensor<2x1x64x32xf32> {ttc.state = @values}, %position: tensor<1xi32>)
    -> (tensor<1x128xf32>, tensor<2x2x32x32xf32> {ttc.state = @keys}, tensor<2x1x64x32xf32> {ttc.state = @values}) {
  %wqk = ttc.constant dense<1> : tensor<26112xi8>
  %wv = ttc.constant dense<2> : tensor<4608xi8>
  %wo = ttc.constant dense<3> : tensor<17408xi8>
  %qk = ttc.block_matmul q8_0 %x, %wqk : (tensor<1x128xf32>, tensor<26112xi8>) -> tensor<1x192xf32>
  %vs = ttc.block_matmul q4_0 %x, %wv : (tensor<1x128xf32>, tensor<4608xi8>) -> tensor<1x64xf32>
  %qkv = ttc.concat %qk, %vs {axis = 1} : (tensor<1x192xf32>, tensor<1x64xf32>) -> tensor<1x256xf32>
  %y, %k, %v = ttc.cached_attention %qkv, %keys, %values, %position {heads = 4, kv_heads = 2, scale = 0.125 : f32}
       : (tensor<1x256xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>, tensor<1xi32>)
         -> (tensor<1x128xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>)
  %o = ttc.block_matmul q8_0 %y, %wo : (tensor<1x128xf32>, tensor<17408xi8>) -> tensor<1x128xf32>
  return %o, %k, %v : tensor<1x128xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>
}

// -----

// Three heads are not for two devices: attention is on each of them. A product with a norm needs whole rows of
// its operand: its columns are divided.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: tensor<3x2x32x32xf32>
// CHECK: ttc.cached_attention {{.*}} {heads = 3, kv_heads = 3,
// CHECK: %[[O:.*]] = ttc.block_matmul q8_0 {{.*}} : (tensor<1x96xf32>, tensor<4896xi8>, tensor<96xf32>) -> tensor<1x48xf32>
// CHECK: ttc.all_gather %[[O]]
// CHECK-NOT: ttc.all_
ttc.state @keys : tensor<3x2x32x32xf32>
ttc.state @values : tensor<3x1x64x32xf32>
func.func @whole(%x: tensor<1x96xf32>, %keys: tensor<3x2x32x32xf32> {ttc.state = @keys},
                 %values: tensor<3x1x64x32xf32> {ttc.state = @values}, %position: tensor<1xi32>)
    -> (tensor<1x96xf32>, tensor<3x2x32x32xf32> {ttc.state = @keys}, tensor<3x1x64x32xf32> {ttc.state = @values}) {
  %norm = ttc.constant dense<1.0> : tensor<96xf32>
  %wqkv = ttc.constant dense<1> : tensor<29376xi8>
  %wo = ttc.constant dense<3> : tensor<9792xi8>
  %qkv = ttc.block_matmul q8_0 %x, %wqkv : (tensor<1x96xf32>, tensor<29376xi8>) -> tensor<1x288xf32>
  %y, %k, %v = ttc.cached_attention %qkv, %keys, %values, %position {heads = 3, kv_heads = 3, scale = 0.125 : f32}
       : (tensor<1x288xf32>, tensor<3x2x32x32xf32>, tensor<3x1x64x32xf32>, tensor<1xi32>)
         -> (tensor<1x96xf32>, tensor<3x2x32x32xf32>, tensor<3x1x64x32xf32>)
  %o = ttc.block_matmul q8_0 %y, %wo norm %norm : (tensor<1x96xf32>, tensor<9792xi8>, tensor<96xf32>) -> tensor<1x96xf32>
  return %o, %k, %v : tensor<1x96xf32>, tensor<3x2x32x32xf32>, tensor<3x1x64x32xf32>
}

// -----

// A device has the sinks of its heads; window and cap are the same on all.
// CHECK-LABEL: func.func @special
// CHECK: %[[SINKS:.*]] = ttc.constant #ttc.shards<[dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, dense<[3.000000e+00, 4.000000e+00]>
// CHECK: ttc.cached_attention {{.*}} sinks %[[SINKS]] {heads = 2, kv_heads = 1, scale = 1.250000e-01, soft_cap = 5.000000e+01, window = 40}
// CHECK-SAME: tensor<2xf32>) -> (tensor<1x64xf32>, tensor<1x2x32x32xf32>, tensor<1x1x64x32xf32>)
ttc.state @keys : tensor<2x2x32x32xf32>
ttc.state @values : tensor<2x1x64x32xf32>
func.func @special(%x: tensor<1x128xf32>, %keys: tensor<2x2x32x32xf32> {ttc.state = @keys},
                   %values: tensor<2x1x64x32xf32> {ttc.state = @values}, %position: tensor<1xi32>)
    -> (tensor<1x128xf32>, tensor<2x2x32x32xf32> {ttc.state = @keys}, tensor<2x1x64x32xf32> {ttc.state = @values}) {
  %sinks = ttc.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %wqkv = ttc.constant dense<1> : tensor<34816xi8>
  %wo = ttc.constant dense<2> : tensor<17408xi8>
  %qkv = ttc.block_matmul q8_0 %x, %wqkv : (tensor<1x128xf32>, tensor<34816xi8>) -> tensor<1x256xf32>
  %y, %k, %v = ttc.cached_attention %qkv, %keys, %values, %position sinks %sinks
       {heads = 4, kv_heads = 2, scale = 0.125, window = 40, soft_cap = 50.0}
       : (tensor<1x256xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>, tensor<1xi32>, tensor<4xf32>)
         -> (tensor<1x128xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>)
  %o = ttc.block_matmul q8_0 %y, %wo : (tensor<1x128xf32>, tensor<17408xi8>) -> tensor<1x128xf32>
  return %o, %k, %v : tensor<1x128xf32>, tensor<2x2x32x32xf32>, tensor<2x1x64x32xf32>
}
