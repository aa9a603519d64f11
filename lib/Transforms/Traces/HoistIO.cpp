// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host and device work of a traced region are separated by stages: stage 0 is the host's before
// any trace, stage 1 the first trace, stage 2 the host's after it, and so on. An op's stage is the
// lowest one of its side that is not below the stages of its operands. So a region is split only
// where device work depends on host work that depends on device work. A loop has one stage.
#include "Untraceable.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_HOISTIO
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

class Hoister {
public:
  /// `number` counts the traces of the function.
  Hoister(TracedOp traced, SymbolTable &symbols, StringRef name, int64_t &number)
      : traced(traced), symbols(symbols), name(name), number(number) {}

  LogicalResult run() {
    if (failed(assignStages()))
      return failure();
    OpBuilder builder(traced);
    for (int64_t stage = 0; stage <= lastStage; ++stage)
      if (isDevice(stage))
        outline(builder, stage);
      else
        hoist(stage);
    traced.replaceAllUsesWith(traced.getBody().front().getTerminator()->getOperands());
    traced.erase();
    return success();
  }

  int64_t getNumTraces() const { return numTraces; }
  int64_t getNumHoisted() const { return numHoisted; }

private:
  static bool isDevice(int64_t stage) { return stage % 2 != 0; }

  LogicalResult assignStages() {
    bool failed = false;
    int64_t lastSide = 0; // of sends and receives, which stay in one order
    Operation *endOfLoop = nullptr;
    for (Operation &op : traced.getBody().front().without_terminator()) {
      if (endOfLoop) { // has its stage
        endOfLoop = endOfLoop == &op ? nullptr : endOfLoop;
        continue;
      }
      if (auto loop = dyn_cast<LoopBeginOp>(op)) {
        endOfLoop = loop.getEnd();
        failed |= mlir::failed(assignLoop(loop, endOfLoop));
        continue;
      }
      int64_t stage = isa<SendOp, ReceiveOp>(op) ? lastSide : 0;
      for (Value operand : op.getOperands())
        stage = std::max(stage, stages.lookup(operand.getDefiningOp()));
      if (isa<DeviceWorkOpInterface>(op)) {
        stage |= 1;
        if (isa<SendOp, ReceiveOp>(op))
          lastSide = stage;
      } else if (isa<ViewLikeOpInterface>(op)) {
        // A view stays with its source.
      } else if (matchPattern(&op, m_Constant())) {
        stage = 0;
      } else if (isa<HostWorkOpInterface>(op) && !isa<EventOpInterface>(op)) {
        stage += isDevice(stage);
      } else {
        reportUntraceable(&op);
        failed = true;
      }
      stages[&op] = stage;
      lastStage = std::max(lastStage, stage);
    }
    return failure(failed);
  }

  /// All of a loop is in one trace: after everything that any of its ops needs.
  LogicalResult assignLoop(LoopBeginOp begin, Operation *end) {
    auto ops = llvm::make_range(begin->getIterator(), std::next(end->getIterator()));
    bool failed = false;
    int64_t stage = 0;
    for (Operation &op : ops) {
      for (Value operand : op.getOperands())
        stage = std::max(stage, stages.lookup(operand.getDefiningOp()));
      if (isa<DeviceWorkOpInterface, ViewLikeOpInterface>(op) || matchPattern(&op, m_Constant()))
        continue;
      InFlightDiagnostic error = op.emitError("expected work of the device in a loop, found ")
                                 << op.getName();
      if (auto host = dyn_cast<HostWorkOpInterface>(op))
        error << ", " << host.getHostWork();
      error.attachNote(begin.getLoc()) << "the device repeats the loop that begins here, and the "
                                          "host takes no part: do this before or after it";
      failed = true;
    }
    for (Operation &op : ops)
      stages[&op] = matchPattern(&op, m_Constant()) ? 0 : stage | 1;
    lastStage = std::max(lastStage, stage | 1);
    return failure(failed);
  }

  SmallVector<Operation *> getOps(int64_t stage) {
    SmallVector<Operation *> ops;
    for (Operation &op : traced.getBody().front().without_terminator())
      if (stages.lookup(&op) == stage)
        ops.push_back(&op);
    return ops;
  }

  void hoist(int64_t stage) {
    for (Operation *op : getOps(stage)) {
      op->moveBefore(traced);
      ++numHoisted;
    }
  }

  void outline(OpBuilder &builder, int64_t stage) {
    SmallVector<Operation *> ops = getOps(stage);
    if (ops.empty())
      return;
    llvm::SetVector<Value> inputs, outputs;
    auto isInside = [&](Operation *op) {
      return op && op->getBlock() == &traced.getBody().front() && stages.contains(op) &&
             stages.lookup(op) == stage;
    };
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!isInside(operand.getDefiningOp()))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); }))
          outputs.insert(result);
    }

    auto types = [](auto &values) {
      return llvm::map_to_vector(values, [](Value v) { return v.getType(); });
    };
    auto type = builder.getFunctionType(types(inputs), types(outputs));
    OpBuilder moduleBuilder(builder.getContext());
    auto trace = TraceOp::create(moduleBuilder, traced.getLoc(),
                                 (name + "_t" + Twine(number++)).str(), type);
    ++numTraces;
    // After the function, in the order of execution.
    symbols.insert(trace, std::next(insertAfter()->getIterator()));
    lastTrace = trace;

    auto execute =
        ExecuteOp::create(builder, traced.getLoc(), type.getResults(),
                          FlatSymbolRefAttr::get(trace.getSymNameAttr()), inputs.getArrayRef());
    Block &body = trace.getBody().front();
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body.getArguments());
    OpBuilder bodyBuilder = OpBuilder::atBlockEnd(&body);
    for (Operation *op : ops)
      bodyBuilder.clone(*op, mapping);
    YieldOp::create(bodyBuilder, traced.getLoc(),
                    llvm::map_to_vector(outputs, [&](Value v) { return mapping.lookup(v); }));
    for (auto [output, result] : llvm::zip_equal(outputs, execute.getResults()))
      Value(output).replaceUsesWithIf(result,
                                      [&](OpOperand &use) { return !isInside(use.getOwner()); });
    for (Operation *op : llvm::reverse(ops)) {
      stages.erase(op);
      op->erase();
    }
  }

  Operation *insertAfter() {
    return lastTrace ? lastTrace : traced->getParentOfType<func::FuncOp>();
  }

  TracedOp traced;
  SymbolTable &symbols;
  StringRef name;
  int64_t &number;
  llvm::DenseMap<Operation *, int64_t> stages;
  int64_t lastStage = 0, numTraces = 0, numHoisted = 0;
  Operation *lastTrace = nullptr;
};

struct HoistIO : mlir::ttc::impl::HoistIOBase<HoistIO> {
  PassCounter numTraces{*this, "traces", "Traces formed"};
  PassCounter numSplits{*this, "splits", "Traced regions split by host work"};
  PassCounter numHoisted{*this, "hoisted", "Ops moved out of traced regions"};

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      SmallVector<TracedOp> regions;
      function.walk([&](TracedOp traced) { regions.push_back(traced); });
      int64_t number = 0;
      for (TracedOp traced : regions) {
        Hoister hoister(traced, symbols, function.getSymName(), number);
        if (failed(hoister.run()))
          return signalPassFailure();
        numTraces += hoister.getNumTraces();
        numSplits += hoister.getNumTraces() > 1;
        numHoisted += hoister.getNumHoisted();
      }
    }
  }
};

} // namespace
