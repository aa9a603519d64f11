// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a port of a variant is valid (#ttc.variant, `ttc.dims`).
#ifndef TTC_DIALECTS_TTC_LAYOUT_VALIDSIZE_H
#define TTC_DIALECTS_TTC_LAYOUT_VALIDSIZE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <vector>

namespace mlir::ttc {

/// The valid size of a dimension: (sum of multipliers[i] * extent i + sum of products + offset)
/// floordiv divisor.
struct ValidSize {
  SmallVector<int64_t> multipliers; ///< one for each dimension of the variant
  int64_t offset = 0;
  int64_t divisor = 1; ///< at least 1
  /// The number of elements of dimensions that were merged: `times` times the factors, which have
  /// no products.
  struct Product {
    int64_t times;
    std::vector<ValidSize> factors;
  };
  std::vector<Product> products;

  /// From an expression over symbols s0 ... s(numExtents - 1). Nothing if it has another form
  /// (sums, quotients of sums by a constant of which at most one has products, and products of sums
  /// and quotients without products), or numbers beyond i64.
  static std::optional<ValidSize> get(AffineExpr expr, unsigned numExtents);
  /// The inverse of get().
  AffineExpr getExpr(MLIRContext *context) const;
  /// The size at the given extents. Nothing if it does not fit in i64.
  std::optional<int64_t> at(ArrayRef<int64_t> extents) const;
};

/// The type that a port has on all devices together: `part`, of which the axes that `ttc.sharding`
/// names divide the dimensions, as the mesh of the module around `op` has them.
RankedTensorType getWholeType(RankedTensorType part, ArrayAttr sharding, Operation *op);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_LAYOUT_VALIDSIZE_H
