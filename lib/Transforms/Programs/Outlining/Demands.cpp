// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Demands.h"
#include "ValidElements.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"

using namespace mlir;
using namespace mlir::ttc;

static BoundedFactors whole(int64_t size) { return {BoundedFactor{size, {}}}; }

static Demand getWhole(RankedTensorType type) {
  return llvm::map_to_vector(type.getShape(), whole);
}

static int64_t countOf(ArrayRef<BoundedFactor> factors) {
  int64_t size = 1;
  for (const BoundedFactor &factor : factors)
    size *= factor.size;
  return size;
}

/// What a value of a fusion is outside of it, and a fusion's result inside.
static Value resolve(Value value) {
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

Demands::Demands(func::FuncOp function)
    : function(function), variant(function->getAttrOfType<VariantAttr>(kVariantAttrName)),
      context(function.getContext()) {
  for (BlockArgument argument : function.getArguments())
    if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName);
        name && name.getValue() == kExtentsName)
      extents = argument;
  followBlock(function.getBody().front());
}

const Demand *Demands::get(Value value) const {
  auto found = demands.find(value);
  if (found == demands.end() || llvm::all_of(found->second, areWhole))
    return nullptr;
  return &found->second;
}

//===--- comparison -------------------------------------------------------------------===//

/// More extents than this are not tried.
static constexpr int64_t kMostExtents = 1 << 16;

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return extents[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  const int64_t a = evaluate(binary.getLHS(), extents), b = evaluate(binary.getRHS(), extents);
  if (expr.getKind() == AffineExprKind::Add)
    return a + b;
  return expr.getKind() == AffineExprKind::Mul ? a * b : llvm::divideFloorSigned(a, b);
}

bool Demands::isAtMost(const BoundedFactor &a, const BoundedFactor &b) const {
  if (a.size != b.size || !a.bound)
    return a.size == b.size && !b.bound;
  if (!b.bound || a.bound == b.bound)
    return true;
  const auto key = std::tuple(a.bound.getAsOpaquePointer(), b.bound.getAsOpaquePointer(), a.size);
  if (auto known = compared.find(key); known != compared.end())
    return known->second;
  return compared[key] = compare(a.bound, b.bound, a.size);
}

bool Demands::compare(AffineExpr a, AffineExpr b, int64_t size) const {
  SmallVector<int64_t> values(variant.getLow()), used;
  auto step = [&](int64_t i) { return variant.getStep().empty() ? 1 : variant.getStep()[i]; };
  int64_t count = 1;
  for (auto [i, low] : llvm::enumerate(variant.getLow())) {
    if (!a.isFunctionOfSymbol(i) && !b.isFunctionOfSymbol(i))
      continue;
    used.push_back(i);
    count *= std::min((variant.getHigh()[i] - low) / step(i) + 1, kMostExtents + 1);
    if (count > kMostExtents)
      return false;
  }
  // As codegen limits them: all count of a number that is not from 1 to the size.
  auto limit = [&](AffineExpr bound) {
    const int64_t value = evaluate(bound, values);
    return value < 1 || value > size ? size : value;
  };
  for (;;) {
    if (limit(a) > limit(b))
      return false;
    auto next = llvm::find_if(used, [&](int64_t i) { return values[i] < variant.getHigh()[i]; });
    if (next == used.end())
      return true;
    values[*next] += step(*next);
    for (int64_t i : ArrayRef(used.begin(), next))
      values[i] = variant.getLow()[i];
  }
}

/// The elements that either of two users depends on.
BoundedFactors Demands::join(const BoundedFactors &a, const BoundedFactors &b) const {
  if (a.size() != b.size())
    return whole(countOf(a));
  BoundedFactors joined = a;
  for (auto [factor, other] : llvm::zip_equal(joined, b)) {
    if (factor.size != other.size)
      return whole(countOf(a));
    if (isAtMost(factor, other))
      factor = other;
    else if (!isAtMost(other, factor))
      factor.bound = {};
  }
  return joined;
}

//===--- the walk ---------------------------------------------------------------------===//

void Demands::followBlock(Block &block) {
  for (Operation &op : llvm::reverse(block))
    follow(&op);
}

