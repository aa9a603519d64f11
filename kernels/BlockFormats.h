// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block formats of GGUF files: how a file stores the rows of a matrix, and how ttc.pack_blocks
// orders them for the kernels. Shared by the compiler and the kernels; depends on nothing.
//
// Packed, 16 rows are interleaved: one linear stream over k that a vector of 16 (or two of 8) lanes
// reads. A format of blocks has units of 32 or 256 columns. For each 32 columns, word j of a row
// holds columns 4j to 4j+3 in its low nibbles, and 16+4j to 16+4j+3 in its high ones:
//
//   f32, f16, bf16  for each column: 16 elements
//   q4_0            scales d[16] in f16; words [4][16]
//   q4_1            d[16], minima m[16] in f16; words [4][16]
//   q5_0, q5_1      as q4_0 and q4_1; then words [16] of the fifth bits
//   q8_0            d[16]; bytes: words [8][16], word j of columns 4j to 4j+3
//   q4_k, q5_k      256 columns: d[16], dmin[16]; then for each 32 columns scales [16] and minima
//                   [16] in bytes, and the words of q4_1 and q5_1
//   q6_k            256 columns: d[16]; then for each 32 columns scales [2][16] in bytes, words
//                   [4][16] of the low four bits, words [2][16] of the other two
//   iq4_nl          as q4_0
//   iq4_xs          256 columns: d[16]; then for each 32 columns scales [16] in bytes, words
//   [4][16] mxfp4           scales [16] in bytes; words [4][16] q2_k            256 columns: d[16],
//   dmin[16]; then for each 32 columns scales (low nibbles) and
//                   minima (high ones) [2][16], words [2][16] of two bits
//   q3_k            256 columns: d[16]; then for each 32 columns scales [2][16] in bytes, words
//                   [2][16] of the low two bits, words [16] of the third ones
//   tq1_0, tq2_0    256 columns: d[16]; then for each 32 columns words [2][16] of two bits
//
// Third and fifth bits: bit j of byte t belongs to column 4j+t. Pairs of bits, and bits five and
// six: bits 2i and 2i+1 of byte t of word h belong to column 16h+4i+t.
#ifndef TTC_KERNELS_BLOCKFORMATS_H
#define TTC_KERNELS_BLOCKFORMATS_H

#include <stdint.h>

/// A function of constants. Always inlined, or kernels would call it.
#define TTC_CONSTANT constexpr __attribute__((always_inline)) inline

