// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_gemm_{f16,bf16,i8,scaled_i8}: B is packed ahead of time in a narrower type.
#include "kernels/GemmLoops.h"

using namespace ttc::kernels;

TTC_KERNEL void ttc_kernel_gemm_f16(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                    const int64_t *params, epilogue_t epilogue,
                                    ProgramMarkers *markers) {
  runGemm<f16>(operands, scratch, workgroup, params, epilogue, markers);
}

TTC_KERNEL void ttc_kernel_gemm_bf16(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                     const int64_t *params, epilogue_t epilogue,
                                     ProgramMarkers *markers) {
  runGemm<bf16>(operands, scratch, workgroup, params, epilogue, markers);
}

TTC_KERNEL void ttc_kernel_gemm_i8(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                   const int64_t *params, epilogue_t epilogue,
                                   ProgramMarkers *markers) {
  runGemm<int8_t>(operands, scratch, workgroup, params, epilogue, markers);
}

TTC_KERNEL void ttc_kernel_gemm_scaled_i8(void *const *operands, uint8_t *scratch,
                                          int64_t workgroup, const int64_t *params,
                                          epilogue_t epilogue, ProgramMarkers *markers) {
  runGemm<scaled8>(operands, scratch, workgroup, params, epilogue, markers);
}
