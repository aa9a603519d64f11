// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where loops keep the values that iterations hand on.
#ifndef TTC_LIB_TRANSFORMS_PLAN_LOOPHOMES_H
#define TTC_LIB_TRANSFORMS_PLAN_LOOPHOMES_H

#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Analysis/Buffers.h"

namespace mlir::ttc {

/// The loops of a block, in which a loop's results after it are outside of it.
class LoopNest {
public:
  explicit LoopNest(Block &block);

  /// The last op that needs a value that `writer` (null: from outside of the block) makes and
  /// `user` uses: the user, or the end of the outermost loop that has only the use in it. The next
  /// iteration needs the value, too.
  Operation *getLastUser(Operation *writer, Operation *user) const;
  /// The place of the op in the block.
  int64_t getPosition(Operation *op) const { return places.lookup(op).position; }
  bool isEmpty() const { return loops.empty(); }

private:
  struct Loop {
    int64_t begin, end, around;
    Operation *last;
  };
  struct Place {
    int64_t position = -1, loop = -1; ///< the innermost loop that has the op's uses
  };

  SmallVector<Loop> loops;
  DenseMap<Operation *, Place> places;
};

/// Decides which values of a trace are in the buffer of a carried value, its *home*. The value at
/// the beginning of an iteration and the one after the loop always are. The initial value, the next
/// one and values between them are if no two of these are needed at the same time; a value that an
/// op may write over its operand does not count as needed at the same time as that one. Where the
/// initial or the next value is elsewhere, a copy is added.
class LoopHomes {
public:
  explicit LoopHomes(TraceOp trace) : trace(trace), nest(trace.getBody().front()) {}

  /// Adds the copies. Storages and uses of the trace's values may change.
  LogicalResult run();

  /// The values with a home, home by home: roots, the first of which is a result of `loop_begin`.
  ArrayRef<SmallVector<Value>> getHomes() const { return homes; }
  int64_t getNumCopies() const { return numCopies; }

private:
  /// When a root is needed: from the position of its first writer to that of its last user.
  struct Range {
    int64_t begin = 0, end = 0;
  };

  struct Home {
    LoopBeginOp begin;
    LoopEndOp end;
    unsigned index;
    int64_t bytes;
  };

  LogicalResult measure();
  void join();
  /// Adds the root to a home, if no value of the home is needed at the same time.
  bool tryJoin(size_t home, Value root);
  bool mayShare(Value a, Value b);
  void joinChain(size_t home);
  void addCopies();
  Value copy(Operation *before, Value value);
  size_t find(size_t home);
  std::optional<size_t> homeOf(Value value);

  TraceOp trace;
  Storages storages;
  SymbolTableCollection symbols;
  LoopNest nest;
  SmallVector<Operation *> ops;              ///< by position
  DenseMap<Value, Range> ranges;             ///< of roots
  DenseMap<Value, Operation *> firstWriters; ///< of roots
  SmallVector<Home> carried;
  SmallVector<size_t> parents;             ///< homes that are one: a forest
  SmallVector<SmallVector<Value>> members; ///< by home without a parent
  DenseMap<Value, size_t> memberOf;
  SmallVector<SmallVector<Value>> homes;
  int64_t numCopies = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_PLAN_LOOPHOMES_H
