// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RepeatedSteps.h"

#include "dialects/Ttc/Tensors/SequentialOps.h"

using namespace mlir;
using namespace mlir::ttc;

RepeatedSteps::RepeatedSteps(TensorBuilder &builder, int64_t steps, ArrayRef<Value> states,
                             ArrayRef<Counter> counters, bool isWhile, bool failsAtLimit)
    : builder(builder), e(builder) {
  SmallVector<Value> initial(states);
  for (const Counter &counter : counters) {
    initial.push_back(e.scalar(counter.first));
    countedBy.push_back(counter.step);
  }
  begin = LoopBeginOp::create(builder.getBuilder(), builder.getLoc(), initial, steps, isWhile,
                              failsAtLimit);
  ValueRange values = begin.getValues();
  llvm::append_range(this->states, values.take_front(states.size()));
  llvm::append_range(this->counters, values.drop_front(states.size()));
}

Value RepeatedSteps::writeRow(Value rows, const Row &row) {
  SmallVector<int64_t> shape(shapeOf(row.value));
  shape.insert(shape.begin(), 1);
  return builder.create<ScatterNdOp>(
      {rows, builder.reshape(row.index, {1, 1}), builder.reshape(row.value, shape)},
      builder.attr("reduction",
                   ScatterReductionAttr::get(builder.context(), ScatterReduction::None)));
}

SmallVector<Value> RepeatedSteps::finish(ArrayRef<Value> next, ArrayRef<Rows> rows) {
  const SmallVector<Value> none(next.size() + rows.size());
  SmallVector<Value> handedOn(next), initial(begin.getInputs());
  if (builder.hasFailed() || llvm::is_contained(handedOn, Value()))
    return none;

  // The types of rows are known now: the loop begins with zeros in their place, too.
  OpBuilder &ops = builder.getBuilder();
  const unsigned numStates = initial.size();
  LoopBeginOp known = begin;
  {
    OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPoint(known);
    for (const Rows &all : rows) {
      Value like = all.written.front().value;
      if (!like)
        return none;
      SmallVector<int64_t> shape(shapeOf(like));
      shape.insert(shape.begin(), all.count);
      Value &first = initial.emplace_back(e.splat(shape, elementTypeOf(like), 0));
      for (const Row &row : all.before)
        first = writeRow(first, row);
      if (!first)
        return none;
    }
    begin = LoopBeginOp::create(ops, known.getLoc(), initial, known.getIterations(),
                                known.getIsWhile(), known.getFailsAtLimit());
  }
  auto find = [&](Value value) {
    return value.getDefiningOp() == known
               ? begin.getValues()[cast<OpResult>(value).getResultNumber()]
               : value;
  };
  llvm::transform(handedOn, handedOn.begin(), find);
  SmallVector<Value> written;
  for (auto [index, all] : llvm::enumerate(rows)) {
    Value &value = written.emplace_back(begin.getValues()[numStates + index]);
    for (const Row &row : all.written)
      value = writeRow(value, {find(row.index), find(row.value)});
  }
  // Last, so that each takes the place of the number that the others have read.
  for (auto [counter, step] : llvm::zip_equal(counters, countedBy))
    handedOn.push_back(e.add(find(counter), e.scalar(step)));
  llvm::append_range(handedOn, written);
  known->replaceAllUsesWith(begin.getValues().take_front(numStates));
  known->erase();
  if (llvm::is_contained(handedOn, Value()))
    return none;
  ValueRange results = LoopEndOp::create(ops, builder.getLoc(), handedOn).getValues();
  SmallVector<Value> made(results.take_front(next.size()));
  llvm::append_range(made, results.take_back(rows.size()));
  return made;
}

void RepeatedSteps::remove() {
  // Constants stay: names of the source stand for them elsewhere, too.
  SmallVector<Operation *> made;
  for (Operation *op = begin; op; op = op->getNextNode())
    if (!op->hasTrait<OpTrait::ConstantLike>())
      made.push_back(op);
  for (Operation *op : llvm::reverse(made))
    op->erase();
}
