// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long an iteration would take on other numbers of cores: a model of the schedule that was
// recorded.

#ifndef TTC_TOOLING_PROFILE_SCALING_H
#define TTC_TOOLING_PROFILE_SCALING_H

#include "Profile/Analysis.h"

namespace ttrun {
class Json;
}

namespace ttrun::report {

/// A command with work: times in nanoseconds.
struct ScaledOp {
  uint64_t grid = 1;
  double work = 0;      ///< on all cores together
  double bandwidth = 0; ///< least time for its constants; 0: unknown, or in a cache
  std::string name;
};
/// Commands between two barriers.
using Phase = std::vector<ScaledOp>;

struct ScaledTime {
  uint32_t cores = 0;
  double time = 0;                         ///< of an iteration
  double work = 0, barriers = 0, idle = 0; ///< what a core spends it on, on average
  std::string most;                        ///< the program that loses most to idle cores
  double mostLost = 0;                     ///< in its phases
  double efficiency(double one) const { return time > 0 ? one / (time * cores) : 0; }
};

/// What claims and barriers cost, in nanoseconds: estimates.
double claimTime(uint32_t cores);
double barrierTime(uint32_t cores);

/// Core 0 runs commands of one workgroup; of others, the core that is free first takes the next
/// workgroup, and all workgroups of a command take equally long.
ScaledTime scaled(const std::vector<Phase> &phases, uint32_t cores);

/// The stream that a device executed most often. Empty if the bundle is unknown or nothing was
/// executed.
std::vector<Phase> phasesOf(const Analysis &analysis, uint32_t device);

/// Times on 1, 2, 4, ... 64 cores.
std::vector<ScaledTime> scalingOf(const Analysis &analysis, uint32_t device);
void printScaling(const Analysis &analysis, uint32_t device);
/// "scaling" in report.json: an array.
void addScaling(Json &json, const Analysis &analysis, uint32_t device);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_SCALING_H
