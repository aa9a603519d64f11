// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FoldConstants.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Analysis/ConstantNumbers.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Support/Resources.h"
#include "ttc/Transforms/Passes.h"
#include <map>

namespace mlir::ttc {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "ttc/Transforms/Passes.h.inc"

static int64_t getNumBytes(Value value) {
  return getTensorBytes(cast<RankedTensorType>(value.getType()));
}

/// Bytes of the operands, with elements at least as wide as the result's: weights that are stored
/// in few bits and converted have as many elements afterwards.
static int64_t getOperandBytes(Operation *op) {
  const auto getWidth = [](Value value) {
    return static_cast<int64_t>(ConstantTensor::getElementSize(tensorType(value).getElementType()));
  };
  const int64_t width = getWidth(op->getResult(0));
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    bytes += tensorType(operand).getNumElements() * std::max(getWidth(operand), width);
  return bytes;
}

static bool isAlwaysWorthEvaluating(Operation *op) {
  auto evaluable = dyn_cast<ConstantEvaluableOpInterface>(op);
  return evaluable && evaluable.isAlwaysWorthEvaluating();
}

/// Whether evaluating an op saves more than its larger result costs (a constant that is expanded
/// would be read from memory where it now comes for nothing).
static bool isWorthEvaluating(Operation *op, int64_t maxGrowth) {
  return getNumBytes(op->getResult(0)) <= 2 * getOperandBytes(op) + maxGrowth;
}

//===----------------------------------------------------------------------===//
// Constants that differ between devices
//===----------------------------------------------------------------------===//

static bool isSharded(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && isa<ShardsAttr>(constant.getValue());
}

/// The op with all that it is computed from, operands before users.
static SmallVector<Operation *> getTree(Operation *root) {
  SmallVector<Operation *> order;
  DenseSet<Operation *> seen;
  SmallVector<std::pair<Operation *, unsigned>> stack{{root, 0}};
  seen.insert(root);
  while (!stack.empty()) {
    auto &[op, next] = stack.back();
    if (next == op->getNumOperands()) {
      order.push_back(op);
      stack.pop_back();
    } else if (Operation *producer = op->getOperand(next++).getDefiningOp();
               seen.insert(producer).second) {
      stack.emplace_back(producer, 0);
    }
  }
  return order;
}

/// The last op of a tree, on one device.
static ConstantTensor evaluateFor(int64_t device, ArrayRef<Operation *> tree) {
  DenseMap<Operation *, ConstantTensor> tensors;
  for (Operation *op : tree) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto shards = dyn_cast<ShardsAttr>(constant.getValue());
      tensors[op] = ConstantTensor::get(shards ? shards.getValue(device) : constant.getValue());
      continue;
    }
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return tensors.lookup(operand.getDefiningOp()); });
    FailureOr<ConstantTensor> result = evaluateConstant(op, operands);
    if (failed(result))
      return {};
    tensors[op] = *result;
  }
  return tensors.lookup(tree.back());
}

SmallVector<ConstantTensor> evaluateOnDevices(Operation *root) {
  const SmallVector<Operation *> tree = getTree(root);
  size_t devices = 1;
  for (Operation *op : tree)
    if (isSharded(op))
      devices = cast<ShardsAttr>(cast<ConstantOp>(op).getValue()).getDevices().size();
  SmallVector<ConstantTensor> tensors;
  for (size_t device = 0; device < devices; ++device)
    if (ConstantTensor tensor = evaluateFor(device, tree))
      tensors.push_back(std::move(tensor));
  return tensors.size() == devices ? tensors : SmallVector<ConstantTensor>();
}

namespace {

/// Evaluates the constant parts of functions. Intermediate results live only as long as somebody
/// needs them, and only what other ops use becomes an attribute. What several functions compute
/// alike from equal constants is evaluated once.
class Evaluator {
public:
  Evaluator(int64_t maxGrowth, bool compact) : maxGrowth(maxGrowth), compact(compact) {}

  int64_t numReused = 0; ///< results that were those of other ops

