// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of a model at a few sizes, as functions of all sizes.
#ifndef TTC_LIB_SHAPES_SIZEFITTER_H
#define TTC_LIB_SHAPES_SIZEFITTER_H

#include "dialects/Ttc/Interfaces/Extents.h"
#include <map>

namespace mlir::ttc {

/// Finds the extent that has given values at the sizes of each import.
///
/// Along one dimension, an extent is a rounded line. Points that leave one line are found as in a
/// bisection: sizes are asked for one by one, each where the lines that are left differ most. A
/// stride of 320 takes 15 to 20 of them, whatever the range.
///
/// Sums that are not rounded may have products of two dimensions: (batch + 1) * sequence. Two more
/// points tell each.
class SizeFitter {
public:
  /// The largest sizes come first. Those with the least size along one dimension are among the
  /// others.
  SizeFitter(ExtentSpace &space, std::vector<SmallVector<int64_t>> points)
      : space(space), points(std::move(points)) {}

  struct Fit {
    /// Nothing if no extent has these values.
    std::optional<Extent> extent;
    /// Sizes to import the model at, because other extents have these values, too, or because they
    /// are too few to rely on. Empty if the extent is certain.
    SmallVector<int64_t> wanted;
  };
  const Fit &fit(ArrayRef<int64_t> values) const;

private:
  Fit compute(ArrayRef<int64_t> values) const;
  Fit addProducts(ArrayRef<int64_t> values, ArrayRef<int64_t> rises) const;

  ExtentSpace &space; ///< takes the products
  std::vector<SmallVector<int64_t>> points;
  /// A model has few different ones.
  mutable std::map<std::vector<int64_t>, Fit> known;
};

} // namespace mlir::ttc

#endif // TTC_LIB_SHAPES_SIZEFITTER_H
