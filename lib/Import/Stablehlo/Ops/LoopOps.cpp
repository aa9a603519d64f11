// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: unrolled where that is short, else repeated by the device.
#include "LoopOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"
#include "lib/Import/Tensors/RepeatedSteps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// What the source says
//===----------------------------------------------------------------------===//

/// The number of ops in the block, with those of bodies and of called functions, up to `most`.
static int64_t countOps(Block &block, int64_t most, unsigned depth = 0) {
  int64_t count = 0;
  for (Operation &op : block) {
    if (++count >= most || depth > 32)
      return most;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        count += countOps(inner, most - count, depth + 1);
    if (Block *callee = findCallee(&op))
      count += countOps(*callee, most - count, depth + 1);
  }
  return std::min(count, most);
}

Block *mlir::ttc::findCallee(Operation *op) {
  for (StringRef name : {"callee", "decomposition"})
    if (auto callee = dyn_cast_if_present<FlatSymbolRefAttr>(getStablehloAttr(op, name)))
      if (auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee);
          function && llvm::hasSingleElement(function.getBody()))
        return &function.getBody().front();
  return nullptr;
}

namespace {
/// The steps of a loop whose condition compares a value with a constant, to which each step adds a
/// constant.
class StepCounter {
public:
  explicit StepCounter(StablehloOp &op)
      : op(op), condition(op.getSource()->getRegion(0).front()),
        body(op.getSource()->getRegion(1).front()) {}

  /// Nothing if the loop is of another form, or numbers would wrap around.
  std::optional<int64_t> count() {
    Operation *compare = getLast(condition, 0);
    if (!compare || compare->getName().getStringRef() != "stablehlo.compare")
      return std::nullopt;
    StringRef direction = parseStablehloEnum(getStablehloAttr(compare, "comparison_direction"),
                                             "comparison_direction");
    std::optional<unsigned> counter = getArgument(compare->getOperand(0), condition);
    std::optional<int64_t> limit = getNumber(compare->getOperand(1), condition);
    if (!counter || !limit) {
      counter = getArgument(compare->getOperand(1), condition);
      limit = getNumber(compare->getOperand(0), condition);
      direction = direction == "LT"   ? "GT"
                  : direction == "GT" ? "LT"
                  : direction == "LE" ? "GE"
                  : direction == "GE" ? "LE"
                                      : direction;
    }
    auto type =
        counter ? dyn_cast<IntegerType>(getElementTypeOrSelf(op.operand(*counter))) : IntegerType();
    std::optional<int64_t> first = type ? getConstantInt(op.operand(*counter)) : std::nullopt;
    std::optional<int64_t> step = first ? getStep(*counter) : std::nullopt;
    if (!step || !limit || type.getWidth() == 1)
      return std::nullopt;
    // Far from where the numbers of the type, or of 64 bits, end.
    const int64_t most = int64_t(1) << std::min(type.getWidth() - 1, 60u);
    const int64_t least = type.isUnsigned() ? 0 : -most;
    for (int64_t number : {*first, *limit})
      if (number < least || number >= most)
        return std::nullopt;
    // As a loop that counts upwards to `last`, which it does not reach.
    int64_t from = *first, last = *limit, by = *step;
    if (direction == "GT" || direction == "GE") {
      from = -from;
      last = -last;
      by = -by;
      direction = direction == "GT" ? "LT" : "LE";
    }
    if (direction == "LE")
      ++last;
    else if (direction != "LT")
      return std::nullopt;
    if (from >= last)
      return 0;
    if (by <= 0 || by >= most)
      return std::nullopt;
    const int64_t steps = (last - from - 1) / by + 1;
    // What ends the loop is a number of the type, too.
    const int64_t end = *first + steps * *step;
    return end < least || end >= most ? std::nullopt : std::optional(steps);
  }

private:
  /// The op that makes a result of the body.
  static Operation *getLast(Block &block, unsigned index) {
    if (block.empty() || block.back().getNumOperands() <= index)
      return nullptr;
    return block.back().getOperand(index).getDefiningOp();
  }