  /// Returns how many ops were evaluated.
  int64_t run(Operation *root) {
    // Doubling alone would let twenty ops on a small constant make a large one, and a thousand ops
    // a thousand: all together may grow by what the constants have, or by 64 single growths.
    int64_t given = 0;
    bool hasShards = false;
    root->walk([&](ConstantOp op) {
      given += getNumBytes(op);
      hasShards |= isSharded(op);
    });
    growthLeft = std::max(given, 64 * std::min(maxGrowth, int64_t(1) << 50));
    root->walk([&](Operation *op) {
      if (canEvaluate(op))
        evaluable.insert(op);
    });
    // Needed: what an op that cannot be evaluated uses.
    SmallVector<Operation *> roots;
    for (Operation *op : evaluable) {
      bool needed =
          llvm::any_of(op->getUsers(), [&](Operation *user) { return !evaluable.contains(user); });
      if (needed)
        roots.push_back(op);
      numUses[op] = needed;
    }
    for (Operation *op : evaluable)
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp(); evaluable.contains(producer))
          ++numUses[producer];

    ConstantNumbers numbers;
    DenseMap<int64_t, ElementsAttr> known;
    int64_t count = 0;
    for (Operation *op : roots) {
      const std::optional<int64_t> number = numbers.get(op->getResult(0));
      if (ElementsAttr value = number ? known.lookup(*number) : ElementsAttr()) {
        replace(op, value);
        ++numReused;
        continue;
      }
      // Trees may share long chains: only a mesh pays for looking at each.
      SmallVector<Operation *> tree = hasShards ? getTree(op) : SmallVector<Operation *>();
      if (llvm::any_of(tree, isSharded)) {
        count += evaluateShards(op, tree);
      } else if (ConstantTensor value = evaluate(op)) {
        ElementsAttr folded = materialize(op, std::move(value));
        if (number)
          known[*number] = folded;
        ++count;
      }
    }
    // In reverse order: users first.
    for (Operation *op : llvm::reverse(evaluable))
      if (op->use_empty())
        op->erase();
    return count;
  }

private:
  /// Whether all that the op needs is constant and its result is worth being one.
  bool canEvaluate(Operation *op) {
    if (op->getNumResults() != 1 || !isConstantEvaluable(op))
      return false;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !(isa<ConstantOp>(producer) || evaluable.contains(producer)))
        return false;
    }
    if (compact && isReadThroughView(op))
      return false;
    if (isAlwaysWorthEvaluating(op))
      return true;
    if (!isWorthEvaluating(op, maxGrowth))
      return false;
    const int64_t growth =
        std::max<int64_t>(getNumBytes(op->getResult(0)) - getOperandBytes(op), 0);
    if (growth > growthLeft)
      return false;
    growthLeft -= growth;
    return true;
  }

  /// Whether products can read a transpose's operand, a constant that is there anyway.
  static bool isReadThroughView(Operation *op) {
    return isa<TransposeOp>(op) && isa<ConstantOp>(op->getOperand(0).getDefiningOp()) &&
           llvm::all_of(op->getUsers(), llvm::IsaPred<MatmulOp>) && isAlsoRead(op->getResult(0));
  }

  /// The result of an evaluable op, or null if its values allow none. First the results that it
  /// needs; without recursion, because a chain can have as many ops as the model.
  ConstantTensor evaluate(Operation *root) {
    SmallVector<Operation *> stack{root};
    while (!stack.empty()) {
      Operation *op = stack.back();
      size_t height = stack.size();
      if (!values.contains(op))
        for (Value operand : op->getOperands())
          if (Operation *producer = operand.getDefiningOp();
              !isa<ConstantOp>(producer) && !values.contains(producer))
            stack.push_back(producer);
      if (stack.size() > height)
        continue;
      stack.pop_back();
      if (!values.contains(op))
        values[op] = compute(op);
    }
    return values.lookup(root);
  }

  /// From operands that are constants or in `values`.
  ConstantTensor compute(Operation *op) {
    SmallVector<ConstantTensor> operands;
    bool hasAll = true;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      auto constant = dyn_cast<ConstantOp>(producer);
      operands.push_back(constant ? ConstantTensor::get(constant.getValue())
                                  : values.lookup(producer));
      hasAll &= bool(operands.back());
    }
    FailureOr<ConstantTensor> result =
        hasAll ? evaluateConstant(op, operands) : FailureOr<ConstantTensor>();
    for (Value operand : op->getOperands())
      release(operand.getDefiningOp());
    return succeeded(result) ? *result : ConstantTensor();
  }

  //===--- constants that differ between devices ------------------------------------------===//

  /// Evaluates an op for each choice of values that some device has. Returns whether it could.
  bool evaluateShards(Operation *root, ArrayRef<Operation *> tree) {
    SmallVector<ShardsAttr> sharded;
    for (Operation *op : tree)
      if (isSharded(op))
        sharded.push_back(cast<ShardsAttr>(cast<ConstantOp>(op).getValue()));
    std::map<SmallVector<int64_t>, int64_t> numbers;
    SmallVector<ElementsAttr> results;
    SmallVector<int64_t> devices;
    for (size_t device = 0; device < sharded.front().getDevices().size(); ++device) {
      auto choice = llvm::map_to_vector(
          sharded, [&](ShardsAttr shards) { return shards.getDevices()[device]; });
      auto [it, isNew] = numbers.try_emplace(choice, results.size());
      devices.push_back(it->second);
      if (!isNew)
        continue;
      ConstantTensor result = evaluateFor(device, tree);
      if (!result)
        return false;
      results.push_back(result.toAttr(getName(root)));
    }
    replace(root, ShardsAttr::getOrValue(root->getContext(), results, devices));
    return true;
  }

  /// One user less; the last one frees the elements.
  void release(Operation *op) {
    auto uses = numUses.find(op);
    if (uses != numUses.end() && --uses->second == 0)
      values.erase(op);
  }

  /// Puts a constant in the place of an op for those users that are not evaluated themselves.
  ElementsAttr materialize(Operation *op, ConstantTensor value) {
    std::string name = getName(op);
    // The tensor must be the attribute's alone, so that it needs no copy.
    release(op);
    ElementsAttr folded = value.toAttr(name);
    replace(op, folded);
    return folded;
  }

  void replace(Operation *op, ElementsAttr value) {
    OpBuilder builder(op);
    auto constant = ConstantOp::create(builder, op->getLoc(), value);
    op->getResult(0).replaceUsesWithIf(
        constant, [&](OpOperand &use) { return !evaluable.contains(use.getOwner()); });
  }

  /// The name of the largest constant that the result is made from.
  std::string getName(Operation *op) {
    DenseResourceElementsAttr largest;
    SmallVector<Operation *> worklist{op};
    DenseSet<Operation *> seen;
    constexpr size_t mostOps = 256; // or many results of a long chain would take its square
    while (!worklist.empty() && seen.size() < mostOps) {
      Operation *next = worklist.pop_back_val();
      if (!next || !seen.insert(next).second)
        continue;
      if (auto constant = dyn_cast<ConstantOp>(next)) {
        auto shards = dyn_cast<ShardsAttr>(constant.getValue());
        auto resource = dyn_cast<DenseResourceElementsAttr>(shards ? shards.getValues().front()
                                                                   : constant.getValue());
        if (resource && (!largest || resource.getNumElements() > largest.getNumElements()))
          largest = resource;
        continue;
      }
      for (Value operand : next->getOperands())
        worklist.push_back(operand.getDefiningOp());
    }
    return largest ? largest.getRawHandle().getKey().str() : "folded";
  }

  int64_t maxGrowth, growthLeft = 0;
  bool compact;
  /// In the order of the program.
  llvm::SetVector<Operation *> evaluable;
  DenseMap<Operation *, int64_t> numUses;
  /// Results that are still used; null for one that cannot be computed.
  DenseMap<Operation *, ConstantTensor> values;
};

struct FoldConstants : impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;
  PassCounter numEvaluated{*this, "evaluated", "Ops evaluated"};
  PassCounter numReused{*this, "reused", "Results that were those of equal ops"};
  PassCounter numReleased{*this, "released-bytes", "Bytes of constants freed"};

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateFoldConstantsPatterns(set);
    populateFoldRepetitionPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    DenseSet<StringRef> before = getResources(getOperation());
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      return signalPassFailure();
    Evaluator evaluator(maxGrowth, optimize != OptimizeFor::Speed);
    numEvaluated += evaluator.run(getOperation());
    numReused += evaluator.numReused;
    SmallVector<Operation *> dead;
    getOperation().walk([&](ConstantOp op) {
      if (op->use_empty())
        dead.push_back(op);
    });
    for (Operation *op : dead)
      op->erase();
    numReleased += releaseResources(getOperation(), std::move(before));
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace mlir::ttc
