// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Interfaces/TransformInterfaces.h"

using namespace mlir;
using namespace mlir::ttc;

DimensionMap::DimensionMap(Operation *op) : numOperands(op->getNumOperands()) {
  auto add = [&](Type type) {
    types.push_back(dyn_cast<RankedTensorType>(type));
    indices.emplace_back(types.back() ? types.back().getRank() : 0);
  };
  llvm::for_each(op->getOperandTypes(), add);
  llvm::for_each(op->getResultTypes(), add);
}

int DimensionMap::addLoop(LoopKind kind, Combiner combiner, int64_t size) {
  Loop loop{kind, combiner, size};
  loops.push_back(loop);
  return static_cast<int>(loops.size()) - 1;
}

void DimensionMap::set(unsigned value, int64_t dim, ArrayRef<int> outermostFirst) {
  const int64_t size = getSize(value, dim);
  if (size == 1 || llvm::is_contained(outermostFirst, kNone))
    return;
  indices[value][dim].loops.assign(outermostFirst.begin(), outermostFirst.end());
  if (outermostFirst.size() == 1)
    setSize(outermostFirst.front(), size);
}

void DimensionMap::join(unsigned value, int64_t dim, unsigned other, int64_t otherDim,
                        LoopKind kind, Combiner combiner) {
  int loop = addLoop(kind, combiner);
  set(value, dim, loop);
  set(other, otherDim, loop);
}

void DimensionMap::joinAll(int64_t dim) {
  int loop = addParallel();
  for (unsigned value = 0; value < getNumValues(); ++value)
    set(value, dim, loop);
}

void DimensionMap::broadcast(unsigned value, ArrayRef<int> loops) {
  const int64_t rank = getRank(value), offset = static_cast<int64_t>(loops.size()) - rank;
  for (int64_t dim = 0; dim < rank; ++dim)
    set(value, dim, loops[offset + dim]);
}

void DimensionMap::broadcastTo(unsigned other, unsigned value) {
  SmallVector<int> dims;
  for (int64_t dim = 0; dim < getRank(other); ++dim)
    dims.push_back(getLeading(other, dim));
  broadcast(value, dims);
}

void DimensionMap::finish() {
  for (unsigned value = 0; value < getNumValues(); ++value)
    for (auto [dim, index] : llvm::enumerate(indices[value]))
      if (index.loops.empty() && getSize(value, dim) != 1)
        set(value, dim, addWhole());
  updateDivisible();
}

void DimensionMap::updateDivisible() {
  for (Loop &loop : loops)
    loop.isDivisible =
        !loop.isFixed && loop.extent == kNone &&
        (loop.kind == LoopKind::Parallel ||
         (loop.kind == LoopKind::Reduction &&
          llvm::is_contained({Combiner::Sum, Combiner::Max, Combiner::Min}, loop.combiner)));
  // Parts of an inner loop are not contiguous, and neither are parts of sections.
  for (ArrayRef<Index> dims : indices)
    for (const Index &index : dims)
      for (int loop :
           ArrayRef(index.loops).drop_front(!index.loops.empty() && index.sections.empty()))
        loops[loop].isDivisible = false;
}

DimensionMap mlir::ttc::getDimensionMap(Operation *op) {
  DimensionMap map(op);
  const auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic)) {
    // Nothing is said.
  } else if (auto described = dyn_cast<DimensionMapOpInterface>(op)) {
    described.describeDimensions(map);
  } else if (isa<ElementwiseOpInterface>(op)) {
    const unsigned y = map.getResult();
    for (int64_t dim = 0; dim < map.getRank(y); ++dim)
      map.set(y, dim, map.addParallel());
    for (unsigned operand = 0; operand < y; ++operand)
      map.broadcastTo(y, operand);
  }
  map.finish();
  return map;
}
