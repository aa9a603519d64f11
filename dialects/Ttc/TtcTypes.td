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

/// A ranked tensor with a static shape and an element type that ttc knows.
class Ttc_TensorOf<list<Type> types, string what>
    : ConfinedType<StaticShapeTensorOf<types>, [Ttc_BoundedSizes],
                   "tensor of static shape and at most 2^40 elements of " # what>;
def Ttc_Tensor : Ttc_TensorOf<[F32, F16, BF16, I8, I16, I32, I64, UI8, I1],
                              "f32, f16, bf16, i8, i16, i32, i64, ui8 or i1">;
def Ttc_FloatTensor : Ttc_TensorOf<[F32, F16, BF16], "floats (f32, f16, bf16)">;

class Ttc_Type<string name, string typeMnemonic> : TypeDef<Ttc_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Ttc_EventType : Ttc_Type<"Event", "event"> {
  let summary = "An event: recorded on one queue, waited for on another";
}

#endif // TTC_TYPES_TD
