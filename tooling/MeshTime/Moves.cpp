// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/Moves.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ttrun {

using namespace ttrt;

/// The bytes that transports copy (runtime/mesh/Control.h).
static constexpr uint64_t kSmallBytes = 8 * 1024;

static std::shared_ptr<const GroupMoves> movesOf(const collectives::Shape &shape) {
  auto moves = std::make_shared<GroupMoves>();
  moves->rounds = collectives::roundsOf(shape);
  moves->isSmall = moves->rounds == 1 && shape.bytes <= kSmallBytes;
  moves->members.resize(shape.devices);
  for (uint32_t self = 0; self < shape.devices; ++self) {
    auto &rounds = moves->members[self].rounds;
    rounds.resize(moves->rounds);
    collectives::forEachMove(shape, self, [&](const collectives::Move &move) {
      if (move.peer == self)
        return;
      auto &messages = rounds[move.round];
      const uint64_t bytes = move.bytes * move.rows;
      // Moves of one peer follow each other.
      if (!messages.empty() && messages.back().peer == move.peer)
        messages.back().bytes += bytes;
      else
        messages.push_back({move.peer, bytes});
    });
    for (uint32_t round = 0; round < rounds.size(); ++round) {
      moves->messages += rounds[round].size();
      for (const MemberMoves::Message &message : rounds[round]) {
        auto &takers = moves->members[message.peer].takers;
        // A member's moves are added together, so it is the last one if it is there.
        if (!takers.empty() && takers.back().peer == self)
          takers.back().lastRound = round;
        else
          takers.push_back({self, round});
      }
    }
  }
  return moves;
}

std::vector<std::shared_ptr<const GroupMoves>>
movesOf(const flatbuffers::Vector<flatbuffers::Offset<fb::Collective>> *tables) {
  using Key = std::tuple<int, int, uint32_t, uint64_t, uint64_t, uint32_t, std::vector<uint32_t>>;
  std::map<Key, std::shared_ptr<const GroupMoves>> known;
  std::vector<std::shared_ptr<const GroupMoves>> all;
  for (uint32_t i = 0; tables && i < tables->size(); ++i) {
    const fb::Collective &table = *tables->Get(i);
    std::vector<uint32_t> sources;
    if (table.sources())
      sources.assign(table.sources()->begin(), table.sources()->end());
    const collectives::Shape shape{table.kind(),
                                   table.algorithm(),
                                   table.groups()->Get(0)->devices()->size(),
                                   table.operands()->Get(0)->bytes(),
                                   std::max<uint64_t>(table.rows(), 1),
                                   table.root(),
                                   sources.data()};
    auto &moves = known[Key{static_cast<int>(shape.kind), static_cast<int>(shape.algorithm),
                            shape.devices, shape.bytes, shape.rows, shape.root, sources}];
    if (!moves)
      moves = movesOf(shape);
    all.push_back(moves);
  }
  return all;
}

} // namespace ttrun
