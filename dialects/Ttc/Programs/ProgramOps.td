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
  let summary = "Ops that become one program";
  let description = [{
    Groups tensor ops that will be compiled together. The region sees only its block
    arguments, one for each operand and of the operand's type; `ttc.yield` gives the
    results.

    Constraints:
    - (C1) There is one block argument for each operand, of the operand's type.
    - (C2) The region ends with `ttc.yield`, which yields one value for each result, of the
      result's type.
    - (C3) A fusion does not hold another fusion.

    ```mlir
    %r = ttc.fusion (%a = %x : tensor<4x8xf32>, %b = %y : tensor<8xf32>) -> tensor<4x8xf32> {
      %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %1 = ttc.relu %0 : tensor<4x8xf32>
      ttc.yield %1 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Ttc_Tensor>:$inputs);
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
  let summary = "Ends a region and gives its results to the op around it";
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
    One kernel: inputs in, results out, both tensors of static shape. `ttc.dispatch` runs
    it. The body passes through three forms:

    - ops on tensors, ended by `ttc.return` (what `--ttc-outline-programs` makes);
    - the lowered code, a `builtin.module` of the LLVM dialect (what `--ttc-lower-programs`
      makes; it sets `grid` and `scratch_bytes`);
    - nothing, when the machine code stands in the module's binary.

    `grid` is the number of independent workgroups, `scratch_bytes` what a workgroup needs
    of its core's L1. Neither depends on how many cores there are at run time.

    `ttc.strided` on an argument or a result says that it does not lie contiguously (`#ttc.strided`).
    `ttc.in_place` on a result names the arguments that it may be written over: the program reads
    each of their elements before it writes it, in the same workgroup (`--ttc-lower-programs`, which
    knows the code, sets it).

    `shards` makes it a *program on shards*: one workgroup for each element of that grid, in
    row-major order, and a body on the types of one part, which `ttc.shard` relates to the operands of
    the dispatch (`#ttc.shard`; without it an operand is the same for all workgroups). The work
    of one part is not divided further among cores.

    Constraints:
    - (C1) Inputs and results are ranked tensors of static shape.
    - (C2) A body has one block, with one argument for each input, of its type.
    - (C3) `grid` is at least 1, `scratch_bytes` at least 0.
    - (C4) `ttc.strided` has whole rows of the tensor.
    - (C5) `ttc.in_place` names arguments with the result's bytes, rows and shards.
    - (C6) `shards` are numbers of at least 1, and their product is `grid`.
    - (C7) `ttc.shard` belongs to a program with `shards`; its cuts are among them, and make of the whole
      parts of the operand's type. Where there is a body, a sharded whole is cut at least as finely
      as it is sharded.

    ```mlir
    ttc.program @add_relu(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32>
        attributes {grid = 4 : i64, scratch_bytes = 0 : i64} {
      %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %1 = ttc.relu %0 : tensor<4x8xf32>
      ttc.return %1 : tensor<4x8xf32>
    }
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
    OptionalAttr<DenseI64ArrayAttr>:$shards);
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

    /// Whether the body is ops on tensors, neither lowered nor gone.
    bool hasTensorBody();

    /// Attributes of arguments and results: where they lie, and what a result may be written over.
    static ::llvm::StringRef getStridedAttrName() { return kStridedAttrName; }
    static ::llvm::StringRef getInPlaceAttrName() { return kInPlaceAttrName; }
    static ::llvm::StringRef getShardAttrName() { return kShardAttrName; }
    /// The tensor of operand `index` (arguments, then results).
    ::mlir::Type getOperandType(unsigned index);
    /// What a dispatch gives as operand `index`: its type, or the whole's that it is a part of.
    ::mlir::RankedTensorType getWholeType(unsigned index);
    /// Which part of operand `index` a workgroup has; null: all of it.
    ::mlir::ttc::ShardAttr getShard(unsigned index);
    /// The number of workgroups, if workgroup k has the shard of core k; else 0.
    int64_t getOwnGrid(unsigned index);
    void setShard(unsigned index, ::mlir::ttc::ShardAttr shard);
    void setStrided(unsigned index, ::mlir::ttc::StridedAttr rows);
    /// How operand `index` lies (of a program on shards: its part); null: contiguously.
    ::mlir::ttc::StridedAttr getStrided(unsigned index);
    /// The arguments that result `index` may be written over.
    ::llvm::ArrayRef<int64_t> getInPlace(unsigned index);
    /// The bytes of operand `index` from its address on.
    ::mlir::ttc::ByteSpan getSpan(unsigned index);
  }];
}

def Ttc_ReturnOp : Ttc_Op<"return", [
    Pure, HasParent<"ProgramOp">, ReturnLike, Terminator]> {
  let summary = "Ends a program's body and gives its results";
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
    Runs `program` on the inputs. Still values: where results lie is decided by planning.

    Constraints:
    - (C1) `program` names a `ttc.program` of the module.
    - (C2) Operands and results have the program's types, layouts aside; where a program on shards has
      `ttc.shard`, the whole's type with its layout.

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
