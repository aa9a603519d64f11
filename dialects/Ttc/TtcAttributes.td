// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_ATTRIBUTES_TD
#define TTC_ATTRIBUTES_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Ttc_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Ttc_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Ttc_TargetAttr : Ttc_Attr<"Target", "target"> {
  let summary = "A system description that a module is compiled for";
  let description = [{
    Sizes are in bytes. `gridRows` x `gridCols` cores; each core has `l1Bytes` of L1; DRAM
    is `dramBanks` x `dramBankBytes`. `linkBytesPerSecond` says how fast inputs and outputs move
    between the host and the device; 0, or left out: as fast as memory. Held by the module as
    `ttc.target`.

    ```mlir
    module attributes {ttc.target = #ttc.target<
        name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver3", features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288,
        l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 17179869184,
        dram_alignment = 64, queues = 2, chips = 1>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    StringRefParameter<"LLVM target triple of the machine code">:$triple,
    StringRefParameter<"CPU name of the machine code">:$cpu,
    StringRefParameter<"LLVM feature string, beyond what the CPU name implies">:$features,
    "int64_t":$grid_rows, "int64_t":$grid_cols,
    "int64_t":$l1_bytes, "int64_t":$l1_alignment,
    "int64_t":$dram_banks, "int64_t":$dram_bank_bytes, "int64_t":$dram_alignment,
    "int64_t":$queues, "int64_t":$chips,
    DefaultValuedParameter<"int64_t", "0", "Bytes per second between host and device">
      :$link_bytes_per_second);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===-- Memory and layout ----------------------------------------------------===//

def Ttc_MemorySpace : I32EnumAttr<"MemorySpace", "where a buffer lives", [
    I32EnumAttrCase<"Dram", 0, "dram">,
    I32EnumAttrCase<"L1", 1, "l1">,
    I32EnumAttrCase<"Host", 2, "host">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_Sharding : I32EnumAttr<"Sharding", "how a tensor is spread over banks or cores", [
    I32EnumAttrCase<"Interleaved", 0, "interleaved">,
    I32EnumAttrCase<"HeightSharded", 1, "height_sharded">,
    I32EnumAttrCase<"WidthSharded", 2, "width_sharded">,
    I32EnumAttrCase<"BlockSharded", 3, "block_sharded">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_ShardingParameter : EnumParameter<Ttc_Sharding> {
  let defaultValue = "Sharding::Interleaved";
}

def Ttc_BufferKind : I32EnumAttr<"BufferKind", "what a buffer is for", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"Slot", 1, "slot">,
    I32EnumAttrCase<"Activation", 2, "activation">,
    I32EnumAttrCase<"Scratch", 3, "scratch">,
    I32EnumAttrCase<"Host", 4, "host">,
    I32EnumAttrCase<"State", 5, "state">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_LayoutAttr : Ttc_Attr<"Layout", "layout"> {
  let summary = "Where a tensor lies in the device's memory";
  let description = [{
    The encoding of a tensor's type. A tensor without one is interleaved in DRAM.

    ```mlir
    tensor<64x64xf32, #ttc.layout<l1, height_sharded>>
    ```
  }];
  let parameters = (ins
    EnumParameter<Ttc_MemorySpace>:$memory,
    Ttc_ShardingParameter:$sharding);
  let assemblyFormat = "`<` $memory (`,` $sharding^)? `>`";
}

def Ttc_RowsAttr : Ttc_Attr<"Rows", "rows"> {
  let summary = "How a program's operand lies in memory, where that is not contiguous";
  let description = [{
    `ttc.rows` on an argument or a result of a `ttc.program`: element `i` of the tensor, counted in
    row-major order, lies `i / row * pitch + i % row` elements behind the operand's address, which
    is a multiple of `alignment` bytes. So a program writes its part of a concatenation, or reads
    a slice, where it lies. Independent of the shape, hence the same for every reshape.

    Constraints:

    1. `row` is at least 1, `pitch` at least `row`, `alignment` a power of two.

    ```mlir
    // 32 of the 256 channels of an image whose channels are last.
    tensor<1x56x56x32xf32> {ttc.rows = #ttc.rows<row = 32, pitch = 256, alignment = 64>}
    ```
  }];
  let parameters = (ins "int64_t":$row, "int64_t":$pitch, "int64_t":$alignment);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Where elements lie: elements that `shape` has, as strides for its dimensions; nothing where
    /// a row ends inside a dimension.
    std::optional<::llvm::SmallVector<int64_t>> getStrides(::llvm::ArrayRef<int64_t> shape) const;
    /// Elements from the first one to behind the last one of `count`.
    int64_t getSpan(int64_t count) const;
  }];
}

#endif // TTC_ATTRIBUTES_TD
