// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CpuParts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace ttrt::mesh {

/// Appends the CPUs of a list such as "0-3,8,10-11" that are in `left`, and takes them out of it.
static void take(const std::string &list, cpu_set_t &left, std::vector<int> &cpus) {
  const char *at = list.c_str();
  while (*at >= '0' && *at <= '9') {
    char *end;
    const long first = strtol(at, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(static_cast<size_t>(cpu), &left)) {
        CPU_CLR(static_cast<size_t>(cpu), &left);
        cpus.push_back(static_cast<int>(cpu));
      }
    at = *end == ',' ? end + 1 : end;
  }
}

cpu_set_t partOfCpus(const cpu_set_t &allowed, uint32_t index, uint32_t parts, const char *nodes) {
  const auto count = static_cast<size_t>(CPU_COUNT(&allowed));
  if (count < parts)
    return allowed;
  cpu_set_t left = allowed;
  std::vector<int> cpus;
  // Numbers of nodes have gaps, and end below 1,024 on every machine that Linux supports.
  for (int node = 0; node < 1024 && cpus.size() < count; ++node) {
    std::ifstream file(std::string(nodes) + "/node" + std::to_string(node) + "/cpulist");
    if (std::string list; std::getline(file, list))
      take(list, left, cpus);
  }
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) // of no node
    if (CPU_ISSET(cpu, &left))
      cpus.push_back(static_cast<int>(cpu));
  cpu_set_t mine;
  CPU_ZERO(&mine);
  for (size_t i = count * index / parts; i < count * (index + 1) / parts; ++i)
    CPU_SET(static_cast<size_t>(cpus[i]), &mine);
  return mine;
}

} // namespace ttrt::mesh
