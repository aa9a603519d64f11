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
      {"q4_k", 256, 144, {0, 2}},
      {"q5_k", 256, 176, {0, 2}},
      {"q6_k", 256, 210, {208, -1}},
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
