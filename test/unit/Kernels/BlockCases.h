// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random weights in the block formats of GGUF files, and their elements: plain loops over what the
// format's definition says, which share nothing with the kernels.
#ifndef TTC_TEST_UNIT_KERNELS_BLOCKCASES_H
#define TTC_TEST_UNIT_KERNELS_BLOCKCASES_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace ttc::test {

struct BlockFormatCase {
  std::string name;
  /// Columns and bytes of a block.
  int64_t columns, bytes;
  /// Where numbers in f16 are in a block; -1 for none.
  int64_t numbers[2] = {-1, -1};
  /// Bytes by which a packed row of a block is longer.
  int64_t added = 0;
};

inline const std::vector<BlockFormatCase> &getBlockFormats() {
  static const std::vector<BlockFormatCase> formats = {
      {"f32", 1, 4},
      {"f16", 1, 2},
      {"bf16", 1, 2},
      {"q4_0", 32, 18, {0, -1}},
      {"q4_1", 32, 20, {0, 2}},
      {"q5_0", 32, 22, {0, -1}},
      {"q5_1", 32, 24, {0, 2}},
      {"q8_0", 32, 34, {0, -1}},
      {"q4_k", 256, 144, {0, 2}, 4}, // scales and minima take a byte each
      {"q5_k", 256, 176, {0, 2}, 4},
      {"q6_k", 256, 210, {208, -1}},
      {"iq4_nl", 32, 18, {0, -1}},
      {"iq4_xs", 256, 136, {0, -1}, 2},
      {"q2_k", 256, 84, {80, 82}},
      {"q3_k", 256, 110, {108, -1}, 4},
      {"mxfp4", 32, 17},
      {"tq1_0", 256, 54, {52, -1}, 12}, // as tq2_0
      {"tq2_0", 256, 66, {64, -1}},
  };
  return formats;
}

inline const BlockFormatCase &getBlockFormat(const std::string &name) {
  for (const BlockFormatCase &format : getBlockFormats())
    if (format.name == name)
      return format;
  std::abort();
}

