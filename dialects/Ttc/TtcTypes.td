// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TYPES_TD
#define TTC_TYPES_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/AttrTypeBase.td"

/// A ranked tensor with a static shape and an element type that ttc knows.
class Ttc_TensorOf<list<Type> types, string what> : StaticShapeTensorOf<types> {
  let summary = "tensor of static shape of " # what;
}
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
