// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/PairMarkers.h"

#include <algorithm>
#include <unordered_map>

namespace ttrun::report {

using namespace ttrt::profile;

/// Zones of a program deeper than this are not recorded; it bounds the search for a begin.
static constexpr size_t kDeepest = kOptionalMarkers + kGuaranteedMarkers;

/// Streams, steps and waits contain commands, which contain zones. Only zones nest in their kind.
static int levelOf(MarkerKind begin) {
  return begin == MarkerKind::ZoneBegin ? 2 : begin == MarkerKind::CommandBegin ? 1 : 0;
}

/// Removes the spans that `isOpen` marks, and renumbers parents.
template <typename Item>
static void removeOpen(std::vector<Item> &spans, const std::vector<bool> &isOpen,
                       std::vector<uint32_t> &renumbered) {
  renumbered.assign(spans.size(), kNone);
  uint32_t kept = 0;
  for (size_t i = 0; i < spans.size(); ++i) {
    // A parent precedes its children, so its number is known; of an open one it is that one's
    // parent.
    uint32_t &parent = spans[i].parent;
    parent = parent == kNone ? kNone : renumbered[parent];
    if (isOpen[i]) {
      renumbered[i] = parent;
      continue;
    }
    renumbered[i] = kept;
    if (kept != i)
      spans[kept] = std::move(spans[i]);
    ++kept;
  }
  spans.resize(kept);
}

namespace {
class Pairing {
public:
  explicit Pairing(const Ring &ring) : ring(ring) {}

  RingZones pair() {
    for (const Marker &marker : ring.markers)
      add(marker);
    zones.unmatchedBegins += stack.size();
    std::vector<uint32_t> renumbered;
    removeOpen(zones.spans, isOpen, renumbered);
    for (Instant &instant : zones.instants)
      if (instant.parent != kNone)
        instant.parent = renumbered[instant.parent];
    for (Count &count : zones.counts)
      if (count.parent != kNone)
        count.parent = renumbered[count.parent];
    return std::move(zones);
  }

private:
  void add(const Marker &marker) {
    const bool followsData = wasData;
    wasData = marker.kind == MarkerKind::Data;
    if (marker.kind < MarkerKind::ZoneBegin)
      isInvalid = false;
    else if (isInvalid && marker.kind < MarkerKind::Invalid)
      return;
    switch (marker.kind) {
    case MarkerKind::StreamBegin:
    case MarkerKind::CommandBegin:
    case MarkerKind::StepBegin:
    case MarkerKind::WaitBegin:
    case MarkerKind::ZoneBegin:
      return begin(marker);
    case MarkerKind::StreamEnd:
    case MarkerKind::CommandEnd:
    case MarkerKind::StepEnd:
    case MarkerKind::WaitEnd:
    case MarkerKind::ZoneEnd:
      return end(marker);
    case MarkerKind::Record:
    case MarkerKind::ZoneTotal:
    case MarkerKind::Data:
    case MarkerKind::Event:
      zones.instants.push_back({marker.time, 0, marker.id, stack.empty() ? kNone : stack.back(),
                                marker.kind, marker.value});
      break;
    case MarkerKind::Payload:
      if (followsData)
        zones.instants.back().payload = marker.time;
      else
        ++zones.unmatchedEnds;
      break;
    case MarkerKind::Invalid:
      isInvalid = true;
      if (!stack.empty())
        zones.spans[stack.back()].invalid = true;
      break;
    case MarkerKind::CounterTime:
      zones.counts.push_back({marker.time, marker.id + (static_cast<uint64_t>(marker.value) << 32),
                              kNone, openCommand()});
      break;
    case MarkerKind::Counter:
      zones.counts.push_back({marker.time, 0, marker.id, openCommand()});
      break;
    case MarkerKind::Dropped:
      (marker.value == static_cast<uint16_t>(Dropper::Program) ? zones.missingInPrograms
                                                               : zones.missing) += marker.id;
      break;
    }
  }

  /// A zone whose end was dropped may still be open in it.
  uint32_t openCommand() const {
    for (size_t i = stack.size(); i--;)
      if (zones.spans[stack[i]].kind == MarkerKind::CommandBegin)
        return stack[i];
    return kNone;
  }

  void begin(const Marker &marker) {
    const int level = levelOf(marker.kind);
    while (!stack.empty() && level < 2 && levelOf(zones.spans[stack.back()].kind) >= level)
      abandon();
    if (stack.size() > kDeepest) {
      ++zones.unmatchedBegins;
      return;
    }
    uint64_t streams = 0;
    if (marker.kind == MarkerKind::StreamBegin)
      streams = counted += static_cast<uint16_t>(marker.value - counted);
    if (marker.kind == MarkerKind::CommandBegin)
      streams = marker.value;
    const uint32_t parent = stack.empty() ? kNone : stack.back();
    stack.push_back(static_cast<uint32_t>(zones.spans.size()));
    zones.spans.push_back({marker.time, 0, marker.id, parent, streams, marker.kind});
    isOpen.push_back(true);
  }

