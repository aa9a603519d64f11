// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are stored in fewer bits than f32, and their conversion to f32 when they are loaded.
#ifndef TTC_KERNELS_NARROW_H
#define TTC_KERNELS_NARROW_H

#include "kernels/Kernel.h"

namespace ttc::kernels {

typedef _Float16 f16;
/// The upper half of an f32.
struct bf16 {
  uint16_t bits;
};
/// A byte that is multiplied by the scale of its column.
struct scaled8 {
  int8_t value;
};

/// Rounds to nearest, even.
TTC_INLINE void store(f16 *to, vf value) {
  typedef f16 narrow __attribute__((ext_vector_type(VL)));
  typedef f16 unaligned __attribute__((ext_vector_type(VL), aligned(2)));
  *reinterpret_cast<unaligned *>(to) = __builtin_convertvector(value, narrow);
}

/// Consecutive numbers at any address. Each conversion is exact.
TTC_INLINE vf load(const f16 *from) {
  typedef f16 narrow __attribute__((ext_vector_type(VL), aligned(2)));
  return __builtin_convertvector(*reinterpret_cast<const narrow *>(from), vf);
}
TTC_INLINE vf load(const bf16 *from) {
  typedef uint16_t narrow __attribute__((ext_vector_type(VL), aligned(2)));
  typedef uint32_t wide __attribute__((ext_vector_type(VL)));
  wide bits = __builtin_convertvector(*reinterpret_cast<const narrow *>(from), wide) << 16;
  return __builtin_bit_cast(vf, bits);
}
TTC_INLINE vf load(const int8_t *from) {
  typedef int8_t narrow __attribute__((ext_vector_type(VL), aligned(1)));
  typedef int32_t wide __attribute__((ext_vector_type(VL)));
  wide integers = __builtin_convertvector(*reinterpret_cast<const narrow *>(from), wide);
  return __builtin_convertvector(integers, vf);
}

TTC_INLINE vf load(const scaled8 *from) { return load(&from->value); }

/// Whether panels of this type end with a scale for each column.
template <typename T> constexpr bool hasScales = false;
template <> inline constexpr bool hasScales<scaled8> = true;

} // namespace ttc::kernels

#endif // TTC_KERNELS_NARROW_H
