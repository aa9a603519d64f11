// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From traces to addresses and command streams (level 4), and the proof of the plan.
#ifndef TTC_TRANSFORMS_PLANPASSES_TD
#define TTC_TRANSFORMS_PLANPASSES_TD

include "Options.td"

def BindBuffers : Pass<"ttc-bind-buffers", "::mlir::ModuleOp"> {
  let summary = "Binds the values of traces to buffers";
  let description = [{
    Memory is planned for buffers, not for values: views share the buffer of their source, parts are
    stored in the buffer of the whole, and a program may write its result over an operand. This pass
    binds each result of device work to a buffer that has no address yet: the buffer that the
    trace's own result is bound to; else that of an operand that the program may overwrite
    (`ttc.in_place`) and that nothing reads later; else a new one. Existing bindings are kept.

    A result of the trace that is bound to a state is written there at once if no later work reads the state's old
    value, and the work itself reads it only as an operand that it may overwrite. Otherwise the value has a
    buffer of its own, and a `ttc.copy` at the end of the trace updates the state.

    ```mlir
    ttc.trace @main_t0(%x: tensor<4xf32> {ttc.buffer = @x})
        -> (tensor<4xf32> {ttc.buffer = @output0}) {
      %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %z = ttc.dispatch @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %z : tensor<4xf32>
    }
    // becomes
    ttc.buffer activation @main_t0_0 : tensor<4xf32> in dram
    ttc.trace @main_t0(%x: tensor<4xf32> {ttc.buffer = @x})
        -> (tensor<4xf32> {ttc.buffer = @output0}) {
      %y = ttc.dispatch @f(%x) {ttc.buffer = [@main_t0_0]} : (tensor<4xf32>) -> tensor<4xf32>
      %z = ttc.dispatch @f(%y) {ttc.buffer = [@output0]} : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %z : tensor<4xf32>
    }
    ```

    A constant that a collective reads is copied before (`ttc.copy`): devices of a mesh reach each other's buffers, and no
    constants, which are pages of the file.

    What iterations of a loop hand on is in one buffer, its home: the results of `ttc.loop_begin` and `ttc.loop_end`, and the
    initial and the next value, if nothing needs the home while they are computed. Otherwise these are copied there. A value
    from before the loop is needed up to its end.

    Counters (`--mlir-pass-statistics`): `in-place`, `state-updates`, `state-copies`, `constant-copies`, `loop-copies`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def PlaceTensors : Pass<"ttc-place-tensors", "::mlir::ModuleOp"> {
  let summary = "Decides which tensors are stored in L1 and which in DRAM";
  let description = [{
    On a target whose L1 can store interleaved tensors, traffic to DRAM dominates the cost. The pass
    moves buffers to L1, in addition to scratch, shards and tensors with a given L1 layout, such that all
    accesses of one inference together move the fewest bytes to and from DRAM. An access moves the
    bytes of its operand; accesses are those of each command and each transfer of the host.
    docs/memory.md describes the model. `choose` of lib/Planner solves it, and returns only choices
    that can be planned.

    The unit of the decision is a buffer with all values bound to it (parts of a concat, results
    written in place). A layout that the IR gives is kept. What devices of a mesh exchange stays in DRAM. Outputs stay in DRAM: a slot in L1 would
    save one write and occupy L1 during the whole trace.

    `input-memory` decides where inputs are stored:

    - `dram`: the slot is in DRAM. If a trace reads it more than once and there is room, the first
      command of the trace copies it to L1.
    - `dram-sharded`: as `dram`, and the slot is in shards, one in each bank of DRAM: as many as the target has banks,
      or as divide the rows (all dimensions but the last). A remark says which slots cannot be divided. Slots whose
      type in the IR has a layout in shards have them in all modes but `l1`, and stay in DRAM.
    - `l1`: the slot is in L1. Later tensors may reuse its bytes after the last read. If a schedule
      writes the next input ahead, they are reused only if the plan does not fit otherwise, because
      the write then has to wait for those tensors as well.
    - `auto`: the slot is in L1 if it fits there for as long as needed to not delay a write, and is
      worth more than other tensors in the same bytes; otherwise as with `dram`.

    With `memory=dram`, and on targets without interleaved L1 (`cpu`), all tensors stay in DRAM.

    ```mlir
    ttc.buffer activation @main_t0_0 : tensor<64xf32> in dram
    ttc.trace @main_t0(%x: tensor<64xf32> {ttc.buffer = @x})
        -> (tensor<64xf32> {ttc.buffer = @y}) {
      %0 = ttc.dispatch @f(%x) {ttc.buffer = [@main_t0_0]} : ...
      %1 = ttc.dispatch @g(%x, %0) {ttc.buffer = [@y]} : ...
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
    `l1-slots`, `l1-copies`, `dram-sharded-slots`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [MemoryOption, InputMemoryOption, ShareActivationsOption];
}

def Preallocate : Pass<"ttc-preallocate", "::mlir::ModuleOp"> {
  let summary = "Assigns a fixed address to every buffer";
  let description = [{
    Lifetimes count the work of all default schedules in order. DRAM is laid out from the bottom:
    constants in the order of their first use, from the next page on slots and state, and above them
    the activations at offsets that lib/Planner assigns. Host memory and L1 are planned likewise. In
    L1, the scratch of each command is at the bottom while the command runs. A buffer in L1 has the
    same offset, and an equal part of the tensor, on each core. A slot in L1 is alive only from its
    write to its last read.

    Buffers that nothing accesses are erased. All entry points are planned together. They never run
    at the same time, so their activations share bytes, unless `share-activations=false`; constants,
    slots and state keep their bytes whichever entry point runs. The slots of variants of one model (`ttc.variant`)
    share bytes, too: such a slot is alive at all points of its entry point.

    A plan that does not fit the target is an error. It states the bytes needed and available, and
    lists the buffers alive at the peak, largest first, each at the op that made it.

    ```mlir
    ttc.buffer slot @x : tensor<4xf32> in dram
    ttc.buffer slot @output0 : tensor<4xf32> in dram
    ttc.buffer activation @main_t0_0 : tensor<4xf32> in dram
    // becomes
    ttc.buffer slot @x : tensor<4xf32> in dram at 0x0 size 64
    ttc.buffer slot @output0 : tensor<4xf32> in dram at 0x40 size 64
    ttc.buffer activation @main_t0_0 : tensor<4xf32> live [1, 3) in dram at 0x80 size 64
    ```

    Counters (`--mlir-pass-statistics`): `l1-bytes`, `constant-bytes`, `slot-bytes`,
    `activation-bytes`, `lower-bound-bytes`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [ShareActivationsOption];
}

def EncodeCommands : Pass<"ttc-encode-commands", "::mlir::ModuleOp"> {
  let summary = "Lowers traces to command streams";
  let description = [{
    Replaces the work in each planned trace by commands on buffers. Inserts a barrier before a
    command that accesses bytes of an earlier command since the last barrier, unless both only read
    them, or both have one workgroup (one core runs these in order). Scratch counts as written: in
    the L1 of core 0 and, with more than one workgroup, of all other cores. Finally restates
    lifetimes in points of the encoded timeline, which includes barriers and ends.

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
  let summary = "Makes the wanted schedules of entry points out of `single`";
  let description = [{
    The second half of `--ttc-schedule-queues`, which could only record the names of the schedules
    in `wanted_schedules`: events are placed by the order of all accesses to the bytes of a slot,
    which is known only for encoded traces with addresses. This pass derives each of these schedules
    from `single` and removes the attribute. With one queue there is

    - `single-untraced`: as `single`, with every command enqueued by the host.

    With two, queue 0 runs and queue 1 transfers:

    - `overlap-input`: queue 1 writes the next inputs while queue 0 still runs; queue 0 reads.
    - `overlap-io`: queue 1 also reads, and the next write precedes the readback: in the steady
      state queue 0 waits for neither if computing takes longer than both.

    A write waits until the previous input is *consumed*: no later command accesses a byte of its
    slot. Inputs with a common consumer share an event, and inputs that are consumed first are
    written first. The first command that accesses a byte of an output's slot waits until the
    previous outputs are *drained*. Both commands are found by address, not by name. They are

    - in `overlap-input` and `overlap-io` outside the trace, as separate steps, so that the host can
      enqueue events around them; the rest of the trace becomes one trace before, one between and
      one after them;
    - in `overlap-input-untraced` and `overlap-io-untraced` likewise, as are all other commands;
    - in `overlap-io-signals` inside the trace: a copy of the stream signals and waits itself, so
      that an inference is one execute.

    If a step of the host consumes an input or produces an output, the events surround that step.
    With a ring of slots, the body of a schedule is one turn of the ring: one inference for each
    slot, with separate events. Commands that access no slot are shared by all of them. The prologue
    of `overlap-io` starts as many inferences as there are slots. docs/queues.md describes the
    semantics of events and why these schedules are free of races.

    An entry point keeps one queue, and gets a remark, if an input's slot shares bytes with an
    output's, or is state: such a slot cannot be written ahead. One without inputs, whose state is all that a run
    depends on, has no `overlap-input` schedules, and in the others a run follows the run before it.

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
  let summary = "Assigns every stream an address in the trace region";
  let description = [{
    The trace region is at the end of DRAM and holds exactly the streams, each padded to 64 bytes.
    A region that overlaps buffers is an error.

    A `trace-region-size` below the size of the streams is an error that states their size, in total
    and on each bank. A larger one is reserved and recorded as the module's `ttc.trace_region`, with
    the streams at its end.

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
  let summary = "Proves the plan, sharing no code with the planner";
  let description = [{
    Checks that every buffer has an aligned address inside its memory and outside the trace region;
    that no two buffers alive at the same point of the timeline overlap; that every access is within
    its buffer's lifetime and every read follows a write; that no two accesses between two barriers
    conflict; and that the streams do not overlap and fill the region. Changes nothing.
  }];
}

#endif // TTC_TRANSFORMS_PLANPASSES_TD
