// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How --ttc-partition brings a value from one layout to another.
#include "Partitioner.h"
#include "dialects/Ttc/Tensors/CollectiveOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"

using namespace mlir;
using namespace mlir::ttc;

ArrayAttr Partitioner::getNames(ArrayRef<unsigned> axes) {
  SmallVector<StringRef> names;
  for (unsigned axis : axes)
    names.push_back(mesh.getAxes()[axis].getName());
  return builder.getStrArrayAttr(names);
}

/// The whole along the axes of `dim` from number `keep` on.
Value Partitioner::gather(Value value, Layout &layout, size_t dim, size_t keep) {
  Axes axes(ArrayRef(layout[dim]).drop_front(keep));
  layout[dim].truncate(keep);
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= getParts(mesh, axes);
  return AllGatherOp::create(builder, value.getLoc(), type.clone(shape), value, getNames(axes),
                             static_cast<int64_t>(dim));
}

/// Each device's part of what all have: by indices that differ, because streams do not.
Value Partitioner::takePart(Value value, Layout &layout, size_t dim, const Axes &wanted) {
  Axes axes(ArrayRef(wanted).drop_front(layout[dim].size()));
  layout[dim] = wanted;
  ElementsAttr indices =
      getPartIndices(builder.getContext(), tensorType(value).getDimSize(dim), axes, mesh);
  Value constant = ConstantOp::create(builder, value.getLoc(), indices);
  auto part = GatherOp::create(builder, value.getLoc(), value, constant, static_cast<int64_t>(dim));
  // Parts are in the order of a group's devices.
  if (auto sum = value.getDefiningOp<AllReduceOp>();
      sum && sum.getAxes() == getNames(axes) && llvm::is_sorted(axes))
    partsOfSums.push_back(part);
  return part;
}

/// A sum of which each device needs its part only is exchanged in parts: half the bytes.
void Partitioner::scatterSums() {
  for (GatherOp part : partsOfSums) {
    auto sum = part.getData().getDefiningOp<AllReduceOp>();
    if (!sum->hasOneUse())
      continue;
    builder.setInsertionPoint(part);
    auto scatter = ReduceScatterOp::create(builder, sum.getLoc(), part.getType(), sum.getX(),
                                           sum.getAxes(), part.getAxis(), sum.getReduction());
    part.replaceAllUsesWith(scatter.getY());
    part.erase();
    sum.erase();
  }
}

/// Where one dimension has an axis last that another one wants next, by one exchange.
Value Partitioner::exchange(Value value, Layout &layout, const Layout &wanted) {
  for (size_t from = 0; from < layout.size(); ++from)
    for (size_t to = 0; to < layout.size(); ++to) {
      if (from == to || layout[from].empty() || layout[from] == wanted[from])
        continue;
      unsigned axis = layout[from].back();
      Axes next(layout[to]);
      next.push_back(axis);
      int64_t parts = getParts(mesh, {axis});
      if (ArrayRef(layout[from]).drop_back() !=
              ArrayRef(wanted[from]).take_front(layout[from].size() - 1) ||
          ArrayRef(wanted[to]).take_front(next.size()) != ArrayRef(next) ||
          tensorType(value).getDimSize(to) % parts != 0)
        continue;
      SmallVector<int64_t> shape(tensorType(value).getShape());
      shape[to] /= parts;
      shape[from] *= parts;
      value = AllToAllOp::create(builder, value.getLoc(), tensorType(value).clone(shape), value,
                                 getNames({axis}), static_cast<int64_t>(to),
                                 static_cast<int64_t>(from));
      layout[from].pop_back();
      layout[to] = next;
    }
  return value;
}

Value Partitioner::reshard(Local local, const Layout &wanted) {
  if (local.layout == wanted)
    return local.value;
  SmallVector<Local> &known = resharded[local.value];
  for (const Local &other : known)
    if (other.layout == wanted)
      return other.value;
  Layout layout = local.layout;
  Value value = exchange(local.value, layout, wanted);
  for (size_t dim = 0; dim < layout.size(); ++dim) {
    size_t common = 0;
    while (common < layout[dim].size() && common < wanted[dim].size() &&
           layout[dim][common] == wanted[dim][common])
      ++common;
    if (common < layout[dim].size())
      value = gather(value, layout, dim, common);
  }
  for (size_t dim = 0; dim < layout.size(); ++dim)
    if (layout[dim] != wanted[dim])
      value = takePart(value, layout, dim, wanted[dim]);
  resharded[local.value].push_back({value, wanted});
  return value;
}
