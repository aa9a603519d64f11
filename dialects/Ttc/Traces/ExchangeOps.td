// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives as a device takes part in them: what is exchanged how, the exchange in a trace, and its command.
#ifndef TTC_EXCHANGEOPS_TD
#define TTC_EXCHANGEOPS_TD

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
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_CollectiveOp : Ttc_Op<"collective", [Symbol]> {
  let summary = "What the devices of a mesh exchange, and by which algorithm";
  let description = [{
    `ttc.exchange` takes part in it. The operand of each device has `bytes` bytes, which `rows` divides into equal rows;
    `groups` are the devices that exchange with each other, in the order of parts and sums. The moves of bytes
    are those of `ttrt/format/collectives.h`. `root` is the number in the group of a broadcast's source, `sources` those
    of a permutation's.

    Constraints:
    - (C1) There is at least one group, groups have equal sizes, and no device is in two places.
    - (C2) The algorithm is defined for the kind and the number of devices in a group.
    - (C3) Elements, rows, and for all_to_all and reduce_scatter also the devices of a group, divide the bytes.
    - (C4) `root` is in the group.
    - (C5) A permutation, and nothing else, has `sources`: distinct numbers in the group, or -1 for a device
      that receives nothing.
    - (C6) A sum is of numbers: f32, f64, f16, bf16, or integers.

    ```mlir
    ttc.collective @all_reduce_0 all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
    ttc.collective @all_gather_0 all_gather ring sum f32 bytes 128 groups [array<i64: 0, 1>] rows 4
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Ttc_CollectiveKind:$kind,
    Ttc_CollectiveAlgorithm:$algorithm,
    Ttc_Reduction:$reduction,
    TypeAttr:$element_type,
    ConfinedAttr<I64Attr, [IntPositive]>:$bytes,
    TypedArrayAttrBase<DenseI64ArrayAttr, "array of arrays of devices">:$groups,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$rows,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$root,
    OptionalAttr<DenseI64ArrayAttr>:$sources,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = [{
    $sym_name $kind $algorithm $reduction $element_type `bytes` $bytes `groups` $groups
    (`rows` $rows^)? (`root` $root^)? (`sources` $sources^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Devices in a group.
    int64_t getGroupSize() {
      return ::llvm::cast<::mlir::DenseI64ArrayAttr>(getGroups()[0]).size();
    }
    /// Bytes of an exchange's result, and of its scratch; 0: it has none.
    int64_t getResultBytes();
    int64_t getScratchBytes();
  }];
}

def Ttc_ExchangeOp : Ttc_Op<"exchange", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["encode", "staysInDram"]>]> {
  let summary = "Takes part in a collective";
  let description = [{
    What a `ttc.dispatch` is to its program. If the collective's algorithm needs scratch, that is a second result, which
    nothing uses.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module.
    - (C2) The operand and the results have the collective's bytes; the scratch consists of `ui8`.

    ```mlir
    %y = ttc.exchange @all_reduce_0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$collective, Ttc_Tensor:$input);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let assemblyFormat =
      "$collective `(` $input `)` attr-dict `:` functional-type($input, $outputs)";
}

def Ttc_SendOp : Ttc_Op<"send", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["encode", "staysInDram"]>]> {
  let summary = "Sends a tensor to a device that executes another entry point";
  let description = [{
    The devices that execute it are those of `collective`, a permutation, that receive nothing. Devices that
    execute another entry point (`ttc.devices` of the function) have the matching `ttc.receive`.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module: a permutation in which some devices receive nothing.
    - (C2) The operand has the collective's bytes.

    ```mlir
    ttc.send @permute_0(%x) : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$collective, Ttc_Tensor:$input);
  let assemblyFormat = "$collective `(` $input `)` attr-dict `:` type($input)";
}

def Ttc_ReceiveOp : Ttc_Op<"receive", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["encode", "staysInDram"]>]> {
  let summary = "Receives a tensor from a device that executes another entry point";
  let description = [{
    The other side of `ttc.send`.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module: a permutation in which some devices receive nothing.
    - (C2) The result has the collective's bytes.

    ```mlir
    %x = ttc.receive @permute_0 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$collective);
  let results = (outs Ttc_Tensor:$output);
  let assemblyFormat = "$collective attr-dict `:` type($output)";
}

/// A command that names one buffer and takes a part in an exchange.
class Ttc_CmdOneSideOp<string mnemonic> : Ttc_CommandOp<mnemonic, [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["getWorkgroups", "getSpan"]> {
  let arguments = (ins FlatSymbolRefAttr:$collective, FlatSymbolRefAttr:$buffer,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let extraClassDefinition = [{
    ::mlir::ttc::ByteSpan $cppClass::getSpan(unsigned, ::mlir::SymbolTableCollection &symbols) {
      auto collective =
          symbols.lookupNearestSymbolFrom<CollectiveOp>(*this, getCollectiveAttr());
      const int64_t bytes = collective.getBytes();
      return {static_cast<int64_t>(getOffset()), bytes, bytes, bytes};
    }
    int64_t $cppClass::getWorkgroups(::mlir::SymbolTableCollection &) { return 1; }
  }];
}

def Ttc_CmdSendOp : Ttc_CmdOneSideOp<"send"> {
  let summary = "Command: sends a tensor";
  let description = [{
    Core 0 executes it. It is complete when the receiver has the bytes.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module: a permutation in which some devices receive nothing.
    - (C2) The collective's bytes fit in the buffer at the given offset, which is not negative.
    - (C3) The buffer is in DRAM.

    ```mlir
    ttc.cmd.send @permute_0(@x)
    ttc.cmd.send @permute_0(@x + 64)
    ```
  }];
  let assemblyFormat = "$collective `(` custom<Place>($buffer, $offset) `)` attr-dict";
}

def Ttc_CmdReceiveOp : Ttc_CmdOneSideOp<"receive"> {
  let summary = "Command: receives a tensor";
  let description = [{
    Core 0 executes it. It is complete when the bytes are there.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module: a permutation in which some devices receive nothing.
    - (C2) The collective's bytes fit in the buffer at the given offset, which is not negative.
    - (C3) The buffer is in DRAM.

    ```mlir
    ttc.cmd.receive @permute_0 into (@x)
    ```
  }];
  let assemblyFormat = "$collective `into` ` ` `(` custom<Place>($buffer, $offset) `)` attr-dict";
}

def Ttc_CmdOfferOp : Ttc_CmdOneSideOp<"offer"> {
  let summary = "Command: lets other devices read the input of a later exchange";
  let description = [{
    The next `ttc.cmd.exchange` of the collective in the same trace has this input, which nothing writes in between.
    The command does not wait for anybody: other devices can take the bytes while this one computes.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module.
    - (C2) The collective's bytes fit in the buffer at the given offset, which is not negative.
    - (C3) The buffer is in DRAM.
    - (C4) A `ttc.cmd.exchange` of the collective with this input comes after it in the trace; between them there is no
      other exchange of the collective, and nothing writes the input.

    ```mlir
    ttc.cmd.offer @all_reduce_0(@partial)
    ttc.cmd.dispatch @independent(@x) into (@y)
    ttc.cmd.exchange @all_reduce_0(@partial) into (@sum)
    ```
  }];
  let assemblyFormat = "$collective `(` custom<Place>($buffer, $offset) `)` attr-dict";
}

def Ttc_CmdExchangeOp : Ttc_CommandOp<"exchange", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["getWorkgroups", "getSpan"]> {
  let summary = "Command: takes part in a collective";
  let description = [{
    Core 0 executes it. It is complete when the output is, and when no other device will read the input or
    the scratch any more.

    Constraints:
    - (C1) `collective` names a `ttc.collective` of the module.
    - (C2) There is one input, one output, and scratch if the collective has some; each fits in its buffer at the given
      offset.
    - (C3) If there are offsets, there is one for each buffer, and none is negative.
    - (C4) The buffers are in DRAM.

    ```mlir
    ttc.cmd.exchange @all_reduce_0(@partial) into (@sum)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$collective, FlatSymbolRefArrayAttr:$inputs,
                       FlatSymbolRefArrayAttr:$outputs,
                       OptionalAttr<DenseI64ArrayAttr>:$input_offsets,
                       OptionalAttr<DenseI64ArrayAttr>:$output_offsets);
  let builders = [
    // `inputs`, `outputs`: offsets in bytes; empty where all are 0.
    OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$collective,
                   "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$inputs,
                   "::llvm::ArrayRef<::mlir::ttc::BufferRef>":$outputs)>
  ];
  let assemblyFormat = [{
    $collective `` custom<PlaceList>($inputs, $input_offsets) `into`
    custom<PlaceList>($outputs, $output_offsets) attr-dict
  }];
  let extraClassDeclaration = [{
    /// The offset in bytes of operand `index` (inputs, then outputs) in its buffer.
    int64_t getOffset(unsigned index);
  }];
}

#endif // TTC_EXCHANGEOPS_TD
