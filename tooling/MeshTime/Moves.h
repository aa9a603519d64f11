// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves of a collective as messages, for all members of a group.

#ifndef TTC_TOOLING_MESHTIME_MOVES_H
#define TTC_TOOLING_MESHTIME_MOVES_H

#include "ttrt/format/collectives.h"

#include <memory>
#include <vector>

namespace ttrun {

struct MemberMoves {
  /// What a member takes from another one in a round.
  struct Message {
    uint32_t peer;
    uint64_t bytes;
  };
  struct Taker {
    uint32_t peer, lastRound;
  };
  std::vector<std::vector<Message>> rounds;
  std::vector<Taker> takers; ///< who takes from this member
};

struct GroupMoves {
  uint32_t rounds = 1;
  /// One round that reads inputs that are small: transports copy them, so that a device does not
  /// wait until the others have taken its own.
  bool isSmall = false;
  uint64_t messages = 0;
  std::vector<MemberMoves> members;
};

/// Collectives of equal shape share one object.
std::vector<std::shared_ptr<const GroupMoves>>
movesOf(const flatbuffers::Vector<flatbuffers::Offset<ttrt::fb::Collective>> *collectives);

} // namespace ttrun

#endif // TTC_TOOLING_MESHTIME_MOVES_H
