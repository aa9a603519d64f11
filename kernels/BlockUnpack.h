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

/// Whether the stored integers are signed bytes. By kDotMadd they are multiplied as such; by all
/// others as unsigned ones, 128 above.
TTC_CONSTANT bool hasSignedBytes(int64_t format) {
  return format == kBlockQ8_0 || format == kBlockIQ4_NL || format == kBlockIQ4_XS;
}

/// What is subtracted from the stored integers, so that products are formed with small numbers: a
/// byte that is rounded then matters less. An offset of a format, or the middle of its numbers,
/// which the minimum makes up for.
TTC_CONSTANT int64_t getCentre(int64_t format, int64_t dot) {
  if (hasSignedBytes(format))
    return dot == kDotMadd ? 0 : 128;
  switch (format) {
  case kBlockQ6_K:
    return 32;
  case kBlockQ2_K:
    return 2;
  case kBlockQ3_K:
    return 4;
  case kBlockMXFP4:
    return 12;
  case kBlockTQ2_0:
    return 1;
  }
  return hasFifthBits(format) ? 16 : 8;
}

/// The numbers that four bits choose, as unsigned bytes.
struct BlockTable {
  uint8_t numbers[16];
};

/// With the format's centre for kDotPlain. Those of mxfp4 are twice the elements of e2m1.
TTC_CONSTANT BlockTable getBlockTable(int64_t format) {
  constexpr int8_t nonLinear[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                  1,    13,   25,  38,  53,  69,  89,  113};
  constexpr int8_t floats[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  BlockTable table{};
  for (int i = 0; i < 16; ++i)
    table.numbers[i] = format == kBlockMXFP4 ? 12 + floats[i] : 128 + nonLinear[i];
  return table;
}

/// The numbers that the bytes of a vector, 0 to 15, choose; 128 less, if they are signed, with
/// kDotMadd.
template <int64_t FORMAT> TTC_INLINE vi lookUp(vi indices, int64_t dot) {
  constexpr BlockTable table = getBlockTable(FORMAT);
  auto numberAt = [&](int i) __attribute__((always_inline)) {
    return static_cast<uint8_t>(table.numbers[i] - getCentre(FORMAT, kDotPlain) +
                                getCentre(FORMAT, dot));
  };
  if (dot != kDotPlain) {
    typedef char bytes __attribute__((vector_size(4 * VL)));
    bytes numbers;
    TTC_UNROLL
    for (int i = 0; i < 4 * VL; ++i)
      numbers[i] = static_cast<char>(numberAt(i % 16));
    return ttc_target_look_up((vi)numbers, indices);
  }
  // A tree of choices: by the lowest bit first.
  typedef uint8_t vbytes __attribute__((ext_vector_type(4 * VL)));
  const vbytes index = __builtin_bit_cast(vbytes, indices);
  vbytes numbers[16];
  TTC_UNROLL
  for (int i = 0; i < 16; ++i)
    numbers[i] = (vbytes)numberAt(i);
  TTC_UNROLL
  for (int bit = 0; bit < 4; ++bit) {
    const vbytes isSet = (vbytes)0 - (index >> (vbytes)(uint8_t)bit & (vbytes)(uint8_t)1);
    TTC_UNROLL
    for (int i = 0; i < 8 >> bit; ++i)
      numbers[i] = numbers[2 * i] ^ (isSet & (numbers[2 * i] ^ numbers[2 * i + 1]));
  }
  return __builtin_bit_cast(vi, numbers[0]);
}

/// Words of 16 rows, from the first row of a half on: word j has columns 4j to 4j+3. Unsigned, but
/// for signed bytes with kDotMadd.
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
  if (hasPairsOfBits(FORMAT)) {
    TTC_UNROLL
    for (int j = 0; j < 8; ++j)
      words[j] = (vi)(wordsAt(j / 4 * 64) >> (j % 4 * 2u) & 0x03030303u);
    if (FORMAT == kBlockQ3_K) {
      vw high = wordsAt(128);
      TTC_UNROLL
      for (int j = 0; j < 8; ++j) {
        vw bits = j < 2 ? high << (2 - j) : high >> (j - 2);
        words[j] |= (vi)(bits & 0x04040404u);
      }
    }
    return;
  }
  TTC_UNROLL
  for (int i = 0; i < 4; ++i) {
    vw word = wordsAt(i * 64);
    words[i] = (vi)(word & 0x0f0f0f0fu);
    words[4 + i] = (vi)(word >> 4 & 0x0f0f0f0fu);
  }
  if (hasTable(FORMAT)) {
    TTC_UNROLL
    for (int j = 0; j < 8; ++j)
      words[j] = lookUp<FORMAT>(words[j], dot);
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

/// An element is scale * (stored - centre) + minimum; scale and minimum are those of columns 0 to
/// 15, or 16 to 31.
struct PartScales {
  vf scale[2], minimum[2];
};

/// VL bytes as integers, and as numbers.
template <typename T> TTC_INLINE vi loadIntegers(const uint8_t *from) {
  typedef T narrow __attribute__((ext_vector_type(VL), aligned(1), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const narrow *>(from), vi);
}
template <typename T> TTC_INLINE vf loadNumbers(const uint8_t *from) {
  return __builtin_convertvector(loadIntegers<T>(from), vf);
}

/// Half the powers of two that e8m0's bytes stand for: 2^(byte - 128). The two smallest are
/// subnormal.
TTC_INLINE vf loadPowers(const uint8_t *from) {
  const vi exponents = loadIntegers<uint8_t>(from);
  const vi normal = (exponents - 1) << 23;
  const vi subnormal = exponents == 0 ? (vi)0x00200000 : (vi)0x00400000;
  return __builtin_bit_cast(vf, exponents < 2 ? subnormal : normal);
}

/// `centred`: the minimum makes up for the centre.
template <int64_t FORMAT>
TTC_INLINE PartScales loadScales(const uint8_t *block, const uint8_t *part, int64_t half,
                                 bool centred = true) {
  auto numbers = [&](int64_t index) __attribute__((always_inline)) {
    return load(reinterpret_cast<const f16 *>(block + index * 32 + half * VL * 2));
  };
  PartScales s;
  s.minimum[0] = (vf)0.0f;
  if (FORMAT == kBlockMXFP4) {
    s.scale[0] = s.scale[1] = loadPowers(part + half * VL);
    return s;
  }
  s.scale[0] = numbers(0);
  if (FORMAT == kBlockQ2_K) {
    const vf scale = s.scale[0], minimum = -numbers(1);
    TTC_UNROLL
    for (int i = 0; i < 2; ++i) {
      const vi both = loadIntegers<uint8_t>(part + i * 16 + half * VL);
      s.scale[i] = scale * __builtin_convertvector(both & 15, vf);
      s.minimum[i] = minimum * __builtin_convertvector(both >> 4, vf);
      if (centred)
        s.minimum[i] =
            s.minimum[i] + s.scale[i] * (vf) static_cast<float>(getCentre(FORMAT, kDotPlain));
    }
    return s;
  }
  if (hasTwoScales(FORMAT)) {
    s.scale[1] = s.scale[0] * loadNumbers<int8_t>(part + 16 + half * VL);
    s.scale[0] = s.scale[0] * loadNumbers<int8_t>(part + half * VL);
    return s;
  }
  if (hasMinima(FORMAT)) {
    s.minimum[0] = numbers(1);
    if (isSuperFormat(FORMAT)) {
      s.scale[0] = s.scale[0] * loadNumbers<uint8_t>(part + half * VL);
      s.minimum[0] = -s.minimum[0] * loadNumbers<uint8_t>(part + 16 + half * VL);
    }
    if (centred)
      s.minimum[0] =
          s.minimum[0] + s.scale[0] * (vf) static_cast<float>(getCentre(FORMAT, kDotPlain));
  }
  if (FORMAT == kBlockIQ4_XS)
    s.scale[0] = s.scale[0] * loadNumbers<int8_t>(part + half * VL);
  s.scale[1] = s.scale[0];
  s.minimum[1] = s.minimum[0];
  return s;
}

/// Sums of products of unsigned with signed bytes, two of them in 16 bits.
TTC_INLINE vh multiplyBytes(vi a, vi b) { return ttc_target_multiply_bytes(a, b); }

/// Sums of two numbers of 16 bits.
TTC_INLINE vi addPairs(vh pairs) { return ttc_target_multiply_halves(pairs, (vh)1); }

/// The bytes of b with the signs of those of a; any where a is 0.
TTC_INLINE vi withSigns(vi b, vi a) { return ttc_target_with_signs(b, a); }

TTC_INLINE vi absoluteBytes(vi a) {
  typedef int8_t bytes __attribute__((ext_vector_type(4 * VL)));
  return __builtin_bit_cast(vi, __builtin_elementwise_abs(__builtin_bit_cast(bytes, a)));
}

/// Products that fit into 16 bits in pairs of two: 2 * 127 times the largest stored integer.
TTC_CONSTANT int getSafeProducts(int64_t format) {
  if (hasSignedBytes(format))
    return 1;
  if (format == kBlockQ6_K)
    return 2;
  return hasFifthBits(format) || format == kBlockMXFP4 ? 4 : 8;
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
    if (hasSignedBytes(FORMAT)) {
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
  // The sum of the activations themselves; in the first digit only. Where each 16 columns have a
  // minimum, that of the first 16; the other is in one more digit, after the last.
  float sum;
  // -centre times the sum of the digits: of all 32, or of each 16 if they have scales.
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
    if (hasTwoScales(FORMAT)) {
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
  if (hasTwoScales(FORMAT))
    sum = value[1] * s.scale[1] + sum;
  if (hasMinima(FORMAT))
    sum = s.minimum[0] * (vf)digit[0].sum + sum;
  if (hasTwoMinima(FORMAT))
    sum = s.minimum[1] * (vf)digit[digits].sum + sum;
  return sum;
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKUNPACK_H
