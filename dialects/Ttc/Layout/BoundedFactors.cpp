// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Layout/BoundedFactors.h"
#include "dialects/Ttc/TtcAttributes.h"

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::areWhole(ArrayRef<BoundedFactor> factors) {
  return llvm::none_of(factors, [](const BoundedFactor &factor) { return factor.bound; });
}

std::optional<BoundedFactors> mlir::ttc::takeFactors(BoundedFactors &factors, int64_t size) {
  int64_t product = 1;
  size_t count = 0;
  while (product < size && count < factors.size())
    product *= factors[count++].size;
  if (product > size) {
    BoundedFactor &last = factors[count - 1];
    const int64_t before = product / last.size, outer = size / before;
    if (size % before != 0 || last.size % outer != 0)
      return std::nullopt;
    const int64_t inner = last.size / outer;
    last.size = outer;
    if (last.bound)
      last.bound = (last.bound + (inner - 1)).floorDiv(inner);
    factors.insert(factors.begin() + count, BoundedFactor{inner, {}});
  } else if (product != size) {
    return std::nullopt;
  }
  BoundedFactors taken(ArrayRef(factors).take_front(count));
  factors.erase(factors.begin(), factors.begin() + count);
  return taken;
}

BoundedFactors mlir::ttc::mergeFactors(ArrayRef<BoundedFactor> factors) {
  BoundedFactors merged; // innermost first
  for (const BoundedFactor &factor : llvm::reverse(factors)) {
    if (factor.size == 1)
      continue;
    // The first rows of whole ones are consecutive.
    if (!merged.empty() && !merged.back().bound) {
      BoundedFactor &inner = merged.back();
      if (factor.bound)
        inner.bound = factor.bound * inner.size;
      inner.size *= factor.size;
    } else {
      merged.push_back(factor);
    }
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

/// Sums, multiples and quotients of symbols and constants.
static bool isComputable(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
  case AffineExprKind::SymbolId:
    return true;
  case AffineExprKind::Add:
  case AffineExprKind::Mul: {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    return isComputable(binary.getLHS()) && isComputable(binary.getRHS());
  }
  case AffineExprKind::FloorDiv: {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return divisor && divisor.getValue() > 0 && isComputable(binary.getLHS());
  }
  default:
    return false;
  }
}

LogicalResult WithinAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t argument,
                                 ArrayRef<int64_t> sizes, AffineMap bounds) {
  if (argument < 0)
    return emitError() << "(C1) expected 'argument' of 0 or more, found " << argument;
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return emitError() << "(C1) expected sizes of 0 or more, found [" << sizes << "]";
  if (bounds.getNumDims() != 0 || bounds.getNumResults() != sizes.size())
    return emitError() << "(C2) expected 'bounds' of symbols with a result for each of "
                       << sizes.size() << " sizes, found " << AffineMapAttr::get(bounds);
  if (!llvm::all_of(bounds.getResults(), isComputable))
    return emitError() << "(C2) expected 'bounds' of sums, multiples and quotients by constants, "
                          "found "
                       << AffineMapAttr::get(bounds);
  return success();
}

std::optional<SmallVector<BoundedFactors>> WithinAttr::getFactors(RankedTensorType type) const {
  BoundedFactors all;
  for (auto [size, bound] : llvm::zip_equal(getSizes(), getBounds().getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    all.push_back({size, constant && constant.getValue() >= size ? AffineExpr() : bound});
  }
  SmallVector<BoundedFactors> dims;
  BoundedFactors left = all;
  for (int64_t size : type.getShape()) {
    // The sizes are those of factors: none is divided.
    const size_t count = left.size();
    std::optional<BoundedFactors> factors = takeFactors(left, size);
    if (!factors || factors->size() + left.size() != count)
      return std::nullopt;
    dims.push_back(std::move(*factors));
  }
  // Factors of 1.
  if (llvm::any_of(left, [](const BoundedFactor &factor) { return factor.size != 1; }))
    return std::nullopt;
  return dims;
}
