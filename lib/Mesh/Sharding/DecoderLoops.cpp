// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of ops of decoders: products with weights in blocks, and attention over a cache.
#include "DecoderParts.h"
#include "OpLoops.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using shard::ReductionKind;

/// `parts` equal parts of a dimension, by a loop over them and one within. Where the dimension has
/// sections, a part is one of each section.
static void setParts(OpLoops &loops, unsigned value, int64_t dim, int loop, int64_t parts) {
  MLIRContext *context = loops.op->getContext();
  const int64_t size = loops.getSize(value, dim) / parts;
  AffineExpr expr = getAffineDimExpr(loop, context) * size;
  if (size != 1)
    expr = expr + getAffineDimExpr(loops.addParallel(), context);
  loops.set(value, dim, expr);
}

/// Bytes of blocks are not a dimension: --ttc-partition takes the parts of rows and blocks.
static void setBytes(OpLoops &loops, unsigned value) {
  loops.set(value, 0, getAffineConstantExpr(0, loops.op->getContext()));
}

/// Columns of the result are rows of the weights. The sum may be divided into whole blocks, where
/// nothing but a sum is made of it.
static bool describeBlockMatmul(OpLoops &loops, BlockMatmulOp op) {
  const unsigned y = loops.getResult();
  const Value bias = op.getBias(), residual = op.getResidual();
  const unsigned biasNumber = op.getODSOperandIndexAndLength(3).first;
  const unsigned residualNumber = op.getODSOperandIndexAndLength(4).first;
  if (!op.getCount()) {
    int row = loops.addParallel();
    loops.set(0, 0, row);
    loops.set(y, 0, row);
    if (residual)
      loops.set(residualNumber, 0, row);
  }
  if (!op.getW().getDefiningOp<ConstantOp>())
    return true;
  setBytes(loops, 1);
  int column = loops.addParallel();
  if (std::optional<HeadSections> heads = getHeadSections(op.getY())) {
    setParts(loops, y, 1, column, heads->heads);
    if (bias)
      setBytes(loops, biasNumber);
  } else {
    loops.set(y, 1, column);
    if (bias)
      loops.set(biasNumber, 0, column);
    if (residual)
      loops.set(residualNumber, 1, column);
  }
  if (!op.getNorm() && !op.getGated()) {
    const int64_t blocks = loops.getSize(0, 1) / getBlockColumns(op.getFormat());
    setParts(loops, 0, 1, loops.addReduction(ReductionKind::Sum), blocks);
  }
  return true;
}

/// Heads of keys and values, with the queries that share them.
static bool describeCachedAttention(OpLoops &loops, CachedAttentionOp op) {
  std::optional<HeadSections> heads = getHeadSections(op);
  if (!heads)
    return true;
  const unsigned y = loops.getResult();
  int head = loops.addParallel();
  setParts(loops, 0, 1, head, heads->heads);
  setParts(loops, y, 1, head, heads->heads);
  for (unsigned cache : {1U, 2U, y + 1, y + 2})
    loops.set(cache, loops.getRank(cache) - 4, head);
  return true;
}

/// Columns of an attention's operand, from products of several formats.
static bool describeHeads(OpLoops &loops, ConcatOp op) {
  std::optional<HeadSections> heads;
  if (op.getAxis() == 1 && loops.getRank(0) == 2)
    heads = getHeadSections(op.getResult());
  if (!heads)
    return false;
  int head = loops.addParallel(), row = loops.addParallel();
  for (unsigned value = 0; value <= loops.getResult(); ++value) {
    loops.set(value, 0, row);
    setParts(loops, value, 1, head, heads->heads);
  }
  return true;
}

bool mlir::ttc::describeDecoder(OpLoops &loops) {
  return llvm::TypeSwitch<Operation *, bool>(loops.op)
      .Case([&](BlockMatmulOp op) { return describeBlockMatmul(loops, op); })
      .Case([&](BlockGatherOp) {
        loops.join(1, 0, loops.getResult(), 0);
        return true;
      })
      .Case([&](CachedAttentionOp op) { return describeCachedAttention(loops, op); })
      .Case([&](ConcatOp op) { return describeHeads(loops, op); })
      .Default(false);
}
