// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many CPUs the control groups of this process let it use: containers limit time, not CPUs.

#ifndef TTRT_LIB_BASE_CPUQUOTA_H
#define TTRT_LIB_BASE_CPUQUOTA_H

#include <cstdint>

namespace ttrt {

/// The least quota of the process's groups and of those around them, in whole CPUs, at least 1;
/// UINT32_MAX if there is none. `root` precedes all paths; tests have a folder there.
uint32_t cpusOfQuota(const char *root = "") noexcept;

} // namespace ttrt

#endif // TTRT_LIB_BASE_CPUQUOTA_H
