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
    A module holds its target as `ttc.target`. All sizes are in bytes. The device has `grid_rows` x
    `grid_cols` cores with `l1_bytes` of L1 each, and `dram_banks` x `dram_bank_bytes` of DRAM.
    `link_bytes_per_second` is the bandwidth between host and device; 0, the default, means that
    transfers are as fast as memory. With `interleaved_l1`, a tensor can be interleaved over the L1s of
    all cores, which then form one memory beside DRAM. Without it (the default), a core's L1 is private
    to the core and holds only scratch and shards.

    ```mlir
    module attributes {ttc.target = #ttc.target<
        name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver3", features = "", grid_rows = 1,
        grid_cols = 4, l1_bytes = 524288, l1_alignment = 64, dram_banks = 1,
        dram_bank_bytes = 17179869184, dram_alignment = 64, queues = 2, chips = 1,
        interleaved_l1 = true>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"Name of the target">:$name,
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

def Ttc_MemorySpace : I32EnumAttr<"MemorySpace", "the memory that holds a buffer", [
    I32EnumAttrCase<"Dram", 0, "dram">,
    I32EnumAttrCase<"L1", 1, "l1">,
    I32EnumAttrCase<"Host", 2, "host">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_Sharding : I32EnumAttr<"Sharding", "how a tensor is distributed over banks or cores", [
    I32EnumAttrCase<"Interleaved", 0, "interleaved">,
    I32EnumAttrCase<"HeightSharded", 1, "height_sharded">,
    I32EnumAttrCase<"WidthSharded", 2, "width_sharded">,
    I32EnumAttrCase<"BlockSharded", 3, "block_sharded">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_ShardingParameter : EnumParameter<Ttc_Sharding> {
  let defaultValue = "Sharding::Interleaved";
}

def Ttc_BufferKind : I32EnumAttr<"BufferKind", "the purpose of a buffer", [
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
  let summary = "The placement of a tensor in the device's memory";
  let description = [{
    The encoding of a tensor's type. A tensor without one is interleaved in DRAM.

    Sharding treats a tensor as a matrix: the last dimension is its columns, all others together are
    its rows. `grid = [r, c]` partitions the matrix into r x c shards of equal size. Shard (i, j) is
    stored in the L1 of core i * c + j, row-major and contiguous, at the same offset in each core.
    `height_sharded` partitions only the rows, `width_sharded` only the columns. Without `grid` the
    layout is a request: `--ttc-shard-tensors` chooses the number of shards.

    Constraints:
    - (C1) A sharded layout is in l1.
    - (C2) `grid` has two numbers of at least 1, and belongs to a sharded layout.
    - (C3) A height-sharded layout has one column of shards, a width-sharded one one row.
    - (C4) The grid partitions the tensor into boxes of equal size: the grid's columns divide the last
      dimension, its rows divide the other dimensions, outermost first.

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
  let summary = "The strided layout of a program's operand";
  let description = [{
    `ttc.strided` on an argument or a result of a `ttc.program`: element `i` of the tensor, in row-major
    order, is stored `i / row * pitch + i % row` elements after the operand's address, which is a
    multiple of `alignment` bytes. This lets a program write its part of a concatenation, or read a
    slice, in place. The layout does not depend on the shape, so a reshape does not change it.

    Constraints:
    - (C1) `row` is at least 1, `pitch` at least `row`, `alignment` a power of two.

    ```mlir
    // 32 of the 256 channels of a channels-last image.
    tensor<1x56x56x32xf32> {ttc.strided = #ttc.strided<row = 32, pitch = 256, alignment = 64>}
    ```
  }];
  let parameters = (ins "int64_t":$row, "int64_t":$pitch, "int64_t":$alignment);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The strides, in elements, of a tensor of this shape. Nothing if a row ends inside a dimension.
    std::optional<::llvm::SmallVector<int64_t>> getStrides(::llvm::ArrayRef<int64_t> shape) const;
    /// Elements from the first to the last of `count`, both included, with the gaps between rows.
    int64_t getSpan(int64_t count) const;
  }];
}

def Ttc_ShardAttr : Ttc_Attr<"Shard", "shard"> {
  let summary = "The part of an operand that a workgroup of a program on shards processes";
  let description = [{
    `ttc.shard` on an argument or a result of a `ttc.program` with `shards`. The argument's type is
    the type of one part; `whole` is the type of the operand. For each dimension, `partition` names the
    dimension of the program's grid `shards` that partitions it, or is -1: workgroup (k0, k1, ...) has
    part `k[partition[d]]` of dimension d.

    If `whole` is sharded, the part is stored in the L1 of one core: it is that core's shard or a slice
    of it. Otherwise it is a slice of a contiguous tensor.

    Constraints:
    - (C1) `partition` has one element of -1 or more for each dimension.
    - (C2) No two dimensions have the same element of `partition`, except -1.
    - (C3) A `whole` that is sharded has a grid.

    ```mlir
    // A height-sharded tensor: each workgroup has the rows of its core.
    tensor<8x64xf32> {ttc.shard = #ttc.shard<
        tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>, partition = [0, -1]>}
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$whole, ArrayRefParameter<"int64_t">:$partition);
  let assemblyFormat = "`<` $whole `,` `partition` `=` `[` $partition `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout of the whole if it is sharded, otherwise null.
    ::mlir::ttc::LayoutAttr getLayout() const;
    /// The number of parts of each dimension in a program with this grid.
    ::llvm::SmallVector<int64_t> getParts(::llvm::ArrayRef<int64_t> grid) const;
    /// Whether workgroup k processes exactly the shard of core k.
    bool isOwn(::llvm::ArrayRef<int64_t> grid) const;
  }];
}

//===-- Host functions -------------------------------------------------------===//

def Ttc_HostFunctionAttr : Ttc_Attr<"HostFunction", "host_function"> {
  let summary = "A function of the application that computes an op of a model";
  let description = [{
    `name` is that of the op: `<domain>.<op>`, and for ONNX's default domain the op alone. `version` is
    the model's opset of the domain. `attributes` are those of the op's node. The application
    registers a function of that name with the runtime (docs/host-ops.md).

    An op may omit optional operands and results. `absent_inputs` and `absent_outputs` are the positions of
    those that precede one that it has.

    Constraints:
    - (C1) The name is not empty, and the version is at least 0.
    - (C2) The attributes are i64, f32, strings, arrays of these (`array<i64: ...>`, `array<f32: ...>`, an
      array of strings), or tensors.
    - (C3) Positions are at least 0 and ascend.

    ```mlir
    #ttc.host_function<name = "com.acme.Clip", version = 1, attributes = {limit = 6.0 : f32}>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"Qualified name of the op">:$name, "int64_t":$version,
    OptionalParameter<"::mlir::DictionaryAttr">:$attributes,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$absent_inputs,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$absent_outputs);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // TTC_ATTRIBUTES_TD
