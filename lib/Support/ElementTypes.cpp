// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/ElementTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ttc;
using ttrt::fb::DType;

std::optional<DType> mlir::ttc::toDType(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF64())
    return DType::F64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return integer.isUnsigned() ? DType::U8 : DType::I8;
  case 16:
    return integer.isUnsigned() ? DType::U16 : DType::I16;
  case 32:
    return integer.isUnsigned() ? DType::U32 : DType::I32;
  case 64:
    return integer.isUnsigned() ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

Type mlir::ttc::fromDType(DType type, MLIRContext *context) {
  Builder builder(context);
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DType::F32:
    return builder.getF32Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::F64:
    return builder.getF64Type();
  case DType::I8:
    return builder.getIntegerType(8);
  case DType::I16:
    return builder.getIntegerType(16);
  case DType::I32:
    return builder.getIntegerType(32);
  case DType::I64:
    return builder.getIntegerType(64);
  case DType::U8:
    return unsignedType(8);
  case DType::U16:
    return unsignedType(16);
  case DType::U32:
    return unsignedType(32);
  case DType::U64:
    return unsignedType(64);
  case DType::Bool:
    return builder.getI1Type();
  }
  return {};
}
