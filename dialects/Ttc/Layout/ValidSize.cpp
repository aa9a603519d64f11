// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Layout/ValidSize.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

RankedTensorType mlir::ttc::getWholeType(RankedTensorType part, ArrayAttr sharding, Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto mesh = module ? module->getAttrOfType<MeshAttr>(kMeshAttrName) : MeshAttr();
  if (!sharding || !mesh)
    return part;
  SmallVector<int64_t> shape(part.getShape());
  for (auto [size, axes] : llvm::zip_first(shape, sharding.getAsRange<ArrayAttr>()))
    for (auto name : axes.getAsRange<StringAttr>())
      if (std::optional<unsigned> axis = mesh.findAxis(name))
        size *= mesh.getAxes()[*axis].getSize();
  return part.clone(shape);
}

namespace {

bool add(int64_t a, int64_t b, int64_t &sum) { return !llvm::AddOverflow(a, b, sum); }
bool multiply(int64_t a, int64_t b, int64_t &product) { return !llvm::MulOverflow(a, b, product); }

bool isConstant(const ValidSize &size) {
  return size.divisor == 1 && size.products.empty() &&
         llvm::all_of(size.multipliers, [](int64_t m) { return m == 0; });
}

/// Multiplies all but the divisor.
bool scale(ValidSize &size, int64_t factor) {
  return multiply(size.offset, factor, size.offset) &&
         llvm::all_of(
             size.products,
             [&](auto &product) { return multiply(product.times, factor, product.times); }) &&
         llvm::all_of(size.multipliers, [&](int64_t &m) { return multiply(m, factor, m); });
}

/// A multiple of what was rounded: a product whose other factor is 1.
bool multiplyRounded(ValidSize &size, int64_t times) {
  if (!size.products.empty())
    return false;
  ValidSize one, product;
  one.multipliers.assign(size.multipliers.size(), 0);
  product.multipliers = one.multipliers;
  one.offset = 1;
  product.products.push_back({times, {size, one}});
  size = std::move(product);
  return true;
}

bool addTo(ValidSize &sum, const ValidSize &term) {
  llvm::append_range(sum.products, term.products);
  return add(sum.offset, term.offset, sum.offset) &&
         llvm::all_of(llvm::zip_equal(sum.multipliers, term.multipliers), [](auto pair) {
           return add(std::get<0>(pair), std::get<1>(pair), std::get<0>(pair));
         });
}

} // namespace

std::optional<ValidSize> ValidSize::get(AffineExpr expr, unsigned numExtents) {
  ValidSize size;
  size.multipliers.assign(numExtents, 0);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    size.offset = constant.getValue();
    return size;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    if (symbol.getPosition() >= numExtents)
      return std::nullopt;
    size.multipliers[symbol.getPosition()] = 1;
    return size;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt; // dimensions of the map
  std::optional<ValidSize> lhs = get(binary.getLHS(), numExtents);
  std::optional<ValidSize> rhs = get(binary.getRHS(), numExtents);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Add: // x + y floordiv d = (x * d + y) floordiv d
    if (lhs->divisor != 1)
      std::swap(lhs, rhs);
    if (lhs->divisor != 1 && !multiplyRounded(*lhs, 1))
      return std::nullopt;
    if (!scale(*lhs, rhs->divisor) || !addTo(*rhs, *lhs))
      return std::nullopt;
    return rhs;
  case AffineExprKind::Mul:
    if (isConstant(*lhs))
      std::swap(lhs, rhs);
    if (!isConstant(*rhs)) {
      // Of more than two factors, the first ones are a product.
      const bool isProduct = lhs->products.size() == 1 && lhs->divisor == 1 && lhs->offset == 0 &&
                             llvm::all_of(lhs->multipliers, [](int64_t m) { return m == 0; });
      if (!rhs->products.empty() || (!lhs->products.empty() && !isProduct))
        return std::nullopt;
      if (isProduct)
        size.products = std::move(lhs->products);
      else
        size.products.push_back({1, {*lhs}});
      size.products.front().factors.push_back(*rhs);
      return size;
    }
    if (!(lhs->divisor != 1 ? multiplyRounded(*lhs, rhs->offset) : scale(*lhs, rhs->offset)))
      return std::nullopt;
    return lhs;
  case AffineExprKind::CeilDiv: // x ceildiv d = (x + d - 1) floordiv d
  case AffineExprKind::FloorDiv:
    if (!isConstant(*rhs) || rhs->offset < 1)
      return std::nullopt;
    if (binary.getKind() == AffineExprKind::CeilDiv) {
      ValidSize round;
      round.multipliers.assign(numExtents, 0);
      if (!multiply(rhs->offset - 1, lhs->divisor, round.offset) || !addTo(*lhs, round))
        return std::nullopt;
    }
    // x floordiv a floordiv b = x floordiv (a * b)
    if (!multiply(lhs->divisor, rhs->offset, lhs->divisor))
      return std::nullopt;
    return lhs;
  default:
    return std::nullopt;
  }
}

AffineExpr ValidSize::getExpr(MLIRContext *context) const {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (auto [i, multiplier] : llvm::enumerate(multipliers))
    sum = sum + getAffineSymbolExpr(i, context) * multiplier;
  for (const Product &product : products) {
    AffineExpr term = product.factors.front().getExpr(context);
    for (const ValidSize &factor : llvm::drop_begin(product.factors))
      term = term * factor.getExpr(context);
    sum = sum + term * product.times;
  }
  return (sum + offset).floorDiv(divisor);
}

std::optional<int64_t> ValidSize::at(ArrayRef<int64_t> extents) const {
  int64_t sum = offset;
  for (auto [multiplier, extent] : llvm::zip_equal(multipliers, extents)) {
    int64_t term;
    if (!multiply(multiplier, extent, term) || !add(sum, term, sum))
      return std::nullopt;
  }
  for (const Product &product : products) {
    int64_t term = product.times;
    for (const ValidSize &factor : product.factors) {
      std::optional<int64_t> size = factor.at(extents);
      if (!size || !multiply(term, *size, term))
        return std::nullopt;
    }
    if (!add(sum, term, sum))
      return std::nullopt;
  }
  return llvm::divideFloorSigned(sum, divisor);
}
