// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffers are alive at a point of the timeline, by address.

#ifndef TTRT_LIB_PROOF_ALIVEBUFFERS_H
#define TTRT_LIB_PROOF_ALIVEBUFFERS_H

#include "Base/NumberSet.h"
#include "Bundle/Bundle.h"

namespace ttrt {

/// A set of buffers of which no two overlap. All buffers of the bundle are sorted by address once;
/// the set is one of places in that order. So adding and removing need no memory and no search. Not
/// thread-safe. Throws std::bad_alloc when it is made, only.
class AliveBuffers {
public:
  explicit AliveBuffers(const Bundle &bundle);

  struct Place {
    uint64_t begin, end; ///< planned addresses
    uint32_t buffer;     ///< its index
    fb::BufferKind kind;
    bool isPermanent; ///< it has no lifetime
  };
  const Place &placeOf(uint32_t buffer) const { return places[numbers[buffer]]; }

  void add(uint32_t buffer) { alive.add(numbers[buffer]); }
  void remove(uint32_t buffer) { alive.remove(numbers[buffer]); }
  /// The last buffer of the set that begins before the planned address `end`, at least 1; null if
  /// there is none. `near` is a guess for countUpTo().
  const Place *lastBelow(uint64_t end, size_t &near) const;
  /// A buffer of the set that shares a byte with [begin, end): the first that begins there or, if
  /// there is none, the one that reaches into it; null if there is none.
  const Place *find(uint64_t begin, uint64_t end) const;

private:
  std::vector<uint64_t> begins;  ///< planned addresses of all buffers, sorted
  std::vector<Place> places;     ///< in the same order
  std::vector<uint32_t> numbers; ///< of the places, per buffer
  NumberSet alive;
};

} // namespace ttrt

#endif // TTRT_LIB_PROOF_ALIVEBUFFERS_H
