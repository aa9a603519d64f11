// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which CPUs a device of a mesh uses.

#ifndef TTC_TOOLING_RUN_MESH_CPUS_H
#define TTC_TOOLING_RUN_MESH_CPUS_H

#include <cstdint>

namespace ttrun {

/// The CPUs that this thread may use, and that the quota of its process pays for.
uint32_t availableCpus();
/// The share of a device among `devices` on this machine: at least 1.
uint32_t cpusPerDevice(uint32_t devices);
/// From now on, this thread and those that it starts use only the `part`-th of `parts` equal parts
/// of the CPUs that it may use. Memory that they touch first is then on their NUMA node. Nothing
/// happens where there are fewer CPUs than parts.
void bindToPart(uint32_t part, uint32_t parts);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_CPUS_H
