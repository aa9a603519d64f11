// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of ops on tensors, which index dimensions of operands and results.
#ifndef TTC_LIB_MESH_OPLOOPS_H
#define TTC_LIB_MESH_OPLOOPS_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"

namespace mlir::ttc {

/// Loops of an op while they are described. A dimension that nothing is said about has a loop of
/// its own, which cannot be divided: the op needs or makes it whole.
class OpLoops {
public:
  static constexpr int kNone = -1;

  explicit OpLoops(Operation *op);

  /// Values are numbered: operands, then results.
  RankedTensorType getType(unsigned value) const { return types[value]; }
  int64_t getRank(unsigned value) const { return types[value].getRank(); }
  int64_t getSize(unsigned value, int64_t dim) const { return types[value].getDimSize(dim); }
  unsigned getResult(unsigned index = 0) const { return op->getNumOperands() + index; }
  /// Whether each value is a tensor of known rank.
  bool isValid() const { return valid; }

  int addParallel() { return add(utils::IteratorType::parallel, shard::ReductionKind::Generic); }
  /// A loop that reduces. Kind `Generic`: it cannot be divided.
  int addReduction(shard::ReductionKind kind) { return add(utils::IteratorType::reduction, kind); }
  int addWhole() { return addReduction(shard::ReductionKind::Generic); }

  /// The dimension is indexed by the loop, unless it has one element.
  void set(unsigned value, int64_t dim, int loop) {
    if (loop != kNone)
      set(value, dim, getAffineDimExpr(loop, op->getContext()));
  }
  void set(unsigned value, int64_t dim, AffineExpr expr) {
    if (getSize(value, dim) != 1)
      exprs[value][dim] = expr;
  }
  /// Both dimensions are indexed by a parallel loop of their own.
  void join(unsigned value, int64_t dim, unsigned other, int64_t otherDim) {
    int loop = addParallel();
    set(value, dim, loop);
    set(other, otherDim, loop);
  }
  /// The values have the same dimensions up to `end`.
  void joinAll(unsigned value, unsigned other, int64_t begin, int64_t end) {
    for (int64_t dim = begin; dim < end; ++dim)
      join(value, dim, other, dim);
  }
  /// `value` broadcasts by NumPy's rules to dimensions that these loops index.
  void broadcast(unsigned value, ArrayRef<int> loops);

  void finish();
  SmallVector<utils::IteratorType> iterators;
  SmallVector<shard::ReductionKind> kinds; ///< of every loop
  SmallVector<SmallVector<AffineExpr>> exprs;
  Operation *op;

private:
  int add(utils::IteratorType iterator, shard::ReductionKind kind) {
    iterators.push_back(iterator);
    kinds.push_back(kind);
    return iterators.size() - 1;
  }

  SmallVector<RankedTensorType> types;
  bool valid = true;
};

// By family of ops. False if the op is not of the family.
bool describeElementwise(OpLoops &loops);
bool describeAlongDimensions(OpLoops &loops); ///< softmax, normalisation, reductions
bool describeProduct(OpLoops &loops);         ///< products, convolutions, pooling
bool describeMovement(OpLoops &loops);
bool describeDecoder(OpLoops &loops); ///< products with weights in blocks, cached attention

/// The loops of any op; nothing if its values are not tensors. Ops that no family describes need
/// and make whole tensors.
std::optional<OpLoops> describeLoops(Operation *op);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_OPLOOPS_H
