// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels on bytes share: vectors of i32, the sum of four products, the epilogue.
#ifndef TTC_KERNELS_INTKERNEL_H
#define TTC_KERNELS_INTKERNEL_H

#include "kernels/IntParams.h"
#include "kernels/Kernel.h"

namespace ttc::kernels {

typedef int32_t vi __attribute__((ext_vector_type(VL)));
typedef int32_t viu __attribute__((ext_vector_type(VL), aligned(4), may_alias));
typedef uint32_t vw __attribute__((ext_vector_type(VL)));
typedef int16_t vh __attribute__((ext_vector_type(2 * VL)));
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
  if (dot == kDotVnni) {
#if VL == 16
    typedef char bytes __attribute__((vector_size(64)));
    typedef int words __attribute__((vector_size(64)));
    return (vi)__builtin_ia32_vpdpbusd512((words)acc, (bytes)a, (bytes)b);
#else
    typedef char bytes __attribute__((vector_size(32)));
    typedef int words __attribute__((vector_size(32)));
    return (vi)__builtin_ia32_vpdpbusd256((words)acc, (bytes)a, (bytes)b);
#endif
  }
  if (dot == kDotMadd) {
    // Even and odd bytes as 16 bits: no sum of two products saturates.
    vh evenA = (vh)a & (int16_t)0xff, oddA = (vh)((vhu)a >> (uint16_t)8);
    vh evenB = (vh)((vhu)b << (uint16_t)8) >> (int16_t)8, oddB = (vh)b >> (int16_t)8;
#if VL == 16
    typedef short halves __attribute__((vector_size(64)));
    acc += (vi)__builtin_ia32_pmaddwd512((halves)evenA, (halves)evenB);
    acc += (vi)__builtin_ia32_pmaddwd512((halves)oddA, (halves)oddB);
#else
    typedef short halves __attribute__((vector_size(32)));
    acc += (vi)__builtin_ia32_pmaddwd256((halves)evenA, (halves)evenB);
    acc += (vi)__builtin_ia32_pmaddwd256((halves)oddA, (halves)oddB);
#endif
    return acc;
  }
  TTC_UNROLL
  for (int i = 0; i < 4; ++i)
    acc += (vi)((vw)a << (24u - 8 * i) >> 24u) * ((vi)((vw)b << (24u - 8 * i)) >> 24);
  return acc;
}

TTC_INLINE vi loadWords(const int8_t *from) { return *reinterpret_cast<const viu *>(from); }

/// The result's lanes from column `lane` on; `bytes` of each are stored.
TTC_INLINE void storeInts(uint8_t *to, vi value, int64_t lanes, int64_t bytes) {
  if (bytes == 1) {
    if (lanes >= VL) {
      *reinterpret_cast<vbu *>(to) = __builtin_convertvector(value, vb);
      return;
    }
    TTC_UNROLL
    for (int i = 0; i < VL; ++i)
      if (i < lanes)
        to[i] = static_cast<uint8_t>(value[i]);
    return;
  }
  if (lanes >= VL) {
    *reinterpret_cast<viu *>(to) = value;
    return;
  }
  auto *words = reinterpret_cast<int32_t *>(to);
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    if (i < lanes)
      words[i] = value[i];
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_INTKERNEL_H
