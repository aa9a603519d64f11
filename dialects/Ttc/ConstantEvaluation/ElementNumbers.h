// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in the registers of an ElementProgram: 16-bit floats as float, rounded after each
// instruction to a value of their type; integers of any width as int64_t.
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_ELEMENTNUMBERS_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_ELEMENTNUMBERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <bit>
#include <cmath>
#include <cstdint>

namespace mlir::ttc {

template <typename T> T *as(char *reg) { return reinterpret_cast<T *>(reg); }

inline float fromBF16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

inline uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return (bits >> 16) | 0x40;
  // Round to nearest, halves to even.
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

inline float fromF16(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31,
           mantissa = half & 0x3ff;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    float value = std::ldexp(float(mantissa), -24);
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline uint16_t toF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520.0f)
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f)
    // Subnormal: a multiple of 2^-24, rounded by the addition.
    return sign | uint16_t(std::bit_cast<uint32_t>(magnitude + 0.5f) - 0x3f000000);
  bits &= 0x7fffffff;
  bits += 0xfff + ((bits >> 13) & 1);
  return sign | uint16_t((bits - (112u << 23)) >> 13);
}

/// Rounds a register of floats to what the type can hold; other registers hold it exactly.
template <typename T> void roundTo(Type, T *, size_t) {}
inline void roundTo(Type type, float *values, size_t count) {
  if (type.isBF16())
    for (size_t i = 0; i < count; ++i)
      values[i] = fromBF16(toBF16(values[i]));
  else if (type.isF16())
    for (size_t i = 0; i < count; ++i)
      values[i] = fromF16(toF16(values[i]));
}

inline int64_t wrap(int64_t value, unsigned width) {
  return width == 1 ? value & 1 : llvm::SignExtend64(uint64_t(value), width);
}
inline uint64_t zeroExtend(int64_t value, unsigned width) {
  return width >= 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}
/// A bool counts as 0 or 1 in a register, but as 0 or -1 where its sign counts.
inline int64_t signExtend(int64_t value, unsigned width) { return width == 1 ? -value : value; }

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_ELEMENTNUMBERS_H
