// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules that the compiler makes, by name (docs/queues.md).
#ifndef TTC_TRANSFORMS_SCHEDULES_H
#define TTC_TRANSFORMS_SCHEDULES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ttc {

/// The most slots of an input or output: the length of a schedule's body is proportional to it.
inline constexpr int64_t kMostSlots = 1024;

struct NamedSchedule {
  enum class Overlap { None, Input, Io };
  /// How an inference's commands are enqueued.
  enum class Form {
    Traced,   ///< as traces; commands next to events separately
    Untraced, ///< each command separately
    Signals   ///< as traces that contain the events
  };
  StringRef name;
  Overlap overlap;
  Form form;

  int64_t getQueues() const { return overlap == Overlap::None ? 1 : 2; }
};

/// All schedules, in the order in which a bundle lists them: first `single`, the default; then, for
/// each number of queues, the one that suits most models first.
ArrayRef<NamedSchedule> getNamedSchedules();

/// Null if there is none.
const NamedSchedule *findNamedSchedule(StringRef name);

} // namespace mlir::ttc

#endif // TTC_TRANSFORMS_SCHEDULES_H
