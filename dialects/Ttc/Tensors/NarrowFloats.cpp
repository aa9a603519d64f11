// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between f32 and narrower floats, by arithmetic on their bits.
#include "dialects/Ttc/Tensors/NarrowFloats.h"
#include "dialects/Ttc/Tensors/ElementEmitter.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using P = arith::CmpIPredicate;

bool mlir::ttc::isNarrowFloat(Type elementType) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType,
             Float8E8M0FNUType, Float4E2M1FNType>(elementType);
}

bool mlir::ttc::isNarrowInteger(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer && integer.getWidth() > 1 && integer.getWidth() < 8;
}

Type mlir::ttc::getStorageType(Type elementType) {
  auto byte = [&](IntegerType::SignednessSemantics signedness) {
    return IntegerType::get(elementType.getContext(), 8, signedness);
  };
  if (isNarrowFloat(elementType))
    return byte(IntegerType::Unsigned);
  if (isNarrowInteger(elementType))
    return byte(cast<IntegerType>(elementType).getSignedness());
  return elementType;
}

namespace {

/// How a float with a sign, an exponent and a mantissa is stored.
struct Layout {
  int64_t bias, mantissa;
  int64_t signBit;  // its place
  int64_t largest;  // the bits of the largest finite number
  int64_t overflow; // of what a larger one becomes that does not saturate
  int64_t nan;
  bool unsignedZero; // zero and NaN have no sign: its bit alone means NaN
};

Layout getLayout(FloatType format) {
  return llvm::TypeSwitch<FloatType, Layout>(format)
      .Case([](Float8E4M3FNType) { return Layout{7, 3, 7, 0x7e, 0x7f, 0x7f, false}; })
      .Case([](Float8E4M3FNUZType) { return Layout{8, 3, 7, 0x7f, 0x80, 0x80, true}; })
      .Case([](Float8E5M2Type) { return Layout{15, 2, 7, 0x7b, 0x7c, 0x7e, false}; })
      .Case([](Float8E5M2FNUZType) { return Layout{16, 2, 7, 0x7f, 0x80, 0x80, true}; })
      .Case([](Float4E2M1FNType) { return Layout{1, 1, 3, 7, 7, 0, false}; })
      .DefaultUnreachable("a float that is not narrow");
}

/// Integer arithmetic on 32 bits, or on vectors of them.
struct Bits {
  OpBuilder &b;
  Location loc;
  Type like;

  Type shaped(Type element) const {
    auto shape = dyn_cast<ShapedType>(like);
    return shape ? Type(shape.clone(element)) : element;
  }
  Value operator()(int64_t value) const {
    auto attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto shape = dyn_cast<ShapedType>(shaped(b.getI32Type())))
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(shape, Attribute(attr)));
    return arith::ConstantOp::create(b, loc, attr);
  }
  template <typename Op> Value op(Value x, Value y) const { return Op::create(b, loc, x, y); }
  Value add(Value x, Value y) const { return op<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) const { return op<arith::SubIOp>(x, y); }
  Value both(Value x, Value y) const { return op<arith::AndIOp>(x, y); }
  Value either(Value x, Value y) const { return op<arith::OrIOp>(x, y); }
  Value left(Value x, int64_t bits) const { return op<arith::ShLIOp>(x, (*this)(bits)); }
  Value right(Value x, int64_t bits) const { return op<arith::ShRUIOp>(x, (*this)(bits)); }
  Value is(P predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value toFloat(Value x) const {
    return arith::BitcastOp::create(b, loc, shaped(b.getF32Type()), x);
  }
  Value ofFloat(Value x) const {
    return arith::BitcastOp::create(b, loc, shaped(b.getI32Type()), x);
  }
  Value ofByte(Value x) const { return arith::ExtUIOp::create(b, loc, shaped(b.getI32Type()), x); }
  Value toByte(Value x) const { return arith::TruncIOp::create(b, loc, shaped(b.getI8Type()), x); }
};

/// A power of two: an exponent without sign and mantissa. As f32, the smallest is subnormal.
Value decodePower(const Bits &a, Value code) {
  Value bits = a.select(a.is(P::eq, code, a(0)), a(0x400000), a.left(code, 23));
  return a.toFloat(a.select(a.is(P::eq, code, a(255)), a(0x7fc00000), bits));
}

