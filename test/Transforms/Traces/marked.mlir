// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions with traced regions that a user marks, through the whole pipeline: ops on tensors are fused and become programs,
// transfers, constants and host steps leave the traces. Results: test/conformance/test_marked_traces.py.
// RUN: ttc-opt %s --ttc-trace-pipeline="target-cpu=x86-64-v3 schedules=single compile=false" --split-input-file | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: ttc-opt %s --ttc-trace-pipeline="target=wormhole_n150 target-cpu=x86-64-v3 schedules=single compile=false" --split-input-file | FileCheck %s --check-prefixes=CHECK,CHIP

// CHECK-LABEL: ttc.entry @one
// CHECK:         ttc.schedule "single" queues 1 body {
// CHECK-NEXT:      ttc.enqueue.write 0 to @x on 0
// CHECK-NEXT:      ttc.enqueue.execute @one_t0 on 0
// CHECK-NEXT:      ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT:    }
// CHECK:       ttc.trace @one_t0
// CHECK-NEXT:    ttc.cmd.dispatch @gemm_add_relu_4x16(@x, @{{.*}}, @{{.*}}) into (@y)
// CHECK-NEXT:    ttc.cmd.end
func.func @one(%x: tensor<4x8xf32> {ttc.name = "x"}) -> (tensor<4x16xf32> {ttc.name = "y"}) {
  %h = ttc.traced -> tensor<4x16xf32> {
    %d = ttc.to_device %x : tensor<4x8xf32> to tensor<4x8xf32>
    %w = ttc.constant dense<0.3> : tensor<8x16xf32>
    %b = ttc.constant dense<[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]> : tensor<16xf32>
    %0 = ttc.matmul %d, %w, %b : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %1 = ttc.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %r = ttc.from_device %1 : tensor<4x16xf32> to tensor<4x16xf32>
    ttc.yield %r : tensor<4x16xf32>
  }
  return %h : tensor<4x16xf32>
}

// -----

