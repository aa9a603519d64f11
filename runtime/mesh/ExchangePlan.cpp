// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExchangePlan.h"

#include "Control.h"

#include <algorithm>
#include <utility>

namespace ttrt::mesh {

using collectives::Move;
using collectives::Place;

static void addOnce(std::vector<uint32_t> &list, size_t from, uint32_t value) {
  if (std::find(list.begin() + static_cast<ptrdiff_t>(from), list.end(), value) == list.end())
    list.push_back(value);
}

ExchangePlan::ExchangePlan(const fb::Collective &collective, uint32_t device)
    : dtype(collective.dtype()), reduction(collective.reduction()) {
  const auto *groups = collective.groups();
  const uint32_t members = groups->Get(0)->devices()->size();
  const auto *operands = collective.operands();
  const bool hasSources = collective.sources() && collective.sources()->size();
  const collectives::Shape shape{collective.kind(),
                                 collective.algorithm(),
                                 members,
                                 operands->Get(0)->bytes(),
                                 std::max<uint64_t>(collective.rows(), 1),
                                 collective.root(),
                                 hasSources ? collective.sources()->data() : nullptr};
  rounds = collectives::roundsOf(shape);
  inputBytes = shape.bytes;
  isSmall = rounds == 1 && inputBytes <= kSlotBytes;
  schedule.assign(rounds, Round{});
  for (const fb::DeviceGroup *group : *groups) {
    const auto *devices = group->devices();
    const auto found = std::find(devices->begin(), devices->end(), device);
    if (found == devices->end())
      continue;
    takesPart = true;
    const auto self = static_cast<uint32_t>(found - devices->begin());
    collectives::forEachMove(shape, self, [&](const Move &move) { add(move, *group, self); });
    for (uint32_t peer = 0; peer < members; ++peer) {
      if (peer == self)
        continue;
      bool takes = false;
      uint32_t last = 0;
      collectives::forEachMove(shape, peer, [&](const Move &move) {
        if (move.peer == self) {
          takes = true;
          last = std::max(last, move.round);
        }
      });
      if (takes)
        takers.push_back({devices->Get(peer), last});
    }
    sendsInput = !takers.empty();
    break;
  }
}

/// A source as rows like the pass's, if it has the same bytes in all.
static bool isSameShape(const Pass &pass, const Move &move) {
  return pass.bytes == move.bytes && pass.rows == move.rows && pass.toPitch == move.toPitch;
}

void ExchangePlan::add(const Move &whole, const fb::DeviceGroup &group, uint32_t self) {
  Move move = whole;
  Round &round = schedule[move.round];
  const uint32_t device = group.devices()->Get(move.peer);
  if (round.passes == 0) {
    round.firstPass = static_cast<uint32_t>(passes.size());
    round.firstWait = static_cast<uint32_t>(waits.size());
  }
  if (move.peer != self) {
    addOnce(waits, round.firstWait, device);
    round.waits = static_cast<uint32_t>(waits.size()) - round.firstWait;
  }
  // Rows that follow each other are one.
  if (move.rows > 1 && move.fromPitch == move.bytes && move.toPitch == move.bytes)
    move.bytes *= std::exchange(move.rows, 1);
  if (move.rows == 1)
    move.fromPitch = move.toPitch = move.bytes;
  Pass *last = round.passes ? &passes.back() : nullptr;
  // What a copy brought is in one row, and what is combined with it in several.
  if (last && move.reduce && last->rows == 1 && last->bytes == move.bytes * move.rows &&
      move.toPitch == move.bytes && last->sources == 1 && !last->accumulates) {
    last->rows = move.rows;
    last->bytes = last->toPitch = sources.back().pitch = move.bytes;
  }
  const bool joins = last && move.reduce && last->to == move.to &&
                     last->toOffset == move.toOffset && isSameShape(*last, move);
  sources.push_back({device, move.from, move.fromOffset, move.fromPitch});
  if (joins) {
    ++last->sources;
    return;
  }
  passes.push_back({move.to, move.reduce, static_cast<uint32_t>(sources.size() - 1), 1,
                    move.toOffset, move.toPitch, move.bytes, move.rows});
  ++round.passes;
}

} // namespace ttrt::mesh
