// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once for each instruction set (CMakeLists.txt), under a different name of the table. It
// uses no inline function of another header: the linker could take the copy of another set.

// Builds with sanitizers do not vectorise these loops, which is no reason to warn.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "Combine.h"

namespace ttrt::mesh {
namespace {

#ifdef __clang__
#define TTRT_VECTORIZE _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define TTRT_VECTORIZE _Pragma("GCC ivdep")
#endif

struct Sum {
  template <typename T> static T apply(T a, T b) { return static_cast<T>(a + b); }
};
/// NaN if one of them is.
struct Max {
  template <typename T> static T apply(T a, T b) { return a > b || a != a ? a : b; }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return a < b || a != a ? a : b; }
};

/// How elements are stored, and what they are computed as.
template <typename T> struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};

float floatOf(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}
uint32_t bitsOf(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

struct Bf16 {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) { return floatOf(uint32_t(stored) << 16); }
  static Stored store(Value value) {
    const uint32_t bits = bitsOf(value);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16; // to nearest, ties to even
    const uint32_t nan = bits >> 16 | 0x40;
    return static_cast<Stored>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
  }
};

struct F16 {
  using Stored = _Float16;
  using Value = float;
  static Value load(Stored stored) { return static_cast<float>(stored); }
  static Stored store(Value value) { return static_cast<Stored>(value); }
};

/// One step, rounded as an element is.
template <typename Element, typename Op>
typename Element::Value step(typename Element::Value a, typename Element::Stored b) {
  return Element::load(Element::store(Op::apply(a, Element::load(b))));
}

template <typename Element, typename Op>
void combine(uint8_t *out, const uint8_t *const *sources, uint32_t count, size_t bytes) {
  using Stored = typename Element::Stored;
  const size_t elements = bytes / sizeof(Stored);
  auto *to = reinterpret_cast<Stored *>(out);
  const auto *a = reinterpret_cast<const Stored *>(sources[0]);
  const auto *b = reinterpret_cast<const Stored *>(sources[1]);
  const auto *c = reinterpret_cast<const Stored *>(sources[count > 2 ? 2 : 1]);
  const auto *d = reinterpret_cast<const Stored *>(sources[count > 3 ? 3 : 1]);
  switch (count) {
  case 2:
    TTRT_VECTORIZE
    for (size_t i = 0; i < elements; ++i)
      to[i] = Element::store(step<Element, Op>(Element::load(a[i]), b[i]));
    return;
  case 3:
    TTRT_VECTORIZE
    for (size_t i = 0; i < elements; ++i)
      to[i] = Element::store(step<Element, Op>(step<Element, Op>(Element::load(a[i]), b[i]), c[i]));
    return;
  default:
    TTRT_VECTORIZE
    for (size_t i = 0; i < elements; ++i)
      to[i] = Element::store(step<Element, Op>(
          step<Element, Op>(step<Element, Op>(Element::load(a[i]), b[i]), c[i]), d[i]));
    return;
  }
}

} // namespace

// Sums of integers wrap, as unsigned ones do. Those of truth values are "or".
#define TTRT_ROW(element) {combine<element, Sum>, combine<element, Max>, combine<element, Min>}
#define TTRT_INTEGER(type)                                                                         \
  {combine<Plain<u##type>, Sum>, combine<Plain<type>, Max>, combine<Plain<type>, Min>}

extern const Kernels TTRT_MESH_KERNELS;
const Kernels TTRT_MESH_KERNELS = {{
    TTRT_ROW(Plain<float>),
    TTRT_ROW(F16),
    TTRT_ROW(Bf16),
    TTRT_ROW(Plain<double>),
    TTRT_INTEGER(int8_t),
    TTRT_INTEGER(int16_t),
    TTRT_INTEGER(int32_t),
    TTRT_INTEGER(int64_t),
    TTRT_ROW(Plain<uint8_t>),
    TTRT_ROW(Plain<uint16_t>),
    TTRT_ROW(Plain<uint32_t>),
    TTRT_ROW(Plain<uint64_t>),
    {combine<Plain<uint8_t>, Max>, combine<Plain<uint8_t>, Max>, combine<Plain<uint8_t>, Min>},
}};

} // namespace ttrt::mesh
