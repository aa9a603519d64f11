// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What buckets cost, and which to compile for the requests that a user has had.
#ifndef TTC_LIB_DRIVER_BUCKETS_H
#define TTC_LIB_DRIVER_BUCKETS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ttc/Import/OnnxImport.h"

namespace mlir::ttc {

/// The time of a run in a bucket, in proportion to the product of its sizes. That product, w, is
/// the time of a model that was compiled for these sizes alone, and W that of the bucket:
///
///     time = (variant + images * windows)
///            * (whole * W + (1 - whole) * w * (1 + overhead * (1 - w / W)))
///
/// Programs follow the extents, except for what reads windows of f64 and the like, which no kernel
/// does. Measured on one core, times of exact shapes: an encoder of width 256 in a bucket of 512
/// takes 1.09 with 20 tokens, 1.09 with 64, 1.04 with 128 and 1.00 with 300, and up to 4 % less in
/// the smallest of six buckets. Four networks for images (docs/shapes.md) in a bucket of 224 x 224
/// take 1.07 to 1.26 with 64 x 64, and 1.02 to 1.18 with 224 x 224: one form of the weights is for
/// all sizes. The model says 1.09, 1.09, 1.08 and 1.07; 1.19 and 1.15.
struct BucketCost {
  static constexpr double kVariant = 1.05, kImages = 0.1, kOverhead = 0.04;
  double whole = 0;   ///< the part of the operations that compute the whole bucket
  double windows = 0; ///< the part of those that read windows, such as convolutions, and do not

  double getVariant() const { return kVariant + windows * kImages; }
  double getTime(double work, double bucket) const {
    return getVariant() *
           (whole * bucket + (1 - whole) * work * (1 + kOverhead * (1 - work / bucket)));
  }
};

/// For a function that was imported at the largest sizes.
BucketCost getBucketCost(func::FuncOp function);

using Sizes = SmallVector<int64_t>;

/// `variants`: the last one holds all sizes. A run takes the one with the smallest product of sizes
/// that holds it.

/// How many times as long as with exact shapes runs take, if all sizes of these ranges are equally
/// frequent.
double estimateSlowdown(ArrayRef<DimRange> ranges, ArrayRef<Sizes> variants,
                        const BucketCost &cost);
/// The same for requests, whose dimensions are those of the variants.
double estimateSlowdown(const SizeHistogram &requests, ArrayRef<Sizes> variants,
                        const BucketCost &cost);

/// The variants with which these requests take the least time: of all choices of at most `limit`
/// within a hundredth of the least time, that with the fewest. The last one holds all sizes. For
/// one dimension, there are no better ones; for several, these are the best that a search finds.
std::vector<Sizes> chooseVariants(const SizeHistogram &requests, int64_t limit,
                                  const BucketCost &cost);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_BUCKETS_H
