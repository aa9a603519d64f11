// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The markers that a program writes about itself, if it was compiled with them (Program.markers in
// ttc_bundle.fbs): the last sizeof(ProgramMarkers) bytes of its scratch. The runtime calls reset()
// before each command on each core, and moves the markers to the core's ring (profile_log.h) after
// it. What a program computes does not depend on them.

#ifndef TTRT_FORMAT_PROGRAM_MARKERS_H
#define TTRT_FORMAT_PROGRAM_MARKERS_H

#include "ttrt/format/profile_log.h"

namespace ttrt::profile {

/// The bits of ProgramMarkers::written, and the indices of ProgramMarkers::guaranteed: markers that
/// always have room. Of several workgroups of a command on a core, the first one's begin and the
/// last one's end are kept.
enum GuaranteedMarker : uint32_t { kMainBegin = 0, kMainEnd, kChildBegin, kChildEnd };
/// Accumulating zones of a program: each adds up the durations of all its executions.
inline constexpr uint32_t kZoneTotals = 2;

/// The time of markers is that of the CPU's time stamp counter.
struct alignas(64) ProgramMarkers {
  uint32_t capacity; ///< of `optional` in this command: kOptionalMarkers, or 0 without a recording
  uint32_t count;    ///< of `optional`
  uint32_t dropped;  ///< optional markers that had no room
  uint32_t written;  ///< a bit for each of `guaranteed`
  uint32_t invalid;  ///< not 0: the program says that this core's markers have no meaning
  uint32_t reserved[3]; ///< the program's own, while a command is executed
  struct {
    uint64_t time; ///< sum of the durations
    uint32_t id;   ///< nameHash() of the zone's name; 0: not executed
    uint32_t count;
  } totals[kZoneTotals];
  Marker guaranteed[kGuaranteedMarkers];
  Marker optional[kOptionalMarkers];

  /// Empties everything. Touches the first two cache lines only.
  void reset(bool record) {
    capacity = record ? kOptionalMarkers : 0;
    count = dropped = written = invalid = 0;
    for (auto &total : totals)
      total = {0, 0, 0};
  }
};
static_assert(sizeof(ProgramMarkers) % 64 == 0);

} // namespace ttrt::profile

#endif // TTRT_FORMAT_PROGRAM_MARKERS_H
