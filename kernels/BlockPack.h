// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs rows in a block format as BlockFormats.h describes. Only the compiler does this.
#ifndef TTC_KERNELS_BLOCKPACK_H
#define TTC_KERNELS_BLOCKPACK_H

#include "kernels/BlockFormats.h"

namespace ttc::kernels {

/// One block of a file, taken apart: the stored integers of up to 256 columns, two numbers in f16
/// (scale and minimum), and scales and minima of parts of it: of q2_k both in a byte.
struct BlockParts {
  uint8_t quants[256];
  uint8_t numbers[2][2];
  uint8_t scales[16], minima[8];
};

/// The low nibbles, then the high ones, of 16 bytes; with the fifth bits in `high`.
inline void splitNibbles(const uint8_t *from, const uint8_t *high, uint8_t *quants) {
  for (int64_t i = 0; i < 32; ++i) {
    quants[i] = i < 16 ? from[i] & 15 : from[i - 16] >> 4;
    if (high)
      quants[i] |= (high[i / 8] >> (i % 8) & 1) << 4;
  }
}

/// The rest of a block of q4_k, or with `high` of q5_k, after its two numbers.
inline void splitSuperBlock(const uint8_t *scales, const uint8_t *high, const uint8_t *from,
                            BlockParts &parts) {
  for (int64_t i = 0; i < 8; ++i) {
    parts.scales[i] = i < 4 ? scales[i] & 63 : (scales[i + 4] & 15) | (scales[i - 4] >> 6) << 4;
    parts.minima[i] = i < 4 ? scales[i + 4] & 63 : scales[i + 4] >> 4 | (scales[i] >> 6) << 4;
    for (int64_t l = 0; l < 32; ++l) {
      const uint8_t byte = from[i / 2 * 32 + l];
      parts.quants[i * 32 + l] = i % 2 ? byte >> 4 : byte & 15;
      if (high)
        parts.quants[i * 32 + l] |= (high[l] >> i & 1) << 4;
    }
  }
}

inline void splitQ6K(const uint8_t *from, BlockParts &parts) {
  const uint8_t *high = from + 128, *scales = from + 192;
  for (int64_t i = 0; i < 16; ++i)
    parts.scales[i] = scales[i];
  for (int64_t i = 0; i < 256; ++i) {
    const int64_t half = i / 128, quarter = i % 128 / 32, l = i % 32;
    const uint8_t low = from[half * 64 + quarter % 2 * 32 + l] >> (quarter / 2 * 4) & 15;
    parts.quants[i] = low | (high[half * 32 + l] >> (2 * quarter) & 3) << 4;
  }
}

/// 256 pairs of bits in 64 bytes.
inline void splitPairsOfBits(const uint8_t *from, uint8_t *quants) {
  for (int64_t i = 0; i < 256; ++i)
    quants[i] = from[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
}

inline void splitQ3K(const uint8_t *from, BlockParts &parts) {
  const uint8_t *scales = from + 96;
  for (int64_t i = 0; i < 16; ++i)
    parts.scales[i] =
        ((scales[i % 8] >> (i / 8 * 4) & 15) | (scales[8 + i % 4] >> (i / 4 * 2) & 3) << 4) - 32;
  splitPairsOfBits(from + 32, parts.quants);
  for (int64_t i = 0; i < 256; ++i)
    parts.quants[i] |= (from[i % 32] >> (i / 32) & 1) << 2;
}

inline void splitIQ4XS(const uint8_t *from, BlockParts &parts) {
  const int64_t high = from[2] | from[3] << 8;
  for (int64_t i = 0; i < 8; ++i) {
    parts.scales[i] = ((from[4 + i / 2] >> (i % 2 * 4) & 15) | (high >> (2 * i) & 3) << 4) - 32;
    splitNibbles(from + 8 + 16 * i, nullptr, parts.quants + 32 * i);
  }
}

/// `count` bytes of `digits` numbers from 0 to 2, those with the same place one after the other: a
/// byte is the fraction with these digits to base 3, times 256.
inline void splitTernary(const uint8_t *from, int64_t count, int64_t digits, uint8_t *quants) {
  for (int64_t digit = 0, power = 1; digit < digits; ++digit, power *= 3)
    for (int64_t i = 0; i < count; ++i)
      *quants++ = (from[i] * power & 255) * 3 >> 8;
}

/// Where the numbers in f16 of a block are.
inline int64_t getNumbersAt(int64_t format) {
  switch (format) {
  case kBlockQ6_K:
    return 208;
  case kBlockQ2_K:
    return 80;
  case kBlockQ3_K:
    return 108;
  case kBlockTQ1_0:
    return 52;
  case kBlockTQ2_0:
    return 64;
  }
  return 0;
}

inline void splitBlock(int64_t format, const uint8_t *from, BlockParts &parts) {
  const uint8_t *numbers = from + getNumbersAt(format);
  for (int64_t i = 0; i < 2; ++i) {
    parts.numbers[0][i] = numbers[i];
    parts.numbers[1][i] = hasMinima(format) ? numbers[2 + i] : 0;
  }
  const uint8_t *rest = from + (hasMinima(format) ? 4 : 2);
  switch (format) {
  case kBlockQ4_0:
  case kBlockQ4_1:
  case kBlockIQ4_NL:
    return splitNibbles(rest, nullptr, parts.quants);
  case kBlockQ5_0:
  case kBlockQ5_1:
    return splitNibbles(rest + 4, rest, parts.quants);
  case kBlockQ8_0:
    for (int64_t i = 0; i < 32; ++i)
      parts.quants[i] = rest[i];
    return;
  case kBlockQ4_K:
    return splitSuperBlock(rest, nullptr, rest + 12, parts);
  case kBlockQ5_K:
    return splitSuperBlock(rest, rest + 12, rest + 44, parts);
  case kBlockQ6_K:
    return splitQ6K(from, parts);
  case kBlockIQ4_XS:
    return splitIQ4XS(from, parts);
  case kBlockQ2_K:
    for (int64_t i = 0; i < 16; ++i)
      parts.scales[i] = from[i];
    return splitPairsOfBits(from + 16, parts.quants);
  case kBlockQ3_K:
    return splitQ3K(from, parts);
  case kBlockMXFP4:
    parts.scales[0] = from[0];
    return splitNibbles(from + 1, nullptr, parts.quants);
  case kBlockTQ1_0:
    splitTernary(from, 32, 5, parts.quants);
    splitTernary(from + 32, 16, 5, parts.quants + 160);
    return splitTernary(from + 48, 4, 4, parts.quants + 240);
  case kBlockTQ2_0:
    return splitPairsOfBits(from, parts.quants);
  }
}

/// Puts row `row` of a block into the packed block of 16 rows at `to`.
inline void packParts(int64_t format, const BlockParts &parts, int64_t row, uint8_t *to) {
  const BlockLayout layout = getBlockLayout(format);
  // In front of the block of 256 columns, or of the only 32.
  for (int64_t i = 0; i < (hasMinima(format) ? 2 : format == kBlockMXFP4 ? 0 : 1); ++i) {
    to[i * 32 + row * 2] = parts.numbers[i][0];
    to[i * 32 + row * 2 + 1] = parts.numbers[i][1];
  }
  uint8_t *part = to + layout.header;
  for (int64_t i = 0; i < layout.columns / kBlockColumns; ++i, part += layout.part) {
    const uint8_t *quants = parts.quants + i * kBlockColumns;
    uint8_t *words = part + getWordsAt(format);
    if (hasTwoScales(format)) {
      part[row] = parts.scales[2 * i];
      part[16 + row] = parts.scales[2 * i + 1];
    } else if (format == kBlockIQ4_XS || format == kBlockMXFP4) {
      part[row] = parts.scales[i];
    } else if (isSuperFormat(format) && hasMinima(format)) {
      part[row] = parts.scales[i];
      part[16 + row] = parts.minima[i];
    }
    if (hasPairsOfBits(getPackedFormat(format))) {
      for (int64_t k = 0; k < 32; ++k) {
        words[k / 16 * 64 + row * 4 + k % 4] |= (quants[k] & 3) << (k % 16 / 4 * 2);
        if (format == kBlockQ3_K)
          words[128 + row * 4 + k % 4] |= (quants[k] >> 2) << (k / 4);
      }
      continue;
    }
    if (format == kBlockQ8_0) {
      for (int64_t k = 0; k < 32; ++k)
        words[k / 4 * 64 + row * 4 + k % 4] = quants[k];
      continue;
    }
    for (int64_t k = 0; k < 16; ++k)
      words[k / 4 * 64 + row * 4 + k % 4] = (quants[k] & 15) | quants[16 + k] << 4;
    uint8_t *high = words + 256 + row * 4;
    for (int64_t k = 0; k < 32 && hasFifthBits(format); ++k)
      high[k % 4] |= (quants[k] >> 4) << (k / 4);
    for (int64_t k = 0; k < 32 && format == kBlockQ6_K; ++k)
      high[k / 16 * 64 + k % 4] |= (quants[k] >> 4) << (k % 16 / 4 * 2);
  }
}

/// Packs `count` rows, at most 16, of `columns`. What they leave is zeros.
inline void packBlockRows(int64_t format, int64_t columns, const uint8_t *from, int64_t count,
                          uint8_t *to) {
  const BlockLayout layout = getBlockLayout(format);
  const int64_t rowBytes = getFileRowBytes(format, columns);
  for (int64_t i = 0, bytes = getPackedGroupBytes(format, columns); i < bytes; ++i)
    to[i] = 0;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t block = 0; block < columns / layout.columns; ++block) {
      const uint8_t *source = from + row * rowBytes + block * layout.fileBytes;
      uint8_t *packed = to + block * getPackedBlockBytes(format);
      if (isPlainFormat(format)) {
        for (int64_t i = 0; i < layout.fileBytes; ++i)
          packed[row * layout.fileBytes + i] = source[i];
        continue;
      }
      BlockParts parts;
      splitBlock(format, source, parts);
      packParts(format, parts, row, packed);
    }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKPACK_H
