// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few library functions that LLVM may call for a program: the shared object has no undefined
// symbol, needs no libc, and gives the same bits on every host. Whatever is not called is dropped.
// Each loop is kept from being recognised as the function that it implements.
#include <stddef.h>
#include <stdint.h>

#define TTC_LIBC extern "C" __attribute__((no_builtin, noinline))

TTC_LIBC void *memcpy(void *to, const void *from, size_t bytes) {
  auto *d = static_cast<uint8_t *>(to);
  const auto *s = static_cast<const uint8_t *>(from);
  for (size_t i = 0; i < bytes; ++i)
    d[i] = s[i];
  return to;
}

TTC_LIBC void *memmove(void *to, const void *from, size_t bytes) {
  auto *d = static_cast<uint8_t *>(to);
  const auto *s = static_cast<const uint8_t *>(from);
  if (d < s) {
    for (size_t i = 0; i < bytes; ++i)
      d[i] = s[i];
  } else {
    for (size_t i = bytes; i > 0; --i)
      d[i - 1] = s[i - 1];
  }
  return to;
}

TTC_LIBC void *memset(void *to, int value, size_t bytes) {
  auto *d = static_cast<uint8_t *>(to);
  for (size_t i = 0; i < bytes; ++i)
    d[i] = static_cast<uint8_t>(value);
  return to;
}

TTC_LIBC int memcmp(const void *a, const void *b, size_t bytes) {
  const auto *x = static_cast<const uint8_t *>(a);
  const auto *y = static_cast<const uint8_t *>(b);
  for (size_t i = 0; i < bytes; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

namespace {

uint32_t bitsOf(float value) { return __builtin_bit_cast(uint32_t, value); }
float floatOf(uint32_t bits) { return __builtin_bit_cast(float, bits); }
uint64_t bitsOf(double value) { return __builtin_bit_cast(uint64_t, value); }
double floatOf(uint64_t bits) { return __builtin_bit_cast(double, bits); }

/// The exact remainder by long division of the significands, as IEEE 754 asks.
template <typename Float, typename Bits, int kMantissa> Float remainder(Float x, Float y) {
  constexpr Bits kOne = Bits(1) << kMantissa, kSign = Bits(1) << (sizeof(Bits) * 8 - 1);
  constexpr int kMaxExponent = static_cast<int>((~kSign >> kMantissa));
  Bits a = bitsOf(x), b = bitsOf(y), sign = a & kSign;
  a &= ~kSign;
  b &= ~kSign;
  int ea = static_cast<int>(a >> kMantissa), eb = static_cast<int>(b >> kMantissa);
  if (b == 0 || ea == kMaxExponent || (eb == kMaxExponent && (b & (kOne - 1)) != 0))
    return (x * y) / (x * y);
  if (a < b)
    return x;
  // Subnormals have no hidden bit and the exponent of the smallest normal number. Shifted up, no
  // significand is twice the other, so that one subtraction a step is enough.
  auto split = [](Bits bits, int &exponent) {
    Bits significand = exponent ? (bits & (kOne - 1)) | kOne : bits;
    for (exponent += exponent == 0; significand < kOne; --exponent)
      significand <<= 1;
    return significand;
  };
  Bits ma = split(a, ea), mb = split(b, eb);
  for (; ea > eb; --ea) {
    if (ma >= mb)
      ma -= mb;
    ma <<= 1;
  }
  if (ma >= mb)
    ma -= mb;
  if (ma == 0)
    return floatOf(sign);
  for (; ma < kOne; --ea)
    ma <<= 1;
  Bits result = ea > 0 ? (ma - kOne) | (Bits(ea) << kMantissa) : ma >> (1 - ea);
  return floatOf(static_cast<Bits>(result | sign));
}

/// Values from 2^23 (2^52) on are whole; below, adding and subtracting that rounds to even.
template <typename Float> Float roundEven(Float x, Float whole) {
  Float size = x < 0 ? -x : x;
  if (!(size < whole))
    return x;
  // The barriers keep (size + whole) - whole from being folded away.
  Float sum = size + whole;
  __asm__ volatile("" : "+m"(sum));
  Float rounded = sum - whole;
  return __builtin_copysign(rounded, x);
}

} // namespace

TTC_LIBC float fmodf(float x, float y) { return remainder<float, uint32_t, 23>(x, y); }
TTC_LIBC double fmod(double x, double y) { return remainder<double, uint64_t, 52>(x, y); }

TTC_LIBC float rintf(float x) { return roundEven<float>(x, 8388608.0f); }
TTC_LIBC float nearbyintf(float x) { return roundEven<float>(x, 8388608.0f); }
TTC_LIBC float roundevenf(float x) { return roundEven<float>(x, 8388608.0f); }

TTC_LIBC float truncf(float x) {
  float size = x < 0 ? -x : x;
  if (!(size < 8388608.0f))
    return x;
  return __builtin_copysignf(static_cast<float>(static_cast<int32_t>(size)), x);
}
TTC_LIBC float floorf(float x) {
  float whole = truncf(x);
  return whole > x ? whole - 1.0f : whole;
}
TTC_LIBC float ceilf(float x) {
  float whole = truncf(x);
  return whole < x ? __builtin_copysignf(whole + 1.0f, x) : whole;
}
TTC_LIBC float roundf(float x) {
  float whole = truncf(x);
  float rest = x - whole;
  return rest >= 0.5f ? whole + 1.0f : rest <= -0.5f ? whole - 1.0f : whole;
}

// Without FMA: the product is exact in double, one more rounding than fmaf's own.
TTC_LIBC float fmaf(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * b + c);
}

// Halves on CPUs without F16C.
TTC_LIBC float __extendhfsf2(_Float16 half) {
  uint32_t bits = __builtin_bit_cast(uint16_t, half);
  uint32_t sign = (bits & 0x8000) << 16, exponent = (bits >> 10) & 31, mantissa = bits & 0x3ff;
  if (exponent == 31)
    return floatOf(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0)
    return floatOf(sign | bitsOf(static_cast<float>(mantissa) * 0x1p-24f));
  return floatOf(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

TTC_LIBC _Float16 __truncsfhf2(float value) {
  uint32_t bits = bitsOf(value), sign = (bits >> 16) & 0x8000, size = bits & 0x7fffffff;
  uint32_t half;
  if (size > 0x7f800000) {
    half = 0x7e00;
  } else if (size >= 0x47800000) {
    half = 0x7c00;
  } else if (size < 0x38800000) {
    // Subnormal: adding 0.5 puts the last bit of the half at the last bit of the sum.
    float sum = floatOf(size) + 0.5f;
    half = bitsOf(sum) - bitsOf(0.5f);
  } else {
    uint32_t rounded = size + 0xfff + ((size >> 13) & 1);
    half = (rounded - 0x38000000) >> 13;
  }
  return __builtin_bit_cast(_Float16, static_cast<uint16_t>(sign | half));
}

TTC_LIBC __bf16 __truncsfbf2(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t rounded = (bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16) | 0x40
                                                      : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return __builtin_bit_cast(__bf16, static_cast<uint16_t>(rounded));
}
