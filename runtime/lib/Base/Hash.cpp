// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/format/bundle_format.h"

#include "Base/Xxhash.h"

#include <algorithm>
#include <vector>

namespace ttrt {

uint64_t hashBytes(const void *data, size_t size) { return XXH3_64bits(data, size); }

uint64_t hashSegment(const void *data, size_t size) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  std::vector<uint64_t> hashes((size + kHashChunk - 1) / kHashChunk);
  for (size_t i = 0, at = 0; i < hashes.size(); ++i, at += kHashChunk)
    hashes[i] = hashBytes(bytes + at, std::min<size_t>(kHashChunk, size - at));
  return hashBytes(hashes.data(), hashes.size() * sizeof(uint64_t));
}

} // namespace ttrt
