// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BASE_HASHAVX2_H
#define TTRT_LIB_BASE_HASHAVX2_H

#include <stddef.h>
#include <stdint.h>

namespace ttrt {

/// XXH3 hashes up to this number of bytes in other ways, without vectors.
inline constexpr size_t kShortHash = 240;

/// hashBytes() of more than kShortHash bytes, on a CPU with AVX2.
uint64_t hashLongAvx2(const void *data, size_t size);

} // namespace ttrt

#endif // TTRT_LIB_BASE_HASHAVX2_H
