// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/Extents.h"
#include "dialects/Ttc/TtcOpBase.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ttc;

//===--- arithmetic -------------------------------------------------------------------===//

static int64_t getMultiplier(const Extent &extent, size_t index) {
  return index < extent.multipliers.size() ? extent.multipliers[index] : 0;
}

static bool areIdentical(const Extent &a, const Extent &b) {
  for (size_t i = 0; i < std::max(a.multipliers.size(), b.multipliers.size()); ++i)
    if (getMultiplier(a, i) != getMultiplier(b, i))
      return false;
  return a.offset == b.offset && a.divisor == b.divisor;
}

/// Removes a remainder that is the same for all sizes, and what all numbers have in common.
Extent ExtentSpace::normalize(Extent extent) const {
  int64_t first = extent.offset;
  bool isConstantRemainder = true;
  for (auto [multiplier, dim] : llvm::zip_first(extent.multipliers, dimensions)) {
    first += multiplier * dim.low;
    isConstantRemainder &= multiplier * dim.step % extent.divisor == 0;
  }
  if (isConstantRemainder)
    extent.offset -= ((first % extent.divisor) + extent.divisor) % extent.divisor;
  int64_t common = std::gcd(extent.divisor, extent.offset);
  for (int64_t multiplier : extent.multipliers)
    common = std::gcd(common, multiplier);
  if (common > 1) {
    for (int64_t &multiplier : extent.multipliers)
      multiplier /= common;
    extent.offset /= common;
    extent.divisor /= common;
  }
  if (extent.isConstant()) {
    extent.offset = llvm::divideFloorSigned(extent.offset, extent.divisor);
    extent.divisor = 1;
  }
  return extent;
}

Extent ExtentSpace::getConstant(int64_t value) const {
  return {SmallVector<int64_t, 2>(dimensions.size(), 0), value, 1};
}

Extent ExtentSpace::getDimension(unsigned index) const {
  Extent extent = getConstant(0);
  extent.multipliers[index] = 1;
  return extent;
}

Extent ExtentSpace::add(const Extent &a, int64_t number) const {
  Extent sum = a;
  sum.offset += number * a.divisor;
  return normalize(sum);
}

bool ExtentSpace::isExact(const Extent &extent) const {
  if (extent.divisor == 1)
    return true;
  // The dimensions are low + k * step for any k.
  int64_t first = extent.offset;
  for (auto [multiplier, dim] : llvm::zip_first(extent.multipliers, dimensions)) {
    first += multiplier * dim.low;
    if (multiplier * dim.step % extent.divisor != 0)
      return false;
  }
  return first % extent.divisor == 0;
}

std::optional<Extent> ExtentSpace::addExact(const Extent &a, const Extent &b) const {
  // floor(a) + b is floor(a + b) if b is an integer.
  if (!isExact(a) && !isExact(b))
    return std::nullopt;
  Extent sum = getConstant(a.offset * b.divisor + b.offset * a.divisor);
  sum.divisor = a.divisor * b.divisor;
  for (auto [index, to] : llvm::enumerate(sum.multipliers))
    to = getMultiplier(a, index) * b.divisor + getMultiplier(b, index) * a.divisor;
  return normalize(sum);
}

std::optional<Extent> ExtentSpace::add(const Extent &a, const Extent &b) {
  if (std::optional<Extent> sum = addExact(a, b))
    return sum;
  std::optional<Extent> left = addRounded(a), right = addRounded(b);
  return left && right ? addExact(*left, *right) : std::nullopt;
}

std::optional<Extent> ExtentSpace::multiply(const Extent &a, int64_t factor) const {
  if (factor != 1 && !isExact(a))
    return std::nullopt;
  Extent product = a;
  for (int64_t &multiplier : product.multipliers)
    multiplier *= factor;
  product.offset *= factor;
  return normalize(product);
}

Extent ExtentSpace::floorDiv(const Extent &a, int64_t divisor) const {
  Extent quotient = a;
  quotient.divisor *= divisor;
  return normalize(quotient);
}

std::optional<Extent> ExtentSpace::findProduct(const Extent &a, const Extent &b) const {
  for (auto [index, factors] : llvm::enumerate(products))
    if ((areIdentical(factors.first, a) && areIdentical(factors.second, b)) ||
        (areIdentical(factors.first, b) && areIdentical(factors.second, a)))
      return getDimension(numNamed + index);
  return std::nullopt;
}

