// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules that the compiler makes, by name (docs/queues.md).
#ifndef TTC_TRANSFORMS_SCHEDULES_H
#define TTC_TRANSFORMS_SCHEDULES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ttc {

/// Slots that an input or output may have: the body of a schedule is as long as it has slots.
inline constexpr int64_t kMostSlots = 1024;

struct NamedSchedule {
  enum class Overlap { None, Input, Io };
  /// How an inference's commands are enqueued.
  enum class Form {
    Traced,   ///< as traces; those that events stand at by themselves
    Untraced, ///< each by itself
    Signals   ///< as traces, with the events inside
  };
  StringRef name;
  Overlap overlap;
  Form form;

  int64_t getQueues() const { return overlap == Overlap::None ? 1 : 2; }
};

/// All of them, in the order in which a bundle has them: `single`, which is the default, then of
/// those with as many queues the one that suits most models first.
ArrayRef<NamedSchedule> getNamedSchedules();

/// Null if there is none.
const NamedSchedule *findNamedSchedule(StringRef name);

} // namespace mlir::ttc

#endif // TTC_TRANSFORMS_SCHEDULES_H
