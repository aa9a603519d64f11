// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What conversions of elements narrower than a byte's number types become: arithmetic on the bytes
// that store them.
#ifndef TTC_NARROWTYPEOPS_TD
#define TTC_NARROWTYPEOPS_TD

include "dialects/Ttc/Tensors/ElementwiseOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

def Ttc_NarrowFloatAttr : TypeAttrOf<AnyTypeOf<Ttc_NarrowFloats,
    "f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU or f4E2M1FN">>;
def Ttc_BytesTensor : Ttc_TensorOf<[UI8], "bytes (ui8)">;

def Ttc_DecodeFloatOp : Ttc_ElementwiseOp<"decode_float"> {
  let operations = "0";
  let summary = "the numbers that bytes stand for";
  let description = [{
    Reads every byte as a float of the type `format`; of f4E2M1FN, the low four bits. Exact.

    ```mlir
    %y = ttc.decode_float %x {format = f8E4M3FN} : (tensor<2x8xui8>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Ttc_BytesTensor:$x, Ttc_NarrowFloatAttr:$format);
  let results = (outs Ttc_F32Tensor:$y);
  let infer = [{
    auto type = tensorType(adaptor.getX());
    types.push_back(type.clone(::mlir::Float32Type::get(type.getContext())));
    return ::mlir::success();
  }];
}

def Ttc_EncodeFloatOp : Ttc_ElementwiseOp<"encode_float"> {
  let operations = "0";
  let summary = "bytes that stand for numbers";
  let description = [{
    Writes every number as a float of the type `format`, rounded as `ttc.cast` does.

    ```mlir
    %y = ttc.encode_float %x {format = f8E4M3FN} : (tensor<2x8xf32>) -> tensor<2x8xui8>
    %z = ttc.encode_float %x rounding down {format = f8E8M0FNU, saturate = false}
       : (tensor<2x8xf32>) -> tensor<2x8xui8>
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$x, Ttc_NarrowFloatAttr:$format,
      DefaultValuedAttr<BoolAttr, "true">:$saturate,
      DefaultValuedAttr<Ttc_PowerRoundingAttr, "PowerRounding::Up">:$rounding);
  let results = (outs Ttc_BytesTensor:$y);
  let assemblyFormat = [{
    operands (`rounding` $rounding^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let infer = [{
    auto type = tensorType(adaptor.getX());
    types.push_back(
        type.clone(::mlir::IntegerType::get(type.getContext(), 8, ::mlir::IntegerType::Unsigned)));
    return ::mlir::success();
  }];
}

def Ttc_WrapIntegerOp : Ttc_UnaryOp<"wrap_integer", Ttc_TensorOf<[I8, UI8], "i8 or ui8">,
                                    "the low `width` bits of x", " {width = 4}", "i8"> {
  let operations = "0";
  let description = [{
    The low `width` bits of every element, as a number of that width: signed for i8, unsigned for
    ui8.

    Constraints:
    - (C1) `width` is from 1 to 7.

    ```mlir
    %y = ttc.wrap_integer %x {width = 4} : (tensor<2x8xi8>) -> tensor<2x8xi8>
    ```
  }];
  let arguments = (ins Ttc_TensorOf<[I8, UI8], "i8 or ui8">:$x, Ttc_I64Attr:$width);
  let hasVerifier = 1;
}

#endif // TTC_NARROWTYPEOPS_TD
