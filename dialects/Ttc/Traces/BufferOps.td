// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: what tensors become, first by name, after planning with an address; and the code.
#ifndef TTC_BUFFEROPS_TD
#define TTC_BUFFEROPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_BufferOp : Ttc_Op<"buffer", [Symbol]> {
  let summary = "A range of the device's memory";
  let description = [{
    Commands and schedules refer to buffers by name. Planning assigns each buffer a lifetime, an
    address in its memory space and a size. The type is that of the tensor it stores; views of the
    tensor with the same bytes (reshapes) share the buffer.

    - `constant`: bytes known at compile time, never written.
    - `slot`: written or read by the host; live as long as the device.
    - `activation`: live in [begin, end), in points of the timeline (one for each command and each
      step, in the order of the schedules). Without `live` it is always live.
    - `scratch`: a program's working memory in L1.
    - `host`: host memory, for host steps.
    - `state`: keeps its bytes from run to run.

    A slot or an activation may be in L1: *interleaved* over all cores of the target, or as
    `shards n`, with shard k in core k. Address and size then apply to each core: the same offset in
    all of them, and an equal part of the tensor.

    In DRAM, a slot or an activation with `shards n` has part k of the tensor in bank k. Address and size then are those
    of a range with the same bytes in each bank.

    Constraints:
    - (C1) A `constant` buffer has a value, of the buffer's type; no other buffer has one.
    - (C2) A lifetime begins at 0 or later and ends after it begins.
    - (C3) The address is not negative. The size, summed over all cores, is at least the bytes of the
      tensor.
    - (C4) `host` buffers are in host memory, `constant` and `state` buffers in DRAM, `scratch` in L1.
    - (C5) `shards` is at least 1 and requires an activation in L1, or a slot or an activation in DRAM.

    ```mlir
    ttc.buffer slot @image : tensor<1x64xf32> in dram
    ttc.buffer constant @w0 : tensor<64x10xf32> = dense_resource<w0> : tensor<64x10xf32> in dram at 0x0 size 2560
    ttc.buffer activation @act1 : tensor<1x10xf32> live [1, 3) in dram at 0x1400 size 64
    ttc.buffer activation @act2 : tensor<64x64xf32> live [2, 4) in l1 at 0x400 size 2048 shards 8
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Ttc_BufferKind:$kind,
    TypeAttrOf<Ttc_Tensor>:$type,
    OptionalAttr<ElementsAttr>:$value,
    OptionalAttr<I64Attr>:$live_begin,
    OptionalAttr<I64Attr>:$live_end,
    Ttc_MemorySpace:$memory,
    OptionalAttr<I64Attr>:$address,
    OptionalAttr<I64Attr>:$size,
    OptionalAttr<I64Attr>:$shards,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = [{
    $kind $sym_name `:` $type (`=` $value^)? (`live` ` ` `[` $live_begin^ `,` $live_end `)`)?
    `in` $memory (`at` custom<Address>($address)^ `size` $size)? (`shards` $shards^)? attr-dict
  }];
  let builders = [
    // A buffer without lifetime, address and size.
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ttc::BufferKind":$kind,
                   "::mlir::Type":$type, "::mlir::ttc::MemorySpace":$memory,
                   CArg<"::mlir::ElementsAttr", "{}">:$value)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// Bytes of the tensor, without padding.
    int64_t getTensorBytes();
    bool isPlanned() { return getAddress().has_value(); }
    /// Whether the tensor is interleaved over the L1s of all cores.
    bool isInterleavedInL1();
    /// The number of cores that store a part of the tensor; 1 outside of L1. Nothing if that is all
    /// cores and the module has no target.
    std::optional<int64_t> getNumParts();
    /// The size of the address range that programs see. The parts of an interleaved buffer are
    /// consecutive; shards are one L1 apart. Nothing if the buffer has no size, or if the module has
    /// no target and the answer depends on it.
    std::optional<int64_t> getExtent();
  }];
}

def Ttc_BinaryOp : Ttc_Op<"binary", [Symbol]> {
  let summary = "The machine code of all programs: one shared object";
  let description = [{
    Created by `--ttc-compile-programs`. Each program of the module is a symbol in it. `zone_names` are the names of
    the zones, data and events that programs with markers record.

    Constraints:
    - (C1) The code is a one-dimensional tensor of bytes (`i8`).
    - (C2) `zone_names` are sorted, and have different hashes other than 0 (`nameHash` in `ttrt/format/profile_log.h`).

    ```mlir
    ttc.binary @code dense_resource<code> : tensor<8192xi8>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$code,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<StrArrayAttr>:$zone_names);
  let assemblyFormat = "$sym_name $code attr-dict";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ElementsAttr":$code)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Verifies (C2) of sorted names.
    static ::llvm::LogicalResult
    verifyZoneNames(::llvm::ArrayRef<::mlir::Attribute> names,
                    ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError);
  }];
}

#endif // TTC_BUFFEROPS_TD
