// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/SharedWeights.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "ttc/Analysis/ConstantNumbers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

/// The weights of an op; null for ops of other kinds.
static Value getWeights(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ConvOp, ConvTransposeOp, IntConvOp>([](auto conv) { return conv.getW(); })
      .Case<MatmulOp, IntMatmulOp>([](auto product) { return product.getB(); })
      .Default(Value());
}

/// What else than weights and tile the packed form depends on.
static int64_t getForm(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<ConvOp, ConvTransposeOp, IntConvOp>([](auto conv) { return conv.getGroups(); })
      .Case([](MatmulOp product) { return product.getTransposeB(); })
      .Default([](Operation *) { return 0; });
}

static Operation *getFunction(Operation *op) {
  while (!isa<ModuleOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

int64_t mlir::ttc::getRowsOfWeights(Operation *op) {
  auto type = tensorType(op->getResult(0));
  return type.getNumElements() == 0 ? 0 : type.getNumElements() / type.getShape().back();
}

SmallVector<SmallVector<Operation *>> mlir::ttc::getSharingOps(ModuleOp module) {
  SmallVector<SmallVector<Operation *>> groups;
  if (llvm::hasNItemsOrLess(module.getOps(), 1))
    return groups;
  using Key = std::tuple<const void *, int64_t, int64_t>; // kind, weights, form
  llvm::MapVector<Key, SmallVector<Operation *>, std::map<Key, unsigned>> byWeights;
  ConstantNumbers numbers;
  module.walk([&](Operation *op) {
    Value weights = getWeights(op);
    if (std::optional<int64_t> number = weights ? numbers.get(weights) : std::nullopt)
      byWeights[{op->getName().getAsOpaquePointer(), *number, getForm(op)}].push_back(op);
  });
  for (auto &[key, ops] : byWeights) {
    Operation *first = getFunction(ops.front());
    if (!llvm::all_of(ops, [&](Operation *op) { return getFunction(op) == first; }))
      groups.push_back(std::move(ops));
  }
  return groups;
}
