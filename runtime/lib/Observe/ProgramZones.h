// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs with markers (ttrt/format/program_markers.h) write about themselves: emptied before
// a command, and moved to the core's ring after it.

#ifndef TTRT_LIB_OBSERVE_PROGRAMZONES_H
#define TTRT_LIB_OBSERVE_PROGRAMZONES_H

#include "Observe/Markers.h"
#include "ttrt/format/program_markers.h"

namespace ttrt {

using profile::ProgramMarkers;

/// The clock of programs' markers.
inline uint64_t programTime() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t time;
  asm volatile("mrs %0, cntvct_el0" : "=r"(time));
  return time;
#else
  return nowNs();
#endif
}

/// Both clocks at one time.
struct ProgramTime {
  uint64_t program, device;

  static ProgramTime now(ClockKind clock) noexcept {
    const uint64_t time = programTime();
    return {time, clock == ClockKind::Tsc ? time : deviceTime(clock)};
  }
};

/// The most markers that a program adds to a ring in one command: all of its own, that they are
/// invalid, and how many it dropped.
inline constexpr uint32_t kProgramMarkers =
    profile::kGuaranteedMarkers + profile::kZoneTotals + profile::kOptionalMarkers + 2;

/// Moves the markers of a program that ran from `begin` to `end` to a ring, in order of time. What
/// is open in the ring ends at `end`.
[[gnu::noinline]] void moveMarkers(const ProgramMarkers &markers, MarkerRing &ring,
                                   ProgramTime begin, ProgramTime end) noexcept;

/// Around the workgroups of a command on a core. `ring` is null if nothing is recorded: a program
/// needs its markers emptied nevertheless, since others use the same scratch.
class RecordedProgram {
public:
  RecordedProgram(ProgramMarkers &markers, MarkerRing *ring) noexcept
      : markers(markers), ring(ring) {
    markers.reset(ring != nullptr);
    if (ring)
      begin = ProgramTime::now(ring->clockKind());
  }
  ~RecordedProgram() {
    if (ring)
      moveMarkers(markers, *ring, begin, ProgramTime::now(ring->clockKind()));
  }
  RecordedProgram(const RecordedProgram &) = delete;
  RecordedProgram &operator=(const RecordedProgram &) = delete;

private:
  ProgramMarkers &markers;
  MarkerRing *const ring;
  ProgramTime begin{};
};

} // namespace ttrt

#endif // TTRT_LIB_OBSERVE_PROGRAMZONES_H
