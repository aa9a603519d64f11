// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces: regions to be replayed (level 3) and their command streams (level 4).
#ifndef TTC_TRACEOPS_TD
#define TTC_TRACEOPS_TD

include "dialects/Ttc/Traces/CommandOpBase.td"
include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "dialects/Ttc/Interfaces/SerializationInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

//===-- Level 3 --------------------------------------------------------------===//

def Ttc_TracedOp : Ttc_Op<"traced", [SingleBlock, RecursiveMemoryEffects, NoRegionArguments]> {
  let summary = "A region to be replayed as a trace";
  let description = [{
    Written by the user or by a pass. The region can use values defined outside of it, and may still
    hold transfers, constants and host work. `--ttc-hoist-io` moves these out of the region, splits
    the region where necessary, and outlines the rest as `ttc.trace`.

    A region that a user writes may hold ops on tensors, too. `--ttc-inline-traced` replaces it by its
    ops between two `ttc.trace_boundary`, so that all passes on tensors and programs see one list of
    ops; `--ttc-form-traces` makes regions again.

    Constraints:
    - (C1) The region ends with `ttc.yield`, which yields one value for each result, of the
      result's type.
    - (C2) A traced region does not hold another traced region.

    ```mlir
    %h = ttc.traced -> tensor<1x10xf32> {
      %x = ttc.to_device %image : tensor<1x64xf32> to tensor<1x64xf32>
      %y = ttc.dispatch @mlp(%x) : (tensor<1x64xf32>) -> tensor<1x10xf32>
      %z = ttc.from_device %y : tensor<1x10xf32> to tensor<1x10xf32>
      ttc.yield %z : tensor<1x10xf32>
    }
    ```
  }];
  let results = (outs Variadic<Ttc_StoredTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($outputs)^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Ttc_TraceBoundaryOp : Ttc_Op<"trace_boundary", []> {
  let summary = "Where a trace ends, and another one begins";
  let description = [{
    Stands where a traced region that a user wrote begins or ends. `--ttc-fuse` makes no program of ops
    on both sides of it, and `--ttc-form-traces` makes a region of the ops between two of them. It has
    effects that are not described, so that no pass moves or removes it.

    ```mlir
    %0 = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ttc.trace_boundary
    %1 = ttc.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    /// Whether what precedes the op and what follows it belong to different traces: a boundary, or an
    /// event, which orders them.
    static bool separates(::mlir::Operation *op);
  }];
}

def Ttc_TraceOp : Ttc_Op<"trace", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "A replayable stream of device work";
  let description = [{
    A trace holds neither host work nor I/O. It has one of three forms:

    - a function on tensors that ends with `ttc.yield`; `ttc.execute` calls it;
    - the same, with each argument and result bound to a buffer by `ttc.buffer`, and after planning
      each value defined inside as well;
    - commands on buffers at fixed addresses, without arguments, that end with `ttc.cmd.end`.
      `region at` is the address of the encoded stream in the trace region, `size` its bytes.

    Constraints:
    - (C1) A body on tensors has one argument for each input, and ends with `ttc.yield` of one
      value for each result, of its type.
    - (C2) If the body consists of commands, the trace has neither arguments nor results, and the
      body holds only commands; the last one, and only the last one, is `ttc.cmd.end`.
    - (C3) Address and size of the stream are given together, are not negative, and require a body
      of commands. The size is the sum of the commands' bytes.

    ```mlir
    ttc.trace @main_t0(%x: tensor<1x64xf32>) -> tensor<1x10xf32> {
      %y = ttc.dispatch @mlp(%x) : (tensor<1x64xf32>) -> tensor<1x10xf32>
      ttc.yield %y : tensor<1x10xf32>
    }
    ttc.trace @main_t1 region at dram 0xfffc0 size 40 {
      ttc.cmd.dispatch @mlp(@x) into (@y)
      ttc.cmd.end
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<I64Attr>:$region_address,
    OptionalAttr<I64Attr>:$region_size);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    // Creates a block with an argument for each input.
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// Discardable attribute that binds arguments, results and values inside to buffers
    /// (TtcDialect.h).
    static ::llvm::StringRef getBufferAttrName() { return kBufferAttrName; }

    /// Whether the body is a command stream.
    bool isEncoded();
    /// The sum of the commands' bytes.
    int64_t getStreamBytes();
  }];
}

def Ttc_ExecuteOp : Ttc_Op<"execute", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>,
    DeclareOpInterfaceMethods<Ttc_EnqueuedOpInterface>]> {
  let summary = "Replays a trace";
  let description = [{
    Operands and results are on the device.

    Constraints:
    - (C1) `trace` names a `ttc.trace` of the module.
    - (C2) Operands and results have the trace's types.

    ```mlir
    %y = ttc.execute @main_t0(%x) : (tensor<1x64xf32>) -> tensor<1x10xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$trace, Variadic<Ttc_Tensor>:$inputs);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let assemblyFormat =
      "$trace `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

//===-- Level 4: commands ----------------------------------------------------===//

def Ttc_CmdDispatchOp : Ttc_CommandOp<"dispatch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>],
    ["getWorkgroups", "getSpan", "enqueue"], ["getScratchBytes"]> {
  let summary = "Command: runs a program on buffers";
  let description = [{
    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) There is one buffer for each input and each result of the program, and its tensor fits in
      the buffer at the given offset.
    - (C3) If there are offsets, there is one for each buffer, and none is negative.
    - (C4) The program is not computed by a host function.

    ```mlir
    ttc.cmd.dispatch @conv_relu(@image, @w0) into (@act1)
    // To byte 64 of @act1, as a part of a concatenation.
    ttc.cmd.dispatch @pool(@image) into (@act1 + 64)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, FlatSymbolRefArrayAttr:$inputs,
                       FlatSymbolRefArrayAttr:$outputs,
                       OptionalAttr<DenseI64ArrayAttr>:$input_offsets,
                       OptionalAttr<DenseI64ArrayAttr>:$output_offsets);
  let builders = [
    // `inputOffsets`, `outputOffsets` in bytes; empty where all are 0.
    OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$program,
                   "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$inputs,
                   "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$outputs)>
  ];
  let assemblyFormat = [{
    $program `` custom<PlaceList>($inputs, $input_offsets) `into`
    custom<PlaceList>($outputs, $output_offsets) attr-dict
  }];
  let extraClassDeclaration = [{
    /// The offset in bytes of operand `index` (inputs, then outputs) in its buffer.
    int64_t getOffset(unsigned index);
  }];
}

def Ttc_CmdCopyOp : Ttc_CommandOp<"copy", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["getWorkgroups", "enqueue"]> {
  let summary = "Command: copies bytes from one buffer to another";
  let description = [{
    Constraints:
    - (C1) Source and destination are buffers of at least `bytes` bytes.

    ```mlir
    ttc.cmd.copy @image to @image_l1 bytes 256
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source, FlatSymbolRefAttr:$target,
                       ConfinedAttr<I64Attr, [IntPositive]>:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` $bytes attr-dict";
}

def Ttc_CmdFillOp : Ttc_CommandOp<"fill", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["getWorkgroups"]> {
  let summary = "Command: repeats a pattern of eight bytes over a buffer";
  let description = [{
    Byte i of the buffer becomes byte i mod 8 of the little-endian `pattern`.

    Constraints:
    - (C1) The destination is a buffer of at least `bytes` bytes.

    ```mlir
    ttc.cmd.fill @accumulator with 0 bytes 4096
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$target, I64Attr:$pattern,
                       ConfinedAttr<I64Attr, [IntPositive]>:$bytes);
  let assemblyFormat = "$target `with` $pattern `bytes` $bytes attr-dict";
}

def Ttc_CmdBarrierOp : Ttc_CommandOp<"barrier", [], ["isBarrier"]> {
  let summary = "Command: no core continues until all cores have reached it";
  let description = [{
    ```mlir
    ttc.cmd.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Ttc_CmdEventOp<string mnemonic, list<string> overridden = []>
    : Ttc_CommandOp<mnemonic, [
        DeclareOpInterfaceMethods<Ttc_EventOpInterface>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>], overridden> {
  let arguments = (ins FlatSymbolRefAttr:$event);
  let assemblyFormat = "$event attr-dict";
}

def Ttc_CmdSignalOp : Ttc_CmdEventOp<"signal", ["isBarrier"]> {
  let summary = "Command: a barrier, then a record of an event";
  let description = [{
    The event is complete when everything before the signal in the stream, and everything enqueued
    before the trace on its queue, is complete. The record counts as enqueued immediately after the
    `ttc.enqueue.execute` of its trace, so waits that are enqueued later can refer to it.

    Constraints:
    - (C1) `event` names a `ttc.event` of the module.

    ```mlir
    ttc.cmd.signal @input_consumed
    ```
  }];
}

def Ttc_CmdWaitOp : Ttc_CmdEventOp<"wait"> {
  let summary = "Command: no core continues until the event is complete";
  let description = [{
    The wait counts as enqueued together with the `ttc.enqueue.execute` of its trace: it refers to
    the last record of the event that was enqueued before that step, in this inference or an earlier
    one. It never refers to a signal of its own stream.

    Constraints:
    - (C1) `event` names a `ttc.event` of the module.

    ```mlir
    ttc.cmd.wait @output_read
    ```
  }];
}

def Ttc_CmdEndOp : Ttc_CommandOp<"end", [Terminator]> {
  let summary = "Command: ends the stream";
  let description = [{
    ```mlir
    ttc.cmd.end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TTC_TRACEOPS_TD
