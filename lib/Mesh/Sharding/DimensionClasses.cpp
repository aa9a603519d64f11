// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DimensionClasses.h"
#include "HeadSections.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- layouts ----------------------------------------------------------------------===//

int64_t mlir::ttc::getParts(MeshAttr mesh, ArrayRef<unsigned> axes) {
  int64_t parts = 1;
  for (unsigned axis : axes)
    parts *= mesh.getAxes()[axis].getSize();
  return parts;
}

RankedTensorType mlir::ttc::getLocalType(RankedTensorType whole, const Layout &layout,
                                         MeshAttr mesh) {
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [size, axes] : llvm::zip_equal(shape, layout))
    size /= getParts(mesh, axes);
  return RankedTensorType::get(shape, whole.getElementType(), whole.getEncoding());
}

bool mlir::ttc::isReplicated(const Layout &layout) {
  return llvm::all_of(layout, [](const Axes &axes) { return axes.empty(); });
}

//===--- annotations ------------------------------------------------------------------===//

bool mlir::ttc::isReshard(shard::ShardOp op) {
  return op.getAnnotateForUsers() && !isa<BlockArgument>(op.getSrc()) &&
         !op.getSrc().getDefiningOp<ConstantOp>();
}

FailureOr<Layout> mlir::ttc::getAnnotation(shard::ShardOp op, MeshAttr mesh) {
  auto sharding = op.getSharding().getDefiningOp<shard::ShardingOp>();
  auto type = dyn_cast<RankedTensorType>(op.getSrc().getType());
  if (!sharding || !type)
    return op.emitOpError("expected a ranked tensor and a shard.sharding, found others");
  if (!sharding.getStaticHaloSizes().empty() || !sharding.getStaticShardedDimsOffsets().empty())
    return op.emitOpError("expected a sharding without halos and offsets, found one with them");
  Layout layout(type.getRank());
  BitVector isUsed(mesh.getAxes().size());
  for (auto [dim, axes] : llvm::enumerate(sharding.getSplitAxes().getAxes()))
    for (int16_t axis : axes.asArrayRef()) {
      if (dim >= layout.size() || axis < 0 || axis >= static_cast<int64_t>(isUsed.size()))
        return op.emitOpError("expected at most ")
               << layout.size() << " dimensions and axes below " << isUsed.size() << ", found axis "
               << axis << " of dimension " << dim;
      if (isUsed.test(axis))
        return op.emitOpError("expected distinct axes, found ") << axis << " twice";
      isUsed.set(axis);
      layout[dim].push_back(axis);
    }
  for (auto [dim, axes] : llvm::enumerate(layout))
    if (int64_t parts = getParts(mesh, axes); type.getDimSize(dim) % parts != 0)
      return op.emitOpError("expected dimension ")
             << dim << " to divide into " << parts << " parts, found " << type;
  return layout;
}

//===--- classes ----------------------------------------------------------------------===//

unsigned DimensionClasses::addNodes(unsigned count) {
  unsigned base = parents.size();
  for (unsigned i = 0; i < count; ++i)
    parents.push_back(base + i);
  return base;
}

static unsigned getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

unsigned DimensionClasses::getBase(OpOperand &operand) {
  auto it = constantBases.find(&operand);
  return it != constantBases.end() ? it->second : bases.lookup(operand.get());
}

unsigned DimensionClasses::getClass(OpOperand &operand, int64_t dim) {
  return find(getBase(operand) + dim);
}

void DimensionClasses::addOp(Operation *op) {
  for (Value result : op->getResults())
    bases[result] = addNodes(getRank(result));
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getDefiningOp<ConstantOp>())
      constantBases[&operand] = addNodes(getRank(operand.get()));
  if (isa<ConstantOp, shard::ShardingOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (auto annotation = dyn_cast<shard::ShardOp>(op)) {
    if (!isReshard(annotation))
      for (unsigned dim = 0; dim < getRank(annotation.getResult()); ++dim)
        join(getBase(annotation.getSrcMutable()) + dim, bases[annotation.getResult()] + dim);
    return;
  }
  DimensionMap info = getDimensionMap(op);
  divideDecoder(op, info);
  unsigned loops = loopBases[op] = addNodes(info.getLoops().size());
  auto joinAll = [&](unsigned base, unsigned value) {
    for (int64_t dim = 0; dim < info.getRank(value); ++dim)
      if (int loop = info.getLeading(value, dim); loop >= 0 && info.getLoops()[loop].isDivisible)
        join(base + dim, loops + loop);
  };
  for (OpOperand &operand : op->getOpOperands())
    joinAll(getBase(operand), operand.getOperandNumber());
  for (OpResult result : op->getResults())
    joinAll(bases[result], info.getResult(result.getResultNumber()));
  ops.push_back(op);
  dimensions.try_emplace(op, std::move(info));
}

