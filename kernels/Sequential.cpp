// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of ops that walk their operands in order. Their headers are the meaning of these ops:
// constant evaluation compiles them, too.
#include "kernels/Argsort.h"
#include "kernels/Cumulative.h"
#include "kernels/Determinant.h"
#include "kernels/Kernel.h"
#include "kernels/NonMaxSuppression.h"
#include "kernels/Scatter.h"

using namespace ttc::kernels;

#define TTC_SEQUENTIAL_KERNEL(symbol, run)                                                         \
  TTC_KERNEL void symbol(void *const *operands, uint8_t *scratch, int64_t workgroup,               \
                         const int64_t *params, epilogue_t, ProgramMarkers *) {                    \
    run(operands, scratch, workgroup, params);                                                     \
  }

TTC_SEQUENTIAL_KERNEL(ttc_kernel_scatter, scatter)
TTC_SEQUENTIAL_KERNEL(ttc_kernel_cumulative, cumulative)
TTC_SEQUENTIAL_KERNEL(ttc_kernel_argsort, argsort)
TTC_SEQUENTIAL_KERNEL(ttc_kernel_non_max_suppression, nonMaxSuppression)
TTC_SEQUENTIAL_KERNEL(ttc_kernel_determinant, determinant)
