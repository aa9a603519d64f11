// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes ask ops about where and when they run. A pass that forms, splits,
// schedules, plans or encodes traces knows ops only through these interfaces.
#ifndef TTC_EXECUTIONINTERFACES_TD
#define TTC_EXECUTIONINTERFACES_TD

include "mlir/IR/OpBase.td"

def Ttc_HostWorkOpInterface : OpInterface<"HostWorkOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that needs the host: a transfer, a step that the host computes. A trace never
    holds one; hoisting moves it before, after or between traces.
  }];
  let methods = [
    InterfaceMethod<[{
      What the host does, in words that end a diagnostic ("a transfer to the device").
    }], "::llvm::StringRef", "getHostWork">
  ];
}

def Ttc_DeviceWorkOpInterface : OpInterface<"DeviceWorkOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op on tensors that becomes commands of a trace. Each of its results gets a buffer
    of its own; `encode` then emits the commands at the builder's insertion point.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the op's commands. `inputs` says where each operand lies, `outputs` where each
      result.
    }], "void", "encode",
    (ins "::mlir::OpBuilder &":$builder,
         "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$inputs,
         "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$outputs)>,
    InterfaceMethod<[{
      The operands that result `index` may be written over: the op reads each element before it
      writes it, and no workgroup reads what another one writes. In the order of preference.
    }], "void", "getInPlaceOperands",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols,
         "::llvm::SmallVectorImpl<unsigned> &":$operands), "", [{}]>,
    InterfaceMethod<[{
      How operand or result `index` (operands, then results) lies from its address on, in
      elements; nothing: contiguously.
    }], "std::optional<::mlir::ttc::StridedRange>", "getStridedRange",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Whether the commands take operand or result `index` (operands, then results) as the shards that
      its type says; false: they take it as it lies without shards.
    }], "bool", "takesShards",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "", [{ return false; }]>,
    InterfaceMethod<[{
      The workgroups of the commands, if workgroup k touches of operand or result `index` only the
      shard that lies in core k; else 0. Work with equal numbers needs no barrier between.
    }], "int64_t", "getOwnGrid",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "", [{ return 0; }]>,
    InterfaceMethod<[{
      Bytes at the bottom of each core's L1 that the work needs for itself.
    }], "int64_t", "getScratchBytes", (ins "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return 0; }]>
  ];
}

def Ttc_EnqueuedOpInterface : OpInterface<"EnqueuedOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op on tensors that the host enqueues: transfers, executes, host steps. A place is
    where a tensor lies: the symbol of a buffer, or the number of an argument or result
    of the entry point (an IntegerAttr), which is the caller's memory.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether operand `index` is read by the device (false: by the host).
    }], "bool", "readsOnDevice", (ins "unsigned":$index)>,
    InterfaceMethod<[{
      Whether the results lie on the device (false: in host memory).
    }], "bool", "writesOnDevice">,
    InterfaceMethod<[{
      Emits the step of a schedule that stands for this op on `queue`.
    }], "void", "enqueue",
    (ins "::mlir::OpBuilder &":$builder, "int64_t":$queue,
         "::llvm::ArrayRef<::mlir::Attribute>":$operandPlaces,
         "::llvm::ArrayRef<::mlir::Attribute>":$resultPlaces)>
  ];
}

def Ttc_EventOpInterface : OpInterface<"EventOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that records (signals) or waits for an event. It orders the work around it, so
    it must not be moved across such work.
  }];
  let methods = [
    InterfaceMethod<"Whether the op waits for the event (false: it records it).",
      "bool", "isWait">,
    InterfaceMethod<[{
      The symbol of the event, or null where the event is an SSA value.
    }], "::mlir::FlatSymbolRefAttr", "getEventName">
  ];
}

def Ttc_BufferAccessOpInterface : OpInterface<"BufferAccessOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    A command or a step of a schedule that reads or writes buffers by name: its memory
    effects, at the level where tensors have become buffers.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends every buffer that the op itself reads or writes. The buffers that an
      executed trace accesses are those of its commands, not repeated here.
    }], "void", "getAccesses",
    (ins "::llvm::SmallVectorImpl<::mlir::ttc::BufferAccess> &":$accesses)>,
    InterfaceMethod<[{
      Bytes at the bottom of each core's L1 that the op needs for itself.
    }], "int64_t", "getScratchBytes", (ins "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return 0; }]>
  ];
}

def Ttc_CommandOpInterface
    : OpInterface<"CommandOpInterface", [Ttc_BufferAccessOpInterface]> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    One entry of a trace's command stream. Commands run on all cores in the order of the
    stream, but a core does not wait for the others except at a barrier.
  }];
  let methods = [
    InterfaceMethod<"Bytes of the command in the stream.", "int64_t", "getEncodedBytes">,
    InterfaceMethod<[{
      Into how many workgroups the command's work is cut. All commands of one workgroup run on
      one core, in the order of the stream. 0: the command moves no data, or its program has no
      grid yet.
    }], "int64_t", "getWorkgroups", (ins "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return 0; }]>,
    InterfaceMethod<[{
      Whether every earlier command has ended on all cores before a later one starts.
    }], "bool", "isBarrier", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Which bytes of its buffer access `index` of getAccesses() touches; all of them where
      nothing more is known.
    }], "::mlir::ttc::ByteSpan", "getSpan",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Emits the step of a schedule that does on `queue` what the command does, outside of any
      trace. False: there is no such step, and nothing is emitted.
    }], "bool", "enqueue", (ins "::mlir::OpBuilder &":$builder, "int64_t":$queue), "",
    [{ return false; }]>
  ];
}

def Ttc_StepOpInterface : OpInterface<"StepOpInterface", [Ttc_BufferAccessOpInterface]> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    One step of a schedule: what the host enqueues on one of the command queues.
  }];
  let methods = [
    InterfaceMethod<"The queue that the step is enqueued on.", "int64_t", "getStepQueue">,
    InterfaceMethod<[{
      The trace that the step runs, or null.
    }], "::mlir::FlatSymbolRefAttr", "getExecutedTrace", (ins), "", [{ return {}; }]>
  ];
}

#endif // TTC_EXECUTIONINTERFACES_TD
