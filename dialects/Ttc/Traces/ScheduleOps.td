// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points and schedules: what the host enqueues for one inference.
#ifndef TTC_SCHEDULEOPS_TD
#define TTC_SCHEDULEOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "dialects/Ttc/Interfaces/SerializationInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_EventOp : Ttc_Op<"event", [Symbol]> {
  let summary = "An event of the module, by name";
  let description = [{
    One step, or one command of a trace, records the event; another waits for it.

    A record is complete when everything enqueued before it on its queue is complete. Records of an
    event are counted: none is lost and none is mistaken for another. A wait refers to the last
    record of the event that was *enqueued* before the wait, on any queue, in the order in which the
    host enqueues: prologue, body, body, ..., epilogue. Since every wait refers to an earlier record,
    queues cannot deadlock. See docs/queues.md.

    ```mlir
    ttc.event @input_written
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict";
}

def Ttc_EntryOp : Ttc_Op<"entry", [Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "An entry point: a function that the bundle exports";
  let description = [{
    Holds its inputs and outputs in order, and its schedules. The first schedule is the default.

    Constraints:
    - (C1) The body holds only `ttc.input`, `ttc.output` and `ttc.schedule`, and at least one schedule.
    - (C2) Names are unique among the inputs, among the outputs, and among the schedules.
    - (C3) `wanted_schedules` names each schedule once, and none that the body has.
    - (C4) `devices` and `part_of` are there both or not at all; `devices` are distinct devices of a mesh in
      ascending order, at least one.
    - (C5) With a `ttc.variant`, one input is named `extents` and has the variant's extents.

    In a mesh, `devices` are those that execute the entry point; without it, all do. Entry points with the same
    `part_of` compute together what has that name.

    `wanted_schedules` lists the schedules that `--ttc-overlap-transfers` will add, since only that pass has the order
    of all accesses. It removes the attribute.

    ```mlir
    ttc.entry @main {
      ttc.input "image" at @image : tensor<1x64xf32>
      ttc.output "logits" at @logits : tensor<1x10xf32>
      ttc.schedule "single" queues 1 body {
        ttc.enqueue.write 0 to @image on 0
        ttc.enqueue.execute @main_t0 on 0
        ttc.enqueue.read 0 from @logits on 0
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<StrArrayAttr>:$wanted_schedules,
                       OptionalAttr<DenseI64ArrayAttr>:$devices, OptionalAttr<StrAttr>:$part_of);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let hasRegionVerifier = 1;
}

class Ttc_PortOp<string mnemonic> : Ttc_Op<mnemonic, [
    HasParent<"EntryOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$buffer, TypeAttrOf<Ttc_Tensor>:$type,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$ring);
  let assemblyFormat = "$name `at` $buffer (`ring` $ring^)? `:` $type attr-dict";
  let extraClassDeclaration = [{
    /// 1 plus the number of slots of the ring.
    int64_t getNumSlots() { return 1 + (getRing() ? getRing()->size() : 0); }
    ::mlir::FlatSymbolRefAttr getSlot(int64_t index) {
      return index == 0 ? getBufferAttr()
                        : ::llvm::cast<::mlir::FlatSymbolRefAttr>((*getRing())[index - 1]);
    }
  }];
}

def Ttc_InputOp : Ttc_PortOp<"input"> {
  let summary = "An input of an entry point, and its slot";
  let description = [{
    Constraints:
    - (C1) `buffer`, and each element of `ring`, names a `ttc.buffer` of at least the bytes of the
      type: a slot, or a host or state buffer.
    - (C2) The slots are distinct.

    A `ring` gives the input further slots, which schedules use in turn.

    ```mlir
    ttc.input "image" at @image : tensor<1x64xf32>
    ```
  }];
}

def Ttc_OutputOp : Ttc_PortOp<"output"> {
  let summary = "An output of an entry point, and its slot";
  let description = [{
    Constraints:
    - (C1) `buffer`, and each element of `ring`, names a `ttc.buffer` of at least the bytes of the
      type: a slot, or a host or state buffer.
    - (C2) The slots are distinct.

    A `ring` gives the output further slots, which schedules use in turn.

    ```mlir
    ttc.output "logits" at @logits ring [@logits_slot1] : tensor<1x10xf32>
    ```
  }];
}

def Ttc_ScheduleOp : Ttc_Op<"schedule", [
    HasParent<"EntryOp">, NoTerminator, NoRegionArguments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What the host enqueues for one inference";
  let description = [{
    The body repeats. One run of it serves one inference or, with a ring of n slots, n inferences.
    The prologue and the epilogue, which may be empty, run once before and after.

    Constraints:
    - (C1) There is at least one queue, and each step is on one of the queues.
    - (C2) The regions hold only steps.
    - (C3) The body is not empty.
    - (C4) A record of the same event is enqueued before each wait (see `ttc.event`), whether the
      wait is a step or a command of an executed trace. If the only records come later, the
      diagnostic prints the cycle of waiting queues, if there is one.

    ```mlir
    ttc.schedule "overlap-input" queues 2 prologue {
      ttc.enqueue.record @consumed on 0
    } body {
      ttc.enqueue.wait @consumed on 1
      ttc.enqueue.write 0 to @image on 1
      ttc.enqueue.record @written on 1
      ttc.enqueue.wait @written on 0
      ttc.enqueue.execute @main_t0 on 0
      ttc.enqueue.record @consumed on 0
      ttc.enqueue.read 0 from @logits on 0
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, ConfinedAttr<I64Attr, [IntPositive]>:$queues);
  let regions = (region MaxSizedRegion<1>:$prologue, SizedRegion<1>:$body,
                        MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $name `queues` $queues attr-dict (`prologue` $prologue^)? `body` $body
    (`epilogue` $epilogue^)?
  }];
  let builders = [
    // Creates an empty block in the body.
    OpBuilder<(ins "::llvm::StringRef":$name, "int64_t":$queues)>
  ];
  let hasRegionVerifier = 1;
}

// `overridden`, `accessOverridden`: the interfaces' methods that have a default and that the op
// defines itself.
class Ttc_StepOp<string mnemonic, list<Trait> traits = [], list<string> overridden = [],
                 list<string> accessOverridden = []>
    : Ttc_Op<"enqueue." # mnemonic, !listconcat([
        HasParent<"ScheduleOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<Ttc_BufferAccessOpInterface, accessOverridden>,
        DeclareOpInterfaceMethods<Ttc_StepOpInterface, overridden>,
        DeclareOpInterfaceMethods<Ttc_StepSerializationOpInterface>], traits)>;

def Ttc_EnqueueWriteOp : Ttc_StepOp<"write"> {
  let summary = "Step: copies an input from the caller's memory to its slot";
  let description = [{
    Constraints:
    - (C1) The entry point has that input, and `buffer` is one of its slots.

    ```mlir
    ttc.enqueue.write 0 to @image on 0
    ```
  }];
  let arguments = (ins I64Attr:$index, FlatSymbolRefAttr:$buffer, I64Attr:$queue);
  let assemblyFormat = "$index `to` $buffer `on` $queue attr-dict";
}

def Ttc_EnqueueReadOp : Ttc_StepOp<"read"> {
  let summary = "Step: copies an output from its slot to the caller's memory";
  let description = [{
    Constraints:
    - (C1) The entry point has that output, and `buffer` is one of its slots.

    ```mlir
    ttc.enqueue.read 0 from @logits on 0
    ```
  }];
  let arguments = (ins I64Attr:$index, FlatSymbolRefAttr:$buffer, I64Attr:$queue);
  let assemblyFormat = "$index `from` $buffer `on` $queue attr-dict";
}

def Ttc_EnqueueExecuteOp : Ttc_StepOp<"execute", [], ["getExecutedTrace"]> {
  let summary = "Step: replays a trace";
  let description = [{
    Constraints:
    - (C1) `trace` names a `ttc.trace` of the module.

    ```mlir
    ttc.enqueue.execute @main_t0 on 0
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$trace, I64Attr:$queue);
  let assemblyFormat = "$trace `on` $queue attr-dict";
}

def Ttc_EnqueueHostOp : Ttc_StepOp<"host", [], [], ["getScratchBytes"]> {
  let summary = "Step: runs a program on the host";
  let description = [{
    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) There is one buffer for each input and each result of the program, at least as large as
      its tensor.

    ```mlir
    ttc.enqueue.host @non_max_suppression(@boxes_h) into (@kept_h) on 0
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, FlatSymbolRefArrayAttr:$inputs,
                       FlatSymbolRefArrayAttr:$outputs, I64Attr:$queue);
  let assemblyFormat = [{
    $program `` custom<SymbolList>($inputs) `into` custom<SymbolList>($outputs)
    `on` $queue attr-dict
  }];
}

def Ttc_EnqueueDispatchOp : Ttc_StepOp<"dispatch", [], [], ["getScratchBytes"]> {
  let summary = "Step: runs a program on the device, outside of any trace";
  let description = [{
    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) There is one buffer for each input and each result of the program, and its tensor fits in
      the buffer at the given offset.
    - (C3) If there are offsets, there is one for each buffer, and none is negative.
    - (C4) The program is not computed by a host function.

    ```mlir
    ttc.enqueue.dispatch @to_l1(@image) into (@image_l1) on 0
    // To byte 64 of @act1, as a part of a concatenation.
    ttc.enqueue.dispatch @pool(@image) into (@act1 + 64) on 0
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, FlatSymbolRefArrayAttr:$inputs,
                       FlatSymbolRefArrayAttr:$outputs,
                       OptionalAttr<DenseI64ArrayAttr>:$input_offsets,
                       OptionalAttr<DenseI64ArrayAttr>:$output_offsets, I64Attr:$queue);
  let assemblyFormat = [{
    $program `` custom<PlaceList>($inputs, $input_offsets) `into`
    custom<PlaceList>($outputs, $output_offsets) `on` $queue attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$program,
                   "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$inputs,
                   "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$outputs, "int64_t":$queue)>
  ];
  let extraClassDeclaration = [{
    /// The offset in bytes of operand `index` (inputs, then outputs) in its buffer.
    int64_t getOffset(unsigned index);
  }];
}

def Ttc_EnqueueCopyOp : Ttc_StepOp<"copy"> {
  let summary = "Step: copies bytes from one buffer to another, on the device or the host";
  let description = [{
    Constraints:
    - (C1) Source and target are buffers of at least `bytes` bytes.

    ```mlir
    ttc.enqueue.copy @boxes to @boxes_h bytes 1600 on 0
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source, FlatSymbolRefAttr:$target,
                       ConfinedAttr<I64Attr, [IntPositive]>:$bytes, I64Attr:$queue);
  let assemblyFormat = "$source `to` $target `bytes` $bytes `on` $queue attr-dict";
}

class Ttc_EventStepOp<string mnemonic>
    : Ttc_StepOp<mnemonic, [DeclareOpInterfaceMethods<Ttc_EventOpInterface>]> {
  let arguments = (ins FlatSymbolRefAttr:$event, I64Attr:$queue);
  let assemblyFormat = "$event `on` $queue attr-dict";
}

def Ttc_EnqueueRecordOp : Ttc_EventStepOp<"record"> {
  let summary = "Step: records an event";
  let description = [{
    The event is complete when all earlier steps of the queue are. See `ttc.event` for the waits that
    refer to it.

    Constraints:
    - (C1) `event` names a `ttc.event` of the module.

    ```mlir
    ttc.enqueue.record @input_written on 1
    ```
  }];
}

def Ttc_EnqueueWaitOp : Ttc_EventStepOp<"wait"> {
  let summary = "Step: makes the queue wait for an event";
  let description = [{
    Later steps of the queue start after the event is complete. The wait refers to the last record of
    the event that was enqueued before it (see `ttc.event`). Neither the host nor the other queue
    waits.

    Constraints:
    - (C1) `event` names a `ttc.event` of the module.

    ```mlir
    ttc.enqueue.wait @input_written on 0
    ```
  }];
}

#endif // TTC_SCHEDULEOPS_TD
