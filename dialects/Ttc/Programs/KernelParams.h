// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of device kernels (kernels/Params.h) as the kernel ops and their plans give them.
#ifndef TTC_DIALECTS_TTC_KERNELPARAMS_H
#define TTC_DIALECTS_TTC_KERNELPARAMS_H

#include "dialects/Ttc/Programs/IntKernelOps.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "kernels/Params.h"

namespace mlir::ttc {

/// An optional attribute's value, or its default.
inline int64_t kernelValue(std::optional<ArrayRef<int64_t>> values, size_t index, int64_t other) {
  return values && index < values->size() ? (*values)[index] : other;
}

/// Fails with a diagnostic that cites (C3) if a view touches elements beyond its tensor of `type`.
LogicalResult verifyView(Operation *op, StringRef name, ViewAttr view, RankedTensorType type);
/// The same for 'result_view', which covers the result; its columns are consecutive, and are the
/// result's last dimension.
LogicalResult verifyResultView(Operation *op, ViewAttr view, RankedTensorType type);
/// Fails unless the strides of a 'result_view' between rows are multiples of a row, and it sees
/// each element once (C3).
LogicalResult verifyResultRows(Operation *op, ViewAttr view);
/// Fails with a diagnostic unless `values` are absent or are `count` values of at least `least`.
/// The diagnostic cites `constraint`, as "(C1)".
LogicalResult verifyKernelValues(Operation *op, StringRef name,
                                 std::optional<ArrayRef<int64_t>> values, size_t count,
                                 int64_t least, StringRef constraint);
/// Does this for the attributes of every window: `kernel`, `strides`, `dilations` and `pads` (those
/// of a transposed convolution may be negative).
template <typename OpTy>
LogicalResult verifyKernelWindow(OpTy op, ArrayRef<int64_t> kernel, StringRef constraint) {
  size_t spatial = kernel.size();
  return LogicalResult::success(
      succeeded(verifyKernelValues(op, "kernel", kernel, spatial, 1, constraint)) &&
      succeeded(verifyKernelValues(op, "strides", op.getStrides(), spatial, 1, constraint)) &&
      succeeded(verifyKernelValues(op, "dilations", op.getDilations(), spatial, 1, constraint)) &&
      succeeded(verifyKernelValues(op, "pads", op.getPads(), 2 * spatial, INT64_MIN, constraint)));
}

/// The most workgroups of programs in the module of `op`: its `ttc.max_workgroups`, or 16.
int64_t getMaxWorkgroups(Operation *op);
/// The number of workgroups that `work` multiply-adds (or steps of that cost) of `op` are split
/// into.
int64_t chooseWorkgroups(Operation *op, int64_t work);

/// The parts of a second dimension of `size` parts at most, if a first one is split into `first`
/// and `wanted` workgroups are wanted. An odd number of parts is doubled: 7 row tiles become 14
/// workgroups. Parts of the second dimension stream the same weights if these are split first;
/// `rows`, not 0 then, must suffice for that.
int64_t splitSecond(int64_t first, int64_t wanted, int64_t size, int64_t rows);

/// A batch dimension of a product, with the distance from one element to the next in each operand
/// and the result.
struct BatchDim {
  int64_t size;
  SmallVector<int64_t, 5> strides;
};
/// The dimensions of the result's batch but for those of size 1, neighbours merged where all
/// strides allow. The last of `views` is the result's; null views, and those without a dimension,
/// have stride 0.
SmallVector<BatchDim> getMergedBatch(ArrayRef<ViewAttr> views);

/// For each dimension of a tensor of `type`, those of a view that divide it, outermost first. None
/// if the view sees it in part, or together with others.
SmallVector<SmallVector<int64_t>> getDividingDims(ViewAttr view, RankedTensorType type);
/// The factors of a view's dimensions, from those of the tensor's.
SmallVector<BoundedFactors> boundView(ViewAttr view, RankedTensorType type,
                                      ArrayRef<BoundedFactors> dims);
/// The first elements of `count` dimensions of these sizes, whose factors are at the front of
/// `left`: one factor each. Whole, if they are not. Moves them from `left`.
BoundedFactors boundBatch(BoundedFactors &left, ArrayRef<int64_t> sizes);

/// The first images, lines (of all depths) and pixels of a result [N, spatial..., C] that count,
/// from the factors of its dimensions. False, and nothing is appended, if all do.
bool boundImage(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds);

/// The same for a kernel whose parameters are or begin with these, told by Params::bounded.
template <typename Params>
bool boundWindows(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds,
                  MutableArrayRef<int64_t> params) {
  const bool isBounded = boundImage(dims, bounds);
  reinterpret_cast<Params *>(params.data())->bounded = isBounded;
  return isBounded;
}

/// Tells a kernel where the numbers of valid elements of its image are.
template <typename Params> void setValid(WindowKernelOpInterface op, Params &p) {
  MutableOperandRange valid = op.getValidMutable();
  p.numValid = valid.size();
  const int64_t first = 3 - op.getNumSpatialDims(); // the last ones of three
  for (auto [dim, operand] : llvm::zip_equal(op.getValidDims(), valid))
    p.valid.operand[first + dim] = operand.getOperandNumber();
}

/// Whether a kernel with loops over three batch dimensions still has them when the tensor of
/// `view`, an operand's or the result's, is stored in `rows`: batch dimensions that merge must not
/// come apart, or there are no more than three. `result` is the logical result. What is true of
/// each operand alone is true of all together.
bool canFollowRows(ViewAttr view, ViewAttr result, const StridedRange &rows);

/// The loops of a gemm: its sizes, strides, offsets, window and tile, before anything is planned.
/// Every convolution keeps its window here. Returns nothing if the kernel cannot walk the op: its
/// batch has more than three dimensions that cannot be merged, or no strides express a view of a
/// strided tensor. Without `isStored`, all tensors count as contiguous.
std::optional<::ttc::kernels::GemmParams> getGemmLoops(KernelGemmOp op, bool isStored = true);
/// Whether A's rows are evenly strided and consecutive: a product, a convolution by 1x1 windows
/// without padding and strides, or one along a line whose windows are runs of elements.
bool hasDirectRows(const ::ttc::kernels::GemmParams &loops);
/// Whether the input lines of A's rows can be copied and taps along the width be merged.
bool canCopyRows(const ::ttc::kernels::GemmParams &loops);
/// The loops with the rows of A found as `rows` says.
::ttc::kernels::GemmParams withRows(::ttc::kernels::GemmParams loops, GemmRows rows);
/// Adapts the parameters of a convolution to a result of which only some counts, appends to
/// `bounds` how many images, lines and pixels do, and returns true. False, and no change, if all
/// does.
bool boundConv(::ttc::kernels::GemmParams &p, int64_t elementBytes, ArrayRef<BoundedFactors> dims,
               BoundedFactors &bounds);
/// The bytes of the padded input lines of `rows` consecutive output rows that are copied.
int64_t getCopiedBytes(const ::ttc::kernels::GemmParams &params, int64_t rows);

/// The windows and the grid of a depthwise convolution of bytes.
::ttc::kernels::DepthwiseParams getDepthwiseWindows(KernelIntDepthwiseConvOp op);
::ttc::kernels::DepthwiseParams getDepthwiseWindows(KernelIntDepthwiseDotOp op);

template <typename Params>
void appendParams(const Params &params, SmallVectorImpl<int64_t> &values) {
  static_assert(sizeof(Params) % sizeof(int64_t) == 0);
  const auto *words = reinterpret_cast<const int64_t *>(&params);
  values.append(words, words + sizeof(Params) / sizeof(int64_t));
}

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_KERNELPARAMS_H
