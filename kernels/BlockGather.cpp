// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_block_gather: rows of a packed matrix in blocks, as f32.
#include "kernels/BlockUnpack.h"

using namespace ttc::kernels;

namespace {

template <typename T>
TTC_INLINE void gatherFloats(const BlockGatherParams &p, const uint8_t *group, int64_t lane,
                             float *to) {
  const auto *elements = reinterpret_cast<const T *>(group) + lane;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < p.columns; ++i) {
    // One element: an exact conversion, as that of a vector.
    if constexpr (__is_same(T, bf16))
      to[i] = __builtin_bit_cast(float, uint32_t(elements[i * kBlockRows].bits) << 16);
    else
      to[i] = static_cast<float>(elements[i * kBlockRows]);
  }
}

/// A row of a format of blocks, by the functions that products unpack with: of 16 rows, one is
/// kept.
template <int64_t FORMAT>
TTC_INLINE void gatherBlocks(const BlockGatherParams &p, const uint8_t *group, int64_t row,
                             float *to) {
  constexpr BlockLayout layout = getBlockLayout(FORMAT);
  const int64_t half = row / VL, lane = row % VL;
  const float offset = hasMinima(FORMAT) ? 0.0f : static_cast<float>(getCentre(FORMAT, kDotPlain));
  TTC_NO_UNROLL
  for (int64_t block = 0; block < p.columns / layout.columns; ++block) {
    const uint8_t *from = group + block * getPackedBlockBytes(FORMAT);
    TTC_NO_UNROLL
    for (int64_t i = 0; i < layout.columns / kBlockColumns; ++i) {
      const uint8_t *part = from + layout.header + i * layout.part;
      vi words[8];
      unpackWords<FORMAT>(part, half, kDotPlain, words);
      PartScales scales = loadScales<FORMAT>(from, part, half, /*centred=*/false);
      alignas(64) uint32_t stored[8 * VL];
      alignas(64) float numbers[(hasTwoMinima(FORMAT) ? 4 : 3) * VL];
      TTC_UNROLL
      for (int j = 0; j < 8; ++j)
        *reinterpret_cast<viu *>(stored + j * VL) = words[j];
      store(numbers, scales.scale[0]);
      store(numbers + VL, scales.scale[1]);
      store(numbers + 2 * VL, scales.minimum[0]);
      if (hasTwoMinima(FORMAT))
        store(numbers + 3 * VL, scales.minimum[1]);
      float minimum = numbers[2 * VL + lane];
      TTC_UNROLL
      for (int64_t j = 0; j < 8; ++j) {
        uint32_t word = stored[j * VL + lane];
        float scale = numbers[j / 4 * VL + lane];
        if (hasTwoMinima(FORMAT))
          minimum = numbers[(2 + j / 4) * VL + lane];
        TTC_UNROLL
        for (int64_t t = 0; t < 4; ++t) {
          float value = static_cast<float>(static_cast<int32_t>(word >> (8 * t) & 255)) - offset;
          *to++ = hasMinima(FORMAT) ? value * scale + minimum : value * scale;
        }
      }
    }
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_block_gather(void *const *operands, uint8_t *, int64_t workgroup,
                                        const int64_t *params, epilogue_t,
                                        ProgramMarkers *markers) {
  const BlockGatherParams &p = *reinterpret_cast<const BlockGatherParams *>(params);
  const auto *w = static_cast<const uint8_t *>(operands[0]);
  const auto *tokens = static_cast<const int32_t *>(operands[1]);
  auto *out = static_cast<float *>(operands[2]);
  Range range = part(p.tokens, p.splits, workgroup);
  TTC_ZONE(markers, "rows");
  TTC_NO_UNROLL
  for (int64_t i = range.begin; i < range.end; ++i) {
    int64_t row = max<int64_t>(0, min<int64_t>(tokens[i], p.rows - 1));
    const uint8_t *group = w + row / kBlockRows * getPackedGroupBytes(p.format, p.columns);
    float *to = out + i * p.columns;
    int64_t lane = row % kBlockRows;
    switch (p.format) {
    case kBlockF32:
      gatherFloats<float>(p, group, lane, to);
      break;
    case kBlockF16:
      gatherFloats<f16>(p, group, lane, to);
      break;
    case kBlockBF16:
      gatherFloats<bf16>(p, group, lane, to);
      break;
#define TTC_CASE(FORMAT)                                                                           \
  case FORMAT:                                                                                     \
    gatherBlocks<FORMAT>(p, group, lane, to);                                                      \
    break;
      TTC_FOR_BLOCK_FORMATS(TTC_CASE)
#undef TTC_CASE
    }
  }
}
