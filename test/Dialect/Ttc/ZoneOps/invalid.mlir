// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

func.func @zone_parent(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.zone' op (C1) expected to be in the body of a ttc.program, or in a zone, found it in func.func}}
  %r = ttc.zone "part" {
    ttc.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

ttc.program @zone_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.zone' op (C2) expected a name of at least one character, without control characters, found ""}}
  %r = ttc.zone "" {
    ttc.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  ttc.return %r : tensor<4xf32>
}

// -----

ttc.program @zone_terminator(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ttc.zone' op (C3) expected its region to end with ttc.yield, found llvm.unreachable}}
  %r = ttc.zone "part" {
    llvm.unreachable
  } : tensor<4xf32>
  ttc.return %r : tensor<4xf32>
}

// -----

ttc.program @zone_values(%x: tensor<4xf32>) -> tensor<8xf32> {
  %r = ttc.zone "part" {
    // expected-error @+1 {{'ttc.zone' op (C3) expected values of the zone's result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}
    ttc.yield %x : tensor<4xf32>
  } : tensor<8xf32>
  ttc.return %r : tensor<8xf32>
}

// -----

func.func @begin_name() {
  // expected-error @+1 {{'ttc.zone_begin' op (C1) expected a name of at least one character, without control characters, found "a\0Ab"}}
  %z = ttc.zone_begin "a\0Ab"
  ttc.zone_end %z
  return
}
