// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// entry, constraint 1
// expected-error @+1 {{expects at least one schedule, found none}}
ttc.entry @main {
}

// -----

// entry, constraint 1
ttc.entry @main {
  // expected-error @+1 {{expects to stand outside of an entry point}}
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// entry, constraint 2
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  ttc.input "x" at @x : tensor<4xf32>
  // expected-error @+1 {{expects a name that no other one of the entry point has, found "x" twice}}
  ttc.input "x" at @x : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// input, constraint 1
ttc.buffer activation @x : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{expects @x to be a slot, host or state buffer, found a activation one}}
  ttc.input "x" at @x : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// input, constraint 1
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer activation @a : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{expects @a to be a slot, host or state buffer, found a activation one}}
  ttc.input "x" at @x ring [@a] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// input, constraint 2
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{expects different slots, found @x twice}}
  ttc.input "x" at @x ring [@x] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// output, constraint 2
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.buffer slot @y1 : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{expects different slots, found @y1 twice}}
  ttc.output "y" at @y ring [@y1, @y1] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// output, constraint 1
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  // expected-error @+1 {{expects @y to hold at least 32 bytes, found 16}}
  ttc.output "y" at @y : tensor<8xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// schedule, constraint 1
ttc.trace @t() {
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects a queue below 1, found 1}}
    ttc.enqueue.execute @t on 1
  }
}

// -----

// schedule, constraint 2
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects to stand outside of a schedule}}
    %c = ttc.constant dense<1.0> : tensor<4xf32>
  }
}

// -----

// schedule, constraint 3
ttc.entry @main {
  // expected-error @+1 {{expects at least one step in its body, found none}}
  "ttc.schedule"() <{name = "single", queues = 1 : i64}> ({}, {
  ^bb0:
  }, {}) : () -> ()
}

// -----

// enqueue.write, constraint 1
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.input "x" at @x : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects an input below 1, found 1}}
    ttc.enqueue.write 1 to @x on 0
  }
}

// -----

// enqueue.read, constraint 1
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.entry @main {
  ttc.output "y" at @y : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects the buffer of output 0, @y, found @x}}
    ttc.enqueue.read 0 from @x on 0
  }
}

// -----

// enqueue.execute, constraint 1
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @t to be a ttc.trace, found none}}
    ttc.enqueue.execute @t on 0
  }
}

// -----

// enqueue.host, constraint 1
ttc.buffer host @x : tensor<4xf32> in host
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @p to be a ttc.program, found none}}
    ttc.enqueue.host @p(@x) into (@x) on 0
  }
}

// -----

// enqueue.host, constraint 2
ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer host @x : tensor<4xf32> in host
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects 1 buffers for the results of @p, found 2}}
    ttc.enqueue.host @p(@x) into (@x, @x) on 0
  }
}

// -----

// enqueue.dispatch, constraint 1
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @p to be a ttc.program, found none}}
    ttc.enqueue.dispatch @p(@x) into (@x) on 0
  }
}

// -----

// enqueue.dispatch, constraint 2
ttc.program @p(tensor<8xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @x to hold at least 32 bytes, found 16}}
    ttc.enqueue.dispatch @p(@x) into (@x) on 0
  }
}

// -----

// enqueue.copy, constraint 1
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<8xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @x to hold at least 32 bytes, found 16}}
    ttc.enqueue.copy @y to @x bytes 32 on 0
  }
}

// -----

// enqueue.record, constraint 1
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @e to be a ttc.event, found none}}
    ttc.enqueue.record @e on 0
  }
}

// -----

// enqueue.wait, constraint 1
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects @e to be a ttc.event, found none}}
    ttc.enqueue.wait @e on 0
  }
}

// -----

// enqueue.write, constraint 1
ttc.buffer slot @x : tensor<4xf32> in dram
ttc.buffer slot @x1 : tensor<4xf32> in dram
ttc.buffer slot @y : tensor<4xf32> in dram
ttc.entry @main {
  ttc.input "x" at @x ring [@x1] : tensor<4xf32>
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.write 0 to @x on 0
    ttc.enqueue.write 0 to @x1 on 0
    // expected-error @+1 {{expects one of the 2 slots of input 0, found @y}}
    ttc.enqueue.write 0 to @y on 0
  }
}

// -----

// enqueue.dispatch, constraint 2
ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<8xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    ttc.enqueue.dispatch @p(@x) into (@x + 16) on 0
    // expected-error @+1 {{expects @x to hold at least 36 bytes, found 32}}
    ttc.enqueue.dispatch @p(@x) into (@x + 20) on 0
  }
}

// -----

// enqueue.dispatch, constraint 3
ttc.program @p(tensor<4xf32>) -> tensor<4xf32>
ttc.buffer slot @x : tensor<8xf32> in dram
ttc.entry @main {
  ttc.schedule "single" queues 1 body {
    // expected-error @+1 {{expects one offset of 0 or more for each of 1 buffers, found [-16]}}
    "ttc.enqueue.dispatch"() <{program = @p, inputs = [@x], outputs = [@x], output_offsets = array<i64: -16>, queue = 0 : i64}> : () -> ()
  }
}
