// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-inline-traced --split-input-file | FileCheck %s

// A region of all that the function computes is the function: no boundary, no transfers.
// CHECK-LABEL: func.func @whole
// CHECK-NEXT:    %[[C:.*]] = ttc.constant
// CHECK-NEXT:    %[[M:.*]] = ttc.mul %arg0, %[[C]]
// CHECK-NEXT:    %[[R:.*]] = ttc.relu %[[M]]
// CHECK-NEXT:    %[[V:.*]] = ttc.reshape %[[R]]
// CHECK-NEXT:    return %[[V]]
func.func @whole(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  %h = ttc.traced -> tensor<4xf32> {
    %c = ttc.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %cd = ttc.to_device %c : tensor<4xf32> to tensor<4xf32>
    %m = ttc.mul %d, %cd : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = ttc.relu %m : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %y : tensor<4xf32>
  }
  %r = ttc.from_device %h : tensor<4xf32> to tensor<4xf32>
  %v = ttc.reshape %r : (tensor<4xf32>) -> tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}

// -----

// Two regions, with work before, between and after them. A tensor that goes to the host and back goes nowhere.
// CHECK-LABEL: func.func @several
// CHECK-NEXT:    %[[A:.*]] = ttc.exp %arg0
// CHECK-NEXT:    ttc.trace_boundary
// CHECK-NEXT:    %[[B:.*]] = ttc.relu %[[A]]
// CHECK-NEXT:    ttc.trace_boundary
// CHECK-NEXT:    %[[E:.*]] = ttc.record_event on 0
// CHECK-NEXT:    ttc.wait_event %[[E]] on 1
// CHECK-NEXT:    ttc.trace_boundary
// CHECK-NEXT:    %[[C:.*]] = ttc.add %[[B]], %[[A]]
// CHECK-NEXT:    ttc.trace_boundary
// CHECK-NEXT:    %[[D:.*]] = ttc.tanh %[[C]]
// CHECK-NEXT:    return %[[B]], %[[D]], %arg0
func.func @several(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %0:2 = ttc.traced -> tensor<4xf32>, tensor<4xf32> {
    %ad = ttc.to_device %a : tensor<4xf32> to tensor<4xf32>
    %b = ttc.relu %ad : (tensor<4xf32>) -> tensor<4xf32>
    %bh = ttc.from_device %b : tensor<4xf32> to tensor<4xf32>
    ttc.yield %bh, %x : tensor<4xf32>, tensor<4xf32>
  }
  %e = ttc.record_event on 0
  ttc.wait_event %e on 1
  %1 = ttc.traced -> tensor<4xf32> {
    %bd = ttc.to_device %0#0 : tensor<4xf32> to tensor<4xf32>
    %c = ttc.add %bd, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %c : tensor<4xf32>
  }
  %d = ttc.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0#0, %d, %0#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// One boundary between two regions in a row.
// CHECK-LABEL: func.func @in_a_row
// CHECK-NEXT:    %[[A:.*]] = ttc.exp %arg0
// CHECK-NEXT:    ttc.trace_boundary
// CHECK-NEXT:    %[[B:.*]] = ttc.relu %[[A]]
// CHECK-NEXT:    return %[[B]]
func.func @in_a_row(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttc.traced -> tensor<4xf32> {
    %a = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %a : tensor<4xf32>
  }
  %d = ttc.to_device %0 : tensor<4xf32> to tensor<4xf32>
  %1 = ttc.traced -> tensor<4xf32> {
    %b = ttc.relu %d : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %b : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

ttc.program private @p(%x: tensor<2x2xf32>) -> tensor<2x2xf32>

// Transfers whose host side is a host step say where the step works; others that do not move a tensor into another
// layout say nothing. An op that functions of the application compute has no place yet.
// CHECK-LABEL: func.func @host_steps
// CHECK-NEXT:    %[[A:.*]] = ttc.exp %arg0
// CHECK-NEXT:    %[[H:.*]] = ttc.from_device %[[A]]
// CHECK-NEXT:    %[[V:.*]] = ttc.reshape %[[H]]
// CHECK-NEXT:    %[[P:.*]] = ttc.host_dispatch @p(%[[V]])
// CHECK-NEXT:    %[[D:.*]] = ttc.to_device %[[P]]
// CHECK-NEXT:    %[[B:.*]] = ttc.relu %[[D]]
// CHECK-NEXT:    %[[C:.*]] = ttc.host_call {{.*}}(%[[B]])
// CHECK-NEXT:    %[[L:.*]] = ttc.to_device %[[C]] : tensor<2x2xf32> to tensor<2x2xf32, #ttc.layout<l1>>
// CHECK-NEXT:    %[[M:.*]] = ttc.to_memory %[[L]]
// CHECK-NEXT:    return %[[M]]
func.func @host_steps(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = ttc.traced -> tensor<2x2xf32> {
    %a = ttc.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %h = ttc.from_device %a : tensor<4xf32> to tensor<4xf32>
    %v = ttc.reshape %h : (tensor<4xf32>) -> tensor<2x2xf32>
    %p = ttc.host_dispatch @p(%v) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %d = ttc.to_device %p : tensor<2x2xf32> to tensor<2x2xf32>
    %b = ttc.relu %d : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %bh = ttc.from_device %b : tensor<2x2xf32> to tensor<2x2xf32>
    %c = ttc.host_call #ttc.host_function<name = "com.acme.F", version = 1>(%bh) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %l = ttc.to_device %c : tensor<2x2xf32> to tensor<2x2xf32, #ttc.layout<l1>>
    %m = ttc.to_memory %l : tensor<2x2xf32, #ttc.layout<l1>> to tensor<2x2xf32>
    ttc.yield %m : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}
