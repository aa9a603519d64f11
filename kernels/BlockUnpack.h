// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed weights in blocks (BlockFormats.h) as vectors: the stored integers of 32 columns as bytes,
// their scales, and their products with bytes.
#ifndef TTC_KERNELS_BLOCKUNPACK_H
#define TTC_KERNELS_BLOCKUNPACK_H

#include "kernels/BlockParams.h"
#include "kernels/IntKernel.h"
#include "kernels/Narrow.h"

namespace ttc::kernels {

/// The vectors that the 16 rows of a group are.
inline constexpr int kHalves = kBlockRows / VL;

/// What is subtracted from the stored integers, so that products are formed with small numbers: a
/// byte that is rounded then matters less. An offset of a format, or the middle of its numbers,
/// which the minimum makes up for.
TTC_CONSTANT int64_t getCentre(int64_t format, int64_t dot) {
  if (format == kBlockQ8_0)
    return dot == kDotMadd ? 0 : 128;
  if (format == kBlockQ6_K)
    return 32;
  return hasFifthBits(format) ? 16 : 8;
}

/// Words of 16 rows, from the first row of a half on: word j has columns 4j to 4j+3. Unsigned, but
/// for q8_0 with kDotMadd.
template <int64_t FORMAT>
TTC_INLINE void unpackWords(const uint8_t *part, int64_t half, int64_t dot, vi (&words)[8]) {
  const uint8_t *from = part + getWordsAt(FORMAT) + half * VL * 4;
  auto wordsAt = [&](int64_t offset) __attribute__((always_inline)) {
    return (vw)loadWords(reinterpret_cast<const int8_t *>(from + offset));
  };
  if (FORMAT == kBlockQ8_0) {
    TTC_UNROLL
    for (int j = 0; j < 8; ++j) {
      vw word = wordsAt(j * 64);
      words[j] = (vi)(dot == kDotMadd ? word : word ^ 0x80808080u);
    }
    return;
  }
  TTC_UNROLL
  for (int i = 0; i < 4; ++i) {
    vw word = wordsAt(i * 64);
    words[i] = (vi)(word & 0x0f0f0f0fu);
    words[4 + i] = (vi)(word >> 4 & 0x0f0f0f0fu);
  }
  if (hasFifthBits(FORMAT)) {
    vw high = wordsAt(256);
    TTC_UNROLL
    for (int j = 0; j < 8; ++j) {
      vw bits = j < 4 ? high << (4 - j) : high >> (j - 4);
      words[j] |= (vi)(bits & 0x10101010u);
    }
  }
  if (FORMAT == kBlockQ6_K) {
    TTC_UNROLL
    for (int j = 0; j < 8; ++j) {
      vw high = wordsAt(256 + j / 4 * 64);
      vw bits = j % 4 < 2 ? high << (4 - j % 4 * 2) : high >> (j % 4 * 2 - 4);
      words[j] |= (vi)(bits & 0x30303030u);
    }
  }
}

/// An element is scale * (stored - centre) + minimum; the scale is that of columns 0 to 15, or 16
/// to 31.
struct PartScales {
  vf scale[2], minimum;
};

/// VL bytes as numbers.
template <typename T> TTC_INLINE vf loadNumbers(const uint8_t *from) {
  typedef T narrow __attribute__((ext_vector_type(VL), aligned(1), may_alias));
  return __builtin_convertvector(
      __builtin_convertvector(*reinterpret_cast<const narrow *>(from), vi), vf);
}

/// `centred`: the minimum makes up for the centre.
template <int64_t FORMAT>
TTC_INLINE PartScales loadScales(const uint8_t *block, const uint8_t *part, int64_t half,
                                 bool centred = true) {
  auto numbers = [&](int64_t index) __attribute__((always_inline)) {
    return load(reinterpret_cast<const f16 *>(block + index * 32 + half * VL * 2));
  };
  PartScales s;
  s.scale[0] = numbers(0);
  s.minimum = (vf)0.0f;
  if (FORMAT == kBlockQ6_K) {
    s.scale[1] = s.scale[0] * loadNumbers<int8_t>(part + 16 + half * VL);
    s.scale[0] = s.scale[0] * loadNumbers<int8_t>(part + half * VL);
    return s;
  }
  if (hasMinima(FORMAT)) {
    s.minimum = numbers(1);
    if (isSuperFormat(FORMAT)) {
      s.scale[0] = s.scale[0] * loadNumbers<uint8_t>(part + half * VL);
      s.minimum = -s.minimum * loadNumbers<uint8_t>(part + 16 + half * VL);
    }
    if (centred)
      s.minimum = s.minimum + s.scale[0] * (vf) static_cast<float>(getCentre(FORMAT, kDotPlain));
  }
  s.scale[1] = s.scale[0];
  return s;
}

/// Sums of products of unsigned with signed bytes, two of them in 16 bits.
TTC_INLINE vh multiplyBytes(vi a, vi b) {
#if VL == 16
  typedef char bytes __attribute__((vector_size(64)));
  return (vh)__builtin_ia32_pmaddubsw512((bytes)a, (bytes)b);
#else
  typedef char bytes __attribute__((vector_size(32)));
  return (vh)__builtin_ia32_pmaddubsw256((bytes)a, (bytes)b);
#endif
}

/// Sums of two numbers of 16 bits.
TTC_INLINE vi addPairs(vh pairs) {
#if VL == 16
  typedef short halves __attribute__((vector_size(64)));
  return (vi)__builtin_ia32_pmaddwd512((halves)pairs, (halves)(vh)1);
#else
  typedef short halves __attribute__((vector_size(32)));
  return (vi)__builtin_ia32_pmaddwd256((halves)pairs, (halves)(vh)1);
#endif
}

/// The bytes of b with the signs of those of a; any where a is 0.
TTC_INLINE vi withSigns(vi b, vi a) {
#if VL == 16
  typedef int8_t bytes __attribute__((ext_vector_type(4 * VL)));
  bytes numbers = __builtin_bit_cast(bytes, b);
  return __builtin_bit_cast(vi, __builtin_bit_cast(bytes, a) < (bytes)0 ? -numbers : numbers);
#else
  typedef char bytes __attribute__((vector_size(32)));
  return (vi)__builtin_ia32_psignb256((bytes)b, (bytes)a);
#endif
}

TTC_INLINE vi absoluteBytes(vi a) {
  typedef int8_t bytes __attribute__((ext_vector_type(4 * VL)));
  return __builtin_bit_cast(vi, __builtin_elementwise_abs(__builtin_bit_cast(bytes, a)));
}

/// Products that fit into 16 bits in pairs of two: 2 * 127 times the largest stored integer.
TTC_CONSTANT int getSafeProducts(int64_t format) {
  return format == kBlockQ8_0 ? 1 : format == kBlockQ6_K ? 2 : hasFifthBits(format) ? 4 : 8;
}

/// sum + the products of the words [FIRST, FIRST + COUNT) with bytes of -127 to 127, in i32.
template <int64_t FORMAT, int FIRST, int COUNT>
TTC_INLINE vi multiplyWords(int64_t dot, vi sum, const vi (&words)[8], const int8_t *bytes) {
  auto wordAt = [&](int j) __attribute__((always_inline)) {
    return (vi) * reinterpret_cast<const word_u *>(bytes + 4 * j);
  };
  if (dot != kDotMadd) {
    TTC_UNROLL
    for (int j = FIRST; j < FIRST + COUNT; ++j)
      sum = dot4(dot, sum, words[j], wordAt(j));
    return sum;
  }
  constexpr int safe = getSafeProducts(FORMAT) < COUNT ? getSafeProducts(FORMAT) : COUNT;
  TTC_UNROLL
  for (int j = FIRST; j < FIRST + COUNT; j += safe) {
    if (FORMAT == kBlockQ8_0) {
      sum += addPairs(multiplyBytes(absoluteBytes(words[j]), withSigns(wordAt(j), words[j])));
      continue;
    }
    vh pairs = multiplyBytes(words[j], wordAt(j));
    TTC_UNROLL
    for (int i = 1; i < safe; ++i)
      pairs += multiplyBytes(words[j + i], wordAt(j + i));
    sum += addPairs(pairs);
  }
  return sum;
}

/// 32 activations as one or three digits: their sum is scale * (first digits) + ... The products of
/// the centre with the digits are subtracted from the start.
struct PartDigit {
  float scale;
  // The sum of the activations themselves; in the first digit only.
  float sum;
  // -centre times the sum of the digits: of all 32, or for q6_k of each 16.
  int32_t start[2];
};
static_assert(sizeof(PartDigit) == 16);

/// sum + the products of 32 columns with the activations, which have `digits` times 32 bytes.
template <int64_t FORMAT>
TTC_INLINE vf multiplyPart(vf sum, const vi (&words)[8], const PartScales &s, int64_t dot,
                           int64_t digits, const int8_t *bytes, const PartDigit *digit) {
  vf value[2];
  TTC_UNROLL
  for (int d = 0; d < 3; ++d) {
    if (d >= digits)
      break;
    vf scale = (vf)digit[d].scale;
    vi start = (vi)digit[d].start[0];
    if (FORMAT == kBlockQ6_K) {
      vi low = multiplyWords<FORMAT, 0, 4>(dot, start, words, bytes + d * kBlockColumns);
      vi high =
          multiplyWords<FORMAT, 4, 4>(dot, (vi)digit[d].start[1], words, bytes + d * kBlockColumns);
      value[0] = d == 0 ? __builtin_convertvector(low, vf) * scale
                        : __builtin_convertvector(low, vf) * scale + value[0];
      value[1] = d == 0 ? __builtin_convertvector(high, vf) * scale
                        : __builtin_convertvector(high, vf) * scale + value[1];
      continue;
    }
    vi product = multiplyWords<FORMAT, 0, 8>(dot, start, words, bytes + d * kBlockColumns);
    value[0] = d == 0 ? __builtin_convertvector(product, vf) * scale
                      : __builtin_convertvector(product, vf) * scale + value[0];
  }
  sum = value[0] * s.scale[0] + sum;
  if (FORMAT == kBlockQ6_K)
    sum = value[1] * s.scale[1] + sum;
  if (hasMinima(FORMAT))
    sum = s.minimum * (vf)digit[0].sum + sum;
  return sum;
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKUNPACK_H
