// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_ATTRIBUTES_TD
#define TTC_ATTRIBUTES_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Ttc_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Ttc_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Ttc_TargetAttr : Ttc_Attr<"Target", "target"> {
  let summary = "A system description that a module is compiled for";
  let description = [{
    Sizes are in bytes. `gridRows` x `gridCols` cores; each core has `l1Bytes` of L1; DRAM
    is `dramBanks` x `dramBankBytes`. `linkBytesPerSecond` says how fast inputs and outputs move
    between the host and the device; 0, or left out: as fast as memory. With `interleaved_l1` tensors
    can lie spread over the L1s of all cores, which then are one memory beside DRAM; without it (the
    default) an L1 is its core's own and holds scratch and shards only. Held by the module as
    `ttc.target`.

    ```mlir
    module attributes {ttc.target = #ttc.target<
        name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver3", features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288,
        l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 17179869184,
        dram_alignment = 64, queues = 2, chips = 1, interleaved_l1 = true>} {}
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
      :$link_bytes_per_second,
    DefaultValuedParameter<"bool", "false">:$interleaved_l1);
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

def Ttc_LayoutAttr : Ttc_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Where a tensor lies in the device's memory";
  let description = [{
    The encoding of a tensor's type. A tensor without one is interleaved in DRAM.

    A sharded tensor is looked at as a matrix: its last dimension are the columns, all others the
    rows. `grid = [r, c]` cuts it into r x c shards of equal size; shard (i, j) lies in the L1 of core
    i * c + j, row-major and contiguous, at the same offset in each core. `height_sharded` cuts rows
    only, `width_sharded` columns only. Without `grid` the layout is a wish: `--ttc-shard-tensors`
    chooses how many shards there are.

    Constraints:
    - (C1) A sharded layout lies in l1.
    - (C2) `grid` has two numbers of at least 1, and belongs to a sharded layout.
    - (C3) A height-sharded layout has one column of shards, a width-sharded one one row.
    - (C4) The grid cuts the tensor into boxes of equal size: its columns divide the last dimension, its
      rows the others from the outside in.

    ```mlir
    tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>
    ```
  }];
  let parameters = (ins
    EnumParameter<Ttc_MemorySpace>:$memory,
    Ttc_ShardingParameter:$sharding,
    OptionalArrayRefParameter<"int64_t">:$grid);
  let assemblyFormat = "`<` $memory (`,` $sharding^)? (`,` `grid` `=` `[` $grid^ `]`)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isSharded() const { return getSharding() != ::mlir::ttc::Sharding::Interleaved; }
    bool hasGrid() const { return !getGrid().empty(); }
    /// Of a layout with a grid: the cores that hold a shard, 0 up to this.
    int64_t getNumShards() const { return getGrid()[0] * getGrid()[1]; }
  }];
}

def Ttc_StridedAttr : Ttc_Attr<"Strided", "strided"> {
  let summary = "How a program's operand lies in memory, where that is not contiguous";
  let description = [{
    `ttc.strided` on an argument or a result of a `ttc.program`: element `i` of the tensor, counted in
    row-major order, lies `i / row * pitch + i % row` elements behind the operand's address, which
    is a multiple of `alignment` bytes. So a program writes its part of a concatenation, or reads
    a slice, where it lies. Independent of the shape, hence the same for every reshape.

    Constraints:
    - (C1) `row` is at least 1, `pitch` at least `row`, `alignment` a power of two.

    ```mlir
    // 32 of the 256 channels of an image whose channels are last.
    tensor<1x56x56x32xf32> {ttc.strided = #ttc.strided<row = 32, pitch = 256, alignment = 64>}
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

def Ttc_ShardAttr : Ttc_Attr<"Shard", "shard"> {
  let summary = "Which part of an operand a workgroup of a program on shards has";
  let description = [{
    `ttc.shard` on an argument or a result of a `ttc.program` with `shards`. The argument's type is
    that of one part; `whole` is the operand's. `cuts` says for each dimension which dimension of
    the program's grid `shards` cuts it, or -1: workgroup (k0, k1, ...) has part `k[cuts[d]]` of
    dimension d.

    Where `whole` is sharded, the part lies in the L1 of one core, or is some of what lies there; else
    it is a slice of a tensor that lies contiguously.

    Constraints:
    - (C1) There is one cut for each dimension, -1 or more.
    - (C2) No two dimensions have the same cut, except -1.
    - (C3) A `whole` that is sharded has a grid.

    ```mlir
    // The rows of a height-sharded tensor, each workgroup those of its core.
    tensor<8x64xf32> {ttc.shard = #ttc.shard<
        tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>, cuts = [0, -1]>}
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$whole, ArrayRefParameter<"int64_t">:$cuts);
  let assemblyFormat = "`<` $whole `,` `cuts` `=` `[` $cuts `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout of the whole, where it is sharded; else null.
    ::mlir::ttc::LayoutAttr getLayout() const;
    /// Into how many parts a program with this grid cuts each dimension.
    ::llvm::SmallVector<int64_t> getParts(::llvm::ArrayRef<int64_t> grid) const;
    /// Whether workgroup k has exactly the shard of core k.
    bool isOwn(::llvm::ArrayRef<int64_t> grid) const;
  }];
}

#endif // TTC_ATTRIBUTES_TD