/// Divides an extent that is not rounded by what all its numbers have in common, and returns that.
static int64_t divideByCommon(Extent &extent) {
  int64_t common = std::abs(extent.offset);
  for (int64_t multiplier : extent.multipliers)
    common = std::gcd(common, multiplier);
  if (extent.divisor != 1 || common < 2)
    return 1;
  for (int64_t &multiplier : extent.multipliers)
    multiplier /= common;
  extent.offset /= common;
  return common;
}

std::optional<Extent> ExtentSpace::multiply(const Extent &a, const Extent &b) {
  if (b.isConstant() && (b.offset == 1 || isExact(a)))
    return multiply(a, b.offset);
  if (b.isConstant()) {
    std::optional<Extent> rounded = addRounded(a);
    return rounded ? multiply(*rounded, b.offset) : std::nullopt;
  }
  if (a.isConstant())
    return multiply(b, a);
  // Constant factors stay outside, where affine expressions have them.
  Extent left = a, right = b;
  const int64_t factor = divideByCommon(left) * divideByCommon(right);
  if (factor != 1) {
    std::optional<Extent> product = multiply(left, right);
    return product ? multiply(*product, factor) : std::nullopt;
  }
  if (std::optional<Extent> known = findProduct(a, b))
    return known;
  return addProduct(a, b);
}

std::optional<Extent> ExtentSpace::addProduct(const Extent &a, const Extent &b) {
  if (getLeast(a) < 0 || getLeast(b) < 0)
    return std::nullopt;
  auto most = [&](const Extent &extent) {
    int64_t sum = extent.offset;
    for (auto [multiplier, dim] : llvm::zip_first(extent.multipliers, dimensions))
      sum += multiplier * (multiplier < 0 ? dim.low : dim.high);
    return llvm::divideFloorSigned(sum, extent.divisor);
  };
  const Dimension product{b.isConstant() ? print(a) : "(" + print(a) + ") * (" + print(b) + ")",
                          getLeast(a) * getLeast(b), most(a) * most(b), 1};
  dimensions.push_back(product);
  products.push_back({a, b});
  return getDimension(dimensions.size() - 1);
}

/// What was rounded, as a dimension of its own, of which there are multiples and sums.
std::optional<Extent> ExtentSpace::addRounded(const Extent &a) {
  std::optional<Extent> known = findProduct(a, getConstant(1));
  return known ? known : addProduct(a, getConstant(1));
}

int64_t ExtentSpace::evaluate(const Extent &extent, ArrayRef<int64_t> sizes) const {
  int64_t sum = extent.offset;
  for (auto [index, multiplier] : llvm::enumerate(extent.multipliers))
    if (multiplier != 0) {
      const auto *factors = getFactors(index);
      sum +=
          multiplier * (factors ? evaluate(factors->first, sizes) * evaluate(factors->second, sizes)
                                : sizes[index]);
    }
  return llvm::divideFloorSigned(sum, extent.divisor);
}

int64_t ExtentSpace::getLeast(const Extent &extent) const {
  int64_t sum = extent.offset;
  for (auto [multiplier, dim] : llvm::zip_first(extent.multipliers, dimensions))
    sum += multiplier * (multiplier < 0 ? dim.high : dim.low);
  return llvm::divideFloorSigned(sum, extent.divisor);
}

/// Adds `times` / `over` of what an extent is at least, or at most, if `times` is negative. Returns
/// false if the numbers become too large.
bool ExtentSpace::addBound(Extent &sum, const Extent &extent, int64_t times, int64_t over) const {
  constexpr int64_t kMostDivisor = int64_t(1) << 24;
  over *= extent.divisor;
  const int64_t common = std::lcm(sum.divisor, over), factor = times * (common / over);
  if (common > kMostDivisor || std::abs(factor) > kMostDivisor)
    return false;
  sum.offset *= common / sum.divisor;
  for (int64_t &multiplier : sum.multipliers)
    multiplier *= common / sum.divisor;
  sum.divisor = common;
  sum.offset += extent.offset * factor;
  if (times > 0 && !isExact(extent))
    sum.offset -= (extent.divisor - 1) * factor;
  SmallVector<unsigned> rounded;
  for (auto [index, multiplier] : llvm::enumerate(extent.multipliers)) {
    const auto *factors = multiplier != 0 ? getFactors(index) : nullptr;
    if (factors && factors->second.isConstant())
      rounded.push_back(index);
    else
      sum.multipliers[index] += multiplier * factor;
  }
  return llvm::all_of(rounded, [&](unsigned index) {
    return addBound(sum, getFactors(index)->first, times * extent.multipliers[index], over);
  });
}

