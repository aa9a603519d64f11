// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'ttc.entry' op (C1) expected at least one schedule, found none}}
ttc.entry @main {
}

// -----

ttc.entry @main {
  // expected-error @+1 {{'ttc.entry' op (C1) expected nothing but inputs, outputs and schedules, found ttc.constant}}
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<4xf32>
  // expected-error @+1 {{'ttc.entry' op (C2) expected unique names, found "x" twice}}
  ttc.input "x" at @x : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
// expected-error @+1 {{'ttc.entry' op (C3) expected 'wanted_schedules' to name schedules that the body does not have, each once, found "single"}}
ttc.entry @main attributes {wanted_schedules = ["overlap-io", "single"]} {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
// expected-error @+1 {{'ttc.entry' op (C3) expected 'wanted_schedules' to name schedules that the body does not have, each once, found "overlap-io"}}
ttc.entry @main attributes {wanted_schedules = ["overlap-io", "overlap-io"]} {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer activation @x : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{'ttc.input' op (C1) expected @x to be a slot, host or state buffer, found kind activation}}
  ttc.input "x" at @x : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer activation @a : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{'ttc.input' op (C1) expected @a to be a slot, host or state buffer, found kind activation}}
  ttc.input "x" at @x ring [@a] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{'ttc.input' op (C2) expected different slots, found @x twice}}
  ttc.input "x" at @x ring [@x] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer slot @y : tensor<4xf32> in dram
ttc.buffer slot @y1 : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{'ttc.output' op (C2) expected different slots, found @y1 twice}}
  ttc.output "y" at @y ring [@y1, @y1] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer slot @y : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{'ttc.output' op (C1) expected @y to hold at least 32 bytes, found 16}}
  ttc.output "y" at @y : tensor<8xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.schedule' op (C1) expected a queue below 1, found 1}}
    ttc.enqueue.execute @t on 1
  }
}

// -----

ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.schedule' op (C2) expected nothing but steps, found ttc.constant}}
    %c = ttc.constant dense<1.0> : tensor<4xf32>
  }
}

// -----

ttc.entry @main {
  // expected-error @+1 {{'ttc.schedule' op (C3) expected at least one step in its body, found none}}
  "ttc.schedule"() <{name = "single", queues = 1 : i64}> ({}, {
  ^bb0:
  }, {}) : () -> ()
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.input "x" at @x : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.write' op (C1) expected an input below 1, found 1}}
    ttc.enqueue.write 1 to @x on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.entry @main {
  ttc.output "y" at @y : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.read' op (C1) expected the buffer of output 0, @y, found @x}}
    ttc.enqueue.read 0 from @x on 0
  }
}

// -----

ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.execute' op (C1) expected @t to be a ttc.trace, found none}}
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.buffer host @x : tensor<4xf32> in host
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.host' op (C1) expected @p to be a ttc.program, found none}}
    ttc.enqueue.host @p(@x) into (@x) on 0
  }
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer host @x : tensor<4xf32> in host
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.host' op (C2) expected 1 buffers for the results of @p, found 2}}
    ttc.enqueue.host @p(@x) into (@x, @x) on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.dispatch' op (C1) expected @p to be a ttc.program, found none}}
    ttc.enqueue.dispatch @p(@x) into (@x) on 0
  }
}

// -----

ttc.program @p(tensor<8xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.dispatch' op (C2) expected @x to hold at least 32 bytes, found 16}}
    ttc.enqueue.dispatch @p(@x) into (@x) on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<8xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.copy' op (C1) expected @x to hold at least 32 bytes, found 16}}
    ttc.enqueue.copy @y to @x bytes 32 on 0
  }
}

// -----

ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.record' op (C1) expected @e to be a ttc.event, found none}}
    ttc.enqueue.record @e on 0
  }
}

// -----

ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.wait' op (C1) expected @e to be a ttc.event, found none}}
    ttc.enqueue.wait @e on 0
  }
}

// -----

ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @x1 : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.entry @main {
  ttc.input "x" at @x ring [@x1] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.write 0 to @x1 on 0
    // expected-error @+1 {{'ttc.enqueue.write' op (C1) expected one of the 2 slots of input 0, found @y}}
    ttc.enqueue.write 0 to @y on 0
  }
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<8xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.dispatch @p(@x) into (@x + 16) on 0
    // expected-error @+1 {{'ttc.enqueue.dispatch' op (C2) expected @x to hold at least 36 bytes, found 32}}
    ttc.enqueue.dispatch @p(@x) into (@x + 20) on 0
  }
}

// -----

ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<8xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.dispatch' op (C3) expected one offset of 0 or more for each of 1 buffers, found [-16]}}
    "ttc.enqueue.dispatch"() <{program = @p, inputs = [@x], outputs = [@x], output_offsets = array<i64: -16>, queue = 0 : i64}> : () -> ()
  }
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32> attributes {host_function = #ttc.host_function<name = "f", version = 1>}
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{'ttc.enqueue.dispatch' op (C4) expected a program with code, found @f}}
    ttc.enqueue.dispatch @f(@x) into (@x) on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
// expected-error @+1 {{'ttc.entry' op (C4) expected 'devices' with 'part_of', found it alone}}
ttc.entry @main attributes {devices = array<i64: 0>} {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
// expected-error @+1 {{'ttc.entry' op (C4) expected 'part_of' with 'devices', found it alone}}
ttc.entry @main attributes {part_of = "main"} {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
// expected-error @+1 {{'ttc.entry' op (C4) expected distinct devices in ascending order, at least one, found array<i64: 1, 0>}}
ttc.entry @main attributes {devices = array<i64: 1, 0>, part_of = "main"} {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

ttc.trace @t() {
  ttc.cmd.end
}
// expected-error @+1 {{'ttc.entry' op (C4) expected distinct devices in ascending order, at least one, found array<i64>}}
ttc.entry @main attributes {devices = array<i64>, part_of = "main"} {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}
