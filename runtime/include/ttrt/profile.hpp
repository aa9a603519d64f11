// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profiler (profile.h) for C++20: zones that end with their scope.
//
//     void prepare(ttrt_profiler *profiler) {
//       TTRT_ZONE(profiler, "prepare");
//       ...
//     }

#ifndef TTRT_PROFILE_HPP
#define TTRT_PROFILE_HPP

#include "ttrt/profile.h"

#include <source_location>

namespace ttrt {

/// A zone of one profiler, registered once. Immutable; thread-safe.
class ZoneName {
public:
  /// `color`: 0xRRGGBB; 0: chosen by name. Allocates. `profiler` may be null.
  ZoneName(ttrt_profiler *profiler, const char *name, uint32_t color = 0,
           std::source_location where = std::source_location::current())
      : profiler_(profiler) {
    ttrt_zone_source source = TTRT_ZONE_SOURCE_INIT;
    source.name = name;
    source.file = where.file_name();
    source.line = where.line();
    source.color = color;
    zone_ = ttrt_profiler_zone(profiler, &source);
  }
  ttrt_profiler *profiler() const { return profiler_; }
  uint32_t zone() const { return zone_; }
  /// Marks the begin of a frame of this name.
  void frame() const { ttrt_frame(profiler_, zone_); }

private:
  ttrt_profiler *profiler_;
  uint32_t zone_;
};

/// A zone of the calling thread, which ends with the object. Allocates nothing.
class ScopedZone {
public:
  explicit ScopedZone(const ZoneName &name) : profiler_(name.profiler()) {
    ttrt_zone_begin(profiler_, name.zone());
  }
  ~ScopedZone() { ttrt_zone_end(profiler_); }
  ScopedZone(const ScopedZone &) = delete;
  ScopedZone &operator=(const ScopedZone &) = delete;

  /// Adds a text to the zone, if it is the innermost one.
  void text(const char *text) const { ttrt_zone_text(profiler_, text); }

private:
  ttrt_profiler *const profiler_;
};

} // namespace ttrt

#define TTRT_ZONE_JOIN2(a, b) a##b
#define TTRT_ZONE_JOIN(a, b) TTRT_ZONE_JOIN2(a, b)
/// A zone until the end of the scope. The name is looked up each time, under a lock: keep a
/// ZoneName where that matters.
#define TTRT_ZONE(profiler, name)                                                                  \
  const ::ttrt::ScopedZone TTRT_ZONE_JOIN(ttrtZone, __LINE__)(::ttrt::ZoneName(profiler, name))

#endif // TTRT_PROFILE_HPP
