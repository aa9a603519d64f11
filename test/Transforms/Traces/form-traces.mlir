// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-form-traces --split-input-file | FileCheck %s

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// The whole function, transfers included; an argument without uses is not transferred.
// CHECK-LABEL: func.func @whole
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<8xf32>)
// CHECK-NEXT:    %[[H:.*]] = ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      %[[D:.*]] = ttc.to_device %[[X]]
// CHECK-NEXT:      %[[Y:.*]] = ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      %[[R:.*]] = ttc.from_device %[[Y]]
// CHECK-NEXT:      ttc.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[H]]
func.func @whole(%x: tensor<4xf32>, %unused: tensor<8xf32>) -> tensor<4xf32> {
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// A person's own region is kept as it is.
// CHECK-LABEL: func.func @marked
// CHECK-NEXT:    %[[D:.*]] = ttc.to_device
// CHECK-NEXT:    %[[T:.*]] = ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      %[[Y:.*]] = ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      ttc.yield %[[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    ttc.from_device %[[T]]
func.func @marked(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  %t = ttc.traced -> tensor<4xf32> {
    %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %y : tensor<4xf32>
  }
  %h = ttc.from_device %t : tensor<4xf32> to tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>
ttc.program @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// A region on each side of a boundary; a value that is on the device stays there.
// CHECK-LABEL: func.func @boundary
// CHECK-NEXT:    %[[A:.*]]:2 = ttc.traced -> tensor<4xf32>, tensor<4xf32> {
// CHECK-NEXT:      %[[D:.*]] = ttc.to_device %arg0
// CHECK-NEXT:      %[[Y:.*]] = ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      ttc.yield %[[Y]], %[[D]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[B:.*]]:2 = ttc.traced -> tensor<4xf32>, tensor<4xf32> {
// CHECK-NEXT:      %[[Z:.*]] = ttc.dispatch @g(%[[A]]#0, %[[A]]#1)
// CHECK-NEXT:      %[[RZ:.*]] = ttc.from_device %[[Z]]
// CHECK-NEXT:      %[[RY:.*]] = ttc.from_device %[[A]]#0
// CHECK-NEXT:      ttc.yield %[[RZ]], %[[RY]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[B]]#0, %[[B]]#1
func.func @boundary(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ttc.trace_boundary
  %z = ttc.dispatch @g(%y, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

ttc.program @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// A constant of two regions is before them.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %[[C:.*]] = ttc.constant dense<1.0
// CHECK-NEXT:    %[[E:.*]] = ttc.constant dense<3.0
// CHECK-NEXT:    %[[A:.*]] = ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      ttc.to_device
// CHECK-NEXT:      ttc.constant dense<2.0
// CHECK-NEXT:      ttc.dispatch
// CHECK-NEXT:      ttc.dispatch
// CHECK-NEXT:      ttc.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      ttc.dispatch @g(%[[A]], %[[C]])
// CHECK-NEXT:      ttc.dispatch @g(%{{.*}}, %[[E]])
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  %d = ttc.constant dense<2.0> : tensor<4xf32>
  %e = ttc.constant dense<3.0> : tensor<4xf32>
  %0 = ttc.dispatch @g(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.dispatch @g(%0, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.trace_boundary
  %2 = ttc.dispatch @g(%1, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = ttc.dispatch @g(%2, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// Events are between regions; where there is only host work, there is none.
// CHECK-LABEL: func.func @events
// CHECK-NEXT:    %[[D:.*]] = ttc.to_device %arg0
// CHECK-NEXT:    %[[E:.*]] = ttc.record_event on 1
// CHECK-NEXT:    ttc.wait_event %[[E]] on 0
// CHECK-NEXT:    %[[T:.*]] = ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      ttc.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    ttc.record_event on 0
// CHECK-NEXT:    %[[H:.*]] = ttc.from_device %[[T]]
// CHECK-NEXT:    %[[R:.*]] = ttc.host_dispatch @f(%[[H]])
// CHECK-NEXT:    return %[[R]]
func.func @events(%x: tensor<4xf32>) -> tensor<4xf32> {
  %written = ttc.record_event on 1
  ttc.wait_event %written on 0
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %done = ttc.record_event on 0
  %z = ttc.host_dispatch @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

module attributes {ttc.target = #ttc.target<
    name = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64", features = "", grid_rows = 1,
    grid_cols = 1, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 1048576,
    dram_alignment = 64, queues = 1, chips = 1>} {
ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// Transfers around a host step stay, and the step in the host's memory; another one works in that of the device.
// CHECK-LABEL: func.func @host_steps
// CHECK-NEXT:    ttc.traced
// CHECK-NEXT:      %[[D:.*]] = ttc.to_device %arg0
// CHECK-NEXT:      %[[Y:.*]] = ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      %[[H:.*]] = ttc.from_device %[[Y]]
// CHECK-NEXT:      %[[S:.*]] = ttc.host_dispatch @f(%[[H]]) :
// CHECK-NEXT:      %[[B:.*]] = ttc.to_device %[[S]]
// CHECK-NEXT:      %[[Z:.*]] = ttc.host_dispatch @f(%[[B]]) {on_device}
// CHECK-NEXT:      %[[R:.*]] = ttc.dispatch @f(%[[Z]])
// CHECK-NEXT:      ttc.from_device %[[R]]
func.func @host_steps(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
  %s = ttc.host_dispatch @f(%h) : (tensor<4xf32>) -> tensor<4xf32>
  %b = ttc.to_device %s : tensor<4xf32> to tensor<4xf32>
  %z = ttc.host_dispatch @f(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %r = ttc.dispatch @f(%z) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// What is on the host already, and back there at once, is not transferred.
// CHECK-LABEL: func.func @round_trips
// CHECK:         %[[H:.*]] = ttc.host_dispatch @f(%arg0)
// CHECK-NOT:     ttc.from_device
// CHECK:         %[[Y:.*]] = ttc.dispatch
// CHECK:         %[[R:.*]] = ttc.from_device %[[Y]]
// CHECK-NEXT:    ttc.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %arg0, %[[H]], %{{.*}}
func.func @round_trips(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %h = ttc.host_dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ttc.trace_boundary
  %d = ttc.to_device %h : tensor<4xf32> to tensor<4xf32>
  %b = ttc.from_device %d : tensor<4xf32> to tensor<4xf32>
  %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
  return %x, %b, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
