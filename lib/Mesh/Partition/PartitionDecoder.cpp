// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --ttc-partition does with ops of decoders.
#include "Partitioner.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/CollectiveOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "lib/Mesh/Sharding/HeadSections.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::ttc;

/// A column loop and then a sum loop divide the bytes of weights, which are not dimensions.
Value Partitioner::getSpecialOperand(OpOperand &operand, ArrayRef<Axes> loopAxes) {
  auto product = dyn_cast<BlockMatmulOp>(operand.getOwner());
  if (!product || !operand.get().getDefiningOp<ConstantOp>())
    return {};
  const Axes columns = classes.getLayout(product, product->getNumOperands(), loopAxes)[1];
  const Axes blocks = classes.getLayout(product, 0, loopAxes)[1];
  if (columns.empty() && blocks.empty())
    return {};
  ElementsAttr parts;
  if (operand.getOperandNumber() == 1)
    parts = getWeightParts(common.parts, product, columns, blocks, mesh);
  else if (product.getBias() && &operand == &*product.getBiasMutable().begin())
    parts = getBiasParts(common.parts, product, columns, mesh);
  else
    return {};
  return ConstantOp::create(builder, product.getLoc(), parts);
}

/// Columns by heads are in sections, which no exchange brings together.
LogicalResult Partitioner::checkHeads(Operation *op, function_ref<Layout(unsigned)> getLayout) {
  auto check = [&](OpOperand &operand) -> LogicalResult {
    if (locals.lookup(operand.get()).layout == getLayout(operand.getOperandNumber()))
      return success();
    return op->emitOpError("expected queries, keys and values that are divided as the attention, "
                           "by its ")
           << "heads of keys and values, found another division";
  };
  if (auto attention = dyn_cast<CachedAttentionOp>(op))
    return getHeadSections(attention) ? check(attention.getQkvMutable()) : success();
  if (isa<ConcatOp>(op) && getHeadSections(op->getResult(0)))
    for (OpOperand &operand : op->getOpOperands())
      if (failed(check(operand)))
        return failure();
  return success();
}

void Partitioner::findTables() {
  for (auto op : function.getOps<BlockMatmulOp>()) {
    auto constant = op.getW().getDefiningOp<ConstantOp>();
    if (!constant || op.getGated() || getHeadSections(op.getY()))
      continue;
    SmallVector<Axes> loopAxes = classes.getLoopAxes(op);
    const Axes columns = classes.getLayout(op, op->getNumOperands(), loopAxes)[1];
    if (!columns.empty() && classes.getLayout(op, 0, loopAxes)[1].empty())
      common.tables.try_emplace(constant.getValue(), columns);
  }
}

/// Ops whose parts compute other things. Returns false if the op is none.
bool Partitioner::partitionDecoder(Operation *op) {
  if (auto gather = dyn_cast<BlockGatherOp>(op)) {
    // Divided as the product that shares the weights, so that they are stored once.
    auto constant = gather.getW().getDefiningOp<ConstantOp>();
    auto rows = constant ? common.tables.find(constant.getValue()) : common.tables.end();
    if (rows == common.tables.end() ||
        getBlockRows(gather.getW(), gather.getFormat(), gather.getColumns()) %
                getParts(mesh, rows->second) !=
            0)
      return false;
    Layout whole(1);
    Value tokens = getOperand(gather.getTokensMutable(), whole).value;
    Value table = ConstantOp::create(builder, constant.getLoc(),
                                     getTableParts(common.parts, gather, rows->second, mesh));
    Value own = gatherOwnRows(builder, gather, table, tokens, rows->second, mesh);
    Value sum = AllReduceOp::create(builder, op->getLoc(), own.getType(), own,
                                    getNames(rows->second), Reduction::Sum);
    locals[gather.getY()] = {sum, Layout(2)};
    return true;
  }
  auto sample = dyn_cast<SampleOp>(op);
  if (!sample || !gathersBest)
    return false;
  // All other ops of the function that use them have them whole.
  Local logits = locals.lookup(sample.getLogits());
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    mapping.map(operand.get(),
                operand.getOperandNumber() == 0
                    ? gatherBest(builder, op->getLoc(), logits.value, logits.layout[1], mesh)
                    : getOperand(operand, Layout(tensorType(operand.get()).getRank())).value);
  Operation *clone = builder.clone(*op, mapping);
  for (auto [result, local] : llvm::zip_equal(op->getResults(), clone->getResults()))
    locals[result] = {local, Layout(tensorType(result).getRank())};
  return true;
}
