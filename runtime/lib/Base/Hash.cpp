// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/format/bundle_format.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ttrt {

uint64_t hashBytes(const void *data, size_t size) { return XXH3_64bits(data, size); }

uint64_t hashSegment(const void *data, size_t size) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  const auto *bytes = static_cast<const uint8_t *>(data);
  for (size_t offset = 0; offset < size; offset += kHashChunk) {
    uint64_t hash = hashBytes(bytes + offset, std::min<size_t>(kHashChunk, size - offset));
    XXH3_64bits_update(&state, &hash, sizeof(hash));
  }
  return XXH3_64bits_digest(&state);
}

} // namespace ttrt
