// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry point's schedule `single` does, and where its work touches the slots.
#ifndef TTC_LIB_TRANSFORMS_SINGLESCHEDULE_H
#define TTC_LIB_TRANSFORMS_SINGLESCHEDULE_H

#include "dialects/Ttc/TtcOps.h"

namespace mlir::ttc {

/// Where something happens in the work between the writes and the reads: a step, and in a trace a
/// command of it.
struct StepPosition {
  Operation *step = nullptr;
  Operation *command = nullptr;

  bool operator==(const StepPosition &other) const {
    return step == other.step && command == other.command;
  }
};

/// Inputs that are consumed at one place, and so may be written ahead from there on.
struct InputGroup {
  StepPosition consumer; ///< no step: nothing reads them
  SmallVector<Operation *> writes;
};

/// Steps of `single`, as --ttc-schedule-queues makes it: writes, then work, then reads. Traces are
/// encoded and buffers have addresses.
class SingleSchedule {
public:
  SingleSchedule(EntryOp entry, SymbolTable &symbols, SymbolTableCollection &collection)
      : entry(entry), symbols(symbols), collection(collection) {}

  /// False, with a remark, where the first schedule is not of that kind.
  bool read();

  /// Whether transfers of the next inference may take place while this one is not over. False, with
  /// a remark, where they may not.
  bool mayOverlap();

  /// The trace that a step executes, or null.
  TraceOp getTrace(Operation *step);

  SmallVector<Operation *> writes, work, reads;
  /// In the order of their consumers: of each input the last place that touches a byte of its slot.
  SmallVector<InputGroup> groups;
  /// The first place that touches a byte of an output's slot; no step: what is read is never
  /// written.
  StepPosition producer;

private:
  /// Bytes of a memory; in L1, of every core's.
  struct Bytes {
    MemorySpace memory;
    int64_t begin, end;

    bool meets(const Bytes &other) const {
      return memory == other.memory && begin < other.end && other.begin < end;
    }
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
