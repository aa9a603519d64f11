// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Printing.h"
#include "Profile/Files.h"

#include <fmt/format.h>
#include <iterator>

namespace ttrun::report {

using namespace ttrt::profile;

ZoneNames::ZoneNames(const Analysis &a) : a(a) {
  for (const auto &[number, zone] : a.log.zones)
    names.emplace(nameHash(zone.name.data(), zone.name.size()), zone.name);
}

std::string ZoneNames::operator()(uint32_t device, uint32_t hash) const {
  const std::map<uint32_t, std::string> &known = a.models[device].zones;
  if (const auto found = known.find(hash); found != known.end())
    return found->second;
  const auto found = names.find(hash);
  return found == names.end() ? fmt::format("zone 0x{:08x}", hash) : found->second;
}

static const char *nameOf(MarkerKind kind) {
  switch (kind) {
  case MarkerKind::StreamBegin:
    return "stream-begin";
  case MarkerKind::StreamEnd:
    return "stream-end";
  case MarkerKind::CommandBegin:
    return "command-begin";
  case MarkerKind::CommandEnd:
    return "command-end";
  case MarkerKind::StepBegin:
    return "step-begin";
  case MarkerKind::StepEnd:
    return "step-end";
  case MarkerKind::WaitBegin:
    return "wait-begin";
  case MarkerKind::WaitEnd:
    return "wait-end";
  case MarkerKind::Record:
    return "record";
  case MarkerKind::ZoneBegin:
    return "zone-begin";
  case MarkerKind::ZoneEnd:
    return "zone-end";
  case MarkerKind::ZoneTotal:
    return "zone-total";
  case MarkerKind::Data:
    return "data";
  case MarkerKind::Event:
    return "event";
  case MarkerKind::Payload:
    return "payload";
  case MarkerKind::Invalid:
    return "invalid";
  case MarkerKind::CounterTime:
    return "counter-time";
  case MarkerKind::Counter:
    return "counter";
  case MarkerKind::Dropped:
    return "dropped";
  }
  return "unknown";
}

/// What the id of a marker names; `stream` is the step of the stream around it.
static std::string textOf(const Log &log, const DeviceModel &model, uint32_t device,
                          const ZoneNames &zones, const Marker &marker, uint32_t stream) {
  switch (marker.kind) {
  case MarkerKind::StreamBegin:
  case MarkerKind::StreamEnd:
  case MarkerKind::StepBegin:
  case MarkerKind::StepEnd:
    return model.stepText(marker.id);
  case MarkerKind::CommandBegin:
  case MarkerKind::CommandEnd:
    return stream == kNone ? "" : model.opName(stream, marker.id);
  case MarkerKind::WaitBegin:
  case MarkerKind::WaitEnd:
  case MarkerKind::Record:
    return model.eventText(marker.id);
  case MarkerKind::ZoneBegin:
  case MarkerKind::ZoneEnd:
  case MarkerKind::ZoneTotal:
  case MarkerKind::Data:
  case MarkerKind::Event:
    return zones(device, marker.id);
  case MarkerKind::Counter:
    return log.counters[marker.id].name;
  case MarkerKind::CounterTime:
  case MarkerKind::Payload:
  case MarkerKind::Invalid:
  case MarkerKind::Dropped:
    break;
  }
  return "";
}

std::string markersCsv(const Analysis &a) {
  std::string csv = "device,queue,core,ring,time [cycles],time [ns],kind,id,value,name\n";
  const ZoneNames zones(a);
  const int64_t origin = hostTime(a.log.start.hostNs);
  for (const Ring &ring : a.log.rings) {
    const DeviceModel &model = a.models[ring.info.device];
    uint32_t stream = kNone;
    for (const Marker &marker : ring.markers) {
      if (marker.kind == MarkerKind::StreamBegin)
        stream = marker.id;
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},", ring.info.device, ring.info.queue,
                     ring.info.core, ring.info.ring, marker.time);
      // The time of these is something else.
      if (marker.kind == MarkerKind::ZoneTotal)
        fmt::format_to(std::back_inserter(csv), "{:.0f}", a.clock.nanoseconds(marker.time));
      else if (marker.kind != MarkerKind::Payload && marker.kind != MarkerKind::CounterTime &&
               marker.kind != MarkerKind::Counter)
        fmt::format_to(std::back_inserter(csv), "{}", a.clock.host(marker.time) - origin);
      fmt::format_to(std::back_inserter(csv), ",{},{},{},{}\n", nameOf(marker.kind), marker.id,
                     marker.value,
                     csvField(textOf(a.log, model, ring.info.device, zones, marker, stream)));
      if (marker.kind == MarkerKind::StreamEnd)
        stream = kNone;
    }
  }
  return csv;
}

} // namespace ttrun::report
