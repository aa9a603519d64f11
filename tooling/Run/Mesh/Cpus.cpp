// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/Cpus.h"

#include "ttrt/mesh.h"

#include <algorithm>

namespace ttrun {

uint32_t availableCpus() {
  ttrt_host host = TTRT_HOST_INIT;
  return ttrt_query_host(&host, nullptr) == TTRT_OK ? host.cores : 1;
}

uint32_t cpusPerDevice(uint32_t devices) {
  return std::max<uint32_t>(availableCpus() / std::max<uint32_t>(devices, 1), 1);
}

void bindToPart(uint32_t part, uint32_t parts) { ttrt_mesh_bind(part, parts, nullptr); }

} // namespace ttrun
