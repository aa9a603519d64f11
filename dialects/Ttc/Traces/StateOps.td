// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State: tensors that keep their values from run to run.
#ifndef TTC_STATEOPS_TD
#define TTC_STATEOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_StateOp : Ttc_Op<"state", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A tensor on the device that keeps its value from run to run";
  let description = [{
    Declares a tensor that outlives an inference: a cache of keys and values, a position, the counter of a
    generator. It is zero until a run or the application writes it. All functions of the module share it.

    A function reads the state by an argument with the attribute `ttc.state`, and updates it by a result with the
    same attribute. Such arguments and results are no inputs and outputs of the entry point that the function
    becomes: nothing is transferred. Functions stay free of side effects, so that passes treat states as any
    tensor; a result without an argument overwrites the state, an argument without a result only reads it.

    `--ttc-schedule-queues` turns the state into a buffer of the kind `state`, and binds arguments and results to
    it. `--ttc-bind-buffers` then lets the program that makes the new value write it over the old one, if it can and
    nothing reads the old one later, and otherwise copies the new value at the end of the trace.

    Constraints:
    - (C1) The type has at least one element, of one byte or more.
    - (C2) Arguments and results of functions that name the state have its type.
    - (C3) In each function at most one argument and one result name the state.

    ```mlir
    ttc.state @count : tensor<1xi32>
    func.func @step(%count: tensor<1xi32> {ttc.state = @count}, %by: tensor<1xi32>)
        -> (tensor<1xi32> {ttc.state = @count}) {
      %0 = ttc.add %count, %by : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      return %0 : tensor<1xi32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Ttc_Tensor>:$type,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$type)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def Ttc_CopyOp : Ttc_Op<"copy", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["encode"]>]> {
  let summary = "Copies a tensor on the device";
  let description = [{
    Device work that becomes a copy command. Passes insert it where a state's old value is used after its update, or
    where its new value cannot be written in place.

    Constraints:
    - (C1) Operand and result have the same type (checked by ODS).
    - (C2) The tensor is not sharded.

    ```mlir
    %old = ttc.copy %count : tensor<1xi32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$input);
  let results = (outs Ttc_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // TTC_STATEOPS_TD
