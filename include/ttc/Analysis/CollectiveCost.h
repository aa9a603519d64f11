// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a collective takes on the links of a mesh.
#ifndef TTC_ANALYSIS_COLLECTIVECOST_H
#define TTC_ANALYSIS_COLLECTIVECOST_H

#include "dialects/Ttc/TtcAttributes.h"
#include "ttrt/format/collectives.h"

namespace mlir::ttc {

/// What a collective takes, by the alpha-beta model: the first byte of a message takes the latency
/// of each link on its way, and every link carries its bytes at its bandwidth.
struct CollectiveCost {
  double seconds = 0;
  int64_t bytes = 0;     ///< that all devices together receive from others
  int64_t linkBytes = 0; ///< that the busiest link carries, of all rounds
};

/// The cost when all groups exchange at the same time. Messages take the shortest path, axis by
/// axis. Links of unknown bandwidth take no time.
CollectiveCost getCollectiveCost(const ttrt::collectives::Shape &shape,
                                 ArrayRef<SmallVector<int64_t>> groups, MeshAttr mesh);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_COLLECTIVECOST_H
