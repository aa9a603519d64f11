// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_TRANSFORMS_PROGRAMS_CHOOSECACHEKERNELS_H
#define TTC_LIB_TRANSFORMS_PROGRAMS_CHOOSECACHEKERNELS_H

namespace mlir {
class RewritePatternSet;

namespace ttc {
/// Patterns of --ttc-choose-kernels for attention over a cache.
void populateCacheKernelPatterns(RewritePatternSet &patterns);
} // namespace ttc
} // namespace mlir

#endif // TTC_LIB_TRANSFORMS_PROGRAMS_CHOOSECACHEKERNELS_H
