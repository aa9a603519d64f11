// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are stored and converted, but not computed with: floats of 4 and 8 bits, integers
// of 2 and 4 bits. Each takes one byte.
#ifndef TTC_DIALECTS_TTC_TENSORS_NARROWFLOATS_H
#define TTC_DIALECTS_TTC_TENSORS_NARROWFLOATS_H

#include "dialects/Ttc/TtcAttributes.h"

namespace mlir::ttc {

bool isNarrowFloat(Type elementType);
/// Integers of 2 to 7 bits.
bool isNarrowInteger(Type elementType);
inline bool isNarrow(Type elementType) {
  return isNarrowFloat(elementType) || isNarrowInteger(elementType);
}

/// The type of the byte that stores an element: ui8 for floats and unsigned integers, i8 for signed
/// integers (extended to eight bits); any other type is its own.
Type getStorageType(Type elementType);

/// The f32 that a byte (a signless integer of 8 bits, or a vector of them) stands for.
Value emitDecodeFloat(OpBuilder &builder, Location loc, Value byte, FloatType format);
/// The byte that stands for a rounded f32; see ttc.cast.
Value emitEncodeFloat(OpBuilder &builder, Location loc, Value number, FloatType format,
                      bool saturate, PowerRounding rounding);
/// The low bits of a byte, extended to eight bits.
Value emitWrapInteger(OpBuilder &builder, Location loc, Value byte, unsigned width,
                      bool isUnsigned);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TENSORS_NARROWFLOATS_H
