// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Summary.h"

#include <fmt/format.h>

namespace ttrun::report {

using namespace ttrt::profile;

/// ", from conv_relu_3 (command 6) on"; "" if it is not known where.
static std::string placeOf(const DeviceModel &model, const DroppedRecord &drop) {
  if (drop.step == kNone)
    return "";
  if (drop.command == kNone)
    return fmt::format(", from {} on", model.stepText(drop.step));
  return fmt::format(", from {} (command {}) on", model.opName(drop.step, drop.command),
                     drop.command);
}

static std::string coreOf(const RingRecord &info) {
  return fmt::format("device {}, queue {}, core {}", info.device, info.queue, info.core);
}

/// A line for each ring that has drops, and one with the remedy.
static void addDrops(const Analysis &a, Dropper by, std::vector<std::string> &lines) {
  // The first drop of each ring tells where there was no more room.
  std::map<uint32_t, const DroppedRecord *> first;
  for (const DroppedRecord &drop : a.log.drops)
    if (drop.count && drop.by == by)
      first.try_emplace(drop.ring, &drop);
  for (const auto &[number, drop] : first) {
    if (number == kNone) {
      lines.push_back(fmt::format("{} markers of the host were dropped", a.log.hostDropped));
      continue;
    }
    const Ring &ring = a.log.rings[number];
    const std::string place = placeOf(a.models[ring.info.device], *drop);
    if (by == Dropper::Ring)
      lines.push_back(
          fmt::format("{} markers of {} were dropped{}", ring.dropped, coreOf(ring.info), place));
    else
      lines.push_back(fmt::format("{} markers inside of programs on {} were dropped{}",
                                  ring.droppedInPrograms, coreOf(ring.info), place));
  }
  if (!first.empty() && by == Dropper::Ring)
    lines.push_back(fmt::format("to keep all: room for more than {} commands (--profile-programs, "
                                "TTRT_PROFILE_PROGRAMS), or read more often (--profile-mid-run, "
                                "TTRT_PROFILE_INTERVAL, ttrt_profiler_read())",
                                a.log.start.programs));
  if (!first.empty() && by == Dropper::Program)
    lines.push_back(fmt::format("a program has room for {} markers in a command on a core: record "
                                "fewer of them, or add up durations in an accumulating zone",
                                kOptionalMarkers));
}

static void addInvalid(const Analysis &a, std::vector<std::string> &lines) {
  for (size_t i = 0; i < a.rings.size(); ++i) {
    const RingRecord &info = a.log.rings[i].info;
    const DeviceModel &model = a.models[info.device];
    const RingZones &zones = a.rings[i];
    uint64_t number = 0;
    std::string first;
    for (const Span &span : zones.spans) {
      if (!span.invalid)
        continue;
      if (number++ == 0)
        first = span.kind == MarkerKind::CommandBegin && span.parent != kNone
                    ? fmt::format("{} (command {})",
                                  model.opName(zones.spans[span.parent].id, span.id), span.id)
                    : model.stepText(span.id);
    }
    if (number)
      lines.push_back(fmt::format("the markers inside of {} command{} on {} are invalid, the first "
                                  "of {}; they are left out of zones",
                                  number, number == 1 ? "" : "s", coreOf(info), first));
  }
}

std::vector<std::string> warningsOf(const Analysis &a) {
  std::vector<std::string> lines;
  addDrops(a, Dropper::Ring, lines);
  addDrops(a, Dropper::Program, lines);
  addInvalid(a, lines);
  return lines;
}

} // namespace ttrun::report
