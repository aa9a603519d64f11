// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Observe/ProgramZones.h"

#include <bit>

namespace ttrt {

using namespace profile;

namespace {
/// The program's clock -> the device's, for the time in which a program ran.
class TimeLine {
public:
  TimeLine(ClockKind clock, ProgramTime begin, ProgramTime end)
      : same(clock == ClockKind::Tsc), begin(begin) {
    if (!same && end.program > begin.program)
      slope = static_cast<double>(static_cast<int64_t>(end.device - begin.device)) /
              static_cast<double>(static_cast<int64_t>(end.program - begin.program));
  }
  uint64_t duration(uint64_t ticks) const {
    return same ? ticks
                : static_cast<uint64_t>(static_cast<int64_t>(
                      slope * static_cast<double>(static_cast<int64_t>(ticks))));
  }
  uint64_t time(uint64_t program) const {
    return same ? program : begin.device + duration(program - begin.program);
  }

private:
  const bool same;
  const ProgramTime begin;
  double slope = 0;
};

/// The guaranteed markers that were written, in order of time.
struct Guaranteed {
  Marker markers[kGuaranteedMarkers];
  uint32_t count = 0;

  explicit Guaranteed(const ProgramMarkers &from) {
    for (uint32_t index : {kMainBegin, kChildBegin, kChildEnd, kMainEnd}) {
      if (!(from.written >> index & 1))
        continue;
      Marker marker = from.guaranteed[index];
      marker.kind =
          index == kMainBegin || index == kChildBegin ? MarkerKind::ZoneBegin : MarkerKind::ZoneEnd;
      uint32_t at = count++;
      for (; at && markers[at - 1].time > marker.time; --at)
        markers[at] = markers[at - 1];
      markers[at] = marker;
      markers[at] = marker;
    }
  }
};
} // namespace

static bool isOptional(MarkerKind kind) {
  return kind == MarkerKind::ZoneBegin || kind == MarkerKind::ZoneEnd || kind == MarkerKind::Data ||
         kind == MarkerKind::Event || kind == MarkerKind::Payload;
}

void moveMarkers(const ProgramMarkers &from, MarkerRing &ring, ProgramTime begin,
                 ProgramTime end) noexcept {
  const TimeLine line(ring.clockKind(), begin, end);
  const Guaranteed guaranteed(from);
  // If a program writes something other than markers, no number may lead out of bounds, and nothing
  // that a reader does not support may get into the log.
  uint32_t optional = 0;
  while (optional < std::min(from.count, kOptionalMarkers) &&
         isOptional(from.optional[optional].kind))
    ++optional;
  const bool invalid = from.invalid != 0 || optional != from.count;
  uint32_t totals = 0;
  for (const auto &total : from.totals)
    totals += total.id != 0;

  const uint32_t fixed = guaranteed.count + totals + (invalid ? 1 : 0);
  const uint32_t needed = fixed + (from.dropped ? 1 : 0);
  if (from.dropped)
    ring.dropInProgram(from.dropped);
  const uint32_t room = ring.room();
  if (room < needed) {
    ring.dropInside(fixed + optional);
    return ring.endAt(end.device);
  }
  // What is dropped is the end, so that zones which remain still nest.
  uint32_t kept = std::min(optional, room - needed);
  if (kept < optional && kept && from.optional[kept - 1].kind == MarkerKind::Data)
    --kept;

  // Not inlined: the library is small.
  auto write = [&](const Marker &marker) __attribute__((noinline)) { ring.put(marker); };
  auto put = [&](Marker marker) __attribute__((noinline)) {
    if (marker.kind != MarkerKind::Payload)
      marker.time = line.time(marker.time);
    marker.value = 0;
    marker.reserved = 0;
    write(marker);
  };
  if (invalid)
    write({end.device, 0, 0, MarkerKind::Invalid, 0});
  uint32_t next = 0;
  for (uint32_t i = 0; i < kept; ++i) {
    const Marker &marker = from.optional[i];
    for (; marker.kind != MarkerKind::Payload && next < guaranteed.count; ++next) {
      const Marker &other = guaranteed.markers[next];
      if (other.time > marker.time ||
          (other.time == marker.time && other.kind == MarkerKind::ZoneEnd))
        break;
      put(other);
    }
    put(marker);
  }
  for (; next < guaranteed.count; ++next)
    put(guaranteed.markers[next]);
  for (const auto &total : from.totals)
    if (total.id)
      write({line.duration(total.time), total.id,
             static_cast<uint16_t>(std::min<uint32_t>(total.count, UINT16_MAX)),
             MarkerKind::ZoneTotal, 0});
  if (from.dropped)
    write({end.device, from.dropped, static_cast<uint16_t>(Dropper::Program), MarkerKind::Dropped,
           0});
  if (kept < optional)
    ring.dropInside(optional - kept);
  ring.endAt(end.device);
}

} // namespace ttrt
