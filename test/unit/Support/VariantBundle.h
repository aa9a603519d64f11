// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_VARIANTBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_VARIANTBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

inline constexpr int64_t kVariantDepth = 3;

/// Extents of `batch` and `sequence` that a variant holds.
struct Bounds {
  int64_t lowBatch, highBatch, lowSequence, highSequence, step = 1;
};

/// A model `main` with a variant main.BxS for each of the bounds, at most 3:
///   inputs "x" f32[batch, sequence, 3], "mask" i8[batch, sequence], "w" f32[3], "extents" i32[2]
///   outputs "y" f32[batch], the sum of w[k] * x[b, i, k] over valid i with mask[b, i] != 0;
///           "z" f32[batch, (sequence + 1) / 2, 3], x[b, 2 * i, k]
/// Values beyond the extents reach values beyond the extents alone.
BundleBuilder variantBundle(const std::vector<Bounds> &variants = {
                                {1, 1, 1, 4}, {1, 4, 1, 8}, {1, 2, 1, 32}});

/// The valid size (multipliers[0] * batch + multipliers[1] * sequence + offset) / divisor.
std::unique_ptr<fb::ExtentT> extentOf(std::vector<int32_t> multipliers, int64_t offset = 0,
                                      uint32_t divisor = 1);

/// `times` times the product of factors of these multipliers.
std::unique_ptr<fb::ExtentT> productOf(int64_t times,
                                       const std::vector<std::vector<int32_t>> &factors);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_VARIANTBUNDLE_H