  void end(const Marker &marker) {
    const auto wanted = static_cast<MarkerKind>(static_cast<uint8_t>(marker.kind) - 1);
    size_t depth = stack.size();
    for (; depth; --depth) {
      const Span &span = zones.spans[stack[depth - 1]];
      if (span.kind == wanted && span.id == marker.id)
        break;
    }
    if (depth == 0) {
      ++zones.unmatchedEnds;
      return;
    }
    // Zones in a zone may end after it; all else ends with what is around it.
    while (wanted != MarkerKind::ZoneBegin && stack.size() > depth)
      abandon();
    const uint32_t index = stack[depth - 1];
    zones.spans[index].end = std::max(zones.spans[index].begin, marker.time);
    isOpen[index] = false;
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(depth - 1));
  }

  /// The innermost span has no end.
  void abandon() {
    ++zones.unmatchedBegins;
    stack.pop_back();
  }

  const Ring &ring;
  RingZones zones;
  std::vector<uint32_t> stack;
  std::vector<bool> isOpen;
  uint64_t counted = 0;
  bool wasData = false, isInvalid = false;
};
} // namespace

RingZones pairMarkers(const Ring &ring) { return Pairing(ring).pair(); }

/// Adds a text to the innermost span of its thread at its time. `spans` are one thread's, by index.
static void addText(const Text &text, const std::vector<uint32_t> &ofThread,
                    std::vector<HostSpan> &spans) {
  auto after =
      std::upper_bound(ofThread.begin(), ofThread.end(), text.hostNs,
                       [&](uint64_t time, uint32_t index) { return time < spans[index].begin; });
  if (after == ofThread.begin())
    return;
  uint32_t index = *(after - 1);
  while (index != kNone && spans[index].end < text.hostNs)
    index = spans[index].parent;
  if (index == kNone)
    return;
  std::string &all = spans[index].text;
  all += (all.empty() ? "" : "; ") + text.first;
}

/// The number of zones up to the innermost one that an end of `zone` ends; 0: none. An
/// application's end does not name its zone.
static size_t depthOf(uint32_t zone, const std::vector<uint32_t> &stack,
                      const std::vector<HostSpan> &spans) {
  const size_t last = stack.size() > kDeepest ? stack.size() - kDeepest : 0;
  for (size_t depth = stack.size(); depth > last; --depth)
    if (zone == 0 || spans[stack[depth - 1]].zone == zone)
      return depth;
  return 0;
}

HostZones pairHostMarkers(const Log &log) {
  HostZones zones;
  struct Thread {
    std::vector<uint32_t> stack;
    std::vector<uint32_t> spans;
  };
  std::unordered_map<uint32_t, Thread> threads;
  std::vector<bool> isOpen;
  for (const HostMarker &marker : log.hostMarkers) {
    if (marker.kind == HostMarkerKind::Dropped)
      continue; // the log's records have the sum
    auto [found, isNew] = threads.try_emplace(marker.thread);
    if (isNew)
      zones.threads.push_back(marker.thread);
    std::vector<uint32_t> &stack = found->second.stack;
    switch (marker.kind) {
    case HostMarkerKind::ZoneBegin:
      zones.spans.push_back({marker.hostNs, 0, marker.zone, marker.thread, marker.device,
                             stack.empty() ? kNone : stack.back(), ""});
      stack.push_back(static_cast<uint32_t>(zones.spans.size() - 1));
      isOpen.push_back(true);
      break;
    case HostMarkerKind::ZoneEnd: {
      const size_t depth = depthOf(marker.zone, stack, zones.spans);
      if (depth == 0) {
        ++zones.unmatchedEnds;
        break;
      }
      zones.unmatchedBegins += stack.size() - depth;
      stack.resize(depth);
      HostSpan &span = zones.spans[stack.back()];
      span.end = std::max(span.begin, marker.hostNs);
      isOpen[stack.back()] = false;
      stack.pop_back();
      break;
    }
    case HostMarkerKind::Frame:
      zones.frames.push_back({marker.hostNs, marker.zone, marker.thread});
      break;
    case HostMarkerKind::Dropped:
      break;
    }
  }
  for (const auto &[thread, state] : threads)
    zones.unmatchedBegins += state.stack.size();
  std::vector<uint32_t> renumbered;
  removeOpen(zones.spans, isOpen, renumbered);
  for (uint32_t i = 0; i < zones.spans.size(); ++i)
    threads[zones.spans[i].thread].spans.push_back(i);
  for (const Text &text : log.texts)
    if (const auto found = threads.find(text.thread);
        text.kind == TextKind::ZoneText && found != threads.end())
      addText(text, found->second.spans, zones.spans);
  return zones;
}

} // namespace ttrun::report
