// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a tensor is valid: affine functions of what a user's batch, length or image measures.
#ifndef TTC_DIALECTS_TTC_INTERFACES_EXTENTS_H
#define TTC_DIALECTS_TTC_INTERFACES_EXTENTS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <map>
#include <vector>

namespace mlir::ttc {

/// A size that depends on the dimensions of a variant:
/// (sum of multipliers[i] * dimension i + offset) / divisor, rounded down.
struct Extent {
  SmallVector<int64_t, 2> multipliers; ///< one per dimension of the space; those that lack are 0
  int64_t offset = 0, divisor = 1;

  bool isConstant() const {
    return llvm::all_of(multipliers, [](int64_t m) { return m == 0; });
  }
};

/// The dimensions of a variant, each of any multiple of its step from low to high, and arithmetic
/// on extents.
///
/// A product of two extents is not affine. It becomes a dimension of its own, after the named ones,
/// whose size follows from theirs: height / 8 * width / 8 elements of a flattened image. So does an
/// extent that was rounded and is multiplied or added to another one, times 1: 8 * (samples / 8)
/// after convolutions and transposed ones.
class ExtentSpace {
public:
  struct Dimension {
    std::string name;
    int64_t low, high, step;
  };

  explicit ExtentSpace(ArrayRef<Dimension> dimensions = {})
      : dimensions(dimensions.begin(), dimensions.end()), numNamed(dimensions.size()) {}

  /// Those of the variant.
  ArrayRef<Dimension> getDimensions() const { return ArrayRef(dimensions).take_front(numNamed); }
  /// The factors of dimension `index`; null if it has a name.
  const std::pair<Extent, Extent> *getFactors(unsigned index) const {
    return index < numNamed ? nullptr : &products[index - numNamed];
  }

  Extent getConstant(int64_t value) const;
  Extent getDimension(unsigned index) const;
  Extent add(const Extent &a, int64_t number) const;
  /// Adds dimensions where both are rounded, unless they are there. Nothing if an extent may be
  /// negative.
  std::optional<Extent> add(const Extent &a, const Extent &b);
  std::optional<Extent> multiply(const Extent &a, int64_t factor) const;
  /// Adds a dimension where it takes one, unless it is there. Nothing if an extent may be negative.
  std::optional<Extent> multiply(const Extent &a, const Extent &b);
  Extent floorDiv(const Extent &a, int64_t divisor) const;

  /// `sizes` are those of the named dimensions.
  int64_t evaluate(const Extent &extent, ArrayRef<int64_t> sizes) const;
  /// Whether the division never rounds.
  bool isExact(const Extent &extent) const;
  /// Whether both are the same for all sizes of the dimensions.
  bool areEqual(const Extent &a, const Extent &b) const;
  /// The smallest value. Multipliers may be negative.
  int64_t getLeast(const Extent &extent) const;
  /// What the sum of multiples of extents is at least, although it may be no extent: less than the
  /// smallest sum where extents round apart from each other. Nothing if numbers become too large.
  std::optional<int64_t> getLeastSum(ArrayRef<std::pair<Extent, int64_t>> terms) const;

  /// A symbol, a sum of multiples of symbols and a constant, or such a sum floordiv a constant; of
  /// products, semi-affine ones.
  AffineExpr getExpr(const Extent &extent, MLIRContext *context) const;
  /// Nothing if the expression takes dimensions that are not there (addDimensions()).
  std::optional<Extent> fromExpr(AffineExpr expr) const;
  /// Adds those that the map's results take.
  void addDimensions(AffineMap map);

  /// "2 * sequence + 1"
  std::string print(const Extent &extent) const;

private:
  Extent normalize(Extent extent) const;
  std::optional<Extent> addExact(const Extent &a, const Extent &b) const;
  std::optional<Extent> findProduct(const Extent &a, const Extent &b) const;
  std::optional<Extent> addProduct(const Extent &a, const Extent &b);
  std::optional<Extent> addRounded(const Extent &a);
  /// The dimensions that are multiplied, ascending.
  using Monomial = std::vector<size_t>;
  using Polynomial = std::map<Monomial, int64_t>;
  bool addMonomials(const Extent &extent, const Monomial &outer, int64_t times,
                    Polynomial &sum) const;
  bool addBound(Extent &sum, const Extent &extent, int64_t times, int64_t over) const;

