// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ValidElements.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FOLLOWEXTENTS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// The elements of a value that something depends on: the factors of each dimension.
using Demand = SmallVector<BoundedFactors>;

BoundedFactors whole(int64_t size) { return {BoundedFactor{size, {}}}; }

int64_t sizeOf(ArrayRef<BoundedFactor> factors) {
  int64_t size = 1;
  for (const BoundedFactor &factor : factors)
    size *= factor.size;
  return size;
}

/// The elements that either of two users depends on.
BoundedFactors join(const BoundedFactors &a, const BoundedFactors &b) {
  if (a.size() != b.size())
    return whole(sizeOf(a));
  BoundedFactors joined = a;
  for (auto [factor, other] : llvm::zip_equal(joined, b)) {
    if (factor.size != other.size)
      return whole(sizeOf(a));
    if (factor.bound != other.bound)
      factor.bound = {};
  }
  return joined;
}

/// What a value of a fusion is outside of it, and a fusion's result inside.
Value resolve(Value value) {
  for (;;) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto fusion = dyn_cast_or_null<FusionOp>(argument.getOwner()->getParentOp());
      if (!fusion)
        return value;
      value = fusion.getInputs()[argument.getArgNumber()];
    } else if (auto fusion = value.getDefiningOp<FusionOp>()) {
      value = fusion.getBody().front().back().getOperand(cast<OpResult>(value).getResultNumber());
    } else {
      return value;
    }
  }
}

/// Walks a variant backwards, from its results.
class DemandFinder {
public:
  DemandFinder(func::FuncOp function, Value extents)
      : function(function), extents(extents), context(function.getContext()) {}

  void run() { followBlock(function.getBody().front()); }

  /// Null if everything counts, or nothing is known.
  const Demand *get(Value value) const {
    auto found = demands.find(value);
    if (found == demands.end() || llvm::all_of(found->second, areWhole))
      return nullptr;
    return &found->second;
  }

private:
  void followBlock(Block &block) {
    for (Operation &op : llvm::reverse(block))
      follow(&op);
  }

  void follow(Operation *op) {
    if (auto results = dyn_cast<func::ReturnOp>(op))
      return followResults(results);
    if (auto fusion = dyn_cast<FusionOp>(op)) {
      Block &body = fusion.getBody().front();
      for (auto [value, result] : llvm::zip_equal(body.back().getOperands(), op->getResults()))
        add(value, getOrWhole(result));
      followBlock(body);
      for (auto [argument, input] : llvm::zip_equal(body.getArguments(), fusion.getInputs()))
        add(input, getOrWhole(argument));
      return;
    }
    if (isa<YieldOp>(op))
      return;
    const DimensionMap map = getDimensionMap(op);
    SmallVector<BoundedFactors> loops = getLoops(op, map);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        add(operand.get(), getOfOperand(operand, map, loops));
  }

  void followResults(func::ReturnOp op) {
    for (auto [i, value] : llvm::enumerate(op.getOperands())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        continue;
      Demand demand = getWhole(type);
      if (auto dims = function.getResultAttrOfType<AffineMapAttr>(i, kDimsAttrName))
        for (auto [factors, bound] : llvm::zip_equal(demand, dims.getValue().getResults()))
          if (!isa<AffineConstantExpr>(bound))
            factors.front().bound = bound;
      add(value, demand);
    }
  }

  /// What is needed of each loop of an op, by its results.
  SmallVector<BoundedFactors> getLoops(Operation *op, const DimensionMap &map) {
    SmallVector<BoundedFactors> loops(map.getLoops().size());
    SmallVector<unsigned> numResults(loops.size(), 0);
    for (OpResult result : op->getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      const unsigned value = map.getResult(result.getResultNumber());
      const Demand demand = getOrWhole(result);
      for (int64_t dim = 0; dim < map.getRank(value); ++dim) {
        const DimensionMap::Index &index = map.getIndex(value, dim);
        ArrayRef<BoundedFactor> left = demand[dim];
        for (int loop : index.loops) {
          const int64_t size = map.getLoops()[loop].size;
          std::optional<BoundedFactors> own;
          if (index.sections.empty())
            own = takeFactors(left, size);
          if (!own)
            left = {};
          BoundedFactors factors = own && !own->empty() ? *own : whole(size);
          loops[loop] = numResults[loop]++ == 0 ? factors : join(loops[loop], factors);
        }
      }
    }
    for (auto [loop, factors, count] : llvm::zip_equal(map.getLoops(), loops, numResults))
      if (loop.kind != LoopKind::Parallel || count != op->getNumResults())
        factors = whole(loop.size);
    for (auto [loop, factors] : llvm::zip_equal(map.getLoops(), loops))
      if (loop.extent != DimensionMap::kNone)
        if (AffineExpr extent = getExpr(op->getOperand(loop.extent)))
          factors = {BoundedFactor{loop.size, extent}};
    return loops;
  }

