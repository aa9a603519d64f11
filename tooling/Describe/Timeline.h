// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_DESCRIBE_TIMELINE_H
#define TTC_TOOLING_DESCRIBE_TIMELINE_H

#include "Describe/Describe.h"
#include "Formats/TraceEvents.h"

#include <string>
#include <vector>

namespace ttrun {

/// Records when each command of a run begins and ends.
class Recording {
public:
  explicit Recording(const ttrt::Bundle &bundle);
  /// For ttrt_run_options::on_command; `user` is the recording.
  static void add(void *user, uint32_t trace, uint32_t command, uint64_t begin, uint64_t end);
  /// To be called before and after the recorded run.
  void start();
  void stop();
  /// The recording in Chrome's trace event format: the run and its commands as slices, the bytes of
  /// live activations as a counter.
  std::string json(const std::string &entry) const;

  struct Event {
    uint32_t trace, command;
    uint64_t begin, end; ///< nanoseconds of the steady clock
  };
  /// The run of one device.
  struct Run {
    uint64_t begin = 0, end = 0;
    std::vector<Event> events;
  };
  const Run &recorded() const { return run; }
  /// The same for the devices of a mesh, in their order, which ran at the same time: a process
  /// each.
  std::string json(const std::string &entry, const std::vector<Run> &devices) const;

private:
  void addDevice(TraceEvents &events, const Run &device, uint32_t process, uint64_t origin,
                 const std::string &entry) const;

  const ttrt::Bundle &bundle;
  std::vector<DecodedTrace> traces;
  Run run;
};

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_TIMELINE_H
