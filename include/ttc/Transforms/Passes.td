// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TRANSFORMS_PASSES_TD
#define TTC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // TTC_TRANSFORMS_PASSES_TD
