// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-verify-hoisted --split-input-file --verify-diagnostics

func.func private @print(tensor<4xf32>)
func.func @unknown_effects(%x: tensor<4xf32>) {
  ttc.traced {
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    // expected-error@+2 {{expected work that a trace can hold or that can be moved out of ttc.traced, found func.call}}
    // expected-note@+1 {{write its work as a ttc.program that ttc.host_dispatch runs, or move it before or after the ttc.traced region}}
    func.call @print(%d) : (tensor<4xf32>) -> ()
    ttc.yield
  }
  return
}

// -----

func.func @event() {
  ttc.traced {
    // expected-error@+2 {{found ttc.record_event}}
    // expected-note@+1 {{end the ttc.traced region before it and begin another one after it}}
    %e = ttc.record_event on 0
    ttc.yield
  }
  return
}

// -----

func.func @tensor_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = ttc.traced -> tensor<4xf32> {
    // expected-error@+2 {{found ttc.relu}}
    // expected-note@+1 {{it belongs to no program: --ttc-outline-programs makes programs of tensor ops}}
    %y = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %y : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>
func.func @untraced(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected work that the host enqueues in function @untraced, found ttc.dispatch}}
  // expected-note@+1 {{put it into a ttc.traced region}}
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

ttc.trace @t(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected device work in ttc.trace @t, found ttc.to_device, a transfer to the device}}
  // expected-note@+1 {{let --ttc-hoist-io form the trace}}
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  ttc.yield %d : tensor<4xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>
func.func @transfer_in_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = ttc.traced -> tensor<4xf32> {
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    // expected-note@+1 {{the device repeats the loop that begins here, and the host takes no part}}
    %v = ttc.loop_begin %d times 3 : tensor<4xf32>
    %0 = ttc.dispatch @f(%v) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{expected work of the device in a loop, found ttc.from_device, a transfer to the host}}
    %1 = ttc.from_device %0 : tensor<4xf32> to tensor<4xf32>
    %2 = ttc.loop_end %0 : tensor<4xf32>
    ttc.yield %1 : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}
