// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

func.func @to_device_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.to_device' op (C1) expected a result of the operand's shape and element type ('tensor<4xf32>'), found 'tensor<8xf32>'}}
  %d = ttc.to_device %x : tensor<4xf32> to tensor<8xf32>
  return
}

// -----

func.func @to_device_from_device(%x: tensor<4x64xf32, #ttc.layout<l1, height_sharded>>) {
  // expected-error @+1 {{'ttc.to_device' op (C2) expected its operand in host memory, without a layout, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %d = ttc.to_device %x : tensor<4x64xf32, #ttc.layout<l1, height_sharded>> to tensor<4x64xf32>
  return
}

// -----

func.func @from_device_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.from_device' op (C1) expected a result of the operand's shape and element type ('tensor<4xf32>'), found 'tensor<4xi32>'}}
  %h = ttc.from_device %x : tensor<4xf32> to tensor<4xi32>
  return
}

// -----

func.func @from_device_to_device(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{'ttc.from_device' op (C2) expected its result in host memory, without a layout, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %h = ttc.from_device %x : tensor<4x64xf32> to tensor<4x64xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

func.func @to_memory_shape(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{'ttc.to_memory' op (C1) expected a result of the operand's shape and element type ('tensor<4x64xf32>'), found 'tensor<64x4xf32, #ttc.layout<l1, height_sharded>>'}}
  %m = ttc.to_memory %x : tensor<4x64xf32> to tensor<64x4xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

func.func @to_memory_nowhere(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{'ttc.to_memory' op (C2) expected operand and result of different layouts, found 'tensor<4x64xf32>' for both}}
  %m = ttc.to_memory %x : tensor<4x64xf32> to tensor<4x64xf32>
  return
}

// -----

func.func @host_dispatch_program(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.host_dispatch' op (C1) expected @p to be a ttc.program, found none}}
  %y = ttc.host_dispatch @p(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
func.func @host_dispatch_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{'ttc.host_dispatch' op (C2) expected results of @p's result types ('tensor<4xf32>'), found ('tensor<8xf32>')}}
  %y = ttc.host_dispatch @p(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// record_event (C1)
func.func @record_event_queue() {
  // expected-error @+1 {{attribute 'queue' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %e = ttc.record_event on -1
  return
}

// -----

// wait_event (C1)
func.func @wait_event_queue() {
  %e = ttc.record_event on 0
  // expected-error @+1 {{attribute 'queue' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  ttc.wait_event %e on -1
  return
}

// -----

func.func @wait_event_of_whom(%e: !ttc.event) {
  // expected-error @+1 {{'ttc.wait_event' op (C2) expected the result of a ttc.record_event, found a value that no record in sight can satisfy}}
  ttc.wait_event %e on 0
  return
}

// -----

// a module's region has no order.
// expected-error @+1 {{'ttc.wait_event' op (C2) expected a record before the wait, found it after: a cycle of waits}}
ttc.wait_event %e on 0
// expected-note @+1 {{the record}}
%e = ttc.record_event on 1

// -----

func.func @to_device_shards(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{'ttc.to_device' op (C3) expected its result to have no shards, which ttc.to_memory makes and joins, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %d = ttc.to_device %x : tensor<4x64xf32> to tensor<4x64xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

func.func @from_device_shards(%x: tensor<4x64xf32, #ttc.layout<l1, height_sharded>>) {
  // expected-error @+1 {{'ttc.from_device' op (C3) expected its operand to have no shards, which ttc.to_memory makes and joins, found 'tensor<4x64xf32, #ttc.layout<l1, height_sharded>>'}}
  %h = ttc.from_device %x : tensor<4x64xf32, #ttc.layout<l1, height_sharded>> to tensor<4x64xf32>
  return
}

// -----

ttc.program private @copy(tensor<4x64xf32>) -> tensor<4x64xf32>
func.func @to_memory_program(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{'ttc.to_memory' op (C3) expected operands of @copy's input types ('tensor<4x64xf32>'), found ('tensor<8x64xf32>')}}
  %m = ttc.to_memory %x by @copy : tensor<8x64xf32> to tensor<8x64xf32, #ttc.layout<l1>>
  return
}