void Demands::follow(Operation *op) {
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

void Demands::followResults(func::ReturnOp op) {
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
SmallVector<BoundedFactors> Demands::getLoops(Operation *op, const DimensionMap &map) const {
  SmallVector<BoundedFactors> loops(map.getLoops().size());
  SmallVector<unsigned> numResults(loops.size(), 0);
  for (OpResult result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    const unsigned value = map.getResult(result.getResultNumber());
    const Demand demand = getOrWhole(result);
    for (int64_t dim = 0; dim < map.getRank(value); ++dim) {
      const DimensionMap::Index &index = map.getIndex(value, dim);
      BoundedFactors left = demand[dim];
      for (int loop : index.loops) {
        const int64_t size = map.getLoops()[loop].size;
        std::optional<BoundedFactors> own;
        if (index.sections.empty())
          own = takeFactors(left, size);
        if (!own)
          left.clear();
        BoundedFactors factors = own && !own->empty() ? *own : whole(size);
        loops[loop] = numResults[loop]++ == 0 ? factors : join(loops[loop], factors);
      }
    }
  }
  for (auto [loop, factors, count] : llvm::zip_equal(map.getLoops(), loops, numResults))
    if ((loop.kind != LoopKind::Parallel && !loop.window) || count != op->getNumResults())
      factors = whole(loop.size);
  for (auto [loop, factors] : llvm::zip_equal(map.getLoops(), loops))
    if (loop.extent != DimensionMap::kNone && !loop.window)
      if (AffineExpr extent = getExpr(op->getOperand(loop.extent)))
        factors = {BoundedFactor{loop.size, extent}};
  return loops;
}

Demand Demands::getOfOperand(OpOperand &operand, const DimensionMap &map,
                             ArrayRef<BoundedFactors> loops) const {
  const unsigned value = operand.getOperandNumber();
  auto type = cast<RankedTensorType>(operand.get().getType());
  Demand demand = getWhole(type);
  for (int64_t dim = 0; dim < map.getRank(value); ++dim) {
    const DimensionMap::Index &index = map.getIndex(value, dim);
    if (index.loops.empty() || !index.sections.empty())
      continue;
    const DimensionMap::Loop &leading = map.getLoops()[index.loops.front()];
    if (leading.window) {
      if (auto factor =
              getOfWindow(operand, leading, type.getDimSize(dim), loops[index.loops.front()]))
        demand[dim] = {*factor};
      continue;
    }
    BoundedFactors factors;
    for (int loop : index.loops)
      factors.append(loops[loop]);
    if (countOf(factors) == type.getDimSize(dim))
      demand[dim] = factors;
  }
  if (auto where = dyn_cast<WhereOp>(operand.getOwner()); where && value == 1)
    limitByCondition(where, demand);
  Attribute reads = operand.getOwner()->getAttr(kReadsAttrName);
  if (auto gather = dyn_cast<GatherOp>(operand.getOwner()); gather && value == 0)
    limitToReads(reads, type, demand[gather.getAxis()]);
  if (auto concat = dyn_cast<ConcatOp>(operand.getOwner()))
    if (auto each = dyn_cast_or_null<ArrayAttr>(reads); each && value < each.size())
      limitToReads(each[value], type, demand[concat.getAxis()]);
  return demand;
}

/// The elements along a dimension of `size` of which the windows of `needed` results read some that
/// count. Nothing if all may.
std::optional<BoundedFactor> Demands::getOfWindow(OpOperand &operand,
                                                  const DimensionMap::Loop &loop, int64_t size,
                                                  ArrayRef<BoundedFactor> needed) const {
  BoundedFactor found{size, {}};
  if (needed.size() == 1 && needed.front().bound)
    found.bound = ((needed.front().bound - 1) * loop.window->stride + loop.window->reach)
                      .floorDiv(loop.window->dilation) +
                  1;
  if (loop.extent != DimensionMap::kNone) {
    const BoundedFactor valid{size, getExpr(operand.getOwner()->getOperand(loop.extent))};
    if (!isAtMost(found, valid))
      found = valid;
  }
  return found.bound ? std::optional(found) : std::nullopt;
}

/// Where the condition is false, nothing depends on the first of the two values.
void Demands::limitByCondition(WhereOp where, Demand &demand) const {
  std::optional<int64_t> fromLast = getValidDim(where.getCond());
  const int64_t dim = static_cast<int64_t>(demand.size()) - 1 - fromLast.value_or(0);
  if (!fromLast || dim < 0)
    return;
  const int64_t size = countOf(demand[dim]);
  Value extent = getValidExtent(where.getCond(), size, resolve);
  const BoundedFactor valid{size, extent ? getExpr(extent) : AffineExpr()};
  if (!valid.bound)
    return;
  if (areWhole(demand[dim]) || (demand[dim].size() == 1 && !isAtMost(demand[dim].front(), valid)))
    demand[dim] = {valid};
}

/// By what the rules that made or saw an op say of it.
void Demands::limitToReads(Attribute attribute, RankedTensorType type, BoundedFactors &own) {
  auto reads = dyn_cast_or_null<WithinAttr>(attribute);
  if (!reads || !areWhole(own))
    return;
  if (auto factors = reads.getFactors(RankedTensorType::get({countOf(own)}, type.getElementType())))
    own = factors->front();
}

AffineExpr Demands::getExpr(Value value) const {
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
  if (isa<MulOp>(op))
    return a * b;
  auto constant = dyn_cast<AffineConstantExpr>(b);
  return constant && constant.getValue() > 0 ? a.floorDiv(constant.getValue()) : AffineExpr();
}

Demand Demands::getOrWhole(Value value) const {
  auto found = demands.find(value);
  return found != demands.end() ? found->second : getWhole(cast<RankedTensorType>(value.getType()));
}

void Demands::add(Value value, Demand demand) {
  // One form of what is whole.
  for (BoundedFactors &factors : demand)
    if (areWhole(factors))
      factors = whole(countOf(factors));
  auto [found, isNew] = demands.try_emplace(value, demand);
  if (isNew)
    return;
  for (auto [known, added] : llvm::zip_equal(found->second, demand))
    known = join(known, added);
}
