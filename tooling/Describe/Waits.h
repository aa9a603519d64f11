// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the record that each wait of a schedule waits for, by walking the steps in enqueue order.

#ifndef TTC_TOOLING_DESCRIBE_WAITS_H
#define TTC_TOOLING_DESCRIBE_WAITS_H

#include "Bundle/Bundle.h"

#include <string>
#include <vector>

namespace ttrun {

/// One wait: a step, or a command inside the trace of an execute step.
struct WaitInfo {
  std::string event;
  int command = -1; ///< in the trace; -1: the step itself
  /// "body step 3 (queue 1) of the run before, at first prologue step 0 (queue 0)"
  std::string recordedBy;
};

/// The waits of each step of one part.
using PartWaits = std::vector<std::vector<WaitInfo>>;

struct ScheduleWaits {
  PartWaits prologue, body, epilogue;
};

ScheduleWaits waitsOf(const ttrt::Bundle &bundle, const ttrt::fb::Schedule &schedule);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_WAITS_H
