// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all ops on tensors (level 1) have in common.
#ifndef TTC_TENSOROPBASE_TD
#define TTC_TENSOROPBASE_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/TransformInterfaces.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Ttc_BoolTensor : Ttc_TensorOf<[I1], "bools (i1)">;
def Ttc_NumberTensor
    : Ttc_TensorOf<[F32, F64, F16, BF16, I8, I16, I32, I64, UI8, UI16, UI32, UI64],
                   "numbers (f32, f64, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64)">;
def Ttc_SignedTensor : Ttc_TensorOf<[F32, F64, F16, BF16, I8, I16, I32, I64],
                                    "signed numbers (f32, f64, f16, bf16, i8, i16, i32, i64)">;
def Ttc_IntegerTensor
    : Ttc_TensorOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64],
                   "integers (i8, i16, i32, i64, ui8, ui16, ui32, ui64)">;
def Ttc_F32Tensor : Ttc_TensorOf<[F32], "f32">;
def Ttc_I32Tensor : Ttc_TensorOf<[I32], "i32">;
def Ttc_I64Tensor : Ttc_TensorOf<[I64], "i64">;
def Ttc_IndexTensor : Ttc_TensorOf<[I32, I64], "indices (i32, i64)">;

/// A 64-bit integer that C++ sees signed.
def Ttc_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

/// Compares the result types with the inferred ones, with one diagnostic that says what was expected.
/// It precedes InferTypeOpInterface in the list of traits, so that its diagnostic comes first.
def Ttc_InferredResults : NativeOpTrait<"ttc::InferredResults"> {
  let cppNamespace = "::mlir";
}

/// Every element of a result is one of an operand's elements, or a constant that the op is given:
/// the op rounds nothing. An op that has the trait and is not elementwise only moves elements.
def Ttc_SelectsElements : NativeOpTrait<"ttc::SelectsElements"> {
  let cppNamespace = "::mlir";
}

/// The op itself converts elements of f16 and bf16 where it reads and writes them, and computes in f32.
def Ttc_ConvertsItself : NativeOpTrait<"ttc::ConvertsItself"> {
  let cppNamespace = "::mlir";
}

/// The op adds, multiplies and divides, and takes roots: every NaN of a result is one of an operand's,
/// made quiet, or the one that the CPU makes, which has no payload.
def Ttc_PassesNan : NativeOpTrait<"ttc::PassesNan"> {
  let cppNamespace = "::mlir";
}

/// An op on tensors: no side effects, `ttc.name %operands {attributes} : function type`. Arrays are
/// written as `[1, 2]`, numbers without their type; attributes with their default value are omitted.
class Ttc_TensorOp<string mnemonic, list<Trait> traits = []>
    : Ttc_Op<mnemonic, !listconcat([Pure], traits)> {
  let assemblyFormat = "operands custom<TensorAttributes>(attr-dict) `:` functional-type(operands, results)";
}

/// The op infers its result types by `inferTypes`, once all operands are ranked tensors.
def Ttc_InferTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NativeOpTrait<"InferTypeOpAdaptor", /*traits=*/[], /*extraOpDeclaration=*/[{
    static ::llvm::LogicalResult
    inferTypes(const ::mlir::ttc::detail::InferenceScope &scope, Adaptor adaptor,
               ::llvm::SmallVectorImpl<::mlir::Type> &types);
  }], /*extraOpDefinition=*/[{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      const $cppClass::Adaptor adaptor(operands, attributes, properties, regions);
      return ::mlir::ttc::detail::inferFromTensors(
          context, location, getOperationName(), operands,
          [&](const ::mlir::ttc::detail::InferenceScope &scope) {
            return inferTypes(scope, adaptor, types);
          });
    }
  }]>
]>;

/// An op on tensors whose result types follow from operands and attributes.
class Ttc_InferredOp<string mnemonic, list<Trait> traits = []>
    : Ttc_TensorOp<mnemonic, !listconcat([Ttc_InferredResults, Ttc_InferTypes], traits)>;

#endif // TTC_TENSOROPBASE_TD