namespace ttc::kernels {

/// The values of the dialect's BlockFormat.
enum BlockFormat : int64_t {
  kBlockF32 = 0,
  kBlockF16 = 1,
  kBlockBF16 = 2,
  kBlockQ4_0 = 3,
  kBlockQ4_1 = 4,
  kBlockQ5_0 = 5,
  kBlockQ5_1 = 6,
  kBlockQ8_0 = 7,
  kBlockQ4_K = 8,
  kBlockQ5_K = 9,
  kBlockQ6_K = 10,
  kBlockIQ4_NL = 11,
  kBlockIQ4_XS = 12,
  kBlockQ2_K = 13,
  kBlockQ3_K = 14,
  kBlockMXFP4 = 15,
  kBlockTQ1_0 = 16,
  kBlockTQ2_0 = 17,
};

// clang-format off
/// The formats of blocks, as they are packed.
#define TTC_FOR_BLOCK_FORMATS(CASE)                                                                \
  CASE(kBlockQ4_0) CASE(kBlockQ4_1) CASE(kBlockQ5_0) CASE(kBlockQ5_1) CASE(kBlockQ8_0)             \
  CASE(kBlockQ4_K) CASE(kBlockQ5_K) CASE(kBlockQ6_K) CASE(kBlockIQ4_NL) CASE(kBlockIQ4_XS)         \
  CASE(kBlockQ2_K) CASE(kBlockQ3_K) CASE(kBlockMXFP4) CASE(kBlockTQ2_0)
// clang-format on

/// Rows that are interleaved.
inline constexpr int64_t kBlockRows = 16;
/// Columns whose activations share a scale, and for which formats of blocks have words.
inline constexpr int64_t kBlockColumns = 32;

struct BlockLayout {
  /// Columns of a block, and its bytes in a file.
  int64_t columns, fileBytes;
  /// The bytes of the 16 packed blocks of 16 rows: `header` of them, then `part` for each 32
  /// columns (for each column of a format without blocks).
  int64_t header, part;
};

TTC_CONSTANT BlockLayout getBlockLayout(int64_t format) {
  switch (format) {
  case kBlockF32:
    return {1, 4, 0, 64};
  case kBlockF16:
  case kBlockBF16:
    return {1, 2, 0, 32};
  case kBlockQ4_0:
    return {32, 18, 0, 32 + 256};
  case kBlockQ4_1:
    return {32, 20, 0, 64 + 256};
  case kBlockQ5_0:
    return {32, 22, 0, 32 + 256 + 64};
  case kBlockQ5_1:
    return {32, 24, 0, 64 + 256 + 64};
  case kBlockQ8_0:
    return {32, 34, 0, 32 + 512};
  case kBlockQ4_K:
    return {256, 144, 64, 32 + 256};
  case kBlockQ5_K:
    return {256, 176, 64, 32 + 256 + 64};
  case kBlockQ6_K:
    return {256, 210, 32, 32 + 256 + 128};
  case kBlockIQ4_NL:
    return {32, 18, 0, 32 + 256};
  case kBlockIQ4_XS:
    return {256, 136, 32, 16 + 256};
  case kBlockQ2_K:
    return {256, 84, 64, 32 + 128};
  case kBlockQ3_K:
    return {256, 110, 32, 32 + 128 + 64};
  case kBlockMXFP4:
    return {32, 17, 0, 16 + 256};
  case kBlockTQ1_0:
    return {256, 54, 32, 128};
  case kBlockTQ2_0:
    return {256, 66, 32, 128};
  }
  return {1, 1, 0, 0};
}

/// Whether a format stores each element by itself.
TTC_CONSTANT bool isPlainFormat(int64_t format) { return format <= kBlockBF16; }

/// The format whose kernels multiply packed blocks of this one.
TTC_CONSTANT int64_t getPackedFormat(int64_t format) {
  return format == kBlockTQ1_0 ? kBlockTQ2_0 : format;
}

/// Whether a format has minima, which are added to all elements of a block, or of 32 or 16 columns.
TTC_CONSTANT bool hasMinima(int64_t format) {
  return format == kBlockQ4_1 || format == kBlockQ5_1 || format == kBlockQ4_K ||
         format == kBlockQ5_K || format == kBlockQ2_K;
}
/// Whether each 16 columns have a scale of their own.
TTC_CONSTANT bool hasTwoScales(int64_t format) {
  return format == kBlockQ6_K || format == kBlockQ2_K || format == kBlockQ3_K;
}
/// Whether each 16 columns have a minimum of their own.
TTC_CONSTANT bool hasTwoMinima(int64_t format) { return format == kBlockQ2_K; }
/// The PartDigits of 32 activations that become `digits` bytes each.
TTC_CONSTANT int64_t getPartDigits(int64_t format, int64_t digits) {
  return digits + (hasTwoMinima(format) ? 1 : 0);
}
/// Whether a format's four bits choose one of 16 numbers.
TTC_CONSTANT bool hasTable(int64_t format) {
  return format == kBlockIQ4_NL || format == kBlockIQ4_XS || format == kBlockMXFP4;
}
/// Whether the low bits of elements are two, not four.
TTC_CONSTANT bool hasPairsOfBits(int64_t format) {
  return format == kBlockQ2_K || format == kBlockQ3_K || format == kBlockTQ2_0;
}
/// Whether a format has blocks of 256 columns.
TTC_CONSTANT bool isSuperFormat(int64_t format) { return getBlockLayout(format).columns == 256; }
/// Whether the fifth bits of elements are stored apart.
TTC_CONSTANT bool hasFifthBits(int64_t format) {
  return format == kBlockQ5_0 || format == kBlockQ5_1 || format == kBlockQ5_K;
}
/// The bytes in front of the words of 32 columns.
TTC_CONSTANT int64_t getWordsAt(int64_t format) {
  if (format == kBlockIQ4_XS || format == kBlockMXFP4)
    return 16;
  if (format == kBlockTQ1_0 || format == kBlockTQ2_0)
    return 0;
  return isSuperFormat(format) || !hasMinima(format) ? 32 : 64;
}

/// The bytes of a row of `columns`, a multiple of the block's, in a file.
TTC_CONSTANT int64_t getFileRowBytes(int64_t format, int64_t columns) {
  return columns / getBlockLayout(format).columns * getBlockLayout(format).fileBytes;
}

/// The packed bytes of 16 rows of a block.
TTC_CONSTANT int64_t getPackedBlockBytes(int64_t format) {
  const BlockLayout layout = getBlockLayout(format);
  const int64_t parts = isPlainFormat(format) ? 1 : layout.columns / kBlockColumns;
  return layout.header + parts * layout.part;
}

/// The packed bytes of 16 rows.
TTC_CONSTANT int64_t getPackedGroupBytes(int64_t format, int64_t columns) {
  return columns / getBlockLayout(format).columns * getPackedBlockBytes(format);
}

static_assert(getPackedGroupBytes(kBlockQ4_1, 576) == 16 * getFileRowBytes(kBlockQ4_1, 576));
static_assert(getPackedGroupBytes(kBlockQ6_K, 256) == 16 * getFileRowBytes(kBlockQ6_K, 256));
static_assert(getPackedGroupBytes(kBlockQ2_K, 256) == 16 * getFileRowBytes(kBlockQ2_K, 256));
static_assert(getPackedGroupBytes(kBlockMXFP4, 32) == 16 * getFileRowBytes(kBlockMXFP4, 32));
static_assert(getPackedGroupBytes(kBlockTQ2_0, 256) == 16 * getFileRowBytes(kBlockTQ2_0, 256));

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKFORMATS_H