  static std::optional<unsigned> getArgument(Value value, Block &block) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &block)
      return std::nullopt;
    return argument.getArgNumber();
  }

  /// A number that is the same in each step.
  std::optional<int64_t> getNumber(Value value, Block &block) {
    if (std::optional<unsigned> argument = getArgument(value, block))
      return isInvariant(body, *argument) ? getConstantInt(op.operand(*argument)) : std::nullopt;
    if (Operation *made = value.getDefiningOp();
        made && made->getName().getStringRef() == "stablehlo.constant") {
      auto elements = dyn_cast_if_present<DenseIntElementsAttr>(getStablehloAttr(made, "value"));
      if (!elements || elements.getNumElements() != 1)
        return std::nullopt;
      FailureOr<SmallVector<int64_t>> numbers = readElements<int64_t>(elements);
      return succeeded(numbers) ? std::optional(numbers->front()) : std::nullopt;
    }
    return std::nullopt;
  }

  /// What each step adds to the argument.
  std::optional<int64_t> getStep(unsigned index) {
    Operation *add = getLast(body, index);
    if (!add || add->getNumOperands() != 2)
      return std::nullopt;
    StringRef name = add->getName().getStringRef();
    const bool isSum = name == "stablehlo.add";
    if (!isSum && name != "stablehlo.subtract")
      return std::nullopt;
    for (unsigned place : {0u, 1u})
      if (getArgument(add->getOperand(place), body) == index && (isSum || place == 0))
        if (std::optional<int64_t> number = getNumber(add->getOperand(1 - place), body))
          return isSum ? *number : -*number;
    return std::nullopt;
  }

public:
  /// Whether each step returns the argument as it is.
  static bool isInvariant(Block &body, unsigned index) {
    return body.back().getNumOperands() > index &&
           getArgument(body.back().getOperand(index), body) == index;
  }

private:
  StablehloOp &op;
  Block &condition, &body;
};

//===----------------------------------------------------------------------===//
// What iterations hand on
//===----------------------------------------------------------------------===//

/// Values of the source as the tensors that a loop of ttc hands on, and back: complex ones are two.
/// Those that no step changes, and empty ones, are not handed on.
class Carried {
public:
  Carried(StablehloOp &op, ArrayRef<Value> initial, llvm::function_ref<bool(unsigned)> isFixed)
      : op(op), initial(initial) {
    for (auto [index, value] : llvm::enumerate(initial))
      if (!isFixed(index) && tensorType(StablehloOp::realOf(value)).getNumElements() > 0)
        changing.insert(index);
  }

  SmallVector<Value> flatten(ArrayRef<Value> values) const {
    SmallVector<Value> flat;
    for (unsigned index : changing) {
      flat.push_back(StablehloOp::realOf(values[index]));
      if (StablehloOp::isComplex(initial[index]))
        flat.push_back(StablehloOp::imaginaryOf(values[index]));
    }
    return flat;
  }

  SmallVector<Value> build(ValueRange flat) const {
    SmallVector<Value> values(initial);
    for (unsigned index : changing) {
      values[index] = flat.front();
      if (StablehloOp::isComplex(initial[index])) {
        values[index] = op.complex(flat[0], flat[1]);
        flat = flat.drop_front();
      }
      flat = flat.drop_front();
    }
    return values;
  }

private:
  StablehloOp &op;
  SmallVector<Value> initial;
  llvm::SetVector<unsigned> changing;
};
} // namespace

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// The types of what bodies return have been checked.
static FailureOr<Value> importCondition(StablehloOp &op, ArrayRef<Value> values) {
  FailureOr<SmallVector<Value>> condition = op.importBody(0, values);
  if (failed(condition))
    return failure();
  return condition->front();
}

