// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which CPUs each device of a machine has.

#ifndef TTRT_MESH_CPUPARTS_H
#define TTRT_MESH_CPUPARTS_H

#include <cstdint>
#include <sched.h>

namespace ttrt::mesh {

/// The `index`-th of `parts` equal parts of `allowed`; all if there are fewer CPUs than parts. CPUs
/// of one NUMA node come one after another, so a part is in one node if the parts are a multiple of
/// the nodes. `nodes` is Linux's folder of them; without it, CPUs are in the order of their
/// numbers.
cpu_set_t partOfCpus(const cpu_set_t &allowed, uint32_t index, uint32_t parts,
                     const char *nodes = "/sys/devices/system/node");

} // namespace ttrt::mesh

#endif // TTRT_MESH_CPUPARTS_H