  Demand getOfOperand(OpOperand &operand, const DimensionMap &map, ArrayRef<BoundedFactors> loops) {
    const unsigned value = operand.getOperandNumber();
    auto type = cast<RankedTensorType>(operand.get().getType());
    Demand demand = getWhole(type);
    for (int64_t dim = 0; dim < map.getRank(value); ++dim) {
      const DimensionMap::Index &index = map.getIndex(value, dim);
      if (index.loops.empty() || !index.sections.empty())
        continue;
      BoundedFactors factors;
      for (int loop : index.loops)
        factors.append(loops[loop]);
      if (sizeOf(factors) == type.getDimSize(dim))
        demand[dim] = factors;
    }
    if (auto where = dyn_cast<WhereOp>(operand.getOwner()); where && value == 1)
      limitByCondition(where, demand);
    return demand;
  }

  /// Where the condition is false, nothing depends on the first of the two values.
  void limitByCondition(WhereOp where, Demand &demand) {
    std::optional<int64_t> fromLast = getValidDim(where.getCond());
    const int64_t dim = static_cast<int64_t>(demand.size()) - 1 - fromLast.value_or(0);
    if (!fromLast || dim < 0 || !areWhole(demand[dim]))
      return;
    const int64_t size = sizeOf(demand[dim]);
    Value extent = getValidExtent(where.getCond(), size, resolve);
    if (AffineExpr bound = extent ? getExpr(extent) : AffineExpr())
      demand[dim] = {BoundedFactor{size, bound}};
  }

  /// What a number of one element is of the extents. Null if it is something else.
  AffineExpr getExpr(Value value) {
    value = resolve(value);
    if (value == extents && tensorType(value).getNumElements() == 1)
      return getAffineSymbolExpr(0, context);
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
      std::optional<ArrayRef<char>> bytes = viewConstantBytes(constant.getValue());
      if (!bytes || !tensorType(value).getElementType().isSignlessInteger(32) ||
          bytes->size() != sizeof(int32_t))
        return {};
      return getAffineConstantExpr(*reinterpret_cast<const int32_t *>(bytes->data()), context);
    }
    if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
      return getExpr(reshape.getX());
    if (auto slice = dyn_cast_or_null<SliceOp>(op);
        slice && resolve(slice.getX()) == extents && tensorType(value).getNumElements() == 1)
      return getAffineSymbolExpr(slice.getStarts().front(), context);
    if (!isa_and_present<AddOp, MulOp, DivOp>(op) || tensorType(value).getNumElements() != 1)
      return {};
    AffineExpr a = getExpr(op->getOperand(0)), b = getExpr(op->getOperand(1));
    if (!a || !b)
      return {};
    if (isa<AddOp>(op))
      return a + b;
    auto constant = dyn_cast<AffineConstantExpr>(b);
    if (isa<MulOp>(op))
      return constant || isa<AffineConstantExpr>(a) ? a * b : AffineExpr();
    return constant && constant.getValue() > 0 ? a.floorDiv(constant.getValue()) : AffineExpr();
  }

  static Demand getWhole(RankedTensorType type) {
    return llvm::map_to_vector(type.getShape(), whole);
  }

  Demand getOrWhole(Value value) const {
    auto found = demands.find(value);
    return found != demands.end() ? found->second
                                  : getWhole(cast<RankedTensorType>(value.getType()));
  }

  void add(Value value, Demand demand) {
    // One form of what is whole.
    for (BoundedFactors &factors : demand)
      if (areWhole(factors))
        factors = whole(sizeOf(factors));
    auto [found, isNew] = demands.try_emplace(value, demand);
    if (isNew)
      return;
    for (auto [known, added] : llvm::zip_equal(found->second, demand))
      known = join(known, added);
  }

  func::FuncOp function;
  Value extents;
  MLIRContext *context;
  DenseMap<Value, Demand> demands; ///< of values that have users
};

/// Hands the extents to a fusion, and says which elements of its result count.
void bound(FusionOp fusion, const Demand &demand, Value extents) {
  auto inputs = fusion.getInputs();
  const int64_t argument = std::distance(inputs.begin(), llvm::find(inputs, extents));
  if (argument == static_cast<int64_t>(inputs.size())) {
    fusion.getInputsMutable().append(extents);
    fusion.getBody().front().addArgument(extents.getType(), extents.getLoc());
  }
  MLIRContext *context = fusion.getContext();
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> bounds;
  for (const BoundedFactors &factors : demand)
    for (const BoundedFactor &factor : factors) {
      sizes.push_back(factor.size);
      bounds.push_back(factor.bound ? factor.bound : getAffineConstantExpr(factor.size, context));
    }
  const int64_t numExtents = cast<RankedTensorType>(extents.getType()).getNumElements();
  fusion.setWithinAttr(
      WithinAttr::get(context, argument, sizes, AffineMap::get(0, numExtents, bounds, context)));
}

struct FollowExtents : impl::FollowExtentsBase<FollowExtents> {
  PassCounter numBounded{*this, "bounded", "Fusions that follow the extents"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kVariantAttrName) || !function.getBody().hasOneBlock())
        continue;
      Value extents;
      for (BlockArgument argument : function.getArguments())
        if (auto name =
                function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName);
            name && name.getValue() == kExtentsName)
          extents = argument;
      DemandFinder finder(function, extents);
      finder.run();
      for (auto fusion : function.getOps<FusionOp>())
        if (const Demand *demand =
                fusion.getNumResults() == 1 ? finder.get(fusion.getResult(0)) : nullptr) {
          bound(fusion, *demand, extents);
          ++numBounded;
        }
    }
  }
};

} // namespace
} // namespace mlir::ttc
