// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every device kernel is written with: vectors of VL lanes, the epilogue, small helpers.
//
// The files are compiled to bitcode once for VL = 8 and once for VL = 16 and specialised by the
// compiler: linked into a program, inlined, constant shapes folded, then optimised for the CPU.
// Three rules keep that fast (each cost a factor of 2 to 4 when broken): all functions are always
// inlined, but for TTC_CALLED; loops over accumulators are fully unrolled, or they stay in memory;
// a scalar is broadcast by a vector cast. No intrinsics, no libc, no global state.
#ifndef TTC_KERNELS_KERNEL_H
#define TTC_KERNELS_KERNEL_H

#include "kernels/ZoneMarkers.h"

#ifndef VL
#error "compile with -DVL=8 or -DVL=16"
#endif

#define TTC_KERNEL extern "C" __attribute__((always_inline))
/// A function that applies an epilogue to many vectors. The compiler inlines it if the epilogue is
/// short. For a longer one it makes a copy for the constant arguments, which is called: the
/// epilogue's constants would take registers from the kernel, and are loaded once a call there.
#define TTC_CALLED extern "C" __attribute__((noinline)) inline
#define TTC_UNROLL _Pragma("clang loop unroll(full)")
#define TTC_NO_UNROLL _Pragma("clang loop unroll(disable) vectorize(disable)")
/// The rows that a register tile may have, up to kMostTileRows: an instance of each is chosen by a
/// constant.
// clang-format off
#define TTC_FOR_ROWS(CASE)                                                                         \
  CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)                                          \
  CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
// clang-format on

namespace ttc::kernels {

inline constexpr int kMostTileRows = 14;

typedef float vf __attribute__((ext_vector_type(VL)));
/// A vector at any address.
typedef float vfu __attribute__((ext_vector_type(VL), aligned(4)));
typedef float v8 __attribute__((ext_vector_type(8)));
typedef float v8u __attribute__((ext_vector_type(8), aligned(4)));

/// Called once for each vector before it is stored: `col` is the result's last dimension, `row`
/// all others; only the first `lanes` lanes exist.
typedef vf (*epilogue_t)(vf acc, int64_t row, int64_t col, int64_t lanes, void *const *operands);

TTC_INLINE vf load(const float *from) { return *reinterpret_cast<const vfu *>(from); }
TTC_INLINE void store(float *to, vf value) { *reinterpret_cast<vfu *>(to) = value; }

TTC_INLINE vi laneNumbers() {
  vi numbers;
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    numbers[i] = i;
  return numbers;
}

/// Lanes past the last one read as zero; nothing beyond is touched.
template <typename V, typename T> TTC_INLINE V loadLanes(const T *from, int64_t lanes) {
  V value = (V)(T)0;
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    if (i < lanes)
      value[i] = from[i];
  return value;
}
TTC_INLINE vf load(const float *from, int64_t lanes) {
  return lanes >= VL ? load(from) : loadLanes<vf>(from, lanes);
}

TTC_INLINE void storeLanes(float *to, vf value, int64_t lanes) {
  TTC_UNROLL
  for (int i = 0; i < VL; ++i)
    if (i < lanes)
      to[i] = value[i];
}

TTC_INLINE void storeResult(float *to, vf value, int64_t lanes) {
  if (lanes >= VL)
    store(to, value);
  else
    storeLanes(to, value, lanes);
}

/// The accumulators of a tile begin at 0.
template <typename V, int KU, int MR, int NV> TTC_INLINE void clear(V (&acc)[KU][MR][NV]) {
  TTC_UNROLL
  for (int u = 0; u < KU; ++u) {
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        acc[u][r][v] = (V)0;
    }
  }
}

/// The sums of the KU chains of a tile, in the first one.
template <typename V, int KU, int MR, int NV> TTC_INLINE void joinChains(V (&acc)[KU][MR][NV]) {
  TTC_UNROLL
  for (int u = 1; u < KU; ++u) {
    TTC_UNROLL
    for (int r = 0; r < MR; ++r) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        acc[0][r][v] += acc[u][r][v];
    }
  }
}

/// Rows of NV vectors, `row` elements apart.
template <int MR, int NV>
TTC_INLINE void storeRows(float *to, int64_t row, const vf (&values)[MR][NV]) {
  TTC_UNROLL
  for (int r = 0; r < MR; ++r) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v)
      store(to + r * row + v * VL, values[r][v]);
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_KERNEL_H
