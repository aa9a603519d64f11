// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective in one thread, by the words of collectives.h: what transports have to give, bit by
// bit.

#ifndef TTC_TEST_UNIT_MPI_SIMULATE_H
#define TTC_TEST_UNIT_MPI_SIMULATE_H

#include "MeshTables.h"

#include <algorithm>
#include <cstring>

namespace ttrt::test {

/// The memory of one device: input, output, scratch.
using Memory = std::array<std::vector<uint8_t>, 3>;

template <typename T>
void combineRows(uint8_t *to, const uint8_t *from, uint64_t bytes, fb::Reduction reduction) {
  for (uint64_t at = 0; at < bytes; at += sizeof(T)) {
    T a, b;
    memcpy(&a, to + at, sizeof a);
    memcpy(&b, from + at, sizeof b);
    a = reduction == fb::Reduction::Sum   ? static_cast<T>(a + b)
        : reduction == fb::Reduction::Max ? std::max(a, b)
                                          : std::min(a, b);
    memcpy(to + at, &a, sizeof a);
  }
}

inline void combineAs(fb::DType dtype, uint8_t *to, const uint8_t *from, uint64_t bytes,
                      fb::Reduction reduction) {
  switch (dtype) {
  case fb::DType::F32:
    return combineRows<float>(to, from, bytes, reduction);
  case fb::DType::F64:
    return combineRows<double>(to, from, bytes, reduction);
  case fb::DType::F16:
    return combineRows<_Float16>(to, from, bytes, reduction);
  case fb::DType::I32:
    return combineRows<int32_t>(to, from, bytes, reduction);
  case fb::DType::U8:
    return combineRows<uint8_t>(to, from, bytes, reduction);
  default:
    abort(); // the tests use no others
  }
}

/// Makes the moves of all devices of the group, round by round.
inline void simulate(const CollectiveCase &given, std::vector<Memory> &all) {
  const std::vector<uint32_t> sources = given.sources();
  const collectives::Shape shape = given.shape(sources);
  for (uint32_t round = 0; round < collectives::roundsOf(shape); ++round) {
    const std::vector<Memory> before = all;
    for (uint32_t self = 0; self < shape.devices; ++self)
      collectives::forEachMove(shape, self, [&](const collectives::Move &move) {
        if (move.round != round)
          return;
        const Memory &peer = move.peer == self ? all[self] : before[move.peer];
        for (uint64_t row = 0; row < move.rows; ++row) {
          const uint8_t *from =
              peer[static_cast<size_t>(move.from)].data() + move.fromOffset + row * move.fromPitch;
          uint8_t *to =
              all[self][static_cast<size_t>(move.to)].data() + move.toOffset + row * move.toPitch;
          if (move.reduce)
            combineAs(given.dtype, to, from, move.bytes, given.reduction);
          else
            memcpy(to, from, move.bytes);
        }
      });
  }
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_MPI_SIMULATE_H
