// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many elements along a dimension count, where that depends on the extents of a variant.
#ifndef TTC_DIALECTS_TTC_LAYOUT_BOUNDEDFACTORS_H
#define TTC_DIALECTS_TTC_LAYOUT_BOUNDEDFACTORS_H

#include "mlir/IR/AffineExpr.h"
#include <optional>

namespace mlir::ttc {

/// A factor of a dimension. Only its first elements count.
struct BoundedFactor {
  int64_t size;
  AffineExpr bound; ///< over the extents; null if all elements count

  bool operator==(const BoundedFactor &) const = default;
};

/// The factors of a dimension, outermost first: row-major, as 8 texts of 64 tokens are 512 rows.
using BoundedFactors = SmallVector<BoundedFactor, 1>;

/// Whether all elements count.
bool areWhole(ArrayRef<BoundedFactor> factors);
/// Moves factors of the total `size` from the front of `factors`. A factor that is larger is
/// divided: of its outer part, those elements count that have one that counts, with all of their
/// inner ones. Nothing, and no change, if no factor can end there.
std::optional<BoundedFactors> takeFactors(BoundedFactors &factors, int64_t size);
/// The same elements, by fewer factors: those that are whole join those around them. In a
/// factor of one element, this one counts.
BoundedFactors mergeFactors(ArrayRef<BoundedFactor> factors);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_LAYOUT_BOUNDEDFACTORS_H
