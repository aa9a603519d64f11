// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dimensions of a function's tensors are divided together.
#ifndef TTC_LIB_MESH_DIMENSIONCLASSES_H
#define TTC_LIB_MESH_DIMENSIONCLASSES_H

#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace mlir::ttc {

/// Axes of the mesh, by number, that divide one dimension: the first one divides outermost.
using Axes = SmallVector<unsigned, 2>;
/// The axes that divide each dimension of a tensor.
using Layout = SmallVector<Axes>;

/// The devices along the axes.
int64_t getParts(MeshAttr mesh, ArrayRef<unsigned> axes);
/// What one device has of a tensor.
RankedTensorType getLocalType(RankedTensorType whole, const Layout &layout, MeshAttr mesh);
bool isReplicated(const Layout &layout);

/// Dimensions and loops of a function in classes of what is divided alike. A constant that several
/// ops use has dimensions for each use: each gets parts of its own.
class DimensionClasses {
public:
  /// Fails, with a diagnostic, if annotations contradict each other or do not fit the mesh.
  static FailureOr<DimensionClasses> get(func::FuncOp function, MeshAttr mesh);

  /// The class of a dimension.
  unsigned getClass(Value value, int64_t dim) { return find(bases.lookup(value) + dim); }
  unsigned getClass(OpOperand &operand, int64_t dim);
  unsigned getClass(Operation *op, unsigned loop) { return find(loopBases.lookup(op) + loop); }

  const Axes &getAxes(unsigned node) { return axes[find(node)]; }
  bool isPinned(unsigned node) { return pinned[find(node)]; }
  void setAxes(unsigned node, Axes value) {
    axes[find(node)] = std::move(value);
    pinned[find(node)] = true;
  }

  /// The ops that have dimensions, in order.
  ArrayRef<Operation *> getOps() const { return ops; }
  const DimensionMap &getDimensions(Operation *op) const { return dimensions.find(op)->second; }
  /// The axes of each dimension of a value of an op (operands, then results) by those of its loops.
  Layout getLayout(Operation *op, unsigned value, ArrayRef<Axes> loopAxes) const;

  /// For each loop of the op, the axes that divide it: no two loops are divided by the same axis.
  SmallVector<Axes> getLoopAxes(Operation *op);
  /// How the classes divide a value.
  Layout getLayout(Value value);

  MeshAttr getMesh() const { return mesh; }

private:
  unsigned find(unsigned node) {
    while (parents[node] != node)
      node = parents[node] = parents[parents[node]];
    return node;
  }
  void join(unsigned a, unsigned b) { parents[find(b)] = find(a); }
  unsigned addNodes(unsigned count);
  unsigned getBase(OpOperand &operand);
  void addOp(Operation *op);
  LogicalResult annotate(shard::ShardOp op);

  MeshAttr mesh;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, DimensionMap> dimensions;
  DenseMap<Value, unsigned> bases;
  DenseMap<OpOperand *, unsigned> constantBases;
  DenseMap<Operation *, unsigned> loopBases;
  std::vector<unsigned> parents;
  std::vector<Axes> axes;
  std::vector<bool> pinned;
};

/// The axes of a `shard.shard`, for each dimension. Fails, with a diagnostic, if they do not fit
/// the mesh.
FailureOr<Layout> getAnnotation(shard::ShardOp op, MeshAttr mesh);

/// Whether a `shard.shard` starts a division of its own: its operand may be divided in another way.
bool isReshard(shard::ShardOp op);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_DIMENSIONCLASSES_H