std::optional<int64_t> ExtentSpace::getLeastSum(ArrayRef<std::pair<Extent, int64_t>> terms) const {
  Extent sum = getConstant(0);
  for (const auto &[extent, times] : terms)
    if (!addBound(sum, extent, times, /*over=*/1))
      return std::nullopt;
  sum.offset += sum.divisor - 1; // a whole number is at least the bound, rounded up
  return getLeast(sum);
}

/// Adds a multiple of an extent times a monomial. Returns false if the extent is rounded, other
/// than as a dimension of its own.
bool ExtentSpace::addMonomials(const Extent &extent, const Monomial &outer, int64_t times,
                               Polynomial &sum) const {
  if (extent.divisor != 1)
    return false;
  sum[outer] += times * extent.offset;
  for (auto [index, multiplier] : llvm::enumerate(extent.multipliers)) {
    if (multiplier == 0)
      continue;
    const auto *factors = getFactors(index);
    if (!factors || factors->second.isConstant()) {
      Monomial inner = outer;
      inner.insert(llvm::upper_bound(inner, index), index);
      sum[inner] += times * multiplier;
      continue;
    }
    Polynomial product;
    if (!addMonomials(factors->first, outer, times * multiplier, product))
      return false;
    for (const auto &[monomial, number] : product)
      if (!addMonomials(factors->second, monomial, number, sum))
        return false;
  }
  return true;
}

bool ExtentSpace::areEqual(const Extent &a, const Extent &b) const {
  if (areIdentical(a, b))
    return true;
  Polynomial difference;
  if (addMonomials(a, {}, 1, difference) && addMonomials(b, {}, -1, difference) &&
      llvm::all_of(difference, [](const auto &term) { return term.second == 0; }))
    return true;
  bool hasProduct = false;
  for (size_t index = numNamed; index < dimensions.size(); ++index)
    hasProduct |= getMultiplier(a, index) != 0 || getMultiplier(b, index) != 0;
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(getDimensions(), [](const Dimension &dim) { return dim.low; });
  auto agree = [&] { return evaluate(a, sizes) == evaluate(b, sizes); };
  if (!hasProduct && isExact(a) && isExact(b)) {
    // Linear functions that agree at one corner and along each dimension.
    if (!agree())
      return false;
    for (auto [size, dim] : llvm::zip_equal(sizes, getDimensions())) {
      size = dim.high;
      if (!agree())
        return false;
      size = dim.low;
    }
    return true;
  }
  // Others at all sizes of the dimensions that they depend on, if these are not too many.
  constexpr int64_t kMostSizes = 1 << 16;
  SmallVector<unsigned> used;
  int64_t count = 1;
  for (auto [index, dim] : llvm::enumerate(getDimensions()))
    if (hasProduct || getMultiplier(a, index) != 0 || getMultiplier(b, index) != 0) {
      used.push_back(index);
      count *= (dim.high - dim.low) / dim.step + 1;
      if (count > kMostSizes)
        return false;
    }
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (unsigned index : used) {
      const Dimension &dim = dimensions[index];
      const int64_t steps = (dim.high - dim.low) / dim.step + 1;
      sizes[index] = dim.low + rest % steps * dim.step;
      rest /= steps;
    }
    if (!agree())
      return false;
  }
  return true;
}

AffineExpr ExtentSpace::getExpr(const Extent &extent, MLIRContext *context) const {
  AffineExpr sum = getAffineConstantExpr(extent.offset, context);
  for (auto [index, multiplier] : llvm::enumerate(extent.multipliers)) {
    const auto *factors = multiplier != 0 ? getFactors(index) : nullptr;
    AffineExpr term = factors ? getExpr(factors->first, context) * getExpr(factors->second, context)
                              : getAffineSymbolExpr(index, context);
    sum = sum + term * multiplier;
  }
  return sum.floorDiv(extent.divisor);
}

