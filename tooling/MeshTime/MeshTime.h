// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun read --mesh-time: how long a mesh takes for an inference, from the bundle's streams.

#ifndef TTC_TOOLING_MESHTIME_MESHTIME_H
#define TTC_TOOLING_MESHTIME_MESHTIME_H

#include "Bundle/Bundle.h"
#include "MeshTime/CommandTimes.h"
#include "MeshTime/Simulator.h"

#include <string>
#include <vector>

namespace ttrun {

class OptionParser;

struct MeshTimeOptions {
  bool wanted = false;
  std::string links;                     ///< another mesh's; empty: the bundle's
  std::vector<std::string> commandTimes; ///< files of ttrun perf
  double gigaflops = 50, gigabytesPerSecond = 10;
  std::string picture; ///< file for the timeline; empty: none

  void declare(OptionParser &parser);
  /// Throws UserError if options are given that need --mesh-time.
  void check() const;
};

/// What a whole entry point takes on a mesh. Seconds; means of a run.
struct MeshTime {
  std::string entry;
  std::vector<Stream> streams;
  std::vector<const ttrt::fb::EntryPoint *> parts; ///< by stream
  std::vector<uint32_t> streamOf;                  ///< by device
  CommandTimes::Counts counts;
  uint32_t runs = 0;
  double first = 0;      ///< the first run, from its begin to the end of the last device
  double interval = 0;   ///< from the end of a run to that of the next one, when many follow
  double efficiency = 0; ///< the part of the interval that a device computes; the mean of all
  uint64_t messages = 0; ///< of a run
  std::vector<DeviceTime> devices; ///< sums divided by the runs
  LinkTimes::Use links;            ///< likewise
  double busyShare = 0;            ///< of the busiest link, of the interval
};

/// Prints the prediction as text or JSON, and writes the picture. Throws UserError.
void readMeshTime(const ttrt::Bundle &bundle, const MeshTimeOptions &options, bool json,
                  bool isProved);

/// The first run as a picture (SVG): a row for each device. At most `most` devices are shown.
std::string meshTimelinePicture(const ttrt::Bundle &bundle, const MeshTime &time,
                                const std::string &title, uint32_t most);

/// The memory plan as a picture (SVG): a lane for each device, addresses against time. At most
/// `most` devices are shown. Throws UserError if the bundle has no mesh.
std::string meshPlanPicture(const ttrt::Bundle &bundle, uint32_t most = 32);

} // namespace ttrun

#endif // TTC_TOOLING_MESHTIME_MESHTIME_H
