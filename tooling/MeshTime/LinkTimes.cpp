// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/LinkTimes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ttrun {

using ttc::MeshTopology;

LinkTimes::LinkTimes(std::vector<ttc::MeshAxisDescription> axes)
    : axes_(std::move(axes)), strides_(axes_.size()), first_(axes_.size()) {
  for (size_t axis = axes_.size(); axis-- > 0;) {
    strides_[axis] = devices_;
    devices_ *= static_cast<uint32_t>(axes_[axis].size);
  }
  // A link for each device at the other end; of a ring or line, for both neighbours.
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    first_[axis] = perDevice_;
    perDevice_ +=
        axes_[axis].topology == MeshTopology::All ? static_cast<uint32_t>(axes_[axis].size) : 2;
  }
  links_.resize(size_t(devices_) * perDevice_);
}

double LinkTimes::send(uint32_t from, uint32_t to, uint64_t bytes, double now) {
  double carried = now, latency = 0;
  for (size_t index = 0; index < axes_.size(); ++index) {
    const ttc::MeshAxisDescription &axis = axes_[index];
    const auto size = static_cast<uint32_t>(axis.size);
    const uint32_t stride = strides_[index], target = to / stride % size;
    const double takes = axis.linkBytesPerSecond ? static_cast<double>(bytes) /
                                                       static_cast<double>(axis.linkBytesPerSecond)
                                                 : 0;
    for (uint32_t at = from / stride % size; at != target;) {
      uint32_t next = target, link = target;
      if (axis.topology != MeshTopology::All) {
        const bool up = axis.topology == MeshTopology::Line
                            ? target > at
                            : (target + size - at) % size * 2 <= size;
        next = (at + (up ? 1 : size - 1)) % size;
        link = up ? 0 : 1;
      }
      Link &used = links_[size_t(from) * perDevice_ + first_[index] + link];
      used.until = std::max(used.until, now) + takes;
      used.busy += takes;
      used.bytes += bytes;
      carried = std::max(carried, used.until);
      latency += static_cast<double>(axis.linkLatencyNs) * 1e-9;
      from = from + next * stride - at * stride;
      at = next;
    }
  }
  return carried + latency;
}

LinkTimes::Use LinkTimes::use() const {
  Use use;
  size_t busiest = links_.size();
  for (size_t i = 0; i < links_.size(); ++i) {
    use.links += links_[i].bytes > 0;
    use.bytes += links_[i].bytes;
    if (links_[i].bytes &&
        (busiest == links_.size() || std::pair(links_[i].busy, links_[i].bytes) >
                                         std::pair(links_[busiest].busy, links_[busiest].bytes)))
      busiest = i;
  }
  if (busiest == links_.size())
    return use;
  use.busiestBytes = links_[busiest].bytes;
  use.busiestSeconds = links_[busiest].busy;
  const auto from = static_cast<uint32_t>(busiest / perDevice_),
             link = static_cast<uint32_t>(busiest % perDevice_);
  const size_t index =
      static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), link) - first_.begin()) -
      1;
  const ttc::MeshAxisDescription &axis = axes_[index];
  const auto size = static_cast<uint32_t>(axis.size);
  const uint32_t at = from / strides_[index] % size, which = link - first_[index];
  const uint32_t to = axis.topology == MeshTopology::All ? which
                      : which == 0                       ? (at + 1) % size
                                                         : (at + size - 1) % size;
  use.busiest = fmt::format("device {} to {} ({})", from,
                            from + to * strides_[index] - at * strides_[index], axis.name);
  return use;
}

} // namespace ttrun
