// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of a mesh, each with its stream, in time. Exchanges are made of the moves of
// ttrt/format/collectives.h, in their rounds: a device begins a round when it has completed the one
// before, and each message of it leaves when the peer has, too.
//
// Describe/SchedulePicture simulates something else, in units instead of seconds: the queues of one
// device, whose waits are for records that were enqueued before. There, one pass over the steps
// finds all times, without events in order of time. Run/AutoSchedule simulates nothing: it compares
// bounds made of measured times.

#ifndef TTC_TOOLING_MESHTIME_SIMULATOR_H
#define TTC_TOOLING_MESHTIME_SIMULATOR_H

#include "MeshTime/LinkTimes.h"
#include "ttrt/ttc_bundle_generated.h"

#include <vector>

namespace ttrun {

/// What a device does next, in order.
struct Operation {
  enum Kind { Compute, Exchange, Send, Receive, Offer };
  Kind kind;
  uint32_t collective = 0; ///< unless it computes
  double seconds = 0;      ///< if it computes
  uint32_t trace = 0, command = 0;
};
using Stream = std::vector<Operation>;

/// What a device did in an interval of time, in seconds.
struct Span {
  enum What { Computing, Moving, Waiting };
  What what;
  uint32_t operation; ///< index in the stream
  double begin, end;
};

struct DeviceTime {
  double computing = 0, moving = 0, waiting = 0; ///< of all runs
  double end = 0;
  std::vector<Span> spans; ///< of the first run, or none
};

struct Simulated {
  std::vector<DeviceTime> devices;
  std::vector<double> ends; ///< by run: when the last device has completed it
  uint64_t messages = 0;
  LinkTimes::Use links; ///< of all runs
  /// Why it did not come to the end: "device 3 waits for ...". Empty: it did.
  std::string problem;
};

struct SimulatorInput {
  const flatbuffers::Vector<flatbuffers::Offset<ttrt::fb::Collective>> *collectives = nullptr;
  std::vector<Stream> streams;
  std::vector<uint32_t> streamOf; ///< by device: index in `streams`; kNone: it has nothing to do
  static constexpr uint32_t kNone = ~uint32_t(0);
  bool keepSpans = false;
};

/// Runs follow each other at once. `links` are unused so far.
Simulated simulate(const SimulatorInput &input, LinkTimes links, uint32_t runs);

/// The messages of one run.
uint64_t messagesOf(const SimulatorInput &input);

} // namespace ttrun

#endif // TTC_TOOLING_MESHTIME_SIMULATOR_H
