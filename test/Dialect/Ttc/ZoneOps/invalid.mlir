// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

ttc.program @zone_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // diagnostic here:
  %r = ttc.zone "part" {
    ttc.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  ttc.return %r : tensor<4xf32>
}

// change: ttc.program @zone_name => func.func @zone
// change: ttc.return => return
// expected-error {{'ttc.zone' op (C1) expected to be in the body of a ttc.program, or in a zone, found it in func.func}}

// change: ttc.zone "part" => ttc.zone ""
// expected-error {{'ttc.zone' op (C2) expected a name of at least one character, without control characters, found ""}}

// change: ttc.program @zone_name => ttc.program @zone_terminator
// change: ttc.yield %x : tensor<4xf32> => llvm.unreachable
// expected-error {{'ttc.zone' op (C3) expected its region to end with ttc.yield, found llvm.unreachable}}

// change: ttc.program @zone_name => ttc.program @zone_values
// change: 4xf32> { => 8xf32> {
// change: } : tensor<4xf32 => } : tensor<8xf32
// change: %r : tensor<4xf32 => %r : tensor<8xf32
// expected-error at ttc.yield {{'ttc.zone' op (C3) expected values of the zone's result types ('tensor<8xf32>'), found ('tensor<4xf32>')}}

// -----

func.func @begin_name() {
  // expected-error @+1 {{'ttc.zone_begin' op (C1) expected a name of at least one character, without control characters, found "a\0Ab"}}
  %z = ttc.zone_begin "a\0Ab"
  ttc.zone_end %z
  return
}
