// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Session.h"

#include <cstring>

namespace ttrun {

/// SplitMix64: the same values on every machine.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void fillRandom(Tensor &tensor, uint64_t &state) {
  const size_t size = sizeOf(tensor.dtype);
  for (size_t at = 0; at < tensor.bytes.size(); at += size) {
    const uint64_t bits = nextRandom(state);
    uint8_t *to = &tensor.bytes[at];
    const float value = static_cast<float>(bits >> 40) * 0x1p-24f;
    switch (tensor.dtype) {
    case TTRT_F32:
      memcpy(to, &value, size);
      break;
    case TTRT_F64: {
      const double wide = value;
      memcpy(to, &wide, size);
      break;
    }
    case TTRT_BF16:
      memcpy(to, reinterpret_cast<const uint8_t *>(&value) + 2, size);
      break;
    case TTRT_F16: {
      // 10 random bits as a multiple of 1/1024 in [0, 1), which f16 represents exactly.
      const auto fraction = static_cast<uint32_t>(bits >> 54);
      int exponent = 0;
      uint32_t scaled = fraction;
      while (scaled && scaled < 1024) {
        scaled <<= 1;
        ++exponent;
      }
      const auto half =
          static_cast<uint16_t>(fraction ? (15 - exponent) << 10 | (scaled & 1023) : 0);
      memcpy(to, &half, size);
      break;
    }
    default:
      memset(to, 0, size);
      *to = static_cast<uint8_t>(bits >> 63);
    }
  }
}

} // namespace ttrun
