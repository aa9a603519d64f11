// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the commands of a bundle take on one device: measured by ttrun perf, or estimated.

#ifndef TTC_TOOLING_MESHTIME_COMMANDTIMES_H
#define TTC_TOOLING_MESHTIME_COMMANDTIMES_H

#include "Bundle/Bundle.h"
#include "ttrt/format/steps.h"

#include <map>
#include <string>
#include <utility>

namespace ttrun {

/// A device for estimates: each command takes as long as its operations, or as its bytes.
struct Roofline {
  double flops = 50e9;
  double bytesPerSecond = 10e9;
};

class CommandTimes {
public:
  CommandTimes(const ttrt::Bundle &bundle, const Roofline &roofline)
      : bundle(bundle), roofline(roofline) {}

  /// Adds the times of a file that `ttrun perf --ops --json` has written. Throws UserError if they
  /// are of another bundle.
  void read(const std::string &file);

  /// Seconds. `trace`, `command`: where a command is; a step of the host has none.
  double of(uint32_t trace, uint32_t command, const ttrt::Action &action);
  double ofStep(const ttrt::fb::EntryPoint &entry, const ttrt::Action &action);

  /// Commands since the last call whose time is measured, and others.
  struct Counts {
    uint64_t measured = 0, estimated = 0;
  };
  Counts takeCounts() { return std::exchange(counts, Counts{}); }

private:
  double estimate(const ttrt::fb::EntryPoint *entry, const ttrt::Action &action) const;

  const ttrt::Bundle &bundle;
  const Roofline roofline;
  std::map<std::pair<uint32_t, uint32_t>, double> measured;
  Counts counts;
};

} // namespace ttrun

#endif // TTC_TOOLING_MESHTIME_COMMANDTIMES_H
