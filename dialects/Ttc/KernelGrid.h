// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How dense kernels are split into workgroups and what scratch they need: from shapes alone.
#ifndef TTC_DIALECTS_TTC_KERNELGRID_H
#define TTC_DIALECTS_TTC_KERNELGRID_H

#include "dialects/Ttc/TtcOps.h"
#include "kernels/Params.h"

namespace mlir::ttc {

/// An optional attribute's value, or its default.
inline int64_t kernelValue(std::optional<ArrayRef<int64_t>> values, size_t index, int64_t other) {
  return values && index < values->size() ? (*values)[index] : other;
}

/// Fails, with a message, unless `values` are absent or `count` of at least `least`.
LogicalResult verifyKernelValues(Operation *op, StringRef name,
                                 std::optional<ArrayRef<int64_t>> values, size_t count,
                                 int64_t least);
/// The same for what every window has: `kernel`, `strides`, `dilations` and `pads` (which may be
/// negative: a transposed convolution's).
template <typename OpTy> LogicalResult verifyKernelWindow(OpTy op, ArrayRef<int64_t> kernel) {
  size_t spatial = kernel.size();
  return LogicalResult::success(
      succeeded(verifyKernelValues(op, "kernel", kernel, spatial, 1)) &&
      succeeded(verifyKernelValues(op, "strides", op.getStrides(), spatial, 1)) &&
      succeeded(verifyKernelValues(op, "dilations", op.getDilations(), spatial, 1)) &&
      succeeded(verifyKernelValues(op, "pads", op.getPads(), 2 * spatial, INT64_MIN)));
}

/// Workgroups that `work` multiply-adds (or as costly steps) are worth.
int64_t chooseWorkgroups(int64_t work);

struct KernelGemmPlan {
  ::ttc::kernels::GemmParams params;
  int64_t scratchBytes = 0;
  /// False if the batch has more dimensions than the kernel walks.
  bool fits = false;
};

KernelGemmPlan planGemm(KernelGemmOp op);
/// Fills in the grid, the row blocks and the layout of scratch.
void splitGemm(KernelGemmPlan &plan);

template <typename Params>
void appendParams(const Params &params, SmallVectorImpl<int64_t> &values) {
  static_assert(sizeof(Params) % sizeof(int64_t) == 0);
  const auto *words = reinterpret_cast<const int64_t *>(&params);
  values.append(words, words + sizeof(Params) / sizeof(int64_t));
}

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_KERNELGRID_H
