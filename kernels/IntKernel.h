// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels on bytes share: vectors of i32, the sum of four products, the epilogue.
#ifndef TTC_KERNELS_INTKERNEL_H
#define TTC_KERNELS_INTKERNEL_H

#include "kernels/IntParams.h"
#include "kernels/Kernel.h"

namespace ttc::kernels {

typedef int32_t viu __attribute__((ext_vector_type(VL), aligned(4), may_alias));
typedef uint32_t vw __attribute__((ext_vector_type(VL)));
typedef uint16_t vhu __attribute__((ext_vector_type(2 * VL)));
typedef uint8_t vb __attribute__((ext_vector_type(VL)));
typedef uint8_t vbu __attribute__((ext_vector_type(VL), aligned(1), may_alias));
typedef int32_t word_u __attribute__((aligned(1), may_alias));

/// As epilogue_t; a float is given and returned as its bits, a byte as its value.
typedef vi (*int_epilogue_t)(vi acc, int64_t row, int64_t col, int64_t lanes,
                             void *const *operands);

/// acc + the sums of four products of ui8 in `a` with i8 in `b`, in i32. All three ways are exact
/// and give the same bits; `dot` is constant once the kernel is inlined, and only its way remains.
/// Those that the target has no instructions for must not be chosen.
TTC_INLINE vi dot4(int64_t dot, vi acc, vi a, vi b) {
  if (dot == kDotVnni)
    return ttc_target_dot(acc, a, b);
  if (dot == kDotMadd) {
    // Even and odd bytes as 16 bits: no sum of two products saturates.
    vh evenA = (vh)a & (int16_t)0xff, oddA = (vh)((vhu)a >> (uint16_t)8);
    vh evenB = (vh)((vhu)b << (uint16_t)8) >> (int16_t)8, oddB = (vh)b >> (int16_t)8;
    acc += ttc_target_multiply_halves(evenA, evenB);
    acc += ttc_target_multiply_halves(oddA, oddB);
    return acc;
  }
  TTC_UNROLL
  for (int i = 0; i < 4; ++i)
    acc += (vi)((vw)a << (24u - 8 * i) >> 24u) * ((vi)((vw)b << (24u - 8 * i)) >> 24);
  return acc;
}

TTC_INLINE vi loadWords(const void *from) { return *static_cast<const viu *>(from); }
TTC_INLINE vi loadWords(const void *from, int64_t lanes) {
  if (lanes >= VL)
    return loadWords(from);
  vi words = (vi)0;
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    if (i < lanes)
      words[i] = static_cast<const word_u *>(from)[i];
  return words;
}
TTC_INLINE vb loadBytes(const uint8_t *from, int64_t lanes) {
  return lanes >= VL ? *reinterpret_cast<const vbu *>(from) : loadLanes<vb>(from, lanes);
}

/// The first `lanes` lanes, `bytes` of each, in as few stores as powers of two allow.
TTC_INLINE void storeLanes(uint8_t *to, vi value, int64_t lanes, int64_t bytes) {
  if (bytes == 1) {
    vb narrow = __builtin_convertvector(value, vb);
    typedef uint64_t octets __attribute__((ext_vector_type(VL / 8)));
    typedef uint32_t quads __attribute__((ext_vector_type(VL / 4)));
    typedef uint16_t pairs __attribute__((ext_vector_type(VL / 2)));
    typedef uint64_t octet_u __attribute__((aligned(1), may_alias));
    typedef uint32_t quad_u __attribute__((aligned(1), may_alias));
    typedef uint16_t pair_u __attribute__((aligned(1), may_alias));
    int64_t at = 0;
    if (VL == 16 && lanes & 8) {
      *reinterpret_cast<octet_u *>(to) = __builtin_bit_cast(octets, narrow)[0];
      at = 8;
    }
    if (lanes & 4) {
      *reinterpret_cast<quad_u *>(to + at) = __builtin_bit_cast(quads, narrow)[at / 4];
      at += 4;
    }
    if (lanes & 2) {
      *reinterpret_cast<pair_u *>(to + at) = __builtin_bit_cast(pairs, narrow)[at / 2];
      at += 2;
    }
    if (lanes & 1)
      to[at] = narrow[at];
    return;
  }
  auto *words = reinterpret_cast<int32_t *>(to);
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    if (i < lanes)
      words[i] = value[i];
}

/// The result's first `lanes` lanes; `bytes` of each are stored.
TTC_INLINE void storeInts(uint8_t *to, vi value, int64_t lanes, int64_t bytes) {
  if (lanes < VL)
    storeLanes(to, value, lanes, bytes);
  else if (bytes == 1)
    *reinterpret_cast<vbu *>(to) = __builtin_convertvector(value, vb);
  else
    *reinterpret_cast<viu *>(to) = value;
}

/// Where consecutive rows of one vector of columns are stored.
struct IntColumn {
  uint8_t *out;
  // Bytes from one row to the next, and of an element.
  int64_t outStep, storedBytes;
  int64_t row, col, lanes;
};

/// Ends the live ranges of all vectors. Without it, the constants of an inlined epilogue would be
/// loaded ahead of the loops and take registers from the accumulators (a product took 1.5 times as
/// long).
TTC_INLINE void releaseVectors() { ttc_target_release_vectors(); }

/// Gives `count` sums of consecutive rows to the epilogue, and stores them. `sum(i)` is that of row
/// i. Four rows at a time share what the epilogue reads for the columns, and hide its latency.
template <typename Sum>
TTC_INLINE void finishRows(const IntColumn &c, int64_t count, void *const *operands,
                           int_epilogue_t epilogue, Sum sum) {
  constexpr int kGroup = 4;
  int64_t first = 0;
  TTC_NO_UNROLL
  for (; first + kGroup <= count; first += kGroup) {
    vi values[kGroup];
    TTC_UNROLL
    for (int i = 0; i < kGroup; ++i)
      values[i] = epilogue(sum(first + i), c.row + first + i, c.col, c.lanes, operands);
    TTC_UNROLL
    for (int i = 0; i < kGroup; ++i)
      storeInts(c.out + (first + i) * c.outStep, values[i], c.lanes, c.storedBytes);
  }
  TTC_NO_UNROLL
  for (; first < count; ++first)
    storeInts(c.out + first * c.outStep,
              epilogue(sum(first), c.row + first, c.col, c.lanes, operands), c.lanes,
              c.storedBytes);
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_INTKERNEL_H
