// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combine.h"

namespace ttrt::mpi {

static const mesh::Kernels &kernelsHere() {
#ifdef TTRT_MESH_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return mesh::kernelsAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
    return mesh::kernelsAvx2;
#endif
  return mesh::kernelsBaseline;
}

Combine combineOf(fb::Reduction reduction, fb::DType dtype) {
  return Combine(kernelsHere().combine[static_cast<size_t>(dtype)][static_cast<size_t>(reduction)]);
}

} // namespace ttrt::mpi
