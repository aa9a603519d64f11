// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of a variant's values a valid element of a result depends on.
#ifndef TTC_LIB_TRANSFORMS_PROGRAMS_OUTLINING_DEMANDS_H
#define TTC_LIB_TRANSFORMS_PROGRAMS_OUTLINING_DEMANDS_H

#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace mlir::ttc {

/// The elements of a value that something depends on: the factors of each dimension.
using Demand = SmallVector<BoundedFactors>;

/// Walks a variant backwards, from its results, once: by `ttc.dims` of the results, the loops of
/// ops, the masks that --ttc-mask-padding has made, and the elements that kernels are told count.
/// Whatever it does not understand depends on everything.
class Demands {
public:
  /// `function` has `ttc.variant` and one block.
  explicit Demands(func::FuncOp function);

  /// Null if everything counts, or nothing is known.
  const Demand *get(Value value) const;
  /// The argument that has the extents.
  Value getExtents() const { return extents; }
  /// What a number of one element is of the extents. Null if it is something else.
  AffineExpr getExpr(Value value) const;
  /// Whether, at all extents of the variant, no more elements count of `a` than of `b`. False if
  /// that cannot be told.
  bool isAtMost(const BoundedFactor &a, const BoundedFactor &b) const;

private:
  void followBlock(Block &block);
  void follow(Operation *op);
  void followResults(func::ReturnOp op);
  SmallVector<BoundedFactors> getLoops(Operation *op, const DimensionMap &map) const;
  Demand getOfOperand(OpOperand &operand, const DimensionMap &map,
                      ArrayRef<BoundedFactors> loops) const;
  std::optional<BoundedFactor> getOfWindow(OpOperand &operand, const DimensionMap::Loop &loop,
                                           int64_t size, ArrayRef<BoundedFactor> needed) const;
  void limitByCondition(WhereOp where, Demand &demand) const;
  static void limitToReads(Attribute attribute, RankedTensorType type, BoundedFactors &own);
  BoundedFactors join(const BoundedFactors &a, const BoundedFactors &b) const;
  Demand getOrWhole(Value value) const;
  void add(Value value, Demand demand);
  bool compare(AffineExpr a, AffineExpr b, int64_t size) const;

  func::FuncOp function;
  VariantAttr variant;
  Value extents;
  MLIRContext *context;
  DenseMap<Value, Demand> demands; ///< of values that have users
  mutable std::map<std::tuple<const void *, const void *, int64_t>, bool> compared;
};

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PROGRAMS_OUTLINING_DEMANDS_H
