// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From traces to addresses and bytes (level 4), and the proof of it.
#ifndef TTC_TRANSFORMS_PLANPASSES_TD
#define TTC_TRANSFORMS_PLANPASSES_TD

include "Options.td"

def PlaceTensors : Pass<"ttc-place-tensors", "::mlir::ModuleOp"> {
  let summary = "Decides which tensors lie in L1 and which in DRAM";
  let description = [{
    On a target whose L1 can hold interleaved tensors, what goes through DRAM is what costs. So the
    tensors of traces go to L1 where they fit beside what else lives there (scratch, shards, tensors
    that were given an L1 layout), such that the bytes that all accesses of one inference move
    through DRAM are as few as possible. An access moves the bytes of its operand: each command that
    reads or writes a tensor, and each transfer of the host to a slot or from one. docs/memory.md has
    the model; lib/Planner's `choose` solves it, and what it chooses can be planned.

    First every tensor gets a buffer, as `--ttc-preallocate` would give it; the unit of the decision
    is the buffer, with all that lies in it (parts of a concat, results written in place). What a
    person has given a layout keeps it. Outputs stay in DRAM: a slot in L1 would save one write, and
    be in the way for the whole trace.

    `input-memory` says where inputs lie:

    - `dram`: the slot is in DRAM. If a trace reads it more than once, and there is room, the first
      command of the trace copies it to L1.
    - `l1`: the slot is in L1. When its last reader is done its bytes may be used by later
      tensors; but where a schedule writes the next input ahead, only if it does not fit otherwise,
      because the write then has to wait for these as well.
    - `auto`: in L1 if it fits there for as long as it is needed without delaying a write, and is
      worth more than other tensors in its place; else as with `dram`.

    Targets without interleaved L1 (`cpu`) and `memory=dram` leave all tensors in DRAM.

    ```mlir
    ttc.trace @main_t0(%x: tensor<64xf32> {ttc.buffer = @x})
        -> (tensor<64xf32> {ttc.buffer = @y}) {
      %0 = ttc.dispatch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
      %1 = ttc.dispatch @g(%x, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      ttc.yield %1 : tensor<64xf32>
    }
    // with input-memory=dram becomes
    ttc.buffer activation @x_l1 : tensor<64xf32> in l1
    ttc.buffer activation @main_t0_0 : tensor<64xf32> in l1
    ttc.trace @main_t0(%x: tensor<64xf32> {ttc.buffer = @x})
        -> (tensor<64xf32> {ttc.buffer = @y}) {
      %2 = ttc.to_memory %x {ttc.buffer = [@x_l1]}
        : tensor<64xf32> to tensor<64xf32, #ttc.layout<l1>>
      %0 = ttc.dispatch @f(%2) {ttc.buffer = [@main_t0_0]} : ...
      %1 = ttc.dispatch @g(%2, %0) {ttc.buffer = [@y]} : ...
      ttc.yield %1 : tensor<64xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `dram-bytes-before`, `dram-bytes`, `l1-tensors`,
    `l1-slots`, `l1-copies`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [MemoryOption, InputMemoryOption, ShareActivationsOption];
}

def Preallocate : Pass<"ttc-preallocate", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor of every trace a fixed address";
  let description = [{
    Makes a buffer for each value inside a trace; a view shares its source's, parts lie in the
    buffer of what they are parts of, and a result takes the buffer of an operand that nothing
    reads any more, where its program may write over it (`ttc.in_place`). Lifetimes count
    the work of all default schedules in order. Then DRAM is laid out from the bottom:
    constants in the order in which they are used, from the next page on slots and state, above
    them the activations as lib/Planner places them. Host memory is planned the same way, and L1,
    where each command's scratch lies at the bottom while it runs; buffers in L1 have one offset, and
    an equal part on each core that they live on. A slot in L1 is alive from its write to its last
    reader only.

    All entry points are planned together. They never run at the same time, so activations of
    different ones share bytes, unless `share-activations=false`; constants, slots and state
    keep theirs whichever runs.

    A plan that does not fit the target is an error with the bytes needed, the bytes there and
    the buffers alive at the peak, largest first, each at the op that made it.

    ```mlir
    ttc.trace @main_t0(%x: tensor<4xf32> {ttc.buffer = @x})
        -> (tensor<4xf32> {ttc.buffer = @output0}) {
      %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %z = ttc.dispatch @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %z : tensor<4xf32>
    }
    // gets
    ttc.buffer slot @x : tensor<4xf32> in dram at 0x0 size 64
    ttc.buffer slot @output0 : tensor<4xf32> in dram at 0x40 size 64
    ttc.buffer activation @main_t0_0 : tensor<4xf32> live [1, 3) in dram at 0x80 size 64
      %y = ttc.dispatch @f(%x) {ttc.buffer = [@main_t0_0]} : (tensor<4xf32>) -> tensor<4xf32>
      %z = ttc.dispatch @f(%y) {ttc.buffer = [@output0]} : (tensor<4xf32>) -> tensor<4xf32>
    ```

    Counters (`--mlir-pass-statistics`): `l1-bytes`, `constant-bytes`, `slot-bytes`,
    `activation-bytes`, `lower-bound-bytes`, `in-place`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [ShareActivationsOption];
}

def EncodeCommands : Pass<"ttc-encode-commands", "::mlir::ModuleOp"> {
  let summary = "Traces to command streams";
  let description = [{
    Replaces the work in each planned trace by commands on buffers, with a barrier before a
    command that touches bytes of an earlier one since the last barrier, unless both only read,
    or both have one workgroup (one core runs these in order). Scratch counts as written, in the
    L1 of core 0 and, if there are more workgroups, of all other cores. Lifetimes then count the
    commands and steps of the timeline.

    ```mlir
    ttc.trace @main_t0(%x: tensor<4xf32> {ttc.buffer = @x})
        -> (tensor<4xf32> {ttc.buffer = @output0}) {
      %y = ttc.dispatch @f(%x) {ttc.buffer = [@output0]} : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %y : tensor<4xf32>
    }
    // becomes
    ttc.trace @main_t0() {
      ttc.cmd.dispatch @f(@x) into (@output0)
      ttc.cmd.end
    }
    ```

    Counters (`--mlir-pass-statistics`): `commands`, `barriers`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def OverlapTransfers : Pass<"ttc-overlap-transfers", "::mlir::ModuleOp"> {
  let summary = "Makes the schedules that entry points want beside `single`";
  let description = [{
    The second half of `--ttc-schedule-queues`: makes each of an entry point's `wanted_schedules`
    out of `single`, for a host that runs ahead. With one queue there is

    - `single-untraced`: as `single`, every command enqueued by the host.

    With two, queue 0 runs and queue 1 transfers:

    - `overlap-input`: queue 1 writes the next inputs while queue 0 still runs; queue 0 reads.
    - `overlap-io`: queue 1 also reads, and the next write stands in front of the readback: in the
      steady state neither is waited for where computing takes longer than both.

    A write waits until the input before it is *consumed*: no later command touches a byte of its
    slot. Inputs with one consumer share an event, and what is consumed first is written first. A
    command that is the first to touch a byte of an output's slot waits until the
    outputs before it are *drained*. Both commands are found by address, not by name. They stand

    - in `overlap-input` and `overlap-io` outside of the trace, as steps of their own, so that the
      host can enqueue the events around them; what is left of the trace is one trace before, one
      between and one behind them;
    - in `overlap-input-untraced` and `overlap-io-untraced` likewise, and all other commands, too;
    - in `overlap-io-signals` inside the trace: a copy of the stream signals and waits itself, so an
      inference is one execute.

    Where the host itself does that work between traces, events stand around its step. With a ring
    of slots the body of a schedule is a turn of the ring: an inference for each slot, with events
    of its own; commands that touch no slot are shared by all of them. The prologue of
    `overlap-io` begins as many inferences as there are slots. docs/queues.md has the semantics of
    events and says why these schedules are free of races.

    Runs on encoded traces, because only there is the order of all accesses known. An entry point
    is left with one queue, and a remark, where bytes of an input's slot are also an output's, or
    are state: they cannot be written ahead.

    ```mlir
    ttc.trace @main_t0() {
      ttc.cmd.dispatch @f(@x) into (@a)
      ttc.cmd.barrier
      ttc.cmd.dispatch @g(@a) into (@y)
      ttc.cmd.end
    }
    ttc.entry @main attributes {wanted_schedules = ["overlap-io", "overlap-io-signals"]} {
      ...
      ttc.schedule "single" queues 1 body { ... }
    }
    // becomes
    ttc.event @main_drained
    ttc.event @main_written
    ttc.event @main_consumed
    ttc.event @main_computed
    ttc.trace @main_t0_signals() {
      ttc.cmd.dispatch @f(@x) into (@a)
      ttc.cmd.signal @main_consumed
      ttc.cmd.barrier
      ttc.cmd.wait @main_drained
      ttc.cmd.dispatch @g(@a) into (@y)
      ttc.cmd.end
    }
    ttc.entry @main {
      ...
      ttc.schedule "single" queues 1 body { ... }
      ttc.schedule "overlap-io" queues 2 prologue { ... } body {
        ttc.enqueue.wait @main_consumed on 1
        ttc.enqueue.write 0 to @x on 1
        ttc.enqueue.record @main_written on 1
        ttc.enqueue.wait @main_computed on 1
        ttc.enqueue.read 0 from @y on 1
        ttc.enqueue.record @main_drained on 1
        ttc.enqueue.wait @main_written on 0
        ttc.enqueue.dispatch @f(@x) into (@a) on 0
        ttc.enqueue.record @main_consumed on 0
        ttc.enqueue.wait @main_drained on 0
        ttc.enqueue.dispatch @g(@a) into (@y) on 0
        ttc.enqueue.record @main_computed on 0
      } epilogue { ... }
      ttc.schedule "overlap-io-signals" queues 2 prologue {
        ttc.enqueue.record @main_drained on 1
        ttc.enqueue.write 0 to @x on 1
        ttc.enqueue.record @main_written on 1
        ttc.enqueue.wait @main_written on 0
        ttc.enqueue.execute @main_t0_signals on 0
        ttc.enqueue.record @main_computed on 0
      } body {
        ttc.enqueue.wait @main_consumed on 1
        ttc.enqueue.write 0 to @x on 1
        ttc.enqueue.record @main_written on 1
        ttc.enqueue.wait @main_computed on 1
        ttc.enqueue.read 0 from @y on 1
        ttc.enqueue.record @main_drained on 1
        ttc.enqueue.wait @main_written on 0
        ttc.enqueue.execute @main_t0_signals on 0
        ttc.enqueue.record @main_computed on 0
      } epilogue {
        ttc.enqueue.wait @main_computed on 1
        ttc.enqueue.read 0 from @y on 1
        ttc.enqueue.record @main_drained on 1
      }
    }
    ```

    Counters (`--mlir-pass-statistics`): `schedules`, `parts`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def SizeTraceRegion : Pass<"ttc-size-trace-region", "::mlir::ModuleOp"> {
  let summary = "Gives every stream its place in the trace region";
  let description = [{
    The trace region ends where DRAM ends and holds exactly the streams, each padded to 64
    bytes. A region that meets the buffers below is an error.

    Where `trace-region-size` is given, less than the streams need is an error that states their
    size, in all and on each bank; more is reserved (and then written down as the module's
    `ttc.trace_region`), with the streams at its end.

    ```mlir
    ttc.trace @main_t0() { ... }
    // becomes
    ttc.trace @main_t0 region at dram 0xfffffffc0 size 48 { ... }
    ```

    Counters (`--mlir-pass-statistics`): `region-bytes`, `bank-bytes`.
  }];
  let options = [TraceRegionSizeOption];
}

def VerifyPlan : Pass<"ttc-verify-plan", "::mlir::ModuleOp"> {
  let summary = "Proves the plan, with other code than the planner's";
  let description = [{
    Checks that every buffer has an aligned address inside its memory, apart from the streams;
    that no two buffers alive at one point of the timeline share a byte; that every access
    falls into its buffer's lifetime and every read has a write before it; that no two accesses
    between two barriers conflict; that streams are apart and fill the region. Changes nothing.
  }];
}

#endif // TTC_TRANSFORMS_PLANPASSES_TD
