// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ChooseCacheKernels.h"
#include "dialects/Ttc/Programs/CacheOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ttc;
using ::ttc::kernels::kCacheBlock;

namespace {

/// The parts of the positions of one row: workgroups in multiples of four, 8 to `most` of them, so
/// that the shares of 2, 4 and 8 cores are nearly equal. More do not pay: a step has one row, and
/// combining takes time, too. A short cache is not split. However many rows there are, each has as
/// many parts, so that its bits do not depend on the others.
int64_t chooseSplits(int64_t groups, int64_t context, int64_t most) {
  constexpr int64_t kLeastPositions = 4 * kCacheBlock, kWanted = 8, kEven = 4;
  const int64_t largest =
      std::clamp<int64_t>(context / kLeastPositions, 1, std::max<int64_t>(most / groups, 1));
  for (int64_t splits = 1; splits <= largest; ++splits)
    if (groups * splits >= kWanted && groups * splits % kEven == 0)
      return splits;
  return largest;
}

/// One row of a sequence: the kernel updates the cache and attends to parts of it, another combines
/// these. Several rows of one sequence: the cache is updated before tiles of rows attend to it.
struct CachedAttentionToKernels : OpRewritePattern<CachedAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CachedAttentionOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type keys = op.getKeys().getType(), values = op.getValues().getType();
    auto y = tensorType(op.getY());
    auto create = [&]<typename KernelOp>(TypeRange types, Value newKeys, Value newValues,
                                         auto... more) {
      return KernelOp::create(
          rewriter, loc, types, op.getQkv(), newKeys, newValues, op.getPosition(), op.getCosSin(),
          op.getCount(), op.getSequences(), op.getSinks(), op.getHeadsAttr(), op.getKvHeadsAttr(),
          op.getScaleAttr(), op.getRopeAttr(), op.getWindowAttr(), op.getSoftCapAttr(), more...);
    };
    const int64_t rows = y.getDimSize(0);
    const bool isOneSequence =
        !op.getSequences() || tensorType(op.getSequences()).getDimSize(0) != rows;
    if (rows > 1 && isOneSequence) {
      auto update =
          create.operator()<KernelUpdateCacheOp>({keys, values}, op.getKeys(), op.getValues());
      auto attention = create.operator()<KernelPrefillAttentionOp>({y}, update.getNewKeys(),
                                                                   update.getNewValues());
      rewriter.replaceOp(op, {attention.getY(), update.getNewKeys(), update.getNewValues()});
      return success();
    }
    const auto shape = tensorType(op.getKeys()).getShape().take_back(3);
    const int64_t heads = op.getHeads(), depth = y.getDimSize(1) / heads;
    const int64_t context = shape[0] * kCacheBlock;
    const auto window = static_cast<int64_t>(op.getWindow().value_or(context));
    const int64_t splits =
        chooseSplits(op.getKvHeads(), std::min(context, window), getMaxWorkgroups(op));
    RankedTensorType out = y;
    if (splits > 1)
      out = y.clone({splits, rows * heads, depth + 16});
    auto attention = create.operator()<KernelDecodeAttentionOp>(
        {out, keys, values}, op.getKeys(), op.getValues(), rewriter.getI64IntegerAttr(splits));
    Value whole = attention.getOut();
    if (splits > 1)
      whole = KernelCombineAttentionOp::create(rewriter, loc, y, whole, rows);
    rewriter.replaceOp(op, {whole, attention.getNewKeys(), attention.getNewValues()});
    return success();
  }
};

} // namespace

void mlir::ttc::populateCacheKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<CachedAttentionToKernels>(patterns.getContext());
}
