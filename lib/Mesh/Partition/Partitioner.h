// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of each device out of an annotated function: --ttc-partition.
#ifndef TTC_LIB_MESH_PARTITIONER_H
#define TTC_LIB_MESH_PARTITIONER_H

#include "DecoderParts.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

namespace mlir::ttc {

/// What a device has of a value.
struct Local {
  Value value;
  Layout layout;
};

/// Rewrites one function.
class Partitioner {
public:
  using States = DenseMap<StringAttr, Layout>;

  /// What functions have in common.
  struct Common {
    States states; ///< of all functions
    PartsCache parts;
    /// Weights of products that are divided by rows.
    DenseMap<Attribute, Axes> tables;
  };

  /// `gathersBest`: of logits that are divided, the best ones only.
  Partitioner(func::FuncOp function, DimensionClasses &classes, Common &common, bool gathersBest)
      : function(function), classes(classes), mesh(classes.getMesh()), common(common),
        states(common.states), builder(function.getContext()), gathersBest(gathersBest) {}

  /// Notes weights that an embedding may share.
  void findTables();
  /// Notes how states are divided: as arguments in any function, else as results.
  LogicalResult divideReadStates();
  void divideWrittenStates();

  LogicalResult run();

private:
  void divideState(FlatSymbolRefAttr name, RankedTensorType type, const Layout &layout);
  Local getOperand(OpOperand &operand, const Layout &wanted, bool isFlexible = false);
  Value reshard(Local local, const Layout &wanted);
  Value exchange(Value value, Layout &layout, const Layout &wanted);
  Value gather(Value value, Layout &layout, size_t dim, size_t keep);
  Value takePart(Value value, Layout &layout, size_t dim, const Axes &wanted);
  void scatterSums();
  LogicalResult partition(Operation *op);
  Value getSpecialOperand(OpOperand &operand, ArrayRef<Axes> loopAxes);
  bool partitionDecoder(Operation *op);
  LogicalResult checkHeads(Operation *op, function_ref<Layout(unsigned)> getLayout);
  Layout getResultLayout(Layout layout) const;
  void partitionReturn(func::ReturnOp op);
  ArrayAttr getNames(ArrayRef<unsigned> axes);
  Attribute getShardingAttr(const Layout &layout);
  void setTypes(SmallVector<Layout> &arguments);

  func::FuncOp function;
  DimensionClasses &classes;
  MeshAttr mesh;
  Common &common;
  States &states;
  OpBuilder builder;
  DenseMap<Value, Local> locals;
  /// Values in the layouts that other ops needed.
  DenseMap<Value, SmallVector<Local>> resharded;
  /// Parts that are taken of what an all_reduce over the same devices makes.
  SmallVector<GatherOp> partsOfSums;
  /// For the count of rows of products: which rows count.
  DenseMap<Value, Value> masks;
  bool gathersBest;
  SmallVector<Layout> results;
};

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_PARTITIONER_H