inline double fromF16(const uint8_t *stored) {
  const int bits = stored[0] | stored[1] << 8;
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double value =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

/// Random bytes; numbers have moderate exponents.
inline std::vector<uint8_t> makeBlocks(const BlockFormatCase &format, int64_t elements,
                                       unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(elements / format.columns * format.bytes);
  for (uint8_t &byte : bytes)
    byte = random();
  const bool isFloat = format.columns == 1;
  for (size_t block = 0; block < bytes.size() / format.bytes; ++block) {
    uint8_t *from = bytes.data() + block * format.bytes;
    for (int64_t at : format.numbers)
      if (at >= 0) // 2^-7 to 2^-3
        from[at + 1] = (from[at + 1] & 0x83) | (8 + random() % 4) << 2;
    if (format.name == "mxfp4") // 2^-7 to 2^-4
      from[0] = 120 + random() % 4;
    if (!isFloat)
      continue;
    const float value = std::uniform_real_distribution<float>(-1, 1)(random);
    const auto bits = std::bit_cast<uint32_t>(value);
    if (format.name == "f32")
      std::memcpy(from, &bits, 4);
    else if (format.name == "bf16")
      std::memcpy(from, reinterpret_cast<const char *>(&bits) + 2, 2);
    else // exponents -14 to 0
      from[1] = (from[1] & 0x83) | (1 + random() % 15) << 2;
  }
  return bytes;
}

/// The scale and the minimum of 32 columns of a block of q4_k and q5_k, in 6 bits.
inline std::pair<int, int> getSixBits(const uint8_t *scales, int64_t j) {
  if (j < 4)
    return {scales[j] & 63, scales[j + 4] & 63};
  return {(scales[j + 4] & 15) | (scales[j - 4] >> 6) << 4, (scales[j + 4] >> 4) | (scales[j] >> 6)
                                                                                       << 4};
}

/// The number that four bits stand for in iq4_nl and iq4_xs, and in mxfp4.
inline int getNonLinear(int bits) {
  constexpr int negative[] = {127, 104, 83, 65, 49, 35, 22, 10};
  constexpr int positive[] = {1, 13, 25, 38, 53, 69, 89, 113};
  return bits < 8 ? -negative[bits] : positive[bits - 8];
}
inline double getE2M1(int bits) {
  const int exponent = bits >> 1 & 3, mantissa = bits & 1;
  const double value =
      exponent == 0 ? mantissa * 0.5 : std::ldexp(1 + mantissa * 0.5, exponent - 1);
  return bits & 8 ? -value : value;
}

/// Digit `place` of a fraction to base 3, which 256 times its value rounded up is.
inline int getTernary(int byte, int64_t place) {
  for (; place > 0; --place)
    byte = byte * 3 % 256;
  return byte * 3 / 256;
}

/// Element `i` of a block of the formats with two or three bits, or a table.
inline double getSmallElement(const std::string &name, const uint8_t *block, int64_t i) {
  // Pairs of bits: 32 bytes hold 128 elements.
  auto pairAt = [&](int64_t at) {
    return block[at + i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
  };
  if (name == "iq4_nl")
    return fromF16(block) * getNonLinear(block[2 + i % 16] >> i / 16 * 4 & 15);
  if (name == "mxfp4")
    return std::ldexp(getE2M1(block[1 + i % 16] >> i / 16 * 4 & 15), block[0] - 127);
  const int64_t part = i / 32;
  if (name == "iq4_xs") {
    const int low = block[4 + part / 2] >> part % 2 * 4 & 15;
    const int high = (block[2] | block[3] << 8) >> 2 * part & 3;
    return fromF16(block) * ((low | high << 4) - 32) *
           getNonLinear(block[8 + part * 16 + i % 16] >> i % 32 / 16 * 4 & 15);
  }
  if (name == "q2_k")
    return fromF16(block + 80) * (block[i / 16] & 15) * pairAt(16) -
           fromF16(block + 82) * (block[i / 16] >> 4);
  if (name == "q3_k") {
    const int64_t scale = i / 16;
    const int low = block[96 + scale % 8] >> scale / 8 * 4 & 15;
    const int high = block[104 + scale % 4] >> scale / 4 * 2 & 3;
    const int third = block[i % 32] >> part & 1;
    return fromF16(block + 108) * ((low | high << 4) - 32) * (pairAt(32) + 4 * third - 4);
  }
  if (name == "tq2_0")
    return fromF16(block + 64) * (pairAt(0) - 1);
  // tq1_0: five elements in each of 32, then of 16 bytes, four in each of the last four.
  const int digit = i < 160   ? getTernary(block[i % 32], i / 32)
                    : i < 240 ? getTernary(block[32 + i % 16], (i - 160) / 16)
                              : getTernary(block[48 + i % 4], (i - 240) / 4);
  return fromF16(block + 52) * (digit - 1);
}

/// Element `i` of a block.
inline double getElement(const BlockFormatCase &format, const uint8_t *block, int64_t i) {
  const std::string &name = format.name;
  const int64_t half = i / 16 * 4; // a shift by 0 or 4
  if (name == "f32")
    return std::bit_cast<float>(block[0] | block[1] << 8 | block[2] << 16 |
                                static_cast<uint32_t>(block[3]) << 24);
  if (name == "bf16")
    return std::bit_cast<float>(static_cast<uint32_t>(block[0]) << 16 |
                                static_cast<uint32_t>(block[1]) << 24);
  if (name == "f16")
    return fromF16(block);
  if (name == "q4_0")
    return fromF16(block) * ((block[2 + i % 16] >> half & 15) - 8);
  if (name == "q4_1")
    return fromF16(block) * (block[4 + i % 16] >> half & 15) + fromF16(block + 2);
  if (name == "q8_0")
    return fromF16(block) * static_cast<int8_t>(block[2 + i]);
  if (name == "q5_0" || name == "q5_1") {
    const int64_t at = name == "q5_0" ? 2 : 4;
    const int quant = (block[at + 4 + i % 16] >> half & 15) | (block[at + i / 8] >> (i % 8) & 1)
                                                                  << 4;
    return name == "q5_0" ? fromF16(block) * (quant - 16)
                          : fromF16(block) * quant + fromF16(block + 2);
  }
  if (name == "q6_k") {
    const int64_t part = i / 128, quarter = i % 128 / 32, l = i % 32;
    const int low = block[part * 64 + quarter % 2 * 32 + l] >> (quarter / 2 * 4) & 15;
    const int high = block[128 + part * 32 + l] >> (2 * quarter) & 3;
    return fromF16(block + 208) * static_cast<int8_t>(block[192 + i / 16]) *
           ((low | high << 4) - 32);
  }
  if (name != "q4_k" && name != "q5_k")
    return getSmallElement(name, block, i);
  const auto [scale, minimum] = getSixBits(block + 4, i / 32);
  const bool isFive = name == "q5_k";
  const uint8_t *nibbles = block + (isFive ? 48 : 16);
  int quant = nibbles[i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
  if (isFive)
    quant |= (block[16 + i % 32] >> (i / 32) & 1) << 4;
  return fromF16(block) * scale * quant - fromF16(block + 2) * minimum;
}

/// All elements, row by row.
inline std::vector<double> getElements(const BlockFormatCase &format,
                                       const std::vector<uint8_t> &bytes) {
  std::vector<double> elements;
  for (size_t at = 0; at < bytes.size(); at += format.bytes)
    for (int64_t i = 0; i < format.columns; ++i)
      elements.push_back(getElement(format, bytes.data() + at, i));
  return elements;
}

} // namespace ttc::test

#endif // TTC_TEST_UNIT_KERNELS_BLOCKCASES_H
