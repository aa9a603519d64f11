// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_HIDEEXCHANGES
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Operations that a device computes while it exchanges a byte, and while it waits for others.
constexpr int64_t kOperationsPerByte = 8, kOperationsPerExchange = 1 << 20;
/// Operations that take as long as reading or writing a byte.
constexpr int64_t kOperationsPerOwnByte = 4;

bool communicates(Operation *op) { return isa<ExchangeOp, SendOp, ReceiveOp>(op); }

class Hider {
public:
  explicit Hider(SymbolTable &symbols) : symbols(symbols) {}

  void run(TraceOp trace) {
    for (ExchangeOp exchange : llvm::to_vector(trace.getBody().getOps<ExchangeOp>())) {
      sink(exchange);
      fill(exchange);
      if (isHidden(exchange)) {
        exchange->setAttr("offer", UnitAttr::get(exchange.getContext()));
        ++numHidden;
      }
    }
  }

  int64_t numHidden = 0, numMoved = 0;

private:
  /// Down to the next op that reads the result, or that communicates.
  static void sink(ExchangeOp exchange) {
    Operation *place = exchange->getNextNode();
    while (!place->hasTrait<OpTrait::IsTerminator>() && !communicates(place) &&
           llvm::none_of(place->getOperands(),
                         [&](Value operand) { return operand.getDefiningOp() == exchange; }))
      place = place->getNextNode();
    exchange->moveBefore(place);
  }

  /// Moves later work up that does not depend on the exchange, until it takes as long.
  void fill(ExchangeOp exchange) {
    int64_t left =
        kOperationsPerExchange +
        kOperationsPerByte * getTensorBytes(cast<ShapedType>(exchange.getInput().getType()));
    for (Operation *op = getProducer(exchange)->getNextNode(); op != exchange;
         op = op->getNextNode())
      left -= getCost(op);
    for (Operation *op = exchange->getNextNode(), *next; op && left > 0; op = next) {
      next = op->getNextNode();
      SmallVector<Operation *> views;
      if (!isa<DispatchOp>(op) || !findViews(op, exchange, views))
        continue;
      for (Operation *view : views)
        if (exchange->isBeforeInBlock(view))
          view->moveBefore(exchange);
      op->moveBefore(exchange);
      left -= getCost(op);
      ++numMoved;
    }
  }

  /// Whether all operands are there before the exchange, but for views, which can move. What is
  /// made a part of another value stays, since that has its place in the order.
  static bool findViews(Operation *op, Operation *exchange, SmallVectorImpl<Operation *> &views) {
    for (Value operand : op->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (!definition || definition->isBeforeInBlock(exchange))
        continue;
      if (!isa<ViewLikeOpInterface>(definition) || !findViews(definition, exchange, views))
        return false;
      views.push_back(definition); // after those that it is a view of
    }
    return true;
  }

  /// The last op before the exchange that its input, or a part of it, comes from; or the first op.
  static Operation *getProducer(ExchangeOp exchange) {
    Operation *last = &exchange->getBlock()->front();
    SmallVector<Value> values{exchange.getInput()};
    while (!values.empty()) {
      Operation *op = values.pop_back_val().getDefiningOp();
      if (!op)
        continue;
      if (last->isBeforeInBlock(op))
        last = op;
      if (!isa<DeviceWorkOpInterface>(op))
        llvm::append_range(values, op->getOperands());
    }
    return last;
  }

  static bool isHidden(ExchangeOp exchange) {
    for (Operation *op = getProducer(exchange)->getNextNode(); op != exchange;
         op = op->getNextNode())
      if (isa<DispatchOp>(op))
        return true;
    return false;
  }

  int64_t getCost(Operation *op) {
    auto dispatch = dyn_cast<DispatchOp>(op);
    if (!dispatch)
      return 0;
    int64_t operations = 0, bytes = 0;
    if (auto program = symbols.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
        program && program.hasTensorBody())
      for (Operation &each : program.getBody().front())
        operations += countOperations(&each).value_or(0);
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      bytes += getTensorBytes(cast<ShapedType>(type));
    return std::max(operations, kOperationsPerOwnByte * bytes);
  }

  SymbolTable &symbols;
};

struct HideExchanges : mlir::ttc::impl::HideExchangesBase<HideExchanges> {
  PassCounter numHidden{*this, "hidden", "Exchanges that other work precedes"};
  PassCounter numMoved{*this, "moved", "Dispatches that moved before an exchange"};

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Hider hider(symbols);
    for (auto trace : getOperation().getOps<TraceOp>())
      if (!trace.isEncoded())
        hider.run(trace);
    numHidden += hider.numHidden;
    numMoved += hider.numMoved;
  }
};

} // namespace
