// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.program @wide(tensor<8xf32>) -> tensor<4xf32>
ttc.program @function(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>}
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @x1 : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.buffer slot @y1 : tensor<4xf32> in dram
ttc.buffer slot @two : tensor<8xf32> in dram
ttc.buffer activation @a : tensor<4xf32> in dram
ttc.buffer host @h : tensor<4xf32> in host
ttc.event @e
ttc.event @other
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  ttc.input "x" at @x ring [@x1] : tensor<4xf32>
  ttc.output "y" at @y ring [@y1] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.write 0 to @x1 on 0
    ttc.enqueue.execute @t on 0
    ttc.enqueue.host @p(@h) into (@h) on 0
    ttc.enqueue.dispatch @p(@x) into (@two + 16) on 0
    ttc.enqueue.copy @x to @a bytes 16 on 0
    ttc.enqueue.record @e on 0
    ttc.enqueue.wait @e on 0
    ttc.enqueue.record @other on 0
    ttc.enqueue.read 0 from @y on 0
    ttc.enqueue.read 0 from @y1 on 0
  }
}

// change:   ttc.schedule => %c = ttc.constant dense<1.0> : tensor<4xf32>\n  ttc.schedule
// expected-error {{'ttc.entry' op (C1) expected nothing but inputs, outputs and schedules, found ttc.constant}}

// change: output "y" at => input "x" at
// expected-error {{'ttc.entry' op (C2) expected unique names, found "x" twice}}

// change: entry @main => entry @main attributes {wanted_schedules = ["overlap-io", "single"]}
// expected-error {{'ttc.entry' op (C3) expected 'wanted_schedules' to name schedules that the body does not have, each once, found "single"}}

// change: entry @main => entry @main attributes {wanted_schedules = ["overlap-io", "overlap-io"]}
// expected-error {{'ttc.entry' op (C3) expected 'wanted_schedules' to name schedules that the body does not have, each once, found "overlap-io"}}

// change: entry @main => entry @main attributes {devices = array<i64: 0>}
// expected-error {{'ttc.entry' op (C4) expected 'devices' with 'part_of', found it alone}}

// change: entry @main => entry @main attributes {part_of = "main"}
// expected-error {{'ttc.entry' op (C4) expected 'part_of' with 'devices', found it alone}}

// change: entry @main => entry @main attributes {devices = array<i64: 1, 0>, part_of = "main"}
// expected-error {{'ttc.entry' op (C4) expected distinct devices in ascending order, at least one, found array<i64: 1, 0>}}

// change: entry @main => entry @main attributes {devices = array<i64>, part_of = "main"}
// expected-error {{'ttc.entry' op (C4) expected distinct devices in ascending order, at least one, found array<i64>}}

// change: entry @main => entry @main attributes {ttc.variant = #ttc.variant<of = "m", dims = ["n"], low = [1], high = [4]>}
// expected-error {{'ttc.entry' op (C5) expected a variant to have an input 'extents' of type 'tensor<1xi32>', found none}}

// change: "x" at @x ring [@x1] : tensor<4xf32> => "x" at @x ring [@x1] : tensor<4xf32> {ttc.dims = affine_map<()[s0] -> (s0)>}
// expected-error {{'ttc.input' op expected 'ttc.dims' in an entry point with 'ttc.variant'}}

// change: "x" at @x => "x" at @a
// expected-error {{'ttc.input' op (C1) expected @a to be a slot, host or state buffer, found kind activation}}

// change: ring [@x1] => ring [@a]
// expected-error {{'ttc.input' op (C1) expected @a to be a slot, host or state buffer, found kind activation}}

// change: ring [@x1] => ring [@x]
// expected-error {{'ttc.input' op (C2) expected different slots, found @x twice}}

// change: ring [@y1] => ring [@y1, @y1]
// expected-error {{'ttc.output' op (C2) expected different slots, found @y1 twice}}

// change: ring [@y1] : tensor<4xf32> => : tensor<8xf32>
// expected-error {{'ttc.output' op (C1) expected @y to hold at least 32 bytes, found 16}}

// change: execute @t on 0 => execute @t on 1
// expected-error {{'ttc.schedule' op (C1) expected a queue below 1, found 1}}

// change: ttc.enqueue.execute @t on 0 => %c = ttc.constant dense<1.0> : tensor<4xf32>
// expected-error {{'ttc.schedule' op (C2) expected nothing but steps, found ttc.constant}}

// change: write 0 to @x on => write 1 to @x on
// expected-error {{'ttc.enqueue.write' op (C1) expected an input below 1, found 1}}

// change: write 0 to @x1 => write 0 to @y
// expected-error {{'ttc.enqueue.write' op (C1) expected one of the 2 slots of input 0, found @y}}

// change: ring [@y1] :  => :
// change: read 0 from @y on => read 0 from @x on
// expected-error at read 0 from @x on {{'ttc.enqueue.read' op (C1) expected the buffer of output 0, @y, found @x}}

// change: execute @t => execute @none
// expected-error {{'ttc.enqueue.execute' op (C1) expected @none to be a ttc.trace, found none}}

// change: host @p( => host @none(
// expected-error {{'ttc.enqueue.host' op (C1) expected @none to be a ttc.program, found none}}

// change: into (@h) => into (@h, @h)
// expected-error {{'ttc.enqueue.host' op (C2) expected 1 buffers for the results of @p, found 2}}

// change: dispatch @p( => dispatch @none(
// expected-error {{'ttc.enqueue.dispatch' op (C1) expected @none to be a ttc.program, found none}}

// change: dispatch @p( => dispatch @wide(
// expected-error {{'ttc.enqueue.dispatch' op (C2) expected @x to hold at least 32 bytes, found 16}}

// change: @two + 16 => @two + 20
// expected-error {{'ttc.enqueue.dispatch' op (C2) expected @two to hold at least 36 bytes, found 32}}

// change: @two + 16 => @two + -16
// expected-error {{'ttc.enqueue.dispatch' op (C3) expected one offset of 0 or more for each of 1 buffers, found [-16]}}

// change: dispatch @p( => dispatch @function(
// expected-error {{'ttc.enqueue.dispatch' op (C4) expected a program with code, found @function}}

// change: copy @x to @a bytes 16 => copy @two to @a bytes 32
// expected-error {{'ttc.enqueue.copy' op (C1) expected @a to hold at least 32 bytes, found 16}}

// change: record @other => record @none
// expected-error {{'ttc.enqueue.record' op (C1) expected @none to be a ttc.event, found none}}

// change: wait @e => wait @none
// expected-error {{'ttc.enqueue.wait' op (C1) expected @none to be a ttc.event, found none}}

// -----

// expected-error @+1 {{'ttc.entry' op (C1) expected at least one schedule, found none}}
ttc.entry @main {
}

// -----

ttc.entry @main {
  // expected-error @+1 {{'ttc.schedule' op (C3) expected at least one step in its body, found none}}
  "ttc.schedule"() <{name = "single", queues = 1 : i64}> ({}, {
  ^bb0:
  }, {}) : () -> ()
}
