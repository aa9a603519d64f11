// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where and when ops run. Passes that form, split, schedule, plan or encode traces use only these interfaces of ops.
#ifndef TTC_EXECUTIONINTERFACES_TD
#define TTC_EXECUTIONINTERFACES_TD

include "mlir/IR/OpBase.td"

def Ttc_HostWorkOpInterface : OpInterface<"HostWorkOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that needs the host, such as a transfer or a step that the host computes. A trace never
    holds one: `--ttc-hoist-io` moves it before, after or between traces.
  }];
  let methods = [
    InterfaceMethod<[{
      What the host does, as a noun phrase for diagnostics ("a transfer to the device").
    }], "::llvm::StringRef", "getHostWork">
  ];
}

def Ttc_DeviceWorkOpInterface : OpInterface<"DeviceWorkOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op on tensors that becomes commands of a trace. Each of its results is bound to a buffer;
    `encode` then emits the commands at the builder's insertion point.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the op's commands. `inputs` are the buffers of the operands, `outputs` those of the
      results.
    }], "void", "encode",
    (ins "::mlir::OpBuilder &":$builder,
         "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$inputs,
         "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$outputs)>,
    InterfaceMethod<[{
      The operands that result `index` may overwrite, in order of preference: the op reads each
      element before it writes it, and no workgroup reads what another workgroup writes.
    }], "void", "getInPlaceOperands",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols,
         "::llvm::SmallVectorImpl<unsigned> &":$operands), "", [{}]>,
    InterfaceMethod<[{
      The layout of operand or result `index` (operands, then results), in elements from its
      address. Nothing if it is contiguous.
    }], "std::optional<::mlir::ttc::StridedRange>", "getStridedRange",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Whether the commands access operand or result `index` (operands, then results) as the shards
      of its type. If false, they access the tensor without shards.
    }], "bool", "takesShards",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "", [{ return false; }]>,
    InterfaceMethod<[{
      The number of workgroups of the commands if workgroup k accesses only the shard of core k of
      operand or result `index`, otherwise 0. Ops with equal numbers need no barrier between them.
    }], "int64_t", "getOwnGrid",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "", [{ return 0; }]>,
    InterfaceMethod<[{
      The scratch bytes that the op needs at the bottom of each core's L1.
    }], "int64_t", "getScratchBytes", (ins "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return 0; }]>,
    InterfaceMethod<[{
      Whether operands and results must be in DRAM, and as they are there: other devices access them.
    }], "bool", "staysInDram", (ins), "", [{ return false; }]>
  ];
}

def Ttc_EnqueuedOpInterface : OpInterface<"EnqueuedOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op on tensors that the host enqueues: a transfer, an execution of a trace, a host step. A
    place says where a tensor is stored: the symbol of a buffer, or the number of an argument or
    result of the entry point (an IntegerAttr), which is in the caller's memory.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the device reads operand `index`. If false, the host does.
    }], "bool", "readsOnDevice", (ins "unsigned":$index)>,
    InterfaceMethod<[{
      Whether the results are on the device. If false, they are in host memory.
    }], "bool", "writesOnDevice">,
    InterfaceMethod<[{
      Makes the op work in the device's memory, which the host accesses as its own, instead of host
      memory. Returns false, and changes nothing, if it cannot.
    }], "bool", "takeDeviceMemory", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Emits the step of a schedule that performs this op on `queue`.
    }], "void", "enqueue",
    (ins "::mlir::OpBuilder &":$builder, "int64_t":$queue,
         "::llvm::ArrayRef<::mlir::Attribute>":$operandPlaces,
         "::llvm::ArrayRef<::mlir::Attribute>":$resultPlaces)>
  ];
}

def Ttc_EventOpInterface : OpInterface<"EventOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that records (signals) or waits for an event. It orders the device work before and after
    it, so it must not be moved across device work.
  }];
  let methods = [
    InterfaceMethod<"Whether the op waits for the event. If false, it records it.",
      "bool", "isWait">,
    InterfaceMethod<[{
      The symbol of the event, or null if the event is an SSA value.
    }], "::mlir::FlatSymbolRefAttr", "getEventName", (ins), "", [{ return $_op.getEventAttr(); }]>
  ];
}

def Ttc_BufferAccessOpInterface : OpInterface<"BufferAccessOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    A command or a step of a schedule that reads or writes buffers by name: its memory effects at
    the level of buffers.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends every buffer that the op itself reads or writes. A step that executes a trace does not
      repeat the accesses of the trace's commands.
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
    One command of a trace's stream. Commands run on all cores in the order of the
    stream, but a core does not wait for the others except at a barrier.
  }];
  let methods = [
    InterfaceMethod<"Bytes of the command in the stream.", "int64_t", "getEncodedBytes">,
    InterfaceMethod<[{
      The number of workgroups of the command. All commands of one workgroup run on one core, in the
      order of the stream. 0 if the command moves no data, or if its program has no grid yet.
    }], "int64_t", "getWorkgroups", (ins "::mlir::SymbolTableCollection &":$symbols), "",
    [{ return 0; }]>,
    InterfaceMethod<[{
      Whether every earlier command ends on all cores before a later one starts.
    }], "bool", "isBarrier", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      The bytes that access `index` of getAccesses() touches in its buffer. By default all of them.
    }], "::mlir::ttc::ByteSpan", "getSpan",
    (ins "unsigned":$index, "::mlir::SymbolTableCollection &":$symbols), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Emits the step of a schedule that does the same as this command on `queue`, outside of any
      trace. Returns false, and emits nothing, if there is no such step.
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
    InterfaceMethod<"The queue that the step is enqueued on.", "int64_t", "getStepQueue", (ins), "",
      [{ return $_op.getQueue(); }]>,
    InterfaceMethod<[{
      The trace that the step runs, or null.
    }], "::mlir::FlatSymbolRefAttr", "getExecutedTrace", (ins), "", [{ return {}; }]>
  ];
}

#endif // TTC_EXECUTIONINTERFACES_TD