// Regions, events between them, and ops beside them, which get a trace of their own.
// CHECK-LABEL: ttc.entry @several
// CHECK:         ttc.schedule "single" queues 1 body {
// CHECK-NEXT:      ttc.enqueue.write 0 to @x on 0
// CHECK-NEXT:      ttc.enqueue.execute @several_t0 on 0
// CHECK-NEXT:      ttc.enqueue.execute @several_t1 on 0
// CHECK-NEXT:      ttc.enqueue.execute @several_t2 on 0
// CHECK-NEXT:      ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT:      ttc.enqueue.read 1 from @z on 0
// CHECK-NEXT:    }
// CHECK:       ttc.trace @several_t2
// CHECK-NEXT:    ttc.cmd.dispatch @neg_tanh_4x8
// CHECK-NEXT:    ttc.cmd.end
// CHECK:       ttc.trace @several_t1
// CHECK-NEXT:    ttc.cmd.dispatch @sqrt_4x8
// CHECK-NEXT:    ttc.cmd.end
// CHECK:       ttc.trace @several_t0
// CHECK-NEXT:    ttc.cmd.dispatch @relu_exp_4x8
// CHECK-NEXT:    ttc.cmd.end
func.func @several(%x: tensor<4x8xf32> {ttc.name = "x"}) -> (tensor<4x8xf32> {ttc.name = "y"}, tensor<4x8xf32> {ttc.name = "z"}) {
  %0 = ttc.traced -> tensor<4x8xf32> {
    %d = ttc.to_device %x : tensor<4x8xf32> to tensor<4x8xf32>
    %a = ttc.relu %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %b = ttc.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = ttc.from_device %b : tensor<4x8xf32> to tensor<4x8xf32>
    ttc.yield %r : tensor<4x8xf32>
  }
  %e = ttc.record_event on 0
  ttc.wait_event %e on 1
  %1 = ttc.traced -> tensor<4x8xf32> {
    %d = ttc.to_device %0 : tensor<4x8xf32> to tensor<4x8xf32>
    %a = ttc.sqrt %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = ttc.from_device %a : tensor<4x8xf32> to tensor<4x8xf32>
    ttc.yield %r : tensor<4x8xf32>
  }
  %2 = ttc.neg %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = ttc.tanh %2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A step of the application in the middle of a region: two traces.
// CHECK-LABEL: ttc.entry @host_step
// CHECK:         ttc.schedule "single" queues 1 body {
// CHECK-NEXT:      ttc.enqueue.write 0 to @x on 0
// CHECK-NEXT:      ttc.enqueue.execute @host_step_t0 on 0
// CPU-NEXT:        ttc.enqueue.host @com_acme_F_4x8(@host_step_v0) into (@host_step_v1) on 0
// CHIP-NEXT:       ttc.enqueue.copy @host_step_v0 to @host_step_v1 bytes 128 on 0
// CHIP-NEXT:       ttc.enqueue.host @com_acme_F_4x8(@host_step_v1) into (@host_step_v2) on 0
// CHIP-NEXT:       ttc.enqueue.copy @host_step_v2 to @host_step_v3 bytes 128 on 0
// CHECK-NEXT:      ttc.enqueue.execute @host_step_t1 on 0
// CHECK-NEXT:      ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT:    }
func.func @host_step(%x: tensor<4x8xf32> {ttc.name = "x"}) -> (tensor<4x8xf32> {ttc.name = "y"}) {
  %0 = ttc.traced -> tensor<4x8xf32> {
    %d = ttc.to_device %x : tensor<4x8xf32> to tensor<4x8xf32>
    %a = ttc.relu %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %h = ttc.from_device %a : tensor<4x8xf32> to tensor<4x8xf32>
    %f = ttc.host_call #ttc.host_function<name = "com.acme.F", version = 1>(%h) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %g = ttc.to_device %f : tensor<4x8xf32> to tensor<4x8xf32>
    %b = ttc.exp %g : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = ttc.from_device %b : tensor<4x8xf32> to tensor<4x8xf32>
    ttc.yield %r : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// A state is on the device: its update in one trace is in place where no later one reads the old value.
// CHECK-LABEL: ttc.entry @state
// CHECK-NEXT:    ttc.input "x" at @x : tensor<4xf32>
// CHECK-NEXT:    ttc.output "y" at @y : tensor<4xf32>
// CHECK-NEXT:    ttc.schedule "single" queues 1 body {
// CHECK-NEXT:      ttc.enqueue.write 0 to @x on 0
// CHECK-NEXT:      ttc.enqueue.execute @state_t0 on 0
// CHECK-NEXT:      ttc.enqueue.execute @state_t1 on 0
// CHECK-NEXT:      ttc.enqueue.read 0 from @y on 0
// CHECK-NEXT:    }
// CHECK:       ttc.trace @state_t1
// CHECK-NEXT:    ttc.cmd.dispatch @tanh_4(@s) into (@y)
// CHECK:       ttc.trace @state_t0
// CHECK-NEXT:    ttc.cmd.dispatch @add_4(@s, @x) into (@s)
ttc.state @s : tensor<4xf32>
func.func @state(%s: tensor<4xf32> {ttc.state = @s}, %x: tensor<4xf32> {ttc.name = "x"})
    -> (tensor<4xf32> {ttc.state = @s}, tensor<4xf32> {ttc.name = "y"}) {
  %0 = ttc.traced -> tensor<4xf32> {
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    %n = ttc.add %s, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %n : tensor<4xf32>
  }
  %1 = ttc.traced -> tensor<4xf32> {
    %t = ttc.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
    %r = ttc.from_device %t : tensor<4xf32> to tensor<4xf32>
    ttc.yield %r : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An exchange between devices is device work: it stays in its trace.
// CHECK-LABEL: ttc.entry @collective
// CHECK:         ttc.enqueue.execute @collective_t0 on 0
// CHECK-NEXT:    ttc.enqueue.execute @collective_t1 on 0
// CHECK:       ttc.trace @collective_t1
// CHECK-NEXT:    ttc.cmd.dispatch @tanh_4
// CHECK-NEXT:    ttc.cmd.end
// CHECK:       ttc.trace @collective_t0
// CHECK-NEXT:    ttc.cmd.dispatch @exp_4
// CHECK:         ttc.cmd.exchange @all_reduce
// CHECK:         ttc.cmd.end
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  func.func @collective(%x: tensor<4xf32> {ttc.name = "x"}) -> (tensor<4xf32> {ttc.name = "y"}) {
    %0 = ttc.traced -> tensor<4xf32> {
      %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
      %a = ttc.exp %d : (tensor<4xf32>) -> tensor<4xf32>
      %b = ttc.all_reduce %a {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %b : tensor<4xf32>
    }
    %1 = ttc.traced -> tensor<4xf32> {
      %c = ttc.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      %r = ttc.from_device %c : tensor<4xf32> to tensor<4xf32>
      ttc.yield %r : tensor<4xf32>
    }
    return %1 : tensor<4xf32>
  }
}

// -----

// Numbers of less than a byte.
// CHECK-LABEL: ttc.entry @narrow
// CHECK-NEXT:    ttc.input "x" at @x : tensor<4xi8>
func.func @narrow(%x: tensor<4xi4> {ttc.name = "x"}) -> (tensor<4xf32> {ttc.name = "y"}, tensor<4xi4> {ttc.name = "z"}) {
  %0:2 = ttc.traced -> tensor<4xf32>, tensor<4xi4> {
    %d = ttc.to_device %x : tensor<4xi4> to tensor<4xi4>
    %a = ttc.cast %d : (tensor<4xi4>) -> tensor<4xf32>
    %r = ttc.from_device %a : tensor<4xf32> to tensor<4xf32>
    %z = ttc.from_device %d : tensor<4xi4> to tensor<4xi4>
    ttc.yield %r, %z : tensor<4xf32>, tensor<4xi4>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi4>
}
