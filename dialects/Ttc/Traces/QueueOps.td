// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level 3: host work on tensors: transfers, host steps, events.
#ifndef TTC_QUEUEOPS_TD
#define TTC_QUEUEOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Ttc_TransferOp<string mnemonic, list<Trait> traits = []>
    : Ttc_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = (ins Ttc_StoredTensor:$input);
  let results = (outs Ttc_StoredTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($output)";
  let hasVerifier = 1;
}

def Ttc_ToDeviceOp : Ttc_TransferOp<"to_device", [
    DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>,
    DeclareOpInterfaceMethods<Ttc_EnqueuedOpInterface>]> {
  let summary = "Copies a tensor from host memory to the device";
  let description = [{
    The result is in DRAM, or where its layout says. A transfer is host work: `--ttc-hoist-io` moves
    it out of traced regions.

    Constraints:
    - (C1) Operand and result have the same shape and element type.
    - (C2) The operand has no layout: it is in host memory.
    - (C3) The result is not sharded: `ttc.to_memory` creates shards, on the device.

    ```mlir
    %d = ttc.to_device %image : tensor<1x1x8x8xf32> to tensor<1x1x8x8xf32>
    ```
  }];
}

def Ttc_FromDeviceOp : Ttc_TransferOp<"from_device", [
    DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>,
    DeclareOpInterfaceMethods<Ttc_EnqueuedOpInterface>]> {
  let summary = "Copies a tensor from the device to host memory";
  let description = [{
    Constraints:
    - (C1) Operand and result have the same shape and element type.
    - (C2) The result has no layout: it is in host memory.
    - (C3) The operand is not sharded.

    ```mlir
    %h = ttc.from_device %d : tensor<1x10xf32> to tensor<1x10xf32>
    ```
  }];
}

def Ttc_ToMemoryOp : Ttc_Op<"to_memory", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, 
      ["encode", "getInPlaceOperands", "takesShards", "getOwnGrid"]>]> {
  let summary = "Moves a tensor between the device's memories, or into another layout";
  let description = [{
    The result's layout is the destination; a tensor without a layout is interleaved in DRAM. The op
    is device work. It becomes a copy command or, if either layout is sharded, a dispatch of
    `program`, which `--ttc-shard-tensors` creates with one workgroup for each shard. Between two
    sharded layouts there is one workgroup for each part that is within one shard of both.

    Constraints:
    - (C1) Operand and result have the same shape and element type.
    - (C2) Their layouts differ.
    - (C3) `program` names a `ttc.program` with code that maps the operand's type to the result's.

    ```mlir
    %l = ttc.to_memory %d : tensor<64x64xf32>
       to tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>
    %w = ttc.to_memory %l by @to_width_64x64
       : tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>
       to tensor<64x64xf32, #ttc.layout<l1, width_sharded, grid = [1, 8]>>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$input, OptionalAttr<FlatSymbolRefAttr>:$program);
  let results = (outs Ttc_Tensor:$output);
  let assemblyFormat =
      "$input (`by` $program^)? attr-dict `:` type($input) `to` type($output)";
  let hasVerifier = 1;
}

def Ttc_HostDispatchOp : Ttc_Op<"host_dispatch", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>,
    DeclareOpInterfaceMethods<Ttc_EnqueuedOpInterface, ["takeDeviceMemory"]>]> {
  let summary = "Runs a program on the host, between traces";
  let description = [{
    The program runs on the host, on tensors in host memory. Inside a traced region it splits the
    region into two traces. With `on_device`, its operands and results are in the device's memory, which
    the host of a `cpu` target accesses as its own.

    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) Operands and results have the program's types.

    ```mlir
    %y = ttc.host_dispatch @non_max_suppression(%boxes)
       : (tensor<100x4xf32>) -> tensor<10x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Variadic<Ttc_Tensor>:$inputs,
                       UnitAttr:$on_device);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let assemblyFormat =
      "$program `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

def Ttc_RecordEventOp : Ttc_Op<"record_event", [
    DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>,
    DeclareOpInterfaceMethods<Ttc_EventOpInterface, ["getEventName"]>]> {
  let summary = "Records an event on a queue";
  let description = [{
    The event is complete when everything enqueued before it on the queue is complete. Each result is
    one record: a wait for it refers to no other.

    Constraints:
    - (C1) The queue's number is not negative (checked by ODS).

    ```mlir
    %written = ttc.record_event on 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$queue);
  let results = (outs Ttc_EventType:$event);
  let assemblyFormat = "`on` $queue attr-dict";
}

def Ttc_WaitEventOp : Ttc_Op<"wait_event", [
    DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>,
    DeclareOpInterfaceMethods<Ttc_EventOpInterface, ["getEventName"]>]> {
  let summary = "Makes a queue wait for an event";
  let description = [{
    Nothing enqueued later on the queue starts before the event is complete. The host does not wait.

    Constraints:
    - (C1) The queue's number is not negative (checked by ODS).
    - (C2) The event is the result of a `ttc.record_event` before the wait. (In a graph region, such as
      that of a module, a wait could otherwise precede its record and never end.)

    ```mlir
    %written = ttc.record_event on 1
    ttc.wait_event %written on 0
    ```
  }];
  let arguments = (ins Ttc_EventType:$event, ConfinedAttr<I64Attr, [IntNonNegative]>:$queue);
  let assemblyFormat = "$event `on` $queue attr-dict";
  let hasVerifier = 1;
}

#endif // TTC_QUEUEOPS_TD
