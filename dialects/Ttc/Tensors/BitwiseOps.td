// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops on the bits of elements.
#ifndef TTC_BITWISEOPS_TD
#define TTC_BITWISEOPS_TD

include "dialects/Ttc/Tensors/ElementwiseOpBase.td"

class Ttc_BitwiseOp<string mnemonic, string meaning, list<Trait> traits = []>
    : Ttc_BinaryOp<mnemonic, Ttc_IntegerTensor, meaning, traits> {
  let description = [{
    Bit by bit of the elements: `}] # meaning # [{`. The operands broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands have the same element type.
    - (C2) The operands' shapes broadcast: seen from the last dimension, sizes are equal or one of
      them is 1.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %a, %b : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
    ```
  }];
}

def Ttc_BitAndOp : Ttc_BitwiseOp<"bit_and", "a & b", [Commutative]>;
def Ttc_BitOrOp : Ttc_BitwiseOp<"bit_or", "a | b", [Commutative]>;
def Ttc_BitXorOp : Ttc_BitwiseOp<"bit_xor", "a ^ b", [Commutative]>;
def Ttc_BitNotOp : Ttc_UnaryOp<"bit_not", Ttc_IntegerTensor, "~x", "", "i32">;

class Ttc_ShiftOp<string mnemonic, string meaning, string details>
    : Ttc_BinaryOp<mnemonic, Ttc_IntegerTensor, meaning> {
  let description = [{
    Element by element `}] # meaning # [{`. The count `b` is unsigned, whatever its type. }] # details # [{
    The operands broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands have the same element type.
    - (C2) The operands' shapes broadcast: seen from the last dimension, sizes are equal or one of
      them is 1.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %a, %b : (tensor<2x8xi32>, tensor<i32>) -> tensor<2x8xi32>
    ```
  }];
}
def Ttc_ShiftLeftOp : Ttc_ShiftOp<"shift_left", "a << b",
    "A count of the element's width or more gives 0.">;
def Ttc_ShiftRightOp : Ttc_ShiftOp<"shift_right", "a >> b",
    "A signed element is shifted arithmetically: a count of its width or more gives 0 or -1. An "
    "unsigned element is shifted logically: such a count gives 0.">;

def Ttc_BitcastOp : Ttc_TensorOp<"bitcast", [
    DeclareOpInterfaceMethods<Ttc_ElementwiseOpInterface>,
    DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>]> {
  let summary = "the same bits as another element type";
  let description = [{
    Interprets the bits of every element as another element type of the same width.

    Constraints:
    - (C1) The result has the operand's shape.
    - (C2) The element types have the same width.

    ```mlir
    %y = ttc.bitcast %x : (tensor<2x8xf32>) -> tensor<2x8xi32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$x);
  let results = (outs Ttc_Tensor:$y);
  let extraClassDeclaration = "int64_t getOperationsPerElement() { return 0; }";
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Type":$elementType), [{
    auto shaped = ::llvm::cast<::mlir::ShapedType>(x.getType());
    build($_builder, $_state, ::mlir::TypeRange{shaped.clone(elementType)}, x);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TTC_BITWISEOPS_TD
