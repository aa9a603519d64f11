// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --schedule=auto: which of a bundle's schedules is the fastest here, from times that are measured.

#ifndef TTC_TOOLS_TTRUN_AUTOSCHEDULE_H
#define TTC_TOOLS_TTRUN_AUTOSCHEDULE_H

#include "Bundle.h"
#include "ttrt/pipeline.h"

#include <string>
#include <vector>

namespace ttrun {

/// Milliseconds of one inference.
struct StepTimes {
  double write = 0, run = 0, read = 0;
  double runUntraced = 0; ///< every command dispatched by the host
};

/// What choosing knows of a schedule.
struct Candidate {
  std::string name;
  uint32_t queues = 1;
  bool writesApart = false, readsApart = false; ///< on another queue than the one that runs
  bool traced = true;
  double tried = 0; ///< milliseconds per inference when it was tried; 0: it was not
};

/// The schedules of an entry point that take at most so many queues.
std::vector<Candidate> candidatesOf(const ttrt::fb::EntryPoint &entry, uint32_t queues);

/// Milliseconds per inference if the fuller queue never waits.
double expectedTime(const Candidate &candidate, const StepTimes &times);

/// The one that is expected to be the fastest; of those that are expected to be equal, the first.
/// `queues`: at most so many.
size_t bestExpected(const std::vector<Candidate> &candidates, const StepTimes &times,
                    uint32_t queues);

/// Takes the best with two queues only if they are worth it: expected to save 5 % of the best with
/// one queue, and faster than it if both were tried (the queues may have to share a CPU).
/// `why`: one line that says so, and whether a trace pays.
size_t choose(const std::vector<Candidate> &candidates, const StepTimes &times, std::string &why);

/// Chooses without a device: by a time of the run that is given, and bytes over the speed of the
/// link. Returns the schedule's name.
std::string expectSchedule(const ttrt::fb::EntryPoint &entry, uint32_t queues, double runMs,
                           uint64_t linkBytesPerSecond, std::string &why);

/// Measures on the device, which has nothing in flight, and chooses. `noTrace`: for a host that
/// enqueues every command by itself. Returns the schedule's name. Throws UserError.
std::string chooseSchedule(const ttrt::fb::EntryPoint &entry, uint32_t number, ttrt_device *device,
                           const std::vector<ttrt_input> &inputs, bool noTrace, std::string &why);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_AUTOSCHEDULE_H
