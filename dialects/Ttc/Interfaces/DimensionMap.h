// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dimensions of an op's operands and results correspond, and what happens along each.
#ifndef TTC_DIALECTS_TTC_INTERFACES_DIMENSIONMAP_H
#define TTC_DIALECTS_TTC_INTERFACES_DIMENSIONMAP_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::ttc {

/// What happens along a loop: see Ttc_DimensionMapOpInterface.
enum class LoopKind { Parallel, Reduction, Window, Whole };

/// How the elements along a loop are combined.
enum class Combiner { None, Sum, Mean, Product, Max, Min };

/// The loops of an op and the dimensions that they index. Values are numbered: operands, then
/// results.
class DimensionMap {
public:
  static constexpr int kNone = -1;

  /// Element i of the result reads the operand up to element (i * stride + reach) / dilation,
  /// rounded down.
  struct Window {
    int64_t stride, reach, dilation = 1;
  };

  struct Loop {
    LoopKind kind;
    Combiner combiner;
    int64_t size; ///< of a window, the result's
    /// Whether equal parts of the loop can be computed apart. Results of the parts of a reduction
    /// are then combined.
    bool isDivisible = false;
    /// The op must be changed in other ways than its types, so that the loop can be divided.
    bool isFixed = false;
    /// The operand that says how many elements count, from the first one on; kNone: all do. Of a
    /// window, those of the operand.
    int extent = kNone;
    std::optional<Window> window = std::nullopt; ///< if it is known
  };

  /// How a dimension is indexed.
  struct Index {
    SmallVector<int, 2> loops;        ///< outermost first
    SmallVector<int64_t, 0> sections; ///< sizes, if there are several
  };

  /// A map that says nothing: no dimension corresponds to another.
  explicit DimensionMap(Operation *op);

  ArrayRef<Loop> getLoops() const { return loops; }
  unsigned getNumValues() const { return indices.size(); }
  unsigned getResult(unsigned index = 0) const { return numOperands + index; }
  int64_t getRank(unsigned value) const { return indices[value].size(); }
  int64_t getSize(unsigned value, int64_t dim) const { return types[value].getDimSize(dim); }
  const Index &getIndex(unsigned value, int64_t dim) const { return indices[value][dim]; }
  /// The outermost loop of a dimension, or kNone.
  int getLeading(unsigned value, int64_t dim) const {
    const Index &index = indices[value][dim];
    return index.loops.empty() ? kNone : index.loops.front();
  }

  //===--- description ----------------------------------------------------------------===//

  /// A loop's size follows from the dimension that it alone indexes.
  int addLoop(LoopKind kind, Combiner combiner = Combiner::None, int64_t size = 1);
  int addParallel(int64_t size = 1) { return addLoop(LoopKind::Parallel, Combiner::None, size); }
  int addReduction(Combiner combiner) { return addLoop(LoopKind::Reduction, combiner); }
  int addWhole(int64_t size = 1) { return addLoop(LoopKind::Whole, Combiner::None, size); }

  void fix(int loop) { loops[loop].isFixed = true; }
  void setExtent(int loop, int operand) { loops[loop].extent = operand; }
  void setWindow(int loop, const Window &window) { loops[loop].window = window; }

  /// The dimension is indexed by these loops, unless it has one element.
  void set(unsigned value, int64_t dim, ArrayRef<int> outermostFirst);
  void setSections(unsigned value, int64_t dim, ArrayRef<int64_t> sizes) {
    indices[value][dim].sections.assign(sizes.begin(), sizes.end());
  }
  /// Both dimensions are indexed by a loop of their own.
  void join(unsigned value, int64_t dim, unsigned other, int64_t otherDim,
            LoopKind kind = LoopKind::Parallel, Combiner combiner = Combiner::None);
  /// Dimension `dim` of all values is indexed by one parallel loop.
  void joinAll(int64_t dim);
  /// `value` broadcasts by NumPy's rules to dimensions that these loops index.
  void broadcast(unsigned value, ArrayRef<int> loops);
  /// `value` broadcasts by NumPy's rules to the dimensions of `other`.
  void broadcastTo(unsigned other, unsigned value);

  /// Dimensions that nothing was said about get loops of their own.
  void finish();

  /// For passes that divide a value in a way of their own: no loop indexes the dimension, however
  /// many elements it has.
  void clear(unsigned value, int64_t dim) { indices[value][dim] = {}; }
  void setSize(int loop, int64_t size) { loops[loop].size = size; }
  /// Finds the divisible loops. finish() does so; call it after later changes.
  void updateDivisible();

private:
  unsigned numOperands;
  SmallVector<RankedTensorType> types;
  SmallVector<Loop> loops;
  SmallVector<SmallVector<Index>> indices;
};

/// The loops of any op, by DimensionMapOpInterface or because it is elementwise. All dimensions of
/// other ops are whole, as are those of ops with operands or results that are not static tensors.
DimensionMap getDimensionMap(Operation *op);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_DIMENSIONMAP_H
