// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations of the ops on tensors.
#ifndef TTC_TENSORENUMS_TD
#define TTC_TENSORENUMS_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/EnumAttr.td"

class Ttc_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::ttc";
  let genSpecializedAttr = 0;
}
class Ttc_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Ttc_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Ttc_GeluApproximation : Ttc_Enum<"GeluApproximation", "how gelu is computed", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;
def Ttc_GeluApproximationAttr : Ttc_EnumAttr<Ttc_GeluApproximation, "gelu_approximation">;

def Ttc_ComparePredicate : Ttc_Enum<"ComparePredicate", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Ttc_ComparePredicateAttr : Ttc_EnumAttr<Ttc_ComparePredicate, "compare_predicate">;

def Ttc_PadMode : Ttc_Enum<"PadMode", "what padding is filled with", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
  I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]>;
def Ttc_PadModeAttr : Ttc_EnumAttr<Ttc_PadMode, "pad_mode">;

def Ttc_ResizeMode : Ttc_Enum<"ResizeMode", "how resize interpolates", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">]>;
def Ttc_ResizeModeAttr : Ttc_EnumAttr<Ttc_ResizeMode, "resize_mode">;

def Ttc_CoordinateMode : Ttc_Enum<"CoordinateMode",
    "how coordinates of the result map to coordinates of the operand", [
  I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
  I32EnumAttrCase<"PytorchHalfPixel", 1, "pytorch_half_pixel">,
  I32EnumAttrCase<"AlignCorners", 2, "align_corners">,
  I32EnumAttrCase<"Asymmetric", 3, "asymmetric">,
  I32EnumAttrCase<"HalfPixelSymmetric", 4, "half_pixel_symmetric">]>;
def Ttc_CoordinateModeAttr : Ttc_EnumAttr<Ttc_CoordinateMode, "coordinate_mode">;

def Ttc_NearestMode : Ttc_Enum<"NearestMode", "how nearest rounds a coordinate", [
  I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
  I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
  I32EnumAttrCase<"Floor", 2, "floor">, I32EnumAttrCase<"Ceil", 3, "ceil">]>;
def Ttc_NearestModeAttr : Ttc_EnumAttr<Ttc_NearestMode, "nearest_mode">;

def Ttc_DepthToSpaceMode : Ttc_Enum<"DepthToSpaceMode",
    "order of depth: depth, column, row (dcr) or column, row, depth (crd)", [
  I32EnumAttrCase<"DCR", 0, "dcr">, I32EnumAttrCase<"CRD", 1, "crd">]>;
def Ttc_DepthToSpaceModeAttr : Ttc_EnumAttr<Ttc_DepthToSpaceMode, "depth_to_space_mode">;

def Ttc_PowerRounding : Ttc_Enum<"PowerRounding", "which power of two a number becomes", [
  I32EnumAttrCase<"Up", 0, "up">, I32EnumAttrCase<"Down", 1, "down">,
  I32EnumAttrCase<"Nearest", 2, "nearest">]>;
def Ttc_PowerRoundingAttr : Ttc_EnumAttr<Ttc_PowerRounding, "power_rounding">;

def Ttc_ScatterReduction : Ttc_Enum<"ScatterReduction", "how an update changes an element", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">]>;
def Ttc_ScatterReductionAttr : Ttc_EnumAttr<Ttc_ScatterReduction, "scatter_reduction">;

def Ttc_CumulativeKind : Ttc_Enum<"CumulativeKind", "how elements accumulate", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">]>;
def Ttc_CumulativeKindAttr : Ttc_EnumAttr<Ttc_CumulativeKind, "cumulative_kind">;

/// The cases are those of kernels/Params.h.
def Ttc_RecurrenceKind : Ttc_Enum<"RecurrenceKind", "how a step makes its state", [
  I32EnumAttrCase<"Lstm", 0, "lstm">, I32EnumAttrCase<"Gru", 1, "gru">,
  I32EnumAttrCase<"GruResetFirst", 2, "gru_reset_first">,
  I32EnumAttrCase<"RnnTanh", 3, "rnn_tanh">, I32EnumAttrCase<"RnnRelu", 4, "rnn_relu">]>;
def Ttc_RecurrenceKindAttr : Ttc_EnumAttr<Ttc_RecurrenceKind, "recurrence_kind">;

/// The cases are those of kernels/BlockFormats.h.
def Ttc_BlockFormat : Ttc_Enum<"BlockFormat", "how a GGUF file stores the elements of a matrix", [
  I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"F16", 1, "f16">,
  I32EnumAttrCase<"BF16", 2, "bf16">, I32EnumAttrCase<"Q4_0", 3, "q4_0">,
  I32EnumAttrCase<"Q4_1", 4, "q4_1">, I32EnumAttrCase<"Q5_0", 5, "q5_0">,
  I32EnumAttrCase<"Q5_1", 6, "q5_1">, I32EnumAttrCase<"Q8_0", 7, "q8_0">,
  I32EnumAttrCase<"Q4_K", 8, "q4_k">, I32EnumAttrCase<"Q5_K", 9, "q5_k">,
  I32EnumAttrCase<"Q6_K", 10, "q6_k">, I32EnumAttrCase<"IQ4_NL", 11, "iq4_nl">,
  I32EnumAttrCase<"IQ4_XS", 12, "iq4_xs">, I32EnumAttrCase<"Q2_K", 13, "q2_k">,
  I32EnumAttrCase<"Q3_K", 14, "q3_k">, I32EnumAttrCase<"MXFP4", 15, "mxfp4">,
  I32EnumAttrCase<"TQ1_0", 16, "tq1_0">, I32EnumAttrCase<"TQ2_0", 17, "tq2_0">]>;
def Ttc_BlockFormatAttr : Ttc_EnumAttr<Ttc_BlockFormat, "block_format">;

def Ttc_BlockActivations : Ttc_Enum<"BlockActivations",
    "the numbers that weights in blocks are multiplied by", [
  I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"Int8", 1, "int8">]>;
def Ttc_BlockActivationsAttr : Ttc_EnumAttr<Ttc_BlockActivations, "block_activations">;
def Ttc_Rope : Ttc_Enum<"Rope", "which elements of a head are rotated together", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Halves", 1, "halves">,
  I32EnumAttrCase<"Pairs", 2, "pairs">]>;
def Ttc_RopeAttr : Ttc_EnumAttr<Ttc_Rope, "rope">;

def Ttc_ByteDot : I64EnumAttr<"ByteDot", "how four products of bytes are summed", [
    I64EnumAttrCase<"plain", 0>, I64EnumAttrCase<"madd", 1>, I64EnumAttrCase<"vnni", 2>]> {
  let cppNamespace = "::mlir::ttc";
  let genSpecializedAttr = 0;
}
def Ttc_ByteDotAttr : EnumAttr<Ttc_Dialect, Ttc_ByteDot, "byte_dot"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TTC_TENSORENUMS_TD
