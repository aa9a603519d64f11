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
    Commands and schedules name buffers. Planning gives each one a lifetime, an address in
    its memory space and a size. The tensor type says what lies in it; views of the tensor
    with the same bytes (a reshape) share the buffer.

    - `constant`: bytes known at compile time, never written.
    - `slot`: written or read by the host; lives as long as the device.
    - `activation`: lives in [begin, end), counted in points of the timeline (one for each
      command and each step, in the order of the schedules). Without `live`: all the time.
    - `scratch`: a program's working memory in L1.
    - `host`: memory of the host beside the device, for host steps.
    - `state`: keeps its bytes from run to run.

    A slot or an activation may lie in L1: *interleaved* over all cores of the target, or as
    `shards n`, of which core k < n has the k-th. Address and size then are those in each core:
    the same offset in all of them, and an equal part of the tensor.

    Constraints:
    - (C1) A constant, and nothing else, has a value, of the buffer's type.
    - (C2) A lifetime begins at 0 or later and ends after it begins.
    - (C3) The address is not negative; the size, of all cores together, is at least the bytes of the
      tensor.
    - (C4) `host` buffers lie in host memory, `constant` and `state` ones in DRAM, `scratch` in L1.
    - (C5) Shards are at least 1 and belong to an activation in L1.

    ```mlir
    ttc.buffer slot @image : tensor<1x64xf32> in dram
    ttc.buffer constant @w0 : tensor<64x10xf32> = dense_resource<w0> in dram at 0x0 size 2560
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
    // Not planned yet.
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
    /// Spread over the L1s of all cores.
    bool isInterleavedInL1();
    /// On how many cores a part of the tensor lies: 1 outside of L1. Nothing where that is all
    /// cores of a target which the module does not have.
    std::optional<int64_t> getNumParts();
    /// Bytes from the first to behind the last one as programs see the buffer: those of an
    /// interleaved one follow each other, a shard begins one L1 behind the one before it. Nothing
    /// where the buffer has no size, or the module no target that is needed for it.
    std::optional<int64_t> getExtent();
  }];
}

def Ttc_BinaryOp : Ttc_Op<"binary", [Symbol]> {
  let summary = "The machine code of all programs: one shared object";
  let description = [{
    Made by `--ttc-compile-programs`; each program of the module is a symbol in it.

    Constraints:
    - (C1) The code is a one-dimensional tensor of bytes (`i8`).

    ```mlir
    ttc.binary @code dense_resource<code> : tensor<8192xi8>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$code,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name $code attr-dict";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ElementsAttr":$code)>];
  let hasVerifier = 1;
}

#endif // TTC_BUFFEROPS_TD
