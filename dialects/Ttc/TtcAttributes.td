// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_ATTRIBUTES_TD
#define TTC_ATTRIBUTES_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

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

    In DRAM, shard i is in bank i, at the same offset in each bank. In the flat address range the shards follow each
    other, so that the tensor is the same bytes as one that is interleaved.

    Constraints:
    - (C1) A sharded layout is in l1 or dram. In dram it partitions only the rows, and has a grid.
    - (C2) `grid` has two numbers of at least 1, and belongs to a sharded layout.
    - (C3) A height-sharded layout has one column of shards, a width-sharded one one row.
    - (C4) The grid partitions the tensor into boxes of equal size: the grid's columns divide the last
      dimension, its rows divide the other dimensions, outermost first.

    ```mlir
    tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>
    tensor<64x64xf32, #ttc.layout<dram, height_sharded, grid = [4, 1]>>
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
    /// For a layout with a grid: the number of cores, or of DRAM banks, that hold a shard; these are numbered from 0.
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
    // Writes 32 of the 256 channels of a channels-last image.
    ttc.program private @conv(tensor<1x56x56x64xf32>)
        -> (tensor<1x56x56x32xf32> {ttc.strided = #ttc.strided<row = 32, pitch = 256, alignment = 64>})
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
    ttc.program private @print(tensor<8x64xf32> {ttc.shard = #ttc.shard<
        tensor<64x64xf32, #ttc.layout<l1, height_sharded, grid = [8, 1]>>, partition = [0, -1]>})
        attributes {shards = array<i64: 8>}
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

//===-- Variants -------------------------------------------------------------===//

def Ttc_VariantAttr : Ttc_Attr<"Variant", "variant"> {
  let summary = "The model and the extents that an entry point serves";
  let description = [{
    A model with named dynamic dimensions is compiled as several functions, its *variants*. The tensors of a
    variant have fixed sizes. How much of them is valid is data: the *extent* of each dimension.

    `ttc.variant` on a function or a `ttc.entry`: it computes the model `of` for extents from `low` to `high`,
    both included, that are multiples of `step` (1 if it is absent). All variants of a model have the same
    `dims`. One argument is named `extents`, is a `tensor<Nxi32>` and has the extents in the order of `dims`.

    `ttc.dims` on the other arguments and results, and on inputs and outputs: an affine map from the extents to
    the valid size of each dimension: a sum of non-negative multiples and a constant, with at most one `floordiv`.
    A port without it is valid as a whole. At the extents `high`, the valid sizes are those of the type. Elements
    whose every index is below the valid size are valid. The others may hold anything, and no valid element of a
    result depends on them.

    Constraints:
    - (C1) `of` is not empty. `dims` are distinct names, at least one.
    - (C2) `low`, `high` and `step` have an element for each dimension: 0 <= low <= high <= 2147483647,
      high >= 1, step >= 1, and low and high are multiples of step.

    ```mlir
    func.func private @main.8x64(
        %ids: tensor<8x64xi64> {ttc.name = "ids", ttc.dims = affine_map<()[s0, s1] -> (s0, s1)>},
        %extents: tensor<2xi32> {ttc.name = "extents"})
        -> (tensor<8x64x384xf32> {ttc.name = "y", ttc.dims = affine_map<()[s0, s1] -> (s0, s1, 384)>})
        attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"],
                                               low = [1, 1], high = [8, 64]>}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"Name of the model">:$of,
    ArrayRefParameter<"::mlir::StringAttr">:$dims,
    ArrayRefParameter<"int64_t">:$low, ArrayRefParameter<"int64_t">:$high,
    OptionalArrayRefParameter<"int64_t">:$step);
  let assemblyFormat = [{
    `<` `of` `=` $of `,` `dims` `=` `[` $dims `]` `,` `low` `=` `[` $low `]` `,` `high` `=` `[` $high `]`
    (`,` `step` `=` `[` $step^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getNumDims() const { return getDims().size(); }
    int64_t getStep(unsigned dim) const { return getStep().empty() ? 1 : getStep()[dim]; }
    /// The type of the argument with the extents.
    ::mlir::RankedTensorType getExtentsType() const;
    /// Verifies the `ttc.dims` of a port of this type: (D1) one result for each dimension and one symbol for each
    /// extent, (D2) results of the form of a ValidSize, and (D3) the sizes of the type at the extents `high`, and none below 0 at `low`.
    ::llvm::LogicalResult verifyDims(::mlir::AffineMap dims, ::mlir::ShapedType type,
                                     ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def Ttc_WithinAttr : Ttc_Attr<"Within", "within"> {
  let summary = "The elements of a result that anything depends on";
  let description = [{
    `within` of a `ttc.fusion` and `ttc.within` on the result of a `ttc.program`: nothing depends on elements of the
    result beyond `bounds`, so that the code may leave them as they were. Operand `argument` has the extents of the
    variant, an i32[n]. `sizes` are those of the result's dimensions, or of their factors, outermost first; of each, only the
    first elements count, as many as `bounds` computes from the extents: from 1 to the size. Any other number, which no
    extents of the variant give, means all of them.

    Constraints:
    - (C1) `argument` is not negative, and no size is.
    - (C2) `bounds` has no dimensions, and a result for each size: sums, multiples and quotients by constants.

    ```mlir
    // Rows of a batch, merged: 8 texts of 64 tokens, by 384 features.
    ttc.program private @norm_512x384(tensor<512x384xf32>, tensor<2xi32>)
        -> (tensor<512x384xf32> {ttc.within = #ttc.within<argument = 1, sizes = [8, 64, 384],
            bounds = ()[s0, s1] -> (s0, s1, 384)>})
    ```
  }];
  let parameters = (ins "int64_t":$argument, ArrayRefParameter<"int64_t">:$sizes, "::mlir::AffineMap":$bounds);
  let assemblyFormat = [{
    `<` `argument` `=` $argument `,` `sizes` `=` `[` $sizes `]` `,` `bounds` `=` $bounds `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// For each dimension of `type` its factors, outermost first. Nothing if the sizes are not those of factors.
    std::optional<::llvm::SmallVector<::mlir::ttc::BoundedFactors>>
    getFactors(::mlir::RankedTensorType type) const;
  }];
}

//===-- Meshes ---------------------------------------------------------------===//

def Ttc_LinkTopology : I32EnumAttr<"LinkTopology", "how the devices along an axis are linked", [
    I32EnumAttrCase<"All", 0, "all">,
    I32EnumAttrCase<"Ring", 1, "ring">,
    I32EnumAttrCase<"Line", 2, "line">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_LinkTopologyParameter : EnumParameter<Ttc_LinkTopology> {
  let defaultValue = "LinkTopology::All";
}

def Ttc_Reduction : I32EnumAttr<"Reduction", "how a collective combines elements", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_CollectiveKind : I32EnumAttr<"CollectiveKind", "what a collective computes", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
    I32EnumAttrCase<"AllGather", 1, "all_gather">,
    I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
    I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
    I32EnumAttrCase<"Broadcast", 4, "broadcast">,
    I32EnumAttrCase<"Permute", 5, "permute">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_CollectiveAlgorithm : I32EnumAttr<"CollectiveAlgorithm", "how a collective computes it", [
    I32EnumAttrCase<"Direct", 0, "direct">,
    I32EnumAttrCase<"Ring", 1, "ring">,
    I32EnumAttrCase<"Halving", 2, "halving">]> {
  let cppNamespace = "::mlir::ttc";
}

def Ttc_MeshAxisAttr : Ttc_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "An axis of a mesh of devices";
  let description = [{
    `topology` says which devices along the axis are linked: every two (`all`), neighbours and the last with
    the first (`ring`), or neighbours (`line`). `link_bytes_per_second` is the bandwidth of one link in one
    direction, 0 if it is unknown, and `link_latency_ns` the time that the first byte takes.

    Constraints:
    - (C1) The name is not empty, the size at least 1, bandwidth and latency at least 0.

    ```mlir
    #ttc.mesh_axis<name = "y", size = 4, topology = ring, link_bytes_per_second = 12500000000,
                   link_latency_ns = 700>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"Name of the axis">:$name, "int64_t":$size,
    Ttc_LinkTopologyParameter:$topology,
    DefaultValuedParameter<"int64_t", "0", "Bytes per second of a link">:$link_bytes_per_second,
    DefaultValuedParameter<"int64_t", "0", "Nanoseconds">:$link_latency_ns);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Ttc_MeshAttr : Ttc_Attr<"Mesh", "mesh"> {
  let summary = "A mesh of devices";
  let description = [{
    A module that is compiled for a mesh holds it as `ttc.mesh`. Devices are numbered in row-major order of the
    axes: the last one varies fastest.

    Constraints:
    - (C1) There is at least one axis, and the names are distinct.
    - (C2) There are at most 4096 devices.

    ```mlir
    module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 4, topology = ring>]>} {}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::ttc::MeshAxisAttr">:$axes);
  let assemblyFormat = "`<` `[` $axes `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumDevices() const;
    /// The number of the axis of that name; nothing if there is none.
    ::std::optional<unsigned> findAxis(::llvm::StringRef name) const;
    /// The coordinate of a device along an axis.
    int64_t getCoordinate(int64_t device, unsigned axis) const;
    /// The groups of devices that differ only in the coordinates of these axes. Each group is in row-major
    /// order of `axes`, the groups in the order of their first devices.
    ::llvm::SmallVector<::llvm::SmallVector<int64_t>> getGroups(::llvm::ArrayRef<unsigned> axes) const;
  }];
}

def Ttc_ShardsAttr : Ttc_Attr<"Shards", "shards", [ElementsAttrInterface]> {
  let summary = "Elements of a constant that differ from device to device";
  let description = [{
    Device d of the mesh has `values[devices[d]]`. The elements cannot be read through the interface of
    elements, so that nothing takes those of one device for those of all: passes that evaluate constants do so
    for each value.

    Constraints:
    - (C1) The values have one type, and none is a `#ttc.shards` itself.
    - (C2) `devices` are numbers of values, and each value is the value of some device.

    ```mlir
    %w = ttc.constant #ttc.shards<[dense<1.0> : tensor<2x4xf32>, dense<2.0> : tensor<2x4xf32>], [0, 1]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::ElementsAttr">:$values,
                        ArrayRefParameter<"int64_t">:$devices);
  let assemblyFormat = "`<` `[` $values `]` `,` `[` $devices `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// TypedAttr.
    ::mlir::ShapedType getType() const;
    /// ElementsAttr.
    bool isSplat() const { return false; }
    ::mlir::ElementsAttr getValue(int64_t device) const { return getValues()[getDevices()[device]]; }
    /// Applies `function` to each value. Null if it returns null for one.
    ::mlir::ElementsAttr
    map(::llvm::function_ref<::mlir::ElementsAttr(::mlir::ElementsAttr)> function) const;
    /// The attribute of these values; if all are equal, that value.
    static ::mlir::ElementsAttr getOrValue(::mlir::MLIRContext *context,
                                           ::llvm::ArrayRef<::mlir::ElementsAttr> values,
                                           ::llvm::ArrayRef<int64_t> devices);
  }];
}

#endif // TTC_ATTRIBUTES_TD
