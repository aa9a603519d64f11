// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From dispatches to traces, with transfers outside and work scheduled on queues (level 3).
#ifndef TTC_TRANSFORMS_TRACEPASSES_TD
#define TTC_TRANSFORMS_TRACEPASSES_TD

include "Options.td"

def InlineTraced : Pass<"ttc-inline-traced", "::mlir::ModuleOp"> {
  let summary = "Replaces traced regions by their ops, between boundaries";
  let description = [{
    A `ttc.traced` region that a user wrote becomes its ops, between two `ttc.trace_boundary`. All passes
    on tensors and programs then see one list of ops, as in a function without regions, and
    `--ttc-form-traces` makes the regions again. No program has ops of both sides of a boundary; other
    rewrites see through it, so that results have the same bits as without regions. A rewrite of several
    ops puts its result where the last of them was.

    Transfers are removed if `--ttc-form-traces` makes them again: all that do not change the layout,
    but those whose host side is a host step (`ttc.host_dispatch`), which stay where they are written.

    An op in a region that no trace can hold and the host cannot do before, after or between traces is an
    error that suggests a rewrite: events, control flow, ops with unknown effects.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %h = ttc.traced -> tensor<4xf32> {
        %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
        %y = ttc.relu %d : (tensor<4xf32>) -> tensor<4xf32>
        %r = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
        ttc.yield %r : tensor<4xf32>
      }
      return %h : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      ttc.trace_boundary
      %y = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
      ttc.trace_boundary
      return %y : tensor<4xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `regions`, `transfers`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def FormTraces : Pass<"ttc-form-traces", "::mlir::func::FuncOp"> {
  let summary = "Marks the regions of a function to replay as traces";
  let description = [{
    Puts the body of a function into `ttc.traced` regions: one, or one between each two
    `ttc.trace_boundary` and events (`ttc.record_event`, `ttc.wait_event`). Where there is only host work,
    none is made. A function that contains such regions already is left as it is.

    Values that are needed on the other side are transferred: arguments and results of host steps to the
    device, results and operands of host steps to the host. Constants, and arguments and results that are
    states (`ttc.state`), are on the device; a result that is the old value of a state is copied, because
    the state may be updated before it is read. A transfer there and back is removed.

    Host steps (`ttc.host_dispatch`) use the device's memory in place if the target is `cpu`, which shares
    it with the host, unless there are transfers around them already. `--ttc-hoist-io` then splits the
    region there.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %h = ttc.traced -> tensor<4xf32> {
        %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
        %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
        %r = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
        ttc.yield %r : tensor<4xf32>
      }
      return %h : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def HoistIO : Pass<"ttc-hoist-io", "::mlir::ModuleOp"> {
  let summary = "Moves transfers, constants and host work out of traced regions";
  let description = [{
    Outlines each traced region as a `ttc.trace` that contains only device work. Constants and
    transfers to the device move before it, transfers from the device after it. Host work that
    depends on device work of the region, and on which device work depends, splits the region into
    two traces.

    An op that cannot be moved, because its effects are unknown or it orders other work, is an error
    that suggests a rewrite.

    ```mlir
    %h = ttc.traced -> tensor<4xf32> {
      %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
      %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
      %r = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
      ttc.yield %r : tensor<4xf32>
    }
    // becomes
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    %y = ttc.execute @main_t0(%d) : (tensor<4xf32>) -> tensor<4xf32>
    %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
    // and
    ttc.trace @main_t0(%d: tensor<4xf32>) -> tensor<4xf32> {
      %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %y : tensor<4xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `traces`, `splits`, `hoisted`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def VerifyHoisted : Pass<"ttc-verify-hoisted", "::mlir::ModuleOp"> {
  let summary = "Checks that no trace contains host work";
  let description = [{
    After hoisting, no `ttc.traced` region is left; a trace contains only device work and views; a
    function contains constants, views and work that the host enqueues, and takes and returns tensors
    of static shape. Changes nothing.
  }];
}

def ScheduleQueues : Pass<"ttc-schedule-queues", "::mlir::ModuleOp"> {
  let summary = "Turns functions into entry points with schedules";
  let description = [{
    Makes a buffer, without an address yet, for every tensor outside of traces: constants (equal
    ones once), slots for inputs and outputs, tensors passed between traces, and host memory for host
    work. Binds the arguments and results of traces to these buffers, and replaces the function by a
    `ttc.entry` whose schedule enqueues the same work.

    The schedule `single` uses one queue: all writes, then the work in the order of the function,
    then all reads. Events between steps of one queue are redundant and are dropped.

    A `ttc.state` becomes a buffer of the kind `state`. An argument with the attribute `ttc.state` is in that buffer,
    and a result with it is written there; neither is an input or an output of the entry point. If the old value
    is used after the work that computes the new one, the schedule copies the new one at its end.

    `schedules` names further schedules (include/ttc/Transforms/Schedules.h lists them). Their names
    are recorded in `wanted_schedules` of the entry point; `--ttc-overlap-transfers` makes them once
    traces are command streams, because only then the commands at which to place events are known.
    Until then the attribute tells the planning passes which slots are accessed ahead of `single`.
    `slots` is the number of slots of each input and output, used in turn. They are made here so that
    they are planned with the other buffers.

    ```mlir
    func.func @main(%x: tensor<4xf32> {ttc.name = "x"}) -> tensor<4xf32> {
      %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
      %y = ttc.execute @main_t0(%d) : (tensor<4xf32>) -> tensor<4xf32>
      %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
      return %h : tensor<4xf32>
    }
    // becomes
    ttc.buffer slot @x : tensor<4xf32> in dram
    ttc.buffer slot @output0 : tensor<4xf32> in dram
    ttc.entry @main {
      ttc.input "x" at @x : tensor<4xf32>
      ttc.output "output0" at @output0 : tensor<4xf32>
      ttc.schedule "single" queues 1 body {
        ttc.enqueue.write 0 to @x on 0
        ttc.enqueue.execute @main_t0 on 0
        ttc.enqueue.read 0 from @output0 on 0
      }
    }
    // With `schedules=overlap-io slots=2` also
    ttc.buffer slot @x_slot1 : tensor<4xf32> in dram
    ttc.buffer slot @output0_slot1 : tensor<4xf32> in dram
    ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
      ttc.input "x" at @x ring [@x_slot1] : tensor<4xf32>
      ...
    ```

    Counters (`--mlir-pass-statistics`): `constants`, `shared-constants`, `states`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [SchedulesOption, QueuesOption, SlotsOption];
}

def HideExchanges : Pass<"ttc-hide-exchanges", "::mlir::ModuleOp"> {
  let summary = "Lets devices compute while exchanges move bytes";
  let description = [{
    Reorders the ops of traces on tensors. An exchange moves down to its first reader, or to the next exchange, send or
    receive: these stay in one order on all devices. Later ops that do not depend on it move up before it, as many as take
    about as long as the exchange. An exchange that other work now precedes, after the work that makes its input, gets
    the attribute `offer`: --ttc-encode-commands adds a `ttc.cmd.offer` where the input is complete, and
    plans nothing over the input before the exchange.

    ```mlir
    %0 = ttc.dispatch @product(%x, %a) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = ttc.exchange @all_reduce(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %2 = ttc.dispatch @product(%x, %b) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    // becomes
    %0 = ttc.dispatch @product(%x, %a) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = ttc.dispatch @product(%x, %b) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = ttc.exchange @all_reduce(%0) {offer} : (tensor<8x64xf32>) -> tensor<8x64xf32>
    ```

    Counters (`--mlir-pass-statistics`): `hidden`, `moved`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def ElideCopies : Pass<"ttc-elide-copies", "::mlir::ModuleOp"> {
  let summary = "Elides copies: programs write and read parts of tensors in place";
  let description = [{
    Concats, slices and splits need no copy if their operands or results are stored as parts of a
    larger tensor. A dispatch whose program only moves elements (one op that implements
    SubviewCopyOpInterface) is replaced by that op in the trace, where it states the storage: its
    operands are stored in the bytes of its result, or its results in those of its operand. Programs
    that write or read such a part get a variant for its strided layout (`ttc.strided`). Operands of
    programs and kernels that require contiguous tensors stay contiguous, as do the arguments and
    results of traces. An operand of a concat that cannot be stored in the result is copied there.

    Concats that begin with the same operands, as in dense blocks, are nested: all of them become
    parts of the longest one.

    ```mlir
    %a = ttc.dispatch @conv(%x) : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %c = ttc.dispatch @concat(%x0, %a)
      : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32>
    // becomes
    %a = ttc.dispatch @conv_0(%x) : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %c = ttc.concat %x0, %a {axis = 3}
      : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32>
    // where @conv_0 is @conv with
    ttc.program private @conv_0(...)
      -> (tensor<1x4x4x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>})
    ```

    Counters (`--mlir-pass-statistics`): `elided`, `elided-bytes`, `copies`, `variants`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def ShardTensors : Pass<"ttc-shard-tensors", "::mlir::ModuleOp"> {
  let summary = "Shards tensors over the L1s of the cores and runs programs on the shards";
  let description = [{
    Commands of a chain on shards do not wait for other cores: workgroup k of each command reads and
    writes only the L1 of core k.

    Layouts come from the types of results of dispatches and from `ttc.to_memory`, if the IR gives
    them, and from `shard`: then every value gets a layout that one program can write and another one
    can read in place, if half of L1 holds all shards alive at the same time. A remark gives the
    reason for each result of a dispatch that is not sharded. A layout without a grid gets as many
    shards as the target and the program allow.

    A dispatch on sharded values runs a variant of its program for one shard (`shards`, `ttc.shard`),
    made through DimensionMapOpInterface. The variant reads slices of operands that are not sharded in
    place. If the layouts of a producer and a consumer differ, or an op supports no shards,
    `ttc.to_memory` converts the value, by a program with one workgroup for each part that is in a
    single shard of both layouts.

    ```mlir
    %a = ttc.dispatch @relu(%x) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %y = ttc.dispatch @softmax(%a) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    // becomes, with shard=height on 4 cores
    %a = ttc.dispatch @relu_0(%x) : (tensor<16x8xf32>)
      -> tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
    %y = ttc.dispatch @softmax_0(%a)
      : (tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>) -> tensor<16x8xf32>
    // where
    ttc.program private @relu_0(
        %a: tensor<4x8xf32> {ttc.shard = #ttc.shard<tensor<16x8xf32>, partition = [0, -1]>})
        -> (tensor<4x8xf32> {ttc.shard = #ttc.shard<
            tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, partition = [0, -1]>})
        attributes {shards = array<i64: 4>} { ... }
    ```

    Counters (`--mlir-pass-statistics`): `sharded`, `moves`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [ShardOption];
}

#endif // TTC_TRANSFORMS_TRACEPASSES_TD
