// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StridedOperands.h"

using namespace mlir;
using namespace mlir::ttc;

/// Ops that traverse their operands dimension by dimension, with any strides.
static bool worksByDimension(Operation *op) {
  return isa<ElementwiseOpInterface, PermutableOpInterface, SubviewCopyOpInterface, ReturnOp>(op);
}

static KernelOpInterface getKernel(ProgramOp program) {
  auto kernels = program.getBody().front().getOps<KernelOpInterface>();
  return kernels.empty() ? KernelOpInterface() : *kernels.begin();
}

bool mlir::ttc::acceptsStrided(ProgramOp program, unsigned index, const StridedRange &rows) {
  if (rows.isContiguous())
    return true;
  if (!program.hasTensorBody())
    return false;
  auto type = cast<RankedTensorType>(program.getOperandType(index));
  if (!getRowStrides(type.getShape(), rows.row, rows.pitch))
    return false;
  Block &block = program.getBody().front();
  KernelOpInterface kernel = getKernel(program);
  if (index >= program.getNumArguments()) {
    const unsigned number = index - program.getNumArguments();
    Value result = block.getTerminator()->getOperand(number);
    if (kernel) // with one result, or with all results of the kernel
      return kernel->getResult(number).getType() == type &&
             kernel.acceptsStrided(kernel->getNumOperands() + number, rows);
    return !result.getDefiningOp() || worksByDimension(result.getDefiningOp());
  }
  return llvm::all_of(block.getArgument(index).getUses(), [&](OpOperand &use) {
    if (use.getOwner() == kernel)
      return kernel.acceptsStrided(use.getOperandNumber(), rows);
    if (kernel) // the tail walks rows of the kernel's columns
      return type == kernel->getResult(0).getType() && rows.row == type.getShape().back();
    return worksByDimension(use.getOwner());
  });
}

ProgramOp mlir::ttc::makeCopyProgram(Location loc, StringRef name, RankedTensorType type,
                                     WithinAttr within, Type extents) {
  OpBuilder builder(type.getContext());
  SmallVector<Type> arguments{type};
  if (within)
    arguments.push_back(extents);
  auto program = ProgramOp::create(builder, loc, name, builder.getFunctionType(arguments, {type}));
  program.setPrivate();
  program.addEntryBlock();
  if (within)
    program.setResultAttr(
        0, kWithinAttrName,
        WithinAttr::get(type.getContext(), /*argument=*/1, within.getSizes(), within.getBounds()));
  builder.setInsertionPointToStart(&program.getBody().front());
  ReturnOp::create(builder, loc, program.getArgument(0));
  return program;
}

void mlir::ttc::eraseUnusedPrograms(ModuleOp module, SymbolTable &symbols) {
  DenseSet<Attribute> used;
  module.walk([&](Operation *op) {
    for (NamedAttribute attr : op->getAttrs())
      attr.getValue().walk([&](FlatSymbolRefAttr symbol) { used.insert(symbol.getAttr()); });
  });
  for (auto program : llvm::make_early_inc_range(module.getOps<ProgramOp>()))
    if (program.isPrivate() && !used.contains(program.getSymNameAttr()))
      symbols.erase(program);
}
