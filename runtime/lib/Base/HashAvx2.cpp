// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled for AVX2. Includes nothing whose inline functions other files may share.
#include "Base/Xxhash.h"

#include "Base/HashAvx2.h"

namespace ttrt {

uint64_t hashLongAvx2(const void *data, size_t size) {
  if (size <= kShortHash)
    __builtin_unreachable();
  return XXH3_64bits(data, size);
}

} // namespace ttrt
