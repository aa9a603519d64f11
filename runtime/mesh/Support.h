// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_MESH_SUPPORT_H
#define TTRT_MESH_SUPPORT_H

#include "support/ApiSupport.h"

namespace ttrt::mesh {
using namespace support;
} // namespace ttrt::mesh

#endif // TTRT_MESH_SUPPORT_H
