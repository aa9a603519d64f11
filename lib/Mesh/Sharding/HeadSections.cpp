// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HeadSections.h"
#include "DimensionClasses.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;

static int64_t columnsOf(Value value) { return tensorType(value).getDimSize(1); }

/// Without annotations that only name a division.
static Value skipAnnotations(Value value) {
  for (auto op = value.getDefiningOp<shard::ShardOp>(); op && !isReshard(op);
       op = value.getDefiningOp<shard::ShardOp>())
    value = op.getSrc();
  return value;
}

/// The only use after annotations; null if there are several.
static OpOperand *getOnlyUse(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    auto op = dyn_cast<shard::ShardOp>(use.getOwner());
    if (!op)
      return &use;
    if (isReshard(op))
      return nullptr;
    value = op.getResult();
  }
  return nullptr;
}

bool mlir::ttc::hasOnlyUse(Value value) { return getOnlyUse(skipAnnotations(value)) != nullptr; }

/// Whether the columns are those of products whose weights can be divided as one likes, by
/// `sections`, which begin in whole products.
static bool areProducts(Value value, ArrayRef<int64_t> &sections) {
  value = skipAnnotations(value);
  if (!getOnlyUse(value))
    return false;
  if (auto product = value.getDefiningOp<BlockMatmulOp>()) {
    int64_t columns = columnsOf(value);
    while (columns > 0 && !sections.empty()) {
      columns -= sections.front();
      sections = sections.drop_front();
    }
    return columns == 0 && product.getW().getDefiningOp<ConstantOp>() && !product.getGated() &&
           !product.getResidual() &&
           (!product.getBias() || product.getBias().getDefiningOp<ConstantOp>());
  }
  auto concat = value.getDefiningOp<ConcatOp>();
  return concat && concat.getAxis() == 1 && llvm::all_of(concat->getOperands(), [&](Value part) {
           return areProducts(part, sections);
         });
}

std::optional<HeadSections> mlir::ttc::getHeadSections(CachedAttentionOp op) {
  HeadSections result;
  result.heads = op.getKvHeads();
  result.sizes.assign(getDimensionMap(op).getIndex(0, 1).sections);
  ArrayRef<int64_t> sections(result.sizes);
  if (result.heads == 1 || !areProducts(op.getQkv(), sections) || !sections.empty())
    return std::nullopt;
  return result;
}

std::optional<HeadSections> mlir::ttc::getHeadSections(Value value) {
  OpOperand *use = getOnlyUse(value);
  if (!use)
    return std::nullopt;
  if (auto attention = dyn_cast<CachedAttentionOp>(use->getOwner()))
    return use->getOperandNumber() == 0 ? getHeadSections(attention) : std::nullopt;
  auto concat = dyn_cast<ConcatOp>(use->getOwner());
  if (!concat || concat.getAxis() != 1)
    return std::nullopt;
  std::optional<HeadSections> whole = getHeadSections(concat.getResult());
  if (!whole)
    return std::nullopt;
  int64_t begin = 0, at = 0;
  for (Value operand : concat->getOperands().take_front(use->getOperandNumber()))
    begin += columnsOf(operand);
  const int64_t end = begin + columnsOf(use->get());
  HeadSections result;
  result.heads = whole->heads;
  for (int64_t size : whole->sizes) {
    if (at >= begin && at < end)
      result.sizes.push_back(size);
    at += size;
  }
  return result;
}

void mlir::ttc::divideDecoder(Operation *op, DimensionMap &map) {
  const unsigned y = map.getResult();
  if (auto attention = dyn_cast<CachedAttentionOp>(op)) {
    if (getHeadSections(attention)) {
      map.setSections(0, 1, {});
    } else {
      map = DimensionMap(op);
      map.finish();
    }
  } else if (auto product = dyn_cast<BlockMatmulOp>(op)) {
    if (product.getW().getDefiningOp<ConstantOp>())
      map.clear(1, 0);
    if (std::optional<HeadSections> heads = getHeadSections(product.getY())) {
      map.setSize(map.getLeading(y, 1), heads->heads);
      if (product.getBias())
        map.clear(product.getBiasMutable().begin()->getOperandNumber(), 0);
    }
  } else if (auto concat = dyn_cast<ConcatOp>(op); concat && concat.getAxis() == 1) {
    if (std::optional<HeadSections> heads = getHeadSections(concat.getY())) {
      int head = map.addParallel(heads->heads);
      for (unsigned value = 0; value <= y; ++value)
        map.set(value, 1, {head, map.addWhole(map.getSize(value, 1) / heads->heads)});
    }
  }
  map.updateDivisible();
}
