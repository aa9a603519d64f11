// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of encoded traces: with events, of parts, and for other slots of a ring.
#ifndef TTC_LIB_TRANSFORMS_TRACEPARTS_H
#define TTC_LIB_TRANSFORMS_TRACEPARTS_H

#include "dialects/Ttc/Traces/TraceOps.h"
#include <map>

namespace mlir::ttc {

/// Maps the first slots of rings to the slots of another turn. Empty for the first turn.
using SlotMap = DenseMap<Attribute, Attribute>;

/// Copies an op to the builder's insertion point, replacing slots.
Operation *cloneForSlot(OpBuilder &builder, Operation *op, const SlotMap &slots);

/// Derives traces from a trace, each only once.
class TraceParts {
public:
  explicit TraceParts(SymbolTable &symbols) : symbols(symbols) {}

  /// An event and the command at which it is placed.
  struct Mark {
    Operation *command = nullptr; ///< null: none
    FlatSymbolRefAttr event;
  };

  /// The whole trace for a slot, with a wait before one command and signals after others.
  FlatSymbolRefAttr withEvents(TraceOp trace, Mark wait, ArrayRef<Mark> signals,
                               const SlotMap &slots, int64_t slot);

  /// The commands of `trace` from `first` to `last` as a separate trace, or the trace itself if
  /// these are all commands. All slots share parts that access no slot.
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
  std::map<Key, FlatSymbolRefAttr> parts; ///< never iterated: its order does not matter
  DenseMap<std::pair<Operation *, int64_t>, FlatSymbolRefAttr> marked; ///< trace, slot
  DenseMap<Operation *, int64_t> numParts;
  int64_t numMade = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_TRACEPARTS_H
