// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/ConstantNumbers.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;

std::optional<int64_t> ConstantNumbers::get(Value value) {
  Operation *root = value.getDefiningOp();
  // Without recursion, because a chain can have as many ops as the model.
  SmallVector<Operation *> stack;
  if (root)
    stack.push_back(root);
  while (!stack.empty()) {
    Operation *op = stack.back();
    if (byOp.contains(op)) {
      stack.pop_back();
      continue;
    }
    const bool isConstant = isa<ConstantOp>(op);
    if (!isConstant && (op->getNumResults() != 1 || !isConstantEvaluable(op))) {
      byOp[op] = std::nullopt;
      continue;
    }
    Key key{op->getName().getAsOpaquePointer(), op->getAttrDictionary().getAsOpaquePointer(),
            op->getResult(0).getType().getAsOpaquePointer()};
    bool isKnown = true, isExpression = true;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      auto found = producer ? byOp.find(producer) : byOp.end();
      if (producer && found == byOp.end()) {
        stack.push_back(producer);
        isKnown = false;
        continue;
      }
      isExpression &= producer && found->second.has_value();
      if (isExpression)
        key.push_back(reinterpret_cast<const void *>(*found->second));
    }
    if (!isKnown)
      continue;
    byOp[op] =
        isExpression
            ? std::optional<int64_t>(byKey.try_emplace(std::move(key), byKey.size()).first->second)
            : std::nullopt;
  }
  return root ? byOp.lookup(root) : std::nullopt;
}
