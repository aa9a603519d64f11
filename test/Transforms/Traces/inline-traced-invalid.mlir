// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What neither a trace can hold nor the host can do before, after or between traces; the pipeline says the same.
// RUN: ttc-opt %s --ttc-inline-traced --split-input-file --verify-diagnostics
// RUN: ttc-opt %s --ttc-trace-pipeline="compile=false" --split-input-file --verify-diagnostics

func.func private @log(tensor<4xf32>)
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = ttc.traced -> tensor<4xf32> {
    %y = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+2 {{expected work that a trace can hold or that can be moved out of ttc.traced, found func.call}}
    // expected-note@+1 {{its effects are unknown: write its work as a ttc.program that ttc.host_dispatch runs, or move it before or after the ttc.traced region}}
    func.call @log(%y) : (tensor<4xf32>) -> ()
    %z = ttc.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %z : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}

// -----

// All of them are reported.
func.func @events(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = ttc.traced -> tensor<4xf32> {
    // expected-error@+2 {{found ttc.record_event}}
    // expected-note@+1 {{an event orders the work around it, and inside a trace the host cannot order anything: end the ttc.traced region before it and begin another one after it}}
    %e = ttc.record_event on 0
    %y = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+2 {{found ttc.wait_event}}
    // expected-note@+1 {{end the ttc.traced region before it}}
    ttc.wait_event %e on 1
    ttc.yield %y : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}

// -----

func.func @control_flow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = ttc.traced -> tensor<4xf32> {
    // expected-error@+2 {{found scf.for}}
    // expected-note@+1 {{a trace has no control flow: unroll or outline it as a ttc.program that ttc.dispatch runs, or move it before or after the ttc.traced region}}
    %y = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
      %z = ttc.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    ttc.yield %y : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}
