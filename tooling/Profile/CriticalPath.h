// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end of a recording has waited for. Whatever overlaps it could take longer without
// delaying the end: shortening it saves nothing.

#ifndef TTC_TOOLING_PROFILE_CRITICALPATH_H
#define TTC_TOOLING_PROFILE_CRITICALPATH_H

#include "Profile/Analysis.h"

namespace ttrun::report {

struct PathPart {
  int64_t begin, end; ///< nanoseconds of the host's clock
  Cause cause;
};

/// From the first activity of a device to its last, without gaps, in order of time.
///
/// Found backwards. What a queue executes is on the path. Where a queue waits for an event, the
/// path goes on with the queue that has recorded it. Where it has no work, it goes on with the
/// thread of the host that has enqueued the work, and where this thread has waited for the device,
/// with the queue whose work it has waited for.
std::vector<PathPart> criticalPath(const Analysis &a, uint32_t device);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_CRITICALPATH_H