  SmallVector<Dimension, 2> dimensions;
  unsigned numNamed;
  SmallVector<std::pair<Extent, Extent>, 0> products; ///< of the dimensions after the named ones
};

/// Which elements along a dimension of a tensor are valid. Its size is that of its factors
/// together, outermost first; along each, the elements below the extent are valid. Empty if all
/// are.
struct PaddingFactor {
  int64_t size;
  std::optional<Extent> extent; ///< nothing: all elements are valid
};
using Padding = SmallVector<PaddingFactor, 1>;

/// Whether the same elements are valid, if by other factors: the first `e` of rows of `n` elements
/// are the first `e * n`.
bool areEqual(const ExtentSpace &space, const Padding &a, const Padding &b);

/// Numbers with which padding changes no result of an op.
enum class Fill { Zero, One, Lowest, Highest };

/// What the rule of an op (Ttc_ExtentOpInterface) sees and decides. A value's padding may hold
/// anything.
class ExtentScope {
public:
  virtual ~ExtentScope() = default;

  virtual const ExtentSpace &getSpace() const = 0;
  /// Nothing if an extent may be negative.
  virtual std::optional<Extent> add(const Extent &a, const Extent &b) = 0;
  virtual std::optional<Extent> multiply(const Extent &a, const Extent &b) = 0;
  /// Along a dimension of an operand or of a result that the rule has set.
  virtual const Padding &getPadding(Value value, int64_t dim) const = 0;
  virtual void setPadding(Value result, int64_t dim, Padding padding) = 0;
  /// Lets the padding of an operand along a dimension hold `fill`. Fails, with a diagnostic, if the
  /// element type has no such number.
  virtual LogicalResult fill(OpOperand &operand, int64_t dim, Fill fill) = 0;
  /// The same with the one element of a tensor that is computed before the op, for this use alone.
  virtual void fillWith(OpOperand &operand, int64_t dim, Value number) = 0;
  /// The op is known to store `number` in the padding of its result along a dimension, where the
  /// other dimensions are valid.
  virtual void setFilled(Value result, int64_t dim, Fill number) = 0;
  /// The number of valid elements along these dimensions of `value`, as a tensor of one element and
  /// no dimensions.
  virtual Value buildCount(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> dims,
                           Type elementType) = 0;
  /// The extent as i32[1], computed once.
  virtual Value getExtentValue(const Extent &extent) = 0;
  /// What an attribute `ttc.dims` of the op says of dimension `dim` of its result.
  virtual std::optional<Extent> getDeclared(Operation *op, int64_t dim) const = 0;

  bool isPadded(Value value) const;
  bool isPadded(Value value, int64_t dim) const { return !getPadding(value, dim).empty(); }
  /// The extent of a dimension of one factor; that of its size if nothing is padded. Nothing if
  /// padding lies between its elements.
  std::optional<Extent> getExtent(Value value, int64_t dim) const;
  /// The dimension has this extent, of its size.
  void setExtent(Value result, int64_t dim, const Extent &extent);
};

/// Follows the loops that an op describes: padding passes along parallel loops, is filled along
/// reductions, and fails, with a diagnostic, where results would depend on it. Dimensions of
/// results for which `isOwn` holds are left to the caller.
LogicalResult followLoops(Operation *op, ExtentScope &scope,
                          function_ref<bool(int loop)> isOwn = nullptr);

/// An error that names a dimension of an operand, or of the result, and its extent; the caller adds
/// what was expected.
InFlightDiagnostic emitPaddingError(Operation *op, const ExtentScope &scope, Value value,
                                    int64_t dim);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_EXTENTS_H
