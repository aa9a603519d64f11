// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of encoded traces: with events inside, parts of them, and the same for other slots of a
// ring.
#ifndef TTC_LIB_TRANSFORMS_TRACEPARTS_H
#define TTC_LIB_TRANSFORMS_TRACEPARTS_H

#include "dialects/Ttc/TtcOps.h"
#include <map>

namespace mlir::ttc {

/// The slots that a slot of the ring stands for: first slot -> this one. Empty for the first.
using SlotMap = DenseMap<Attribute, Attribute>;

/// A copy of an op at the builder's insertion point, on other slots.
Operation *cloneForSlot(OpBuilder &builder, Operation *op, const SlotMap &slots);

/// Makes traces out of a trace, each once.
class TraceParts {
public:
  explicit TraceParts(SymbolTable &symbols) : symbols(symbols) {}

  /// An event, and the command that it stands at.
  struct Mark {
    Operation *command = nullptr; ///< null: none
    FlatSymbolRefAttr event;
  };

  /// The whole trace for a slot: with a wait in front of one command and signals behind others.
  FlatSymbolRefAttr withEvents(TraceOp trace, Mark wait, ArrayRef<Mark> signals,
                               const SlotMap &slots, int64_t slot);

  /// The commands of `trace` from `first` to `last` as a trace of their own; the trace itself where
  /// that is all of it. Parts that touch no slot are the same for all.
  FlatSymbolRefAttr part(TraceOp trace, Operation *first, Operation *last, const SlotMap &slots,
                         int64_t slot);

  int64_t getNumMade() const { return numMade; }

private:
  TraceOp make(TraceOp trace, const Twine &suffix, int64_t slot);
  static bool touches(Operation *first, Operation *last, const SlotMap &slots);

  SymbolTable &symbols;
  struct Key {
    Operation *first, *last;
    int64_t slot;
    bool operator<(const Key &other) const {
      return std::tie(first, last, slot) < std::tie(other.first, other.last, other.slot);
    }
  };
  std::map<Key, FlatSymbolRefAttr> parts; ///< looked up only: its order does not matter
  DenseMap<std::pair<Operation *, int64_t>, FlatSymbolRefAttr> marked; ///< trace, slot
  DenseMap<Operation *, int64_t> numParts;
  int64_t numMade = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_TRACEPARTS_H
