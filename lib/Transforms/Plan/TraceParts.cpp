// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceParts.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace mlir::ttc;

Operation *mlir::ttc::cloneForSlot(OpBuilder &builder, Operation *op, const SlotMap &slots) {
  Operation *copy = builder.clone(*op);
  if (slots.empty())
    return copy;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
    Attribute other = slots.lookup(symbol);
    return other ? other : symbol;
  });
  replacer.replaceElementsIn(copy);
  return copy;
}

/// Whether a command from `first` to `last` accesses a slot that `slots` replaces.
bool TraceParts::touches(Operation *first, Operation *last, const SlotMap &slots) {
  SmallVector<BufferAccess> accesses;
  for (Operation *op = first;; op = op->getNextNode()) {
    accesses.clear();
    cast<BufferAccessOpInterface>(op).getAccesses(accesses);
    if (llvm::any_of(accesses, [&](const BufferAccess &a) { return slots.contains(a.buffer); }))
      return true;
    if (op == last)
      return false;
  }
}

TraceOp TraceParts::make(TraceOp trace, const Twine &suffix, int64_t slot) {
  OpBuilder builder(trace.getContext());
  std::string name = (trace.getSymName() + suffix).str();
  if (slot != 0)
    name += "_slot" + std::to_string(slot);
  auto made = TraceOp::create(builder, trace.getLoc(), name, trace.getFunctionType());
  // After the trace and the traces derived from it before.
  Block::iterator position = std::next(trace->getIterator());
  std::advance(position, numParts[trace]++);
  symbols.insert(made, position);
  ++numMade;
  return made;
}

FlatSymbolRefAttr TraceParts::withEvents(TraceOp trace, Mark wait, ArrayRef<Mark> signals,
                                         const SlotMap &slots, int64_t slot) {
  Block &body = trace.getBody().front();
  if (!wait.command && signals.empty())
    return part(trace, &body.front(), &body.back(), slots, slot);
  auto [it, isNew] = marked.try_emplace({trace, slot});
  if (!isNew)
    return it->second;
  TraceOp made = make(trace, "_signals", slot);
  auto builder = OpBuilder::atBlockEnd(&made.getBody().front());
  bool followsSignal = false;
  for (Operation &command : body) {
    if (followsSignal && isa<CmdBarrierOp>(command))
      continue; // a signal is a barrier, too
    if (&command == wait.command)
      CmdWaitOp::create(builder, command.getLoc(), wait.event);
    cloneForSlot(builder, &command, slots);
    followsSignal = false;
    for (const Mark &signal : signals)
      if (&command == signal.command) {
        CmdSignalOp::create(builder, command.getLoc(), signal.event);
        followsSignal = true;
      }
  }
  return it->second = FlatSymbolRefAttr::get(made.getSymNameAttr());
}

/// Whether the op offers the input of an exchange after `last`.
static bool isOfferWithout(Operation *op, Operation *last) {
  auto offer = dyn_cast<CmdOfferOp>(op);
  for (; offer && op != last; op = op->getNextNode())
    if (auto exchange = dyn_cast<CmdExchangeOp>(op->getNextNode());
        exchange && exchange.getCollectiveAttr() == offer.getCollectiveAttr())
      return false;
  return static_cast<bool>(offer);
}

FlatSymbolRefAttr TraceParts::part(TraceOp trace, Operation *first, Operation *last,
                                   const SlotMap &slots, int64_t slot) {
  Block &body = trace.getBody().front();
  if (!touches(first, last, slots))
    slot = 0;
  if (last->getNextNode() == &body.back())
    last = &body.back(); // include the end
  if (slot == 0 && first == &body.front() && last == &body.back())
    return FlatSymbolRefAttr::get(trace.getSymNameAttr());
  auto [it, isNew] = parts.try_emplace(Key{first, last, slot});
  if (!isNew)
    return it->second;
  TraceOp made = make(trace, "_part", slot);
  auto builder = OpBuilder::atBlockEnd(&made.getBody().front());
  for (Operation *op = first;; op = op->getNextNode()) {
    if (!isOfferWithout(op, last))
      cloneForSlot(builder, op, slot ? slots : SlotMap());
    if (op == last)
      break;
  }
  if (last != &body.back())
    CmdEndOp::create(builder, body.back().getLoc());
  return it->second = FlatSymbolRefAttr::get(made.getSymNameAttr());
}
