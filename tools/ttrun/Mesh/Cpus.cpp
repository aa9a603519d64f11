// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Mesh/Cpus.h"

#include <algorithm>
#include <sched.h>
#include <vector>

namespace ttrun {

static std::vector<int> cpusHere() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
  return cpus;
}

uint32_t availableCpus() { return std::max<uint32_t>(static_cast<uint32_t>(cpusHere().size()), 1); }

uint32_t cpusPerDevice(uint32_t devices) {
  return std::max<uint32_t>(availableCpus() / std::max<uint32_t>(devices, 1), 1);
}

void bindToPart(uint32_t part, uint32_t parts) {
  const std::vector<int> cpus = cpusHere();
  if (cpus.size() < parts)
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = cpus.size() * part / parts; i < cpus.size() * (part + 1) / parts; ++i)
    CPU_SET(cpus[i], &set);
  sched_setaffinity(0, sizeof set, &set);
}

} // namespace ttrun