Value encodePower(const Bits &a, Value number, bool saturate, PowerRounding rounding) {
  Value magnitude = a.both(a.ofFloat(number), a(0x7fffffff));
  // What is added before the mantissa is cut off, and the least subnormal that becomes 2^-126.
  const int64_t added = rounding == PowerRounding::Up     ? 0x7fffff
                        : rounding == PowerRounding::Down ? 0
                                                          : 0x400000;
  const int64_t first = rounding == PowerRounding::Up     ? 0x400001
                        : rounding == PowerRounding::Down ? 0x800000
                                                          : 0x600000;
  Value normal = a.right(a.add(magnitude, a(added)), 23);
  Value subnormal = a.select(a.is(P::uge, magnitude, a(first)), a(1), a(0));
  Value code = a.select(a.is(P::ult, magnitude, a(0x800000)), subnormal, normal);
  code = a.select(a.is(P::ugt, code, a(254)), a(saturate ? 254 : 255), code);
  if (!saturate)
    code = a.select(a.is(P::ult, magnitude, a(0x400000)), a(255), code);
  return a.select(a.is(P::ugt, magnitude, a(0x7f800000)), a(255), code);
}

} // namespace

Value mlir::ttc::emitDecodeFloat(OpBuilder &builder, Location loc, Value byte, FloatType format) {
  Bits a{builder, loc, byte.getType()};
  Value code = a.ofByte(byte);
  if (isa<Float8E8M0FNUType>(format))
    return decodePower(a, code);
  const Layout layout = getLayout(format);
  const int64_t signMask = int64_t(1) << layout.signBit;
  Value size = a.both(code, a(signMask - 1));
  // The exponent is rebased by a product, which also normalises subnormals.
  Value scaled = arith::MulFOp::create(builder, loc, a.toFloat(a.left(size, 23 - layout.mantissa)),
                                       a.toFloat(a((254 - layout.bias) << 23)));
  Value bits = a.ofFloat(scaled);
  if (isa<Float8E5M2Type>(format))
    bits = a.select(a.is(P::uge, size, a(0x7c)), a.either(bits, a(0x7f800000)), bits);
  else if (isa<Float8E4M3FNType>(format))
    bits = a.select(a.is(P::eq, size, a(layout.nan)), a(0x7fc00000), bits);
  bits = a.either(bits, a.left(a.both(code, a(signMask)), 31 - layout.signBit));
  if (layout.unsignedZero)
    bits = a.select(a.is(P::eq, code, a(layout.nan)), a(0x7fc00000), bits);
  return a.toFloat(bits);
}

Value mlir::ttc::emitEncodeFloat(OpBuilder &builder, Location loc, Value number, FloatType format,
                                 bool saturate, PowerRounding rounding) {
  Bits a{builder, loc, number.getType()};
  if (isa<Float8E8M0FNUType>(format))
    return a.toByte(encodePower(a, number, saturate, rounding));
  const Layout layout = getLayout(format);
  const int64_t cut = 23 - layout.mantissa;
  Value bits = a.ofFloat(number);
  Value magnitude = a.both(bits, a(0x7fffffff));
  Value sign = a.both(a.right(bits, 31 - layout.signBit), a(int64_t(1) << layout.signBit));
  // Subnormal: an addition puts the last place of the result at that of the sum, and rounds.
  const int64_t align = (127 - layout.bias + cut + 1) << 23;
  Value sum = arith::AddFOp::create(builder, loc, a.toFloat(magnitude), a.toFloat(a(align)));
  Value subnormal = a.sub(a.ofFloat(sum), a(align));
  // Normal: rebase the exponent, add half of the last place, less one where it is even.
  Value odd = a.both(a.right(magnitude, cut), a(1));
  Value normal = a.add(magnitude, a((layout.bias - 127) * (1 << 23) + (1 << (cut - 1)) - 1));
  normal = a.right(a.add(normal, odd), cut);
  Value isSmall = a.is(P::ult, magnitude, a((128 - layout.bias) << 23));
  Value code = a.select(isSmall, subnormal, normal);
  Value isLarge = a.is(P::ugt, code, a(layout.largest));
  Value isNaN = a.is(P::ugt, magnitude, a(0x7f800000));
  if (layout.unsignedZero) {
    code = a.select(isLarge, a(layout.largest), code);
    code = a.select(a.is(P::eq, code, a(0)), code, a.either(code, sign));
    if (!saturate)
      code = a.select(isLarge, a(layout.overflow), code);
    return a.toByte(a.select(isNaN, a(layout.nan), code));
  }
  code = a.select(isLarge, a(saturate ? layout.largest : layout.overflow), code);
  code = a.either(a.select(isNaN, a(layout.nan), code), sign);
  if (isa<Float4E2M1FNType>(format)) // without NaN: a zero of the other sign
    code = a.select(isNaN, a.op<arith::XOrIOp>(sign, a(int64_t(1) << layout.signBit)), code);
  return a.toByte(code);
}

Value mlir::ttc::emitWrapInteger(OpBuilder &builder, Location loc, Value byte, unsigned width,
                                 bool isUnsigned) {
  detail::Emitter e{builder, loc};
  if (isUnsigned)
    return e.op<arith::AndIOp>(byte, e.number(byte, (1 << width) - 1));
  Value bits = e.number(byte, 8 - width);
  return e.op<arith::ShRSIOp>(e.op<arith::ShLIOp>(byte, bits), bits);
}
