// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hoisting has to leave, of modules that somebody wrote by hand.
// RUN: ttc-opt %s --ttc-verify-hoisted --split-input-file --verify-diagnostics

func.func @good(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  %y = ttc.execute @good_t0(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
  %r = ttc.reshape %h : (tensor<4xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
ttc.trace @good_t0(%d: tensor<4xf32>) -> tensor<4xf32> {
  %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
  ttc.yield %y : tensor<4xf32>
}
ttc.program private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error@+1 {{expected arguments and results of function @no_tensor to be tensors of static shape, found argument 1 to be 'memref<4xf32>'}}
func.func @no_tensor(%x: tensor<4xf32>, %y: memref<4xf32>) {
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @region_left(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected no ttc.traced region after hoisting, found one}}
  // expected-note@+1 {{--ttc-hoist-io makes traces of it}}
  %h = ttc.traced -> tensor<4xf32> {
    ttc.yield %x : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}

// -----

ttc.trace @transfer(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected device work in ttc.trace @transfer, found ttc.to_device, a transfer to the device}}
  // expected-note@+1 {{write the region as ttc.traced and let --ttc-hoist-io form the trace, or pass the value to the trace as an argument}}
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  ttc.yield %d : tensor<4xf32>
}

// -----

ttc.trace @constant() -> tensor<4xf32> {
  // expected-error@+2 {{expected device work in ttc.trace @constant, found ttc.constant}}
  // expected-note@+1 {{pass the value to the trace as an argument}}
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  ttc.yield %c : tensor<4xf32>
}

// -----

func.func @tensor_work(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected work that the host enqueues in function @tensor_work, found ttc.relu}}
  // expected-note@+1 {{write it as a ttc.program that ttc.host_dispatch runs}}
  %y = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
