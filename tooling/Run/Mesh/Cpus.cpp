// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/Cpus.h"

#include "ttrt/mesh.h"

#include <algorithm>
#include <sched.h>

namespace ttrun {

uint32_t availableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<uint32_t>(CPU_COUNT(&set)) : 1;
}

uint32_t cpusPerDevice(uint32_t devices) {
  return std::max<uint32_t>(availableCpus() / std::max<uint32_t>(devices, 1), 1);
}

void bindToPart(uint32_t part, uint32_t parts) { ttrt_mesh_bind(part, parts, nullptr); }

} // namespace ttrun
