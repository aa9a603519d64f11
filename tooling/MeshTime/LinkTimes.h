// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The links of a mesh, in time: when a message arrives, and what each link has carried.

#ifndef TTC_TOOLING_MESHTIME_LINKTIMES_H
#define TTC_TOOLING_MESHTIME_LINKTIMES_H

#include "ttc/Mesh/MeshDescription.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ttrun {

/// A message takes the shortest way, axis by axis. A link carries the bytes of one message after
/// another; a message is there when the last of its links has carried it, and the latency of each
/// link has passed. Links of unknown bandwidth carry everything at once.
class LinkTimes {
public:
  explicit LinkTimes(std::vector<ttc::MeshAxisDescription> axes);

  uint32_t devices() const { return devices_; }
  const std::vector<ttc::MeshAxisDescription> &axes() const { return axes_; }
  /// Messages are sent in order of time, in seconds. Returns when this one arrives.
  double send(uint32_t from, uint32_t to, uint64_t bytes, double now);

  struct Use {
    uint64_t links = 0;        ///< that have carried something
    uint64_t bytes = 0;        ///< of all links
    uint64_t busiestBytes = 0; ///< of the link that was busy longest
    double busiestSeconds = 0; ///< it was busy for
    std::string busiest;       ///< "device 0 to 1 (x)"; "" if there is none
  };
  Use use() const;

private:
  struct Link {
    double until = 0, busy = 0;
    uint64_t bytes = 0;
  };

  std::vector<ttc::MeshAxisDescription> axes_;
  std::vector<uint32_t> strides_, first_; ///< of each axis: between devices; a device's first link
  uint32_t devices_ = 1, perDevice_ = 0;
  std::vector<Link> links_;
};

} // namespace ttrun

#endif // TTC_TOOLING_MESHTIME_LINKTIMES_H
