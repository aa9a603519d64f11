// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_gemm: B is f32.
#include "kernels/GemmLoops.h"

using namespace ttc::kernels;

TTC_KERNEL void ttc_kernel_gemm(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                const int64_t *params, epilogue_t epilogue,
                                ProgramMarkers *markers) {
  runGemm<float>(operands, scratch, workgroup, params, epilogue, markers);
}