LogicalResult DimensionClasses::annotate(shard::ShardOp op) {
  FailureOr<Layout> layout = getAnnotation(op, mesh);
  if (failed(layout))
    return failure();
  for (auto [dim, wanted] : llvm::enumerate(*layout)) {
    unsigned node = getClass(op.getResult(), dim);
    // Only one of several dimensions of one class has the axes.
    if (wanted.empty() && llvm::any_of(llvm::enumerate(*layout), [&](auto other) {
          return !other.value().empty() && getClass(op.getResult(), other.index()) == node;
        }))
      continue;
    if (pinned[node] && axes[node] != wanted) {
      auto describe = [&](const Axes &axes) {
        std::string text = axes.empty() ? "none" : "";
        for (unsigned axis : axes)
          text += (text.empty() ? "" : ", ") + mesh.getAxes()[axis].getName().str();
        return text;
      };
      return op.emitOpError("expected dimension ")
             << dim << " to be divided along " << describe(axes[node])
             << ", as annotations of tensors that it is computed with say, found "
             << describe(wanted);
    }
    setAxes(node, wanted);
  }
  return success();
}

FailureOr<DimensionClasses> DimensionClasses::get(func::FuncOp function, MeshAttr mesh) {
  DimensionClasses classes;
  classes.mesh = mesh;
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected one block, to make it a program for a mesh, found ")
           << function.getBody().getBlocks().size();
  for (BlockArgument argument : function.getArguments())
    classes.bases[argument] = classes.addNodes(getRank(argument));
  for (Operation &op : function.front())
    classes.addOp(&op);
  classes.axes.resize(classes.parents.size());
  classes.pinned.resize(classes.parents.size());
  for (auto op : function.getOps<shard::ShardOp>())
    if (failed(classes.annotate(op)))
      return failure();
  return classes;
}

SmallVector<Axes> DimensionClasses::getLoopAxes(Operation *op) {
  SmallVector<Axes> result;
  BitVector isUsed(mesh.getAxes().size());
  for (auto [index, loop] : llvm::enumerate(getDimensions(op).getLoops())) {
    Axes wanted;
    if (loop.isDivisible && loop.size > 0)
      wanted = getAxes(getClass(op, index));
    if (loop.size % getParts(mesh, wanted) != 0 ||
        llvm::any_of(wanted, [&](unsigned axis) { return isUsed.test(axis); }))
      wanted.clear();
    for (unsigned axis : wanted)
      isUsed.set(axis);
    result.push_back(wanted);
  }
  return result;
}

Layout DimensionClasses::getLayout(Operation *op, unsigned value, ArrayRef<Axes> loopAxes) const {
  const DimensionMap &info = getDimensions(op);
  Layout layout;
  for (int64_t dim = 0; dim < info.getRank(value); ++dim) {
    int loop = info.getLeading(value, dim);
    layout.push_back(loop >= 0 ? loopAxes[loop] : Axes());
  }
  return layout;
}

Layout DimensionClasses::getLayout(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Layout layout;
  BitVector isUsed(mesh.getAxes().size());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Axes wanted = getAxes(getClass(value, dim));
    if (type.getDimSize(dim) % getParts(mesh, wanted) != 0 ||
        llvm::any_of(wanted, [&](unsigned axis) { return isUsed.test(axis); }))
      wanted.clear();
    for (unsigned axis : wanted)
      isUsed.set(axis);
    layout.push_back(wanted);
  }
  return layout;
}
