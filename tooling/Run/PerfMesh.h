// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun perf of a mesh: what each device does with its time.

#ifndef TTC_TOOLING_RUN_PERFMESH_H
#define TTC_TOOLING_RUN_PERFMESH_H

#include "Formats/Json.h"
#include "Run/Session.h"

#include <string>
#include <vector>

namespace ttrun {

/// Means of one run, in microseconds.
struct DeviceShare {
  double total = 0;     ///< traces and host steps
  double computing = 0; ///< outside of exchanges
  double moving = 0;    ///< in exchanges, after all devices of the group have begun them
  double waiting = 0;   ///< in exchanges, before that
};

struct MeshShares {
  std::vector<DeviceShare> devices;
  bool hasWaiting = true; ///< otherwise, clocks differ, and `moving` has it
};

/// Runs the session's mesh `loops` times. The same on all ranks.
MeshShares measureMesh(Session &session, const ttrt_run_options &run, uint64_t loops);
void printShares(const MeshShares &shares);
/// Key "devices".
void addShares(Json &json, const MeshShares &shares);

/// One run of all devices, command by command, in Chrome's trace event format.
std::string meshTimeline(Session &session);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_PERFMESH_H
