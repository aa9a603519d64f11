// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The padding of values while --ttc-mask-padding walks a function, and the masks that it inserts.
#ifndef TTC_LIB_SHAPES_MASKS_H
#define TTC_LIB_SHAPES_MASKS_H

#include "dialects/Ttc/Interfaces/Extents.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ttc {

/// The scope of all ops of a variant.
class Masks final : public ExtentScope {
public:
  Masks(func::FuncOp function, ExtentSpace space, Value extents);

  const ExtentSpace &getSpace() const override { return space; }
  std::optional<Extent> add(const Extent &a, const Extent &b) override { return space.add(a, b); }
  std::optional<Extent> multiply(const Extent &a, const Extent &b) override {
    return space.multiply(a, b);
  }
  const Padding &getPadding(Value value, int64_t dim) const override;
  void setPadding(Value value, int64_t dim, Padding padding) override;
  LogicalResult fill(OpOperand &operand, int64_t dim, Fill fill) override;
  void fillWith(OpOperand &operand, int64_t dim, Value number) override;
  void setFilled(Value result, int64_t dim, Fill number) override;
  Value buildCount(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> dims,
                   Type elementType) override;
  Value getExtentValue(const Extent &extent) override;
  std::optional<Extent> getDeclared(Operation *op, int64_t dim) const override;

  /// Those of sizes that the function declares.
  void addDimensions(AffineMap map) { space.addDimensions(map); }
  int64_t getNumMasks() const { return numMasks; }

private:
  bool isFilled(Value value, int64_t dim, Fill fill) const;
  /// Fills the operands of an op that only moves elements, or the numbers that a dequantize reads.
  /// Nothing if the value is not computed by one.
  std::optional<LogicalResult> fillSources(Value value, int64_t dim, Fill fill);
  /// The value where `dim` is valid, and `number` elsewhere; with `forAll`, it replaces the value
  /// in all uses. Built after the value is computed, or before `before`.
  Value mask(Value value, int64_t dim, Value number, bool forAll, Operation *before = nullptr);
  /// Which elements are valid along a dimension of this padding: i1[size], for each factor that has
  /// an extent.
  SmallVector<Value> getValid(const Padding &padding);
  /// Builds ops at the beginning of the function, after those built before.
  template <typename Op, typename... Args> Op prologue(Args &&...args);

  func::FuncOp function;
  ExtentSpace space;
  Value extents;
  DenseMap<Value, SmallVector<Padding>> paddings;
  DenseMap<Value, SmallVector<std::pair<int64_t, Fill>>> fills;
  llvm::StringMap<Value> computed; ///< of the prologue, by what they are
  Operation *lastOfPrologue = nullptr;
  int64_t numMasks = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_SHAPES_MASKS_H
