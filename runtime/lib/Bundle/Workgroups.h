// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of the workgroups that cores share: those of counters on the device, which streams must
// keep.

#ifndef TTRT_LIB_BUNDLE_WORKGROUPS_H
#define TTRT_LIB_BUNDLE_WORKGROUPS_H

#include <cstdint>

namespace ttrt {

/// The most workgroups of a command that are claimed one by one.
inline constexpr uint64_t kMostClaimed = 0xffff;
/// The most workgroups of a stream, where a command counts at most kMostClaimed: counters are
/// compared modulo 2^31.
inline constexpr uint64_t kMostOfStream = uint64_t(1) << 28;
/// A single workgroup is always core 0's: commands of one run in the order of the stream.
inline bool isSharedGrid(uint64_t grid) { return grid > 1 && grid <= kMostClaimed; }

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_WORKGROUPS_H
