// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of an entry point's schedule `single`, and where its work accesses the slots.
#ifndef TTC_LIB_TRANSFORMS_SINGLESCHEDULE_H
#define TTC_LIB_TRANSFORMS_SINGLESCHEDULE_H

#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"

namespace mlir::ttc {

/// A position in the work between the writes and the reads: a step and, if the step executes a
/// trace, a command of the trace.
struct StepPosition {
  Operation *step = nullptr;
  Operation *command = nullptr;

  bool operator==(const StepPosition &other) const {
    return step == other.step && command == other.command;
  }
};

/// Inputs that are consumed at the same position, and may be written ahead from there on.
struct InputGroup {
  StepPosition consumer; ///< no step if nothing reads them
  SmallVector<Operation *> writes;
};

/// Steps of `single`, as --ttc-schedule-queues makes it: writes, then work, then reads. Traces are
/// encoded and buffers have addresses.
class SingleSchedule {
public:
  SingleSchedule(EntryOp entry, SymbolTable &symbols, SymbolTableCollection &collection)
      : entry(entry), symbols(symbols), collection(collection) {}

  /// Returns false, with a remark, if the first schedule is not of that kind.
  bool read();

  /// Whether transfers of the next inference may overlap with this one. Returns false, with a
  /// remark, if they may not.
  bool mayOverlap();

  /// The trace that a step executes, or null.
  TraceOp getTrace(Operation *step);

  SmallVector<Operation *> writes, work, reads;
  /// In the order of their consumers, the last accesses to a byte of the slots.
  SmallVector<InputGroup> groups;
  /// The first access to a byte of an output's slot; no step if the outputs are never written.
  StepPosition producer;

private:
  /// A byte range of a memory; in L1, of every core.
  struct Bytes {
    MemorySpace memory;
    int64_t begin, end;

    bool meets(const Bytes &other) const {
      return memory == other.memory && begin < other.end && other.begin < end;
    }
  };

  /// Finds which of many ranges meet another one, without trying all of them.
  class Ranges {
  public:
    explicit Ranges(ArrayRef<Bytes> all);
    /// Calls `use(index)` for the ranges that meet `bytes`.
    template <typename Use> void forEachThatMeets(const Bytes &bytes, Use use);
    bool meet(const Bytes &bytes);

  private:
    struct Range {
      Bytes bytes;
      size_t number;
      int64_t reach; ///< the last end of this range and those before it in the same memory
    };
    SmallVector<Range> sorted; ///< by memory and begin
  };

  Bytes getBytes(FlatSymbolRefAttr buffer);
  template <typename Use> void forEachAccess(Use use);
  void findPlaces();

  EntryOp entry;
  SymbolTable &symbols;
  SymbolTableCollection &collection;
  SmallVector<Bytes> inputs, outputs; ///< slots, of writes and reads
};

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_SINGLESCHEDULE_H
