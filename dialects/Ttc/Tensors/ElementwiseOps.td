// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops whose result element depends only on the operands' elements at the same index.
#ifndef TTC_ELEMENTWISEOPS_TD
#define TTC_ELEMENTWISEOPS_TD

include "dialects/Ttc/Tensors/ElementwiseOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

class Ttc_FloatUnaryOp<string mnemonic, string meaning, string attributes = "",
                       list<Trait> traits = []>
    : Ttc_UnaryOp<mnemonic, Ttc_FloatTensor, meaning, attributes, "f32", traits>;

/// An elementary function.
class Ttc_FunctionOp<string mnemonic, string meaning> : Ttc_FloatUnaryOp<mnemonic, meaning> {
  let operations = "kFunction";
}

def Ttc_ReluOp : Ttc_UnaryOp<"relu", Ttc_NumberTensor, "max(x, 0)", "", "f32",
                            [Ttc_SelectsElements]> {
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Ttc_GeluOp : Ttc_FloatUnaryOp<"gelu", "x * (1 + erf(x / sqrt(2))) / 2", " approximate tanh"> {
  let operations = "getApproximate() == GeluApproximation::None ? kFunction + 4 : kFunction + 8";
  let description = [{
    The Gaussian error linear unit, `x * (1 + erf(x / sqrt(2))) / 2`, or with `approximate tanh`
    `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`. The result has the operand's type.

    ```mlir
    %y = ttc.gelu %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %z = ttc.gelu %x approximate tanh : (tensor<2x8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x,
      DefaultValuedAttr<Ttc_GeluApproximationAttr, "GeluApproximation::None">:$approximate);
  let assemblyFormat = [{
    operands (`approximate` $approximate^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}
def Ttc_ErfOp : Ttc_FunctionOp<"erf", "erf(x)">;
def Ttc_SigmoidOp : Ttc_FloatUnaryOp<"sigmoid", "1 / (1 + exp(-x))"> {
  let operations = "kFunction + kDivision + 2";
}
def Ttc_TanhOp : Ttc_FunctionOp<"tanh", "tanh(x)">;
def Ttc_ExpOp : Ttc_FunctionOp<"exp", "exp(x)">;
def Ttc_LogOp : Ttc_FunctionOp<"log", "log(x)">;
def Ttc_SqrtOp : Ttc_FloatUnaryOp<"sqrt", "sqrt(x)"> {
  let operations = "kDivision";
}
def Ttc_RsqrtOp : Ttc_FloatUnaryOp<"rsqrt", "1 / sqrt(x)"> {
  let operations = "2 * kDivision";
}
def Ttc_ReciprocalOp : Ttc_FloatUnaryOp<"reciprocal", "1 / x"> {
  let operations = "kDivision";
}
def Ttc_AbsOp : Ttc_UnaryOp<"abs", Ttc_NumberTensor, "|x|", "", "f32", [Ttc_ExactOpInterface]> {
  let hasFolder = 1;
}
def Ttc_NegOp : Ttc_UnaryOp<"neg", Ttc_SignedTensor, "-x", "", "f32", [Ttc_ExactOpInterface]> {
  let hasFolder = 1;
}
def Ttc_ClampOp : Ttc_UnaryOp<"clamp", Ttc_NumberTensor, "min(max(x, min), max)",
                              " {max = 6.0, min = 0.0}", "f32",
                              [DeclareOpInterfaceMethods<Ttc_ExactOpInterface, ["isExactIn"]>]> {
  let operations = "2";
  let description = [{
    Element by element `min(max(x, min), max)`; NaN stays NaN. The bounds are given as f32 and hold
    for integers too. Without an attribute there is no bound on that side.

    Constraints:
    - (C1) `min` and `max` are not NaN, and `min <= max`.

    ```mlir
    %y = ttc.clamp %x {max = 6.0, min = 0.0} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$x,
      DefaultValuedAttr<F32Attr, "-std::numeric_limits<float>::infinity()">:$min,
      DefaultValuedAttr<F32Attr, "std::numeric_limits<float>::infinity()">:$max);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Ttc_LeakyReluOp : Ttc_FloatUnaryOp<"leaky_relu", "x < 0 ? alpha * x : x"> {
  let operations = "2";
  let arguments = (ins Ttc_FloatTensor:$x, DefaultValuedAttr<F32Attr, "0.01f">:$alpha);
}
def Ttc_EluOp : Ttc_FloatUnaryOp<"elu", "x < 0 ? alpha * (exp(x) - 1) : x"> {
  let operations = "kFunction + 3";
  let arguments = (ins Ttc_FloatTensor:$x, DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
}
def Ttc_SeluOp : Ttc_FloatUnaryOp<"selu", "gamma * (x < 0 ? alpha * (exp(x) - 1) : x)"> {
  let operations = "kFunction + 4";
  let arguments = (ins Ttc_FloatTensor:$x,
      DefaultValuedAttr<F32Attr, "1.67326319217681884765625f">:$alpha,
      DefaultValuedAttr<F32Attr, "1.05070102214813232421875f">:$gamma);
}
def Ttc_HardSigmoidOp : Ttc_FloatUnaryOp<"hard_sigmoid", "min(max(alpha * x + beta, 0), 1)"> {
  let operations = "4";
  let arguments = (ins Ttc_FloatTensor:$x, DefaultValuedAttr<F32Attr, "0.2f">:$alpha,
      DefaultValuedAttr<F32Attr, "0.5f">:$beta);
}
def Ttc_HardSwishOp : Ttc_FloatUnaryOp<"hard_swish", "x * min(max(x / 6 + 1 / 2, 0), 1)"> {
  let operations = "5";
}
def Ttc_SoftplusOp : Ttc_FloatUnaryOp<"softplus", "log(1 + exp(x))"> {
  let operations = "2 * kFunction + 1";
}
def Ttc_SoftsignOp : Ttc_FloatUnaryOp<"softsign", "x / (1 + |x|)"> {
  let operations = "kDivision + 2";
}
def Ttc_FloorOp : Ttc_FloatUnaryOp<"floor", "floor(x)", "", [Ttc_ExactOpInterface]>;
def Ttc_CeilOp : Ttc_FloatUnaryOp<"ceil", "ceil(x)", "", [Ttc_ExactOpInterface]>;
def Ttc_RoundOp : Ttc_FloatUnaryOp<"round", "x rounded, halves to even", "", [Ttc_ExactOpInterface]>;
def Ttc_SignOp : Ttc_UnaryOp<"sign", Ttc_NumberTensor, "x < 0 ? -1 : x > 0 ? 1 : x", "", "f32",
                             [Ttc_ExactOpInterface]> {
  let operations = "2";
}
def Ttc_SinOp : Ttc_FunctionOp<"sin", "sin(x)">;
def Ttc_CosOp : Ttc_FunctionOp<"cos", "cos(x)">;
def Ttc_AsinOp : Ttc_FunctionOp<"asin", "asin(x)">;
def Ttc_AcosOp : Ttc_FunctionOp<"acos", "acos(x)">;
def Ttc_AtanOp : Ttc_FunctionOp<"atan", "atan(x)">;
def Ttc_SinhOp : Ttc_FunctionOp<"sinh", "sinh(x)">;
def Ttc_CoshOp : Ttc_FunctionOp<"cosh", "cosh(x)">;
def Ttc_AsinhOp : Ttc_FunctionOp<"asinh", "asinh(x)">;
def Ttc_AcoshOp : Ttc_FunctionOp<"acosh", "acosh(x)">;
def Ttc_AtanhOp : Ttc_FunctionOp<"atanh", "atanh(x)">;
def Ttc_NotOp : Ttc_UnaryOp<"not", Ttc_BoolTensor, "!x", "", "i1"> {
  let hasFolder = 1;
}

def Ttc_CastOp : Ttc_TensorOp<"cast", [DeclareOpInterfaceMethods<Ttc_ElementwiseOpInterface>]> {
  let summary = "converts to another element type";
  let description = [{
    Converts every element. To bool: `x != 0`. From float to integer: towards zero; a value that
    does not fit is undefined. From integer to a narrower integer: the low bits.

    Floats of 4 and 8 bits are rounded to nearest, ties to even, from f32 (other types are converted
    to f32 first). With `saturate` (the default), values that are too large become the largest
    number; without it, infinity, or NaN where the type has no infinity. f4E2M1FN has neither: it
    always saturates, and NaN becomes a zero of the other sign. f8E8M0FNU has powers of two only:
    `rounding` says which of its neighbours a value becomes (`up`, the default, `down`, or `nearest`,
    ties up); zero becomes its smallest number with `saturate` and NaN without; negative values are
    undefined.

    Constraints:
    - (C1) The result has the operand's shape.

    ```mlir
    %y = ttc.cast %x : (tensor<2x8xi64>) -> tensor<2x8xf32>
    %z = ttc.cast %y {saturate = false} : (tensor<2x8xf32>) -> tensor<2x8xf8E5M2>
    %s = ttc.cast %y rounding nearest : (tensor<2x8xf32>) -> tensor<2x8xf8E8M0FNU>
    ```
  }];
  let arguments = (ins Ttc_StoredTensor:$x, DefaultValuedAttr<BoolAttr, "true">:$saturate,
      DefaultValuedAttr<Ttc_PowerRoundingAttr, "PowerRounding::Up">:$rounding);
  let results = (outs Ttc_StoredTensor:$y);
  let assemblyFormat = [{
    operands (`rounding` $rounding^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = "int64_t getOperationsPerElement() { return 0; }";
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Type":$elementType), [{
    auto shaped = ::llvm::cast<::mlir::ShapedType>(x.getType());
    build($_builder, $_state, ::mlir::TypeRange{shaped.clone(elementType)}, x);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ttc_ReducePrecisionOp : Ttc_UnaryOp<"reduce_precision", Ttc_F32Tensor,
                                        "x, rounded to a narrower type", " {to = bf16}"> {
  let operations = "0";
  let description = [{
    Element by element the value of the float type `to` that is nearest to x, as f32; halves to even.
    What is too large for `to` becomes infinite. It is a cast to `to` and back in one op, which keeps
    the element type, so that it runs in the epilogues of kernels. `narrow_nan` states that every NaN
    of x is a number of `to`, so that NaN needs no care: sums, products and quotients of such numbers
    have no other.

    Constraints:
    - (C1) `to` is f16 or bf16 (checked by ODS).

    ```mlir
    %y = ttc.reduce_precision %x {to = bf16} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$x, TypeAttrOf<AnyTypeOf<[F16, BF16]>>:$to,
      UnitAttr:$narrow_nan);
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Binary and ternary
//===----------------------------------------------------------------------===//

class Ttc_LogicalOp<string mnemonic, string meaning>
    : Ttc_BinaryOp<mnemonic, Ttc_BoolTensor, meaning, [Commutative]> {
  let description = [{
    Element by element: `}] # meaning # [{`. The operands broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands' shapes broadcast.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %a, %b : (tensor<2x8xi1>, tensor<8xi1>) -> tensor<2x8xi1>
    ```
  }];
  let infer = [{
    return detail::inferBroadcast(scope, adaptor.getOperands(),
                                  /*elementType=*/{}, types, /*constraint=*/"C1");
  }];
}

def Ttc_AddOp : Ttc_BinaryOp<"add", Ttc_NumberTensor, "a + b", [Commutative, Ttc_PassesNan]> {
  let hasFolder = 1;
}
def Ttc_SubOp : Ttc_BinaryOp<"sub", Ttc_NumberTensor, "a - b", [Ttc_PassesNan]> {
  let hasFolder = 1;
}
def Ttc_MulOp : Ttc_BinaryOp<"mul", Ttc_NumberTensor, "a * b", [Commutative, Ttc_PassesNan]> {
  let hasFolder = 1;
}
def Ttc_DivOp : Ttc_BinaryOp<"div", Ttc_NumberTensor, "a / b", [Ttc_PassesNan]> {
  let operations = "kDivision";
  let description = [{
    Element by element `a / b`, for integers towards zero (a division by zero gives 0). The operands
    broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands have the same element type.
    - (C2) The operands' shapes broadcast.

    ```mlir
    %y = ttc.div %a, %b : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Ttc_PowOp : Ttc_BinaryOp<"pow", Ttc_NumberTensor, "a to the power of b"> {
  let operations = "kFunction";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Ttc_MinOp : Ttc_BinaryOp<"min", Ttc_NumberTensor, "min(a, b)",
                             [Ttc_SelectsElements, Commutative]> {
  let hasCanonicalizeMethod = 1;
}
def Ttc_MaxOp : Ttc_BinaryOp<"max", Ttc_NumberTensor, "max(a, b)",
                             [Ttc_SelectsElements, Commutative]> {
  let hasCanonicalizeMethod = 1;
}
def Ttc_PReluOp : Ttc_BinaryOp<"prelu", Ttc_FloatTensor, "a < 0 ? a * b : a"> {
  let operations = "2";
}
def Ttc_ModOp : Ttc_BinaryOp<"mod", Ttc_NumberTensor, "a modulo b"> {
  let operations = "kDivision";
  let description = [{
    Element by element the remainder of `a / b`: with the sign of `b` (as in Python), or with `fmod`
    with the sign of `a` (as in C). For integers the remainder of a division by zero is 0. The
    operands broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands have the same element type.
    - (C2) The operands' shapes broadcast.

    ```mlir
    %y = ttc.mod %a, %b {fmod} : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$a, Ttc_NumberTensor:$b, UnitAttr:$fmod);
}
def Ttc_AndOp : Ttc_LogicalOp<"and", "a && b">;
def Ttc_OrOp : Ttc_LogicalOp<"or", "a || b">;
def Ttc_XorOp : Ttc_LogicalOp<"xor", "a != b">;

def Ttc_CompareOp : Ttc_ElementwiseOp<"compare"> {
  let summary = "compares two tensors";
  let description = [{
    Element by element `eq`, `ne`, `lt`, `le`, `gt` or `ge`; a comparison with NaN is false, except
    for `ne`. The operands broadcast by NumPy's rules.

    Constraints:
    - (C1) The operands have the same element type.
    - (C2) The operands' shapes broadcast.

    ```mlir
    %y = ttc.compare lt %a, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xi1>
    ```
  }];
  let arguments = (ins Ttc_ComparePredicateAttr:$predicate, Ttc_Tensor:$a, Ttc_Tensor:$b);
  let results = (outs Ttc_BoolTensor:$y);
  let assemblyFormat = [{
    $predicate operands custom<TensorAttributes>(attr-dict) `:` functional-type(operands, results)
  }];
  let infer = [{
    return detail::inferBroadcast(scope, adaptor.getOperands(),
                                  ::mlir::IntegerType::get(adaptor.getA().getContext(), 1), types);
  }];
}

def Ttc_WhereOp : Ttc_ElementwiseOp<"where", [Ttc_SelectsElements]> {
  let summary = "elementwise cond ? a : b";
  let description = [{
    Element by element `cond ? a : b`. All three operands broadcast by NumPy's rules.

    Constraints:
    - (C1) `a` and `b` have the same element type.
    - (C2) The operands' shapes broadcast.

    ```mlir
    %y = ttc.where %cond, %a, %b
       : (tensor<2x8xi1>, tensor<8xf32>, tensor<f32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_BoolTensor:$cond, Ttc_StoredTensor:$a, Ttc_StoredTensor:$b);
  let results = (outs Ttc_StoredTensor:$y);
  let infer = [{
    return detail::inferBroadcast(scope, adaptor.getOperands(), /*elementType=*/{}, types);
  }];
  let hasFolder = 1;
}

#endif // TTC_ELEMENTWISEOPS_TD
