// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From dispatches to traces, with transfers outside and work scheduled on queues (level 3).
#ifndef TTC_TRANSFORMS_TRACEPASSES_TD
#define TTC_TRANSFORMS_TRACEPASSES_TD

include "Options.td"

def FormTraces : Pass<"ttc-form-traces", "::mlir::func::FuncOp"> {
  let summary = "Marks what shall be replayed";
  let description = [{
    Puts the whole body of a function into one `ttc.traced` region, transfers of arguments
    and results included. A function in which somebody has marked regions already keeps them.

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
    Outlines each traced region as a `ttc.trace` that holds device work only. Constants and
    transfers to the device go before it, transfers from the device behind it. Host work whose
    operands come from device work of the region and whose results go back to device work
    splits the region into two traces with the host work between.

    What cannot be moved, because it has effects that nobody knows or orders other work, is an
    error that names the op and offers a rewrite.

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
  let summary = "Checks that no trace holds host work";
  let description = [{
    After hoisting no `ttc.traced` region is left; a trace holds device work and views only;
    a function holds constants, views and work that the host enqueues, and takes and gives tensors
    of static shape. Changes nothing.
  }];
}

def ScheduleQueues : Pass<"ttc-schedule-queues", "::mlir::ModuleOp"> {
  let summary = "Turns functions into entry points with schedules";
  let description = [{
    Gives every tensor that lives outside of a trace a buffer, still without an address:
    constants (equal bytes once), slots for inputs and outputs, what passes from one trace to
    the next, host memory for host work. Binds the traces' arguments and results to them, and
    replaces the function by a `ttc.entry` whose schedule enqueues the same work.

    The schedule `single` uses one queue: all writes, then the work in the function's order,
    then all reads. Events between steps of one queue are satisfied by the order and vanish.

    `schedules` names the schedules that each entry point shall have (include/ttc/Transforms/
    Schedules.h lists them; `single` is always the first). All but `single` are noted on the entry
    point as wanted: where their events go is known only when traces are command streams, so
    `--ttc-overlap-transfers` makes them. `slots` is how many slots each input and output has then,
    to be used in turn: the further ones are made here, so that they are planned with the others.

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

    Counters (`--mlir-pass-statistics`): `constants`, `shared-constants`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [SchedulesOption, QueuesOption, SlotsOption];
}

def ElideCopies : Pass<"ttc-elide-copies", "::mlir::ModuleOp"> {
  let summary = "Lets programs write and read parts of tensors where they lie";
  let description = [{
    A dispatch whose program only moves elements (one op that implements SubviewCopyOpInterface)
    becomes that op itself, standing in the trace: nothing is moved, its operands are parts of its
    result's bytes, or its results parts of its operand's. The programs that write or read such a
    part get a variant for its rows (`ttc.strided`); programs and kernels that cannot follow rows
    keep a contiguous operand, and so does what a trace takes or gives. An operand of a concat
    that cannot lie in it is copied there.

    Concats that begin with the same operands, as dense blocks make them, become one of another:
    then all of them are parts of the longest one.

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
  let summary = "Shards tensors over the cores' L1, and runs programs on the shards";
  let description = [{
    A chain of commands on shards stays in its cores: workgroup k of each command reads and writes
    what lies in the L1 of core k, so that none of them waits for another core.

    Layouts come from the types of dispatches' results and from `ttc.to_memory`, where the IR asks for
    them, and from `shard`: then every value gets one that a program can make and another one
    can read in place, as long as half of L1 holds what is alive. A layout without a grid gets as many
    shards as the target and the program allow.

    A dispatch of sharded values runs a variant of its program for one shard (`shards`, `ttc.shard`),
    made through ShardableOpInterface. It reads slices of operands that are not sharded where they
    lie. Where a producer's layout is not the one that a consumer needs, and where an op
    takes no shards at all, `ttc.to_memory` moves the value, by a program with a workgroup for each
    part that is of one shard both here and there.

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
        %a: tensor<4x8xf32> {ttc.shard = #ttc.shard<tensor<16x8xf32>, cuts = [0, -1]>})
        -> (tensor<4x8xf32> {ttc.shard = #ttc.shard<
            tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, cuts = [0, -1]>})
        attributes {shards = array<i64: 4>} { ... }
    ```

    Counters (`--mlir-pass-statistics`): `sharded`, `moves`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [ShardOption];
}

#endif // TTC_TRANSFORMS_TRACEPASSES_TD
