// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of activations as the products with weights in blocks read them: normalised, and as digits.
#ifndef TTC_KERNELS_BLOCKROWS_H
#define TTC_KERNELS_BLOCKROWS_H

#include "kernels/BlockUnpack.h"
#include "kernels/Exp.h"

namespace ttc::kernels {

/// 1 / sqrt(mean of the squares + epsilon).
TTC_INLINE float inverseOfNorm(const BlockMatmulParams &p, const float *x) {
  constexpr int kChains = 4;
  vf sums[kChains];
  TTC_UNROLL
  for (int c = 0; c < kChains; ++c)
    sums[c] = (vf)0.0f;
  int64_t i = 0;
  TTC_NO_UNROLL
  for (; i + kChains * VL <= p.k; i += kChains * VL) {
    TTC_UNROLL
    for (int c = 0; c < kChains; ++c) {
      vf value = load(x + i + c * VL);
      sums[c] += value * value;
    }
  }
  TTC_NO_UNROLL
  for (; i < p.k; i += VL) {
    vf value = load(x + i, p.k - i);
    sums[0] += value * value;
  }
  float total = sumOfLanes((sums[0] + sums[1]) + (sums[2] + sums[3]))[0];
  float epsilon = __builtin_bit_cast(float, static_cast<int32_t>(p.epsilon));
  return 1.0f / __builtin_sqrtf(total / static_cast<float>(p.k) + epsilon);
}

/// A row, normalised, as f32.
TTC_INLINE void prepareFloats(const BlockMatmulParams &p, const float *x, const float *norm,
                              float *to) {
  vf inverse = (vf)inverseOfNorm(p, x);
  int64_t i = 0;
  TTC_NO_UNROLL
  for (; i + VL <= p.k; i += VL)
    store(to + i, load(x + i) * inverse * load(norm + i));
  if (p.k % VL != 0)
    storeLanes(to + i, load(x + i, p.k % VL) * inverse * load(norm + i, p.k % VL), p.k % VL);
}

/// Blocks whose largest number is smaller count as zeros: the digits of a smaller one have scales
/// that an f32 cannot hold.
inline constexpr float kLeastActivation = 1e-30f;

/// A row as digits of 8 bits. The numbers of 32 columns become d0 * s0 + d1 * s1 + d2 * s2, where
/// s0 is their largest absolute value / 127, and each other scale the one before / 254: a digit is
/// from -127 to 127, and what it leaves is at most half of its scale. `bytes` and `digits` are
/// those of the row in the first 32 columns; those of the next ones follow a block of rows later.
TTC_INLINE void prepareDigits(const BlockMatmulParams &p, const float *x, const float *norm,
                              int8_t *bytes, PartDigit *digits) {
  typedef int8_t narrow __attribute__((ext_vector_type(VL), aligned(1), may_alias));
  constexpr int kVectors = kBlockColumns / VL;
  // Adding this rounds to an integer, which stands in the low bits.
  const vf magic = (vf)12582912.0f; // 1.5 * 2^23
  vf inverse = (vf)1.0f;
  if (p.hasNorm)
    inverse = (vf)inverseOfNorm(p, x);
  const auto centre = static_cast<int32_t>(getCentre(p.format, p.dot));
  // hasTwoScales(), but constant before calls are inlined, when the arithmetic is simplified.
  const bool isDivided = p.format == kBlockQ6_K || p.format == kBlockQ2_K || p.format == kBlockQ3_K;
  TTC_NO_UNROLL
  for (int64_t part = 0; part < p.k / kBlockColumns; ++part) {
    vf values[kVectors], sum = (vf)0.0f, largest = (vf)0.0f;
    vf halves[2] = {(vf)0.0f, (vf)0.0f};
    TTC_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      values[v] = load(x + part * kBlockColumns + v * VL);
      if (p.hasNorm)
        values[v] = values[v] * inverse * load(norm + part * kBlockColumns + v * VL);
      sum += values[v];
      if (hasTwoMinima(p.format))
        halves[v >= kVectors / 2] += values[v];
      largest = largerOf(__builtin_elementwise_abs(values[v]), largest);
    }
    sum = sumOfLanes(sum);
    float most = maxOfLanes(largest)[0];
    bool counts = most >= kLeastActivation;
    float scale = counts ? most * (1.0f / 127.0f) : 0.0f,
          inverseScale = counts ? 127.0f / most : 0.0f;
    // NaN if a number is none, or infinite.
    float invalid = sum[0] - sum[0];
    int8_t *to = bytes + part * p.blockRows * p.digits * kBlockColumns;
    PartDigit *digit = digits + part * p.blockRows * getPartDigits(p.format, p.digits);
    TTC_UNROLL
    for (int d = 0; d < 3; ++d) {
      if (d >= p.digits)
        break;
      vi sums[2] = {(vi)0, (vi)0};
      TTC_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        vf shifted = values[v] * (vf)inverseScale + magic;
        values[v] = values[v] - (shifted - magic) * (vf)scale;
        vi whole = __builtin_bit_cast(vi, shifted) - __builtin_bit_cast(vi, magic);
        sums[v >= kVectors / 2] += whole;
        *reinterpret_cast<narrow *>(to + d * kBlockColumns + v * VL) =
            __builtin_convertvector(whole, narrow);
      }
      int32_t low = __builtin_reduce_add(sums[0]), high = __builtin_reduce_add(sums[1]);
      digit[d].scale = scale + invalid;
      digit[d].sum = sum[0];
      digit[d].start[0] = -centre * (isDivided ? low : low + high);
      digit[d].start[1] = -centre * high;
      scale = scale * (1.0f / 254.0f);
      inverseScale = inverseScale * 254.0f;
    }
    if (hasTwoMinima(p.format)) {
      digit[0].sum = sumOfLanes(halves[0])[0];
      digit[p.digits].sum = sumOfLanes(halves[1])[0];
    }
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKROWS_H
