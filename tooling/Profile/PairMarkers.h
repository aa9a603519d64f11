// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins and ends of a log as zones.

#ifndef TTC_TOOLING_PROFILE_PAIRMARKERS_H
#define TTC_TOOLING_PROFILE_PAIRMARKERS_H

#include "Profile/Log.h"

namespace ttrun::report {

/// On a core: from a marker that begins something to the one that ends it.
struct Span {
  uint64_t begin, end; ///< ticks of the device's clock; begin <= end
  uint32_t id;
  uint32_t parent;                ///< the span around it, by its index; kNone: none
  uint64_t streams;               ///< of a stream: its value, counted beyond 16 bits; of a command:
                                  ///< its value
  ttrt::profile::MarkerKind kind; ///< of its first marker
  bool invalid = false;           ///< the program says that its markers in here have no meaning
};

/// A marker that is no begin and no end.
struct Instant {
  uint64_t time; ///< of a total, its duration
  uint64_t payload;
  uint32_t id;
  uint32_t parent;
  ttrt::profile::MarkerKind kind; ///< Record, ZoneTotal, Data, Event
  uint16_t value;                 ///< of a total: how often the zone was executed
};

/// What one counter has counted in a command.
struct Count {
  uint64_t value;   ///< of kNone: nanoseconds that all counters ran
  uint64_t enabled; ///< of kNone: nanoseconds that they were meant to
  uint32_t counter; ///< kNone: the time
  uint32_t parent;  ///< the span around it
};

struct RingZones {
  std::vector<Span> spans; ///< in order of their begin markers
  std::vector<Instant> instants;
  std::vector<Count> counts; ///< in order of their commands' ends
  uint64_t unmatchedBegins = 0, unmatchedEnds = 0;
  uint64_t missing = 0;           ///< by the markers of drops
  uint64_t missingInPrograms = 0; ///< the same, in programs

  /// The innermost span around something in a program that is no zone: a command, or a host step.
  uint32_t around(uint32_t parent) const {
    while (parent != kNone && spans[parent].kind == ttrt::profile::MarkerKind::ZoneBegin)
      parent = spans[parent].parent;
    return parent;
  }
};
/// Pairs the markers of a ring. A begin whose end is missing, and the reverse, are counted and
/// otherwise ignored, like payloads without data. Zones may overlap: of the guaranteed ones, the
/// first begin and the last end of several workgroups are known. Invalid markers are left out.
RingZones pairMarkers(const Ring &ring);

/// On a thread of the host.
struct HostSpan {
  uint64_t begin, end; ///< nanoseconds of the host's clock
  uint32_t zone, thread, device;
  uint32_t parent;  ///< kNone: none
  std::string text; ///< texts that the application added
};
struct Frame {
  uint64_t hostNs;
  uint32_t zone, thread;
};
struct HostZones {
  std::vector<HostSpan> spans;
  std::vector<Frame> frames;
  std::vector<uint32_t> threads; ///< in the order of their first markers
  uint64_t unmatchedBegins = 0, unmatchedEnds = 0;
};
HostZones pairHostMarkers(const Log &log);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_PAIRMARKERS_H
