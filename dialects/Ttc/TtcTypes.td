// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TYPES_TD
#define TTC_TYPES_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/AttrTypeBase.td"

/// No sum or product of a few sizes overflows: at most 64 dimensions and 2^40 elements, which is more
/// than the memory of any target (--ttc-set-target compares with the target's). Dimensions of size 0
/// count as 1, because some products leave them out.
def Ttc_BoundedSizes : CPred<[{
  [](::llvm::ArrayRef<int64_t> shape) {
    int64_t elements = 1;
    return shape.size() <= 64 && ::llvm::all_of(shape, [&](int64_t size) {
      constexpr int64_t most = int64_t(1) << 40;
      bool fits = size <= most / elements;
      elements *= fits && size > 0 ? size : 1;
      return fits;
    });
  }(::llvm::cast<::mlir::ShapedType>($_self).getShape())
}]>;

/// A ranked tensor with a static shape and an element type that ttc supports.
class Ttc_TensorOf<list<Type> types, string what>
    : ConfinedType<StaticShapeTensorOf<types>, [Ttc_BoundedSizes],
                   "tensor of static shape and at most 2^40 elements of " # what>;
def Ttc_Tensor
    : Ttc_TensorOf<[F32, F64, F16, BF16, I8, I16, I32, I64, UI8, UI16, UI32, UI64, I1],
                   "f32, f64, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1">;
def Ttc_FloatTensor : Ttc_TensorOf<[F32, F64, F16, BF16], "floats (f32, f64, f16, bf16)">;

/// What weights and activations are stored in and never computed in. Each element takes a byte;
/// --ttc-legalize-types makes bytes of them.
defvar Ttc_NarrowFloats = [F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F4E2M1FN];
/// What is moved and converted: also elements that no op computes with.
def Ttc_StoredTensor
    : Ttc_TensorOf<!listconcat([F32, F64, F16, BF16, I8, I16, I32, I64, UI8, UI16, UI32, UI64, I1,
                                I<2>, UI<2>, I<4>, UI<4>], Ttc_NarrowFloats),
                   "f64, f32, f16, bf16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, "
                   "f4E2M1FN, i1, or integers (i, ui) of 2, 4, 8, 16, 32 or 64 bits">;

class Ttc_Type<string name, string typeMnemonic> : TypeDef<Ttc_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Ttc_EventType : Ttc_Type<"Event", "event"> {
  let summary = "An event: recorded on one queue, waited for on another";
}

#endif // TTC_TYPES_TD
