// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --schedule=auto: chooses the fastest of a bundle's schedules from measured times.

#ifndef TTC_TOOLING_RUN_AUTOSCHEDULE_H
#define TTC_TOOLING_RUN_AUTOSCHEDULE_H

#include "Bundle/Bundle.h"
#include "Profile/Analysis.h"
#include "ttrt/pipeline.h"

#include <string>
#include <vector>

namespace ttrun {

/// The time of one inference, in milliseconds.
struct StepTimes {
  double write = 0, run = 0, read = 0;
  double runUntraced = 0;          ///< with every command dispatched by the host
  report::TraceSaving saving = {}; ///< of the run
};

/// The properties of a schedule that the choice depends on.
struct Candidate {
  std::string name;
  uint32_t queues = 1;
  bool writesApart = false, readsApart = false; ///< on a queue that runs nothing else
  bool traced = true;
  double tried = 0; ///< measured milliseconds per inference; 0: not measured
};

/// The schedules of an entry point that use at most `queues` queues.
std::vector<Candidate> candidatesOf(const ttrt::fb::EntryPoint &entry, uint32_t queues);

/// The milliseconds per inference if the busier queue never waits.
double expectedTime(const Candidate &candidate, const StepTimes &times);

/// The index of the candidate with the lowest expected time among those with at most `queues`
/// queues; of equals, the first.
size_t bestExpected(const std::vector<Candidate> &candidates, const StepTimes &times,
                    uint32_t queues);

/// Chooses a schedule with two queues only if it is expected to save 5 % of the best time with one
/// queue and, where both were measured, is faster (the queues may have to share a CPU). Sets `why`
/// to one line that gives the reason and tells what a trace saves.
size_t choose(const std::vector<Candidate> &candidates, const StepTimes &times, std::string &why);

/// Chooses without a device, from a given run time and the time that inputs and outputs take on a
/// link of the given speed. Returns the schedule's name.
std::string expectSchedule(const ttrt::fb::EntryPoint &entry, uint32_t queues, double runMs,
                           uint64_t linkBytesPerSecond, std::string &why);

/// Measures on the device, which must be idle, and chooses. With `noTrace` the host dispatches
/// every command. Returns the schedule's name. Throws UserError.
std::string chooseSchedule(const ttrt::fb::EntryPoint &entry, uint32_t number, ttrt_device *device,
                           const std::vector<ttrt_input> &inputs, bool noTrace, std::string &why);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_AUTOSCHEDULE_H
