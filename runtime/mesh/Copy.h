// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and sums, with the best instructions that this machine has.

#ifndef TTRT_MESH_COPY_H
#define TTRT_MESH_COPY_H

#include "Combine.h"
#include "ttrt/ttc_bundle_generated.h"

#include <cstring>

namespace ttrt::mesh {

inline void copyBytes(uint8_t *to, const uint8_t *from, size_t bytes) { memcpy(to, from, bytes); }

/// For elements of a type.
CombineFunction *findCombine(fb::DType dtype, fb::Reduction reduction);

} // namespace ttrt::mesh

#endif // TTRT_MESH_COPY_H
