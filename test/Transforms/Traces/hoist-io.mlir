// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-verify-hoisted --split-input-file | FileCheck %s

ttc.program @f(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// Transfers and constants leave; a view stays with the value that it shows.
// CHECK-LABEL: func.func @transfers
// CHECK-NEXT:    %[[D:.*]] = ttc.to_device %arg0
// CHECK-NEXT:    %[[W:.*]] = ttc.constant
// CHECK-NEXT:    %[[Y:.*]] = ttc.execute @transfers_t0(%[[D]], %[[W]])
// CHECK-NEXT:    %[[R:.*]] = ttc.from_device %[[Y]]
// CHECK-NEXT:    return %[[R]]
// CHECK:       ttc.trace @transfers_t0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<2x2xf32> {
// CHECK-NEXT:    %[[V:.*]] = ttc.dispatch @f(%[[A]], %[[B]])
// CHECK-NEXT:    %[[S:.*]] = ttc.reshape %[[V]]
// CHECK-NEXT:    ttc.yield %[[S]]
func.func @transfers(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %h = ttc.traced -> tensor<2x2xf32> {
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    %w = ttc.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %y = ttc.dispatch @f(%d, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %s = ttc.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
    %r = ttc.from_device %s : tensor<2x2xf32> to tensor<2x2xf32>
    ttc.yield %r : tensor<2x2xf32>
  }
  return %h : tensor<2x2xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>
ttc.program @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
ttc.program @on_host(tensor<4xf32>) -> tensor<4xf32>

// Host work in the middle splits the region in two. Work that does not depend on it stays in the
// first trace, whatever the order in the source.
// CHECK-LABEL: func.func @split
// CHECK-NEXT:    %[[D:.*]] = ttc.to_device %arg0
// CHECK-NEXT:    %[[T0:.*]]:2 = ttc.execute @split_t0(%[[D]])
// CHECK-NEXT:    %[[H:.*]] = ttc.from_device %[[T0]]#0
// CHECK-NEXT:    %[[P:.*]] = ttc.host_dispatch @on_host(%[[H]])
// CHECK-NEXT:    %[[B:.*]] = ttc.to_device %[[P]]
// CHECK-NEXT:    %[[T1:.*]] = ttc.execute @split_t1(%[[B]], %[[T0]]#1)
// CHECK-NEXT:    %[[R:.*]] = ttc.from_device %[[T1]]
// CHECK-NEXT:    return %[[R]]
// CHECK:       ttc.trace @split_t0(
// CHECK-COUNT-2: ttc.dispatch @f
// CHECK:       ttc.trace @split_t1(
// CHECK-NEXT:    ttc.dispatch @g
// CHECK-NEXT:    ttc.yield
func.func @split(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = ttc.traced -> tensor<4xf32> {
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    %a = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
    %ha = ttc.from_device %a : tensor<4xf32> to tensor<4xf32>
    %hb = ttc.host_dispatch @on_host(%ha) : (tensor<4xf32>) -> tensor<4xf32>
    %b = ttc.to_device %hb : tensor<4xf32> to tensor<4xf32>
    %c = ttc.dispatch @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %y = ttc.dispatch @g(%b, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
    ttc.yield %r : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}