std::optional<Extent> ExtentSpace::fromExpr(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getConstant(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    if (symbol.getPosition() >= numNamed)
      return std::nullopt;
    return getDimension(symbol.getPosition());
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Extent> left = fromExpr(binary.getLHS()), right = fromExpr(binary.getRHS());
  if (!left || !right)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    if (std::optional<Extent> sum = addExact(*left, *right))
      return sum;
    left = findProduct(*left, getConstant(1));
    right = findProduct(*right, getConstant(1));
    return left && right ? addExact(*left, *right) : std::nullopt;
  case AffineExprKind::Mul:
    if (!right->isConstant())
      return findProduct(*left, *right);
    if (std::optional<Extent> rounded = findProduct(*left, getConstant(1)))
      left = rounded;
    return multiply(*left, right->offset);
  case AffineExprKind::FloorDiv:
    if (!right->isConstant() || right->offset < 1)
      return std::nullopt;
    return floorDiv(*left, right->offset);
  default:
    return std::nullopt;
  }
}

void ExtentSpace::addDimensions(AffineMap map) {
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    std::optional<Extent> a = binary ? fromExpr(binary.getLHS()) : std::nullopt,
                          b = binary ? fromExpr(binary.getRHS()) : std::nullopt;
    if (a && b && binary.getKind() == AffineExprKind::Mul)
      multiply(*a, *b);
    else if (a && b && binary.getKind() == AffineExprKind::Add)
      add(*a, *b);
  });
}

std::string ExtentSpace::print(const Extent &extent) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  bool isFirst = true;
  for (auto [multiplier, dim] : llvm::zip_first(extent.multipliers, dimensions)) {
    if (multiplier == 0)
      continue;
    out << (isFirst ? (multiplier < 0 ? "-" : "") : multiplier < 0 ? " - " : " + ");
    if (std::abs(multiplier) != 1)
      out << std::abs(multiplier) << " * ";
    out << dim.name;
    isFirst = false;
  }
  if (isFirst)
    out << extent.offset;
  else if (extent.offset != 0)
    out << (extent.offset < 0 ? " - " : " + ") << std::abs(extent.offset);
  return extent.divisor == 1 ? text : "(" + text + ") / " + std::to_string(extent.divisor);
}

//===--- scopes -----------------------------------------------------------------------===//

bool ExtentScope::isPadded(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    if (isPadded(value, dim))
      return true;
  return false;
}

std::optional<Extent> ExtentScope::getExtent(Value value, int64_t dim) const {
  const int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  const Padding &padding = getPadding(value, dim);
  if (padding.empty())
    return getSpace().getConstant(size);
  // Factors inside of the first one must be whole.
  if (llvm::any_of(ArrayRef(padding).drop_front(),
                   [](const PaddingFactor &factor) { return factor.extent.has_value(); }))
    return std::nullopt;
  const PaddingFactor &outer = padding.front();
  return getSpace().multiply(*outer.extent, size / outer.size);
}

void ExtentScope::setExtent(Value result, int64_t dim, const Extent &extent) {
  const int64_t size = cast<RankedTensorType>(result.getType()).getDimSize(dim);
  if (getSpace().getLeast(extent) < size)
    setPadding(result, dim, {PaddingFactor{size, extent}});
}

InFlightDiagnostic mlir::ttc::emitPaddingError(Operation *op, const ExtentScope &scope, Value value,
                                               int64_t dim) {
  InFlightDiagnostic diagnostic = op->emitOpError();
  std::string extents;
  for (const PaddingFactor &factor : scope.getPadding(value, dim))
    if (factor.extent)
      extents += (extents.empty() ? "" : " x ") + scope.getSpace().print(*factor.extent);
  bool isOperand = false;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value && !isOperand) {
      diagnostic << "dimension " << dim << " of operand " << operand.getOperandNumber();
      isOperand = true;
    }
  if (!isOperand)
    diagnostic << "dimension " << dim << " of the result";
  if (!extents.empty())
    diagnostic << " has a size of its own in each run (" << extents << ")";
  diagnostic << ": ";
  return diagnostic;
}