/// The device repeats the body: `steps` times, or while the condition holds.
static LogicalResult repeat(StablehloOp &op, SmallVector<Value> values,
                            std::optional<int64_t> steps, Value condition) {
  if (op.isBroadened())
    return op.error() << "expected a short loop with a number of steps that is known while "
                         "compiling in the body of a reduction or a sort";
  Block *body = op.body(1, values.size());
  if (!body)
    return failure();
  Carried carried(op, values,
                  [&](unsigned index) { return StepCounter::isInvariant(*body, index); });
  OpBuilder &builder = op.getBuilder();
  const Location loc = op.getSource()->getLoc();
  SmallVector<Value> initial = carried.flatten(values);
  if (!steps)
    initial.insert(initial.begin(), condition);
  if (initial.empty()) // whatever the steps compute, nothing has it
    return op.results(values);
  auto begin = LoopBeginOp::create(builder, loc, initial, steps.value_or(kMostStepsOnData), !steps,
                                   /*fails_at_limit=*/!steps);
  ValueRange now = begin.getValues();
  values = carried.build(steps ? now : now.drop_front());
  FailureOr<SmallVector<Value>> next = op.importBody(1, values);
  if (failed(next))
    return failure();
  SmallVector<Value> handedOn = carried.flatten(*next);
  if (!steps) {
    FailureOr<Value> goesOn = importCondition(op, *next);
    if (failed(goesOn))
      return failure();
    handedOn.insert(handedOn.begin(), *goesOn);
  }
  auto end = LoopEndOp::create(builder, loc, handedOn);
  ValueRange results = end.getValues();
  return op.results(carried.build(steps ? results : results.drop_front()));
}

static LogicalResult importWhile(StablehloOp &op) {
  SmallVector<Value> values(op.allOperands());
  Block *condition = op.body(0, values.size()), *body = op.body(1, values.size());
  Type flag = RankedTensorType::get({}, op.getBuilder().getI1Type());
  if (!condition || !body || failed(op.checkReturned(*condition, flag, "C1")) ||
      failed(op.checkReturned(*body, op.getSource()->getOperandTypes(), "C2")))
    return failure();
  // Bodies for single elements are not repeated.
  const int64_t mostSteps = op.isBroadened()
                                ? std::numeric_limits<int64_t>::max()
                                : countUnrolledSteps(countOps(*body, countUnrolledSteps(1) + 1));
  const std::optional<int64_t> steps = StepCounter(op).count();
  if (steps && *steps > mostSteps)
    return repeat(op, values, steps, {});
  for (int64_t step = 0;; ++step) {
    FailureOr<Value> holds = importCondition(op, values);
    if (failed(holds))
      return failure();
    std::optional<int64_t> goesOn = getConstantInt(*holds);
    if (!goesOn || (*goesOn && step >= mostSteps))
      return repeat(op, values, std::nullopt, *holds);
    if (!*goesOn)
      return op.results(values);
    FailureOr<SmallVector<Value>> next = op.importBody(1, values);
    if (failed(next))
      return failure();
    values = *next;
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

bool mlir::ttc::hasLoop(Block &block, unsigned depth) {
  return llvm::any_of(block, [&](Operation &op) {
    if (op.getName().getStringRef() == "stablehlo.while" || depth > 32)
      return true;
    if (Block *callee = findCallee(&op); callee && hasLoop(*callee, depth + 1))
      return true;
    return llvm::any_of(op.getRegions(), [&](Region &region) {
      return llvm::any_of(region, [&](Block &inner) { return hasLoop(inner, depth + 1); });
    });
  });
}

FailureOr<SmallVector<Value>> mlir::ttc::importIfTaken(StablehloOp &op, unsigned branch,
                                                       Value condition, ArrayRef<Value> otherwise) {
  Carried carried(op, otherwise, [](unsigned) { return false; });
  OpBuilder &builder = op.getBuilder();
  const Location loc = op.getSource()->getLoc();
  SmallVector<Value> initial = carried.flatten(otherwise);
  initial.insert(initial.begin(), condition);
  auto begin = LoopBeginOp::create(builder, loc, initial, /*iterations=*/1, /*is_while=*/true,
                                   /*fails_at_limit=*/false);
  FailureOr<SmallVector<Value>> values = op.importBody(branch, {});
  if (failed(values))
    return failure();
  SmallVector<Value> handedOn = carried.flatten(*values);
  handedOn.insert(handedOn.begin(), begin.getValues().front());
  auto end = LoopEndOp::create(builder, loc, handedOn);
  return carried.build(end.getValues().drop_front());
}

void mlir::ttc::registerStablehloLoopOps(StablehloRegistry &registry) {
  registry.add("while", importWhile, OnComplex::Handled);
}
