// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// to_device, constraint 1
func.func @to_device_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a result of the operand's shape and element type ('tensor<4xf32>'), found 'tensor<8xf32>'}}
  %d = ttc.to_device %x : tensor<4xf32> to tensor<8xf32>
  return
}

// -----

// to_device, constraint 2
func.func @to_device_from_device(%x: tensor<4x64xf32, #ttc.layout<l1, height_sharded>>) {
  // expected-error @+1 {{expects its operand to lie in host memory, without a layout, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %d = ttc.to_device %x : tensor<4x64xf32, #ttc.layout<l1, height_sharded>> to tensor<4x64xf32>
  return
}

// -----

// from_device, constraint 1
func.func @from_device_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a result of the operand's shape and element type ('tensor<4xf32>'), found 'tensor<4xi32>'}}
  %h = ttc.from_device %x : tensor<4xf32> to tensor<4xi32>
  return
}

// -----

// from_device, constraint 2
func.func @from_device_to_device(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{expects its result to lie in host memory, without a layout, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %h = ttc.from_device %x : tensor<4x64xf32> to tensor<4x64xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

// to_memory, constraint 1
func.func @to_memory_shape(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{expects a result of the operand's shape and element type ('tensor<4x64xf32>'), found 'tensor<64x4xf32, #ttc.layout<l1, height_sharded>>'}}
  %m = ttc.to_memory %x : tensor<4x64xf32> to tensor<64x4xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

// to_memory, constraint 2
func.func @to_memory_nowhere(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{expects operand and result of different layouts, found 'tensor<4x64xf32>' for both}}
  %m = ttc.to_memory %x : tensor<4x64xf32> to tensor<4x64xf32>
  return
}

// -----

// host_dispatch, constraint 1
func.func @host_dispatch_program(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects @p to be a ttc.program, found none}}
  %y = ttc.host_dispatch @p(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// host_dispatch, constraint 2
ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
func.func @host_dispatch_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects results of @p's result types ('tensor<4xf32>'), found ('tensor<8xf32>')}}
  %y = ttc.host_dispatch @p(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// record_event, constraint 1
func.func @record_event_queue() {
  // expected-error @+1 {{attribute 'queue' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %e = ttc.record_event on -1
  return
}

// -----

// wait_event, constraint 1
func.func @wait_event_queue() {
  %e = ttc.record_event on 0
  // expected-error @+1 {{attribute 'queue' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  ttc.wait_event %e on -1
  return
}

// -----

// wait_event, constraint 2
func.func @wait_event_of_whom(%e: !ttc.event) {
  // expected-error @+1 {{expects the result of a ttc.record_event, found a value that no record in sight can satisfy}}
  ttc.wait_event %e on 0
  return
}

// -----

// wait_event, constraint 2: a module's region has no order.
// expected-error @+1 {{waits in a circle: for a record that stands behind it}}
ttc.wait_event %e on 0
// expected-note @+1 {{the record}}
%e = ttc.record_event on 1

// -----

// to_device, constraint 3
func.func @to_device_shards(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{expects its result to lie without shards, which ttc.to_memory makes and joins, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %d = ttc.to_device %x : tensor<4x64xf32> to tensor<4x64xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

// from_device, constraint 3
func.func @from_device_shards(%x: tensor<4x64xf32, #ttc.layout<l1, height_sharded>>) {
  // expected-error @+1 {{expects its operand to lie without shards, which ttc.to_memory makes and joins, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %h = ttc.from_device %x : tensor<4x64xf32, #ttc.layout<l1, height_sharded>> to tensor<4x64xf32>
  return
}

// -----

// to_memory, constraint 3
ttc.program private @copy(tensor<4x64xf32>) -> tensor<4x64xf32>
func.func @to_memory_program(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects operands of @copy's input types ('tensor<4x64xf32>'), found ('tensor<8x64xf32>')}}
  %m = ttc.to_memory %x by @copy : tensor<8x64xf32> to tensor<8x64xf32, #ttc.layout<l1>>
  return
}
