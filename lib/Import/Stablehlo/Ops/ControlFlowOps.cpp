// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls and choices.
#include "LoopOps.h"
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

/// Each branch is computed only if it is taken: it has a loop, which might not end otherwise.
static LogicalResult importTaken(StablehloOp &op, StringRef constraint,
                                 llvm::function_ref<Value(int64_t)> isBranch) {
  Expressions e(op);
  for (int64_t branch = 0; branch < op.numBodies(); ++branch)
    if (Block *body = op.body(branch, 0);
        !body || failed(op.checkReturned(*body, op.getSource()->getResultTypes(), constraint)))
      return failure();
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < op.numResults(); ++i) {
    auto zeros = [&] { return e.splat(op.resultType(i).getShape(), op.resultElementType(i), 0); };
    chosen.push_back(op.hasComplexResult(i) ? op.complex(zeros(), zeros()) : zeros());
  }
  Value isTaken; // one of the branches so far
  const int64_t last = op.numBodies() - 1;
  for (int64_t branch = 0; branch <= last; ++branch) {
    Value condition;
    if (branch == last) {
      condition = isTaken ? op.create<NotOp>(isTaken) : e.splat({}, op.getBuilder().getI1Type(), 1);
    } else {
      condition = isBranch(branch);
      isTaken = isTaken ? op.create<OrOp>({isTaken, condition}) : condition;
    }
    if (!condition || llvm::is_contained(chosen, Value()))
      return failure();
    FailureOr<SmallVector<Value>> values = importIfTaken(op, branch, condition, chosen);
    if (failed(values))
      return failure();
    chosen = *values;
  }
  return op.results(chosen);
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
  for (int64_t branch = 0; branch < branches && !op.isBroadened(); ++branch)
    if (Block *body = op.body(branch, 0); !body)
      return failure();
    else if (hasLoop(*body))
      return importTaken(op, constraint, isBranch);
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

void mlir::ttc::registerStablehloControlFlowOps(StablehloRegistry &registry) {
  registry.add("func.call", importCall, OnComplex::Handled);
  registry.add("composite", importComposite, OnComplex::Handled);
  registry.add("optimization_barrier", importBarrier, OnComplex::Handled);
  registry.add("if", importIf, OnComplex::Handled);
  registry.add("case", importCase, OnComplex::Handled);
}
