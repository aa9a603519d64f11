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
    Recorded by a step or by a command of a trace, waited for by another.

    A record is complete when all that was enqueued before it on its queue is complete. Records of
    an event are counted, so none is lost and none is taken for another one. A wait is for the last
    record of the event that was *enqueued* before the wait, on whichever queue, in the order in
    which the host enqueues: prologue, body, body, ..., epilogue. So each wait is for something
    before it, and queues cannot wait for each other in a circle. docs/queues.md says more.

    ```mlir
    ttc.event @input_written
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict";
}

def Ttc_EntryOp : Ttc_Op<"entry", [Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "A function that the bundle offers";
  let description = [{
    Holds its inputs and outputs in order and its schedules; the first schedule is the
    default one.

    Constraints:
    - (C1) The body holds nothing but `ttc.input`, `ttc.output` and `ttc.schedule`, and at least
      one schedule.
    - (C2) Names are unique among the inputs, among the outputs, and among the schedules.

    `wanted_schedules` names those that `--ttc-overlap-transfers` shall add, which knows the order
    of all accesses; it takes the attribute away.

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
                       OptionalAttr<StrArrayAttr>:$wanted_schedules);
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
    /// 1 + those of the ring.
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
    - (C2) The slots are different ones.

    With a `ring` the input has further slots, which schedules use in turn.

    ```mlir
    ttc.input "image" at @image : tensor<1x64xf32>
    ```
  }];
}

def Ttc_OutputOp : Ttc_PortOp<"output"> {
  let summary = "An output of an entry point, and the buffer that it is read from";
  let description = [{
    Constraints:
    - (C1) `buffer`, and each element of `ring`, names a `ttc.buffer` of at least the bytes of the
      type: a slot, or a host or state buffer.
    - (C2) The slots are different ones.

    With a `ring` the output has further slots, which schedules use in turn.

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
    The body is what repeats, one run for each inference, or for as many inferences as slots have
    copies (a turn of the ring); prologue and epilogue, which may be empty, run once before and
    after.

    Constraints:
    - (C1) There is at least one queue, and every step's queue is one of them.
    - (C2) The regions hold nothing but steps.
    - (C3) The body is not empty.
    - (C4) Every wait, be it a step or a command of an executed trace, has a record that was enqueued
      before it (see `ttc.event`). Where the only records come later, the diagnostic says whether
      the queues wait for each other in a circle, and which one.

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
    // Creates the body's block; the caller fills it.
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
  let summary = "Step: the caller's bytes of an input go to its slot";
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
  let summary = "Step: an output's bytes go from its slot to the caller";
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
  let summary = "Step: the host runs a program itself";
  let description = [{
    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) There is one buffer for each input and for each result of the program, at least as
      large as its tensor.

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
  let summary = "Step: the device runs one program outside any trace";
  let description = [{
    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) There is one buffer for each input and for each result of the program, in which its
      tensor fits from the offset on.
    - (C3) Offsets, where there are some, are one for each buffer and not negative.

    ```mlir
    ttc.enqueue.dispatch @to_l1(@image) into (@image_l1) on 0
    // The second half of @act1's rows, 64 bytes from their begin.
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
    /// Bytes from the buffer's begin to operand `index` (inputs, then outputs).
    int64_t getOffset(unsigned index);
  }];
}

def Ttc_EnqueueCopyOp : Ttc_StepOp<"copy"> {
  let summary = "Step: bytes go from one buffer to another, of the device or the host";
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
  let summary = "Step: the event is complete when all earlier steps of the queue are";
  let description = [{
    `ttc.event` says which waits are for it.

    Constraints:
    - (C1) `event` names a `ttc.event` of the module.

    ```mlir
    ttc.enqueue.record @input_written on 1
    ```
  }];
}

def Ttc_EnqueueWaitOp : Ttc_EventStepOp<"wait"> {
  let summary = "Step: later steps of the queue start after the event is complete";
  let description = [{
    The wait is for the last record of the event that was enqueued before it (`ttc.event`). The
    host does not wait, nor does the other queue.

    Constraints:
    - (C1) `event` names a `ttc.event` of the module.

    ```mlir
    ttc.enqueue.wait @input_written on 0
    ```
  }];
}

#endif // TTC_SCHEDULEOPS_TD
