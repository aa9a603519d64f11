// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BASE_PARALLELHASH_H
#define TTRT_LIB_BASE_PARALLELHASH_H

#include <cstddef>
#include <cstdint>

namespace ttrt {

/// hashSegment(), with several threads if there is enough to do.
uint64_t hashSegmentParallel(const uint8_t *data, size_t size);

/// Reads `size` bytes of a file from `offset` on, with several threads if there is enough to do,
/// and returns their hashSegment(), or any number without `hashes`. Throws Error.
uint64_t readSegmentParallel(int descriptor, uint64_t offset, uint8_t *to, size_t size,
                             bool hashes);

/// CPUs that this process may run on, and no more than its quota pays for.
unsigned usableCpus();

} // namespace ttrt

#endif // TTRT_LIB_BASE_PARALLELHASH_H
