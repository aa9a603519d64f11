// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What elementwise ops of several families have in common.
#ifndef TTC_ELEMENTWISEOPBASE_TD
#define TTC_ELEMENTWISEOPBASE_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

class Ttc_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Ttc_InferredOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<Ttc_ElementwiseOpInterface>], traits)> {
  /// C++ that infers the result's type.
  code infer = "";
  /// C++: the operations for an element (Ttc_CountedOpInterface).
  code operations = "1";
  let extraClassDeclaration =
      "int64_t getOperationsPerElement() { return " # operations # "; }";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferTypes(const ::mlir::ttc::detail::InferenceScope &scope,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
  }] # infer # "}\n";
}

class Ttc_UnaryOp<string mnemonic, TypeConstraint type, string meaning, string attributes = "",
                  string element = "f32", list<Trait> traits = []>
    : Ttc_ElementwiseOp<mnemonic, traits> {
  let summary = "elementwise " # meaning;
  let description = "Element by element: `" # meaning # "`. The result has the operand's type.\n\n"
      # "```mlir\n%y = ttc." # mnemonic # " %x" # attributes
      # " : (tensor<2x8x" # element # ">) -> tensor<2x8x" # element # ">\n```\n";
  let arguments = (ins type:$x);
  let results = (outs type:$y);
  let infer = "types.push_back(adaptor.getX().getType()); return ::mlir::success();";
}

class Ttc_BinaryOp<string mnemonic, TypeConstraint type, string meaning, list<Trait> traits = []>
    : Ttc_ElementwiseOp<mnemonic, traits> {
  let summary = "elementwise " # meaning;
  let description = [{
    Element by element: `}] # meaning # [{`. The operands broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands have the same element type.
    - (C2) The operands' shapes broadcast: seen from the last dimension, sizes are equal or one of
      them is 1.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins type:$a, type:$b);
  let results = (outs type:$y);
  let infer = [{
    return detail::inferBroadcast(scope, adaptor.getOperands(), /*elementType=*/{}, types);
  }];
}

#endif // TTC_ELEMENTWISEOPBASE_TD
