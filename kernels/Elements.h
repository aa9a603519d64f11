// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of any type, for kernels that are not about f32 alone. Constant evaluation compiles
// it, too.
#ifndef TTC_KERNELS_ELEMENTS_H
#define TTC_KERNELS_ELEMENTS_H

#include "kernels/Common.h"

namespace ttc::kernels {

/// 16-bit floats, as bits.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

/// The type that an element is computed in.
template <typename T> struct Wide {
  using Type = T;
};
template <> struct Wide<F16> {
  using Type = float;
};
template <> struct Wide<BF16> {
  using Type = float;
};
template <typename T> using WideOf = typename Wide<T>::Type;

template <typename T> constexpr bool kIsFloat = false;
template <> constexpr bool kIsFloat<float> = true;
template <> constexpr bool kIsFloat<double> = true;
template <> constexpr bool kIsFloat<F16> = true;
template <> constexpr bool kIsFloat<BF16> = true;

template <typename T> TTC_INLINE WideOf<T> widen(T value) { return value; }
template <> inline __attribute__((always_inline)) float widen(F16 value) {
  uint32_t bits = value.bits, sign = (bits & 0x8000) << 16, exponent = (bits >> 10) & 31;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    float small = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -small : small;
  }
  uint32_t wide = exponent == 31 ? 0x7f800000 : (exponent + 112) << 23;
  return __builtin_bit_cast(float, sign | wide | (mantissa << 13));
}
template <> inline __attribute__((always_inline)) float widen(BF16 value) {
  return __builtin_bit_cast(float, uint32_t(value.bits) << 16);
}

template <typename T> TTC_INLINE T narrow(WideOf<T> value) { return value; }
template <> inline __attribute__((always_inline)) F16 narrow<F16>(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value), sign = (bits >> 16) & 0x8000;
  uint32_t size = bits & 0x7fffffff, half;
  if (size > 0x7f800000) {
    half = 0x7e00;
  } else if (size >= 0x477ff000) {
    half = 0x7c00; // 65520 and more round to infinity
  } else if (size < 0x38800000) {
    // Subnormal: adding 0.5 puts the last bit of the half at the last bit of the sum.
    float sum = __builtin_bit_cast(float, size) + 0.5f;
    half = __builtin_bit_cast(uint32_t, sum) - 0x3f000000;
  } else {
    half = (size + 0xfff + ((size >> 13) & 1) - 0x38000000) >> 13;
  }
  return {static_cast<uint16_t>(sign | half)};
}
template <> inline __attribute__((always_inline)) BF16 narrow<BF16>(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value);
  uint32_t half = (bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16) | 0x40
                                                   : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {static_cast<uint16_t>(half)};
}

/// Integers wrap around.
template <typename W> TTC_INLINE W addOf(W a, W b) {
  if constexpr (kIsFloat<W>)
    return a + b;
  else
    return static_cast<W>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename W> TTC_INLINE W mulOf(W a, W b) {
  if constexpr (kIsFloat<W>)
    return a * b;
  else
    return static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
/// NaN wins.
template <typename W> TTC_INLINE W maxOf(W a, W b) { return b > a || b != b ? b : a; }
template <typename W> TTC_INLINE W minOf(W a, W b) { return b < a || b != b ? b : a; }

template <typename T> struct ElementTag {
  using Type = T;
};

/// Calls `run` with the tag of an ElementKind. The kind is a constant where a kernel is
/// specialised, and one case remains.
template <typename Run> TTC_INLINE void withElement(int64_t kind, Run run) {
  switch (kind) {
  case kF32:
    return run(ElementTag<float>());
  case kF64:
    return run(ElementTag<double>());
  case kF16:
    return run(ElementTag<F16>());
  case kBF16:
    return run(ElementTag<BF16>());
  case kI8:
    return run(ElementTag<int8_t>());
  case kI16:
    return run(ElementTag<int16_t>());
  case kI32:
    return run(ElementTag<int32_t>());
  case kI64:
    return run(ElementTag<int64_t>());
  case kU8:
    return run(ElementTag<uint8_t>());
  case kU16:
    return run(ElementTag<uint16_t>());
  case kU32:
    return run(ElementTag<uint32_t>());
  case kU64:
    return run(ElementTag<uint64_t>());
  }
}

/// What is passed to withElement().
#define TTC_RUN(tag) [&](auto tag) __attribute__((always_inline))

} // namespace ttc::kernels

#endif // TTC_KERNELS_ELEMENTS_H
