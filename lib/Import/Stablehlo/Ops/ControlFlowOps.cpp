// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls, choices and loops.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importCall(StablehloOp &op) {
  FailureOr<SmallVector<Value>> values = op.importCallee("callee", op.allOperands());
  return failed(values) ? failure() : op.results(*values);
}

/// The function that says what the op means.
static LogicalResult importComposite(StablehloOp &op) {
  op.ignoreAttrs({"name", "composite_attributes", "version"});
  FailureOr<SmallVector<Value>> values = op.importCallee("decomposition", op.allOperands(), "C3");
  return failed(values) ? failure() : op.results(*values);
}

/// The barrier orders what a compiler may reorder; values are unchanged.
static LogicalResult importBarrier(StablehloOp &op) { return op.results(op.allOperands()); }

/// `condition`, of rank 0, chooses among values of one type.
static Value choose(StablehloOp &op, Value condition, Value a, Value b) {
  Expressions e(op);
  if (a == b)
    return a;
  if (!op.isComplex(a))
    return e.where(condition, a, b);
  return op.complex(e.where(condition, op.realOf(a), op.realOf(b)),
                    e.where(condition, op.imaginaryOf(a), op.imaginaryOf(b)));
}

/// Reports an operand that is not one number of this type.
static LogicalResult checkChoice(StablehloOp &op, unsigned width) {
  if (failed(op.checkOperands(1)))
    return failure();
  auto type = RankedTensorType::get({}, IntegerType::get(op.context(), width));
  Type found = op.getSource()->getOperand(0).getType();
  if (found == type)
    return success();
  return op.error() << "expected an operand of type " << type << ", found " << found;
}

/// Bodies have no effects: where the device decides, all are computed and one is chosen.
/// `constraint` is that on their results.
static LogicalResult importBranches(StablehloOp &op, std::optional<int64_t> known,
                                    StringRef constraint,
                                    llvm::function_ref<Value(int64_t)> isBranch) {
  const int64_t branches = op.numBodies();
  if (known) {
    FailureOr<SmallVector<Value>> values = op.importBody(*known, {});
    return failed(values) ? failure() : op.results(*values);
  }
  // From the last, which holds where no other one does.
  SmallVector<Value> chosen;
  for (int64_t branch = branches - 1; branch >= 0; --branch) {
    FailureOr<SmallVector<Value>> values = op.importBody(branch, {});
    if (failed(values))
      return failure();
    // ttc.where would broadcast one to the other.
    if (failed(op.checkReturned(*op.body(branch, 0), op.getSource()->getResultTypes(), constraint)))
      return failure();
    if (branch == branches - 1) {
      chosen = *values;
      continue;
    }
    Value condition = isBranch(branch);
    for (auto [old, value] : llvm::zip_equal(chosen, *values))
      old = choose(op, condition, value, old);
  }
  return op.results(chosen);
}

static LogicalResult importIf(StablehloOp &op) {
  if (failed(checkChoice(op, 1)))
    return failure();
  if (op.numBodies() != 2)
    return op.error() << "expected two bodies, found " << op.numBodies();
  Value condition = op.operand(0);
  std::optional<int64_t> known = getConstantInt(condition);
  if (known)
    known = *known ? 0 : 1;
  return importBranches(op, known, "C2, C3", [&](int64_t) { return condition; });
}

/// An index out of range means the last branch.
static LogicalResult importCase(StablehloOp &op) {
  if (failed(checkChoice(op, 32)))
    return failure();
  if (op.numBodies() == 0)
    return op.error() << "(C1) expected at least one branch";
  Value index = op.operand(0);
  std::optional<int64_t> known = getConstantInt(index);
  if (known && (*known < 0 || *known >= op.numBodies()))
    known = op.numBodies() - 1;
  Expressions e(op);
  return importBranches(op, known, "C3, C4", [&](int64_t branch) {
    return e.compare(ComparePredicate::EQ, index, static_cast<double>(branch));
  });
}

/// Loops are unrolled: what counts the steps is computed while compiling.
static LogicalResult importWhile(StablehloOp &op) {
  SmallVector<Value> values(op.allOperands());
  Block *condition = op.body(0, values.size()), *step = op.body(1, values.size());
  Type flag = RankedTensorType::get({}, op.getBuilder().getI1Type());
  if (!condition || !step || failed(op.checkReturned(*condition, flag, "C1")) ||
      failed(op.checkReturned(*step, op.getSource()->getOperandTypes(), "C2")))
    return failure();
  for (;;) {
    FailureOr<SmallVector<Value>> flags = op.importBody(0, values);
    if (failed(flags))
      return failure();
    std::optional<int64_t> goesOn = getConstantInt(flags->front());
    if (!goesOn)
      return op.error() << "expected a number of steps that is known while compiling, found a "
                           "condition that is computed from data: bound the loop by a number of "
                           "steps, and keep the values of steps after its end (jax.lax.fori_loop "
                           "with jnp.where)";
    if (!*goesOn)
      return op.results(values);
    FailureOr<SmallVector<Value>> next = op.importBody(1, values);
    if (failed(next))
      return failure();
    values = *next;
  }
}

void mlir::ttc::registerStablehloControlFlowOps(StablehloRegistry &registry) {
  registry.add("func.call", importCall, OnComplex::Handled);
  registry.add("composite", importComposite, OnComplex::Handled);
  registry.add("optimization_barrier", importBarrier, OnComplex::Handled);
  registry.add("if", importIf, OnComplex::Handled);
  registry.add("case", importCase, OnComplex::Handled);
  registry.add("while", importWhile, OnComplex::Handled,
               "a number of steps that data decides; steps are unrolled");
}
