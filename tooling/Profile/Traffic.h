// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which core reads and writes which memory, according to the plan.

#ifndef TTC_TOOLING_PROFILE_TRAFFIC_H
#define TTC_TOOLING_PROFILE_TRAFFIC_H

#include "Profile/Analysis.h"

namespace ttrun {
class Json;
}

namespace ttrun::report {

/// Bytes of one execution of each command that was recorded. Cores are those of the plan; the k-th
/// workgroup of a program on shards is core k's.
struct Traffic {
  uint64_t cores = 0;
  /// By core, then by memory: the L1 of each core, all L1s interleaved, DRAM.
  std::vector<uint64_t> read, written;

  uint64_t memories() const { return cores + 2; }
  uint64_t interleaved() const { return cores; }
  uint64_t dram() const { return cores + 1; }
  bool empty() const { return cores == 0; }
};

/// Adds the accesses of an op. What several workgroups share is divided among them.
void addTraffic(Traffic &traffic, const OpInfo &op);
/// The traffic of a device; empty if no tensor is sharded, or the plan has more than
/// kMostTrafficCores cores.
Traffic trafficOf(const Analysis &analysis, uint32_t device);
inline constexpr uint64_t kMostTrafficCores = 1024;

/// A line for each core.
void printTraffic(const Analysis &analysis, uint32_t device);
/// The fields of the matrix in report.json and report.html: "cores", "read", "written".
void addTrafficFields(Json &json, const Traffic &traffic);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_TRAFFIC_H
