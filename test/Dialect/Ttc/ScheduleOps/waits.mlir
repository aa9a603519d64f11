// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every wait has a record that was enqueued before it.
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// Each wait is for the record before it: of the prologue first, of the body before later.
ttc.event @ready
ttc.trace @t() {
  ttc.cmd.wait @ready
  ttc.cmd.signal @ready
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "good" queues 2 prologue {
    ttc.enqueue.record @ready on 1
  } body {
    ttc.enqueue.execute @t on 0
    ttc.enqueue.wait @ready on 1
  } epilogue {
    ttc.enqueue.wait @ready on 1
  }
}

// -----

ttc.event @never
ttc.event @other
ttc.entry @main {
  ttc.schedule "s" queues 2 body {
    ttc.enqueue.record @other on 0
    // expected-error @+1 {{'ttc.schedule' op (C4) expected a record of @never before the wait, found none in schedule "s"}}
    ttc.enqueue.wait @never on 1
  }
}

// -----

// A command of a stream, too.
ttc.event @never
ttc.trace @t() {
  // expected-error @+1 {{'ttc.schedule' op (C4) expected a record of @never before the wait, found none in schedule "s"}}
  ttc.cmd.wait @never
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "s" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// Recorded, but later: the first inference would not wait.
ttc.event @late
ttc.entry @main {
  ttc.schedule "s" queues 2 body {
    // expected-error @+1 {{'ttc.schedule' op (C4) expected a record of @late before the wait, found one only after it in schedule "s"}}
    ttc.enqueue.wait @late on 0
    // expected-note @+1 {{the record}}
    ttc.enqueue.record @late on 1
  }
}

// -----

// A queue for itself.
ttc.event @self
ttc.entry @main {
  ttc.schedule "s" queues 1 body {
    // expected-error @+1 {{'ttc.schedule' op (C4) expected waits without a cycle, found queue 0 waiting for @self, which queue 0 records after its wait for @self}}
    ttc.enqueue.wait @self on 0
    ttc.enqueue.record @self on 0
  }
}

// -----

// A stream for its own signal, whichever comes first in it.
ttc.event @self
ttc.trace @t() {
  ttc.cmd.signal @self
  // expected-error @+1 {{'ttc.schedule' op (C4) expected waits without a cycle, found queue 0 waiting for @self, which queue 0 records after its wait for @self}}
  ttc.cmd.wait @self
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "s" queues 1 body {
    ttc.enqueue.execute @t on 0
  }
}

// -----

// Two queues for each other: neither would ever write or run, if the first waits waited.
ttc.event @written
ttc.event @consumed
ttc.entry @main {
  ttc.schedule "s" queues 2 body {
    // expected-error @+1 {{'ttc.schedule' op (C4) expected waits without a cycle, found queue 1 waiting for @consumed, which queue 0 records after its wait for @written; queue 0 waiting for @written, which queue 1 records after its wait for @consumed}}
    ttc.enqueue.wait @consumed on 1
    ttc.enqueue.record @written on 1
    // expected-note @+1 {{the wait for @written}}
    ttc.enqueue.wait @written on 0
    ttc.enqueue.record @consumed on 0
  }
}

// -----

// Through the signal of a trace.
ttc.event @written
ttc.event @consumed
ttc.trace @t() {
  // expected-note @+1 {{the wait for @written}}
  ttc.cmd.wait @written
  ttc.cmd.signal @consumed
  ttc.cmd.end
}
ttc.entry @main {
  ttc.schedule "s" queues 2 prologue {
    // expected-error @+1 {{'ttc.schedule' op (C4) expected waits without a cycle, found queue 1 waiting for @consumed, which queue 0 records after its wait for @written; queue 0 waiting for @written, which queue 1 records after its wait for @consumed}}
    ttc.enqueue.wait @consumed on 1
    ttc.enqueue.record @written on 1
  } body {
    ttc.enqueue.execute @t on 0
  }
}
