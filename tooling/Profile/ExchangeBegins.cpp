// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/ExchangeBegins.h"

#include <algorithm>

namespace ttrun::report {

using namespace ttrt::profile;

ExchangeBegins::ExchangeBegins(const Log &log, const ClockFit &clock,
                               const std::vector<DeviceModel> &models,
                               const std::vector<RingZones> &rings)
    : exchanges(log.devices.size()) {
  // Exchanges are told apart by counting them.
  if (log.dropped())
    return;
  for (size_t i = 0; i < rings.size(); ++i) {
    const RingRecord &info = log.rings[i].info;
    if (info.core != 0)
      continue;
    for (const Span &span : rings[i].spans) {
      if (span.kind != MarkerKind::CommandBegin || span.parent == kNone)
        continue;
      const OpInfo *op = models[info.device].op(rings[i].spans[span.parent].id, span.id);
      if (op && op->collective != kNoCollective)
        exchanges[info.device][op->collective].begins.push_back(clock.host(span.begin));
    }
  }
  for (uint32_t device = 0; device < exchanges.size(); ++device)
    for (auto &[collective, its] : exchanges[device]) {
      std::sort(its.begins.begin(), its.begins.end());
      its.members = membersOf(log, models[device], device, collective);
    }
}

std::vector<uint32_t> ExchangeBegins::membersOf(const Log &log, const DeviceModel &model,
                                                uint32_t device, uint32_t collective) const {
  auto isSame = [&](size_t other, uint32_t number) {
    const DeviceRecord &info = log.devices[other].info;
    return info.metadataHash == log.devices[device].info.metadataHash && info.meshDevice == number;
  };
  // Meshes of the same bundle that were opened one after the other.
  const uint32_t self = log.devices[device].info.meshDevice;
  size_t earlier = 0;
  for (size_t other = 0; other < device; ++other)
    earlier += isSame(other, self);
  for (const std::vector<uint32_t> &group : model.collectives.at(collective)) {
    if (std::find(group.begin(), group.end(), self) == group.end())
      continue;
    std::vector<uint32_t> members;
    for (uint32_t number : group) {
      size_t before = 0;
      for (uint32_t other = 0; other < log.devices.size(); ++other)
        if (isSame(other, number) && before++ == earlier)
          members.push_back(other);
    }
    return members.size() == group.size() ? members : std::vector<uint32_t>();
  }
  return {};
}

std::optional<int64_t> ExchangeBegins::latestBegin(uint32_t device, uint32_t collective,
                                                   int64_t begin) const {
  if (device >= exchanges.size())
    return std::nullopt;
  const auto found = exchanges[device].find(collective);
  if (found == exchanges[device].end() || found->second.members.empty())
    return std::nullopt;
  const std::vector<int64_t> &own = found->second.begins;
  const auto number =
      static_cast<size_t>(std::lower_bound(own.begin(), own.end(), begin) - own.begin());
  int64_t latest = begin;
  for (uint32_t member : found->second.members) {
    // In a permutation, not all devices take part.
    const auto theirs = exchanges[member].find(collective);
    if (theirs != exchanges[member].end() && number < theirs->second.begins.size())
      latest = std::max(latest, theirs->second.begins[number]);
  }
  return latest;
}

} // namespace ttrun::report
