// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, maxima and minima of arrays, in the order of the sources, rounded after each step: the same
// bits with every instruction set, and however many sources a pass has.

#ifndef TTRT_MESH_COMBINE_H
#define TTRT_MESH_COMBINE_H

#include <cstddef>
#include <cstdint>

namespace ttrt::mesh {

/// Sources that one pass combines.
inline constexpr uint32_t kMostSources = 4;
inline constexpr uint32_t kDTypes = 13; ///< fb::DType
inline constexpr uint32_t kReductions = 3;

/// out = sources[0] (+) ... (+) sources[count - 1], `bytes` bytes of whole elements; count is 2 to
/// kMostSources. `out` may be sources[0]; otherwise nothing overlaps.
using CombineFunction = void(uint8_t *out, const uint8_t *const *sources, uint32_t count,
                             size_t bytes);

/// The functions for one instruction set, by dtype and reduction.
struct Kernels {
  CombineFunction *combine[kDTypes][kReductions];
};

extern const Kernels kernelsBaseline;
#ifdef TTRT_MESH_X86
extern const Kernels kernelsAvx2, kernelsAvx512;
#endif

} // namespace ttrt::mesh

#endif // TTRT_MESH_COMBINE_H
