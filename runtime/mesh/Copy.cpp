// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Copy.h"

namespace ttrt::mesh {

static const Kernels &chooseKernels() {
#ifdef TTRT_MESH_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return kernelsAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
    return kernelsAvx2;
#endif
  return kernelsBaseline;
}

CombineFunction *findCombine(fb::DType dtype, fb::Reduction reduction) {
  return chooseKernels().combine[static_cast<size_t>(dtype)][static_cast<size_t>(reduction)];
}

} // namespace ttrt::mesh
