// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_PROGRAMOPS_TD
#define TTC_PROGRAMOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_FusionOp : Ttc_Op<"fusion", [
    IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "A group of ops that becomes one program";
  let description = [{
    Groups tensor ops that will be compiled together. The region is isolated: its block arguments
    correspond to the operands, and `ttc.yield` returns the results.

    Constraints:
    - (C1) There is one block argument for each operand, of the operand's type.
    - (C2) The region ends with `ttc.yield`, which yields one value for each result, of the
      result's type.
    - (C3) A fusion does not hold another fusion.
    - (C4) With `within`, there is one result, whose dimensions its sizes divide, and its argument is an operand, of an i32 for each
      symbol.

    ```mlir
    %r = ttc.fusion (%a = %x : tensor<4x8xf32>, %b = %y : tensor<8xf32>) -> tensor<4x8xf32> {
      %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %1 = ttc.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
      ttc.yield %1 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Ttc_Tensor>:$inputs, OptionalAttr<Ttc_WithinAttr>:$within);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    // Creates the block with an argument for each input; the caller fills it.
    OpBuilder<(ins "::mlir::TypeRange":$outputs, "::mlir::ValueRange":$inputs)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Ttc_YieldOp : Ttc_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends a region and returns values to its op";
  let description = [{
    ```mlir
    ttc.yield %0, %1 : tensor<4x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Ttc_ProgramOp : Ttc_Op<"program", [
    FunctionOpInterface, IsolatedFromAbove, NoTerminator]> {
  let summary = "A kernel with a grid of workgroups";
  let description = [{
    A kernel that maps input tensors to result tensors, all of static shape. `ttc.dispatch` runs it.
    With `host_function`, it has no code: a function of the application computes it, and only
    `ttc.host_dispatch` runs it. Otherwise, the body has one of three forms:

    - ops on tensors that end with `ttc.return`, as `--ttc-outline-programs` creates them;
    - lowered code: a `builtin.module` of the LLVM dialect, as `--ttc-lower-programs` creates it. That
      pass also sets `grid` and `scratch_bytes`;
    - no body: the machine code is in the module's `ttc.binary`.

    `grid` is the number of independent workgroups. `scratch_bytes` is the part of a core's L1 that a
    workgroup needs. Neither depends on the number of cores at run time. `flops` is the number of
    operations of all workgroups together; `--ttc-count-flops` sets it.

    `ttc.strided` on an argument or a result gives its layout if it is not contiguous (`#ttc.strided`).
    `ttc.in_place` on a result lists the arguments that it may overwrite: no workgroup reads an element
    that another one changes. Stored over such an argument, the program leaves the same result as elsewhere.
    `--ttc-lower-programs` sets it.

    `ttc.within` on a result says which of its elements count, depending on the extents of a variant
    (`#ttc.within`). The code skips tiles that have none of these.

    `shards` makes it a *program on shards*, with one workgroup for each element of that grid, in
    row-major order. Its body works on the types of one part, and `ttc.shard` relates a part to the
    operand of the dispatch (`#ttc.shard`). An operand without `ttc.shard` is the same for all
    workgroups. One part is never distributed over several cores.

    `markers` says that the program is compiled with markers (`--instrument`): it records zones in the last
    bytes of its scratch, as `ttrt/format/program_markers.h` has them. Nothing else depends on them.

    Constraints:
    - (C1) Inputs and results are ranked tensors of static shape.
    - (C2) A body has one block, with one argument for each input, of its type.
    - (C3) `grid` is at least 1, `scratch_bytes` and `flops` at least 0.
    - (C4) The rows of `ttc.strided` divide the tensor.
    - (C5) `ttc.in_place` lists arguments with the result's size, strided layout and shards.
    - (C6) `shards` has elements of at least 1, and their product is `grid`.
    - (C7) `ttc.shard` requires `shards`, which its `partition` indexes, and partitions `whole` into parts of
      the operand's type. If the program has a body, each part is within one shard of `whole`.
    - (C8) With `host_function`, there is no body, no `ttc.strided`, `ttc.in_place` or `shards`, a grid of 1 if
      any, no scratch, no `markers`, and absent positions are below those of the last operand and result.
    - (C9) With `markers`, `scratch_bytes` of a program without a body of tensor ops is a multiple of 64 and
      at least the size of the markers.
    - (C10) `ttc.within` has sizes that divide the result's dimensions, and its argument is one of the program's, of an i32 for each
      symbol.

    ```mlir
    ttc.program @add_relu(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32>
        attributes {grid = 4 : i64, scratch_bytes = 0 : i64} {
      %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %1 = ttc.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
      ttc.return %1 : tensor<4x8xf32>
    }
    ttc.program @clip_64(tensor<1x64xf32>) -> tensor<1x64xf32>
        attributes {host_function = #ttc.host_function<name = "com.acme.Clip", version = 1>}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<I64Attr>:$grid,
    OptionalAttr<I64Attr>:$scratch_bytes,
    OptionalAttr<I64Attr>:$flops,
    OptionalAttr<DenseI64ArrayAttr>:$shards,
    UnitAttr:$markers,
    OptionalAttr<Ttc_HostFunctionAttr>:$host_function);
  let regions = (region AnyRegion:$body);
  let builders = [
    // Without a body; addEntryBlock() adds one.
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::LogicalResult verifyBody();

    /// Whether the body consists of ops on tensors: it exists and is not lowered.
    bool hasTensorBody();

    /// Discardable attributes of arguments and results (TtcDialect.h).
    static ::llvm::StringRef getStridedAttrName() { return kStridedAttrName; }
    static ::llvm::StringRef getInPlaceAttrName() { return kInPlaceAttrName; }
    static ::llvm::StringRef getShardAttrName() { return kShardAttrName; }
    /// The tensor of operand `index` (arguments, then results).
    ::mlir::Type getOperandType(unsigned index);
    /// The type of operand `index` at a dispatch: its own, or that of the whole that it is a part of.
    ::mlir::RankedTensorType getWholeType(unsigned index);
    /// The part of operand `index` that a workgroup has; null if it has all of it.
    ::mlir::ttc::ShardAttr getShard(unsigned index);
    /// The number of workgroups if workgroup k has the shard of core k, otherwise 0.
    int64_t getOwnGrid(unsigned index);
    void setShard(unsigned index, ::mlir::ttc::ShardAttr shard);
    void setStrided(unsigned index, ::mlir::ttc::StridedAttr strided);
    /// The layout of operand `index` (in a program on shards: of its part); null if it is contiguous.
    ::mlir::ttc::StridedAttr getStrided(unsigned index);
    /// The elements of result `index` that count; null if all do.
    ::mlir::ttc::WithinAttr getWithin(unsigned index);
    /// The arguments that result `index` may overwrite.
    ::llvm::ArrayRef<int64_t> getInPlace(unsigned index);
    /// The bytes of operand `index` from its address on.
    ::mlir::ttc::ByteSpan getSpan(unsigned index);
  }];
}

def Ttc_ReturnOp : Ttc_Op<"return", [
    Pure, HasParent<"ProgramOp">, ReturnLike, Terminator]> {
  let summary = "Ends a program's body and returns its results";
  let description = [{
    Constraints:
    - (C1) The operands are the results of the `ttc.program` around it, in number and types.

    ```mlir
    ttc.return %0 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Ttc_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def Ttc_DispatchOp : Ttc_Op<"dispatch", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface,
                              ["encode", "getInPlaceOperands", "getStridedRange", "takesShards", "getOwnGrid",
                               "getScratchBytes"]>]> {
  let summary = "Runs a program";
  let description = [{
    Runs `program` on the inputs. Operands and results are values: planning decides where they are
    stored.

    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) Operands and results have the program's types, disregarding layouts. An operand with
      `ttc.shard` has the type of the whole, including its layout.
    - (C3) The program is not computed by a host function.

    ```mlir
    %y = ttc.dispatch @add_relu(%x, %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Variadic<Ttc_Tensor>:$inputs);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let assemblyFormat =
      "$program `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

#endif // TTC_PROGRAMOPS_TD
