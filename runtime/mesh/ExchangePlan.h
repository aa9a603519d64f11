// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's moves (ttrt/format/collectives.h), worked out before the first exchange: passes over
// memory, and whom to wait for.

#ifndef TTRT_MESH_EXCHANGEPLAN_H
#define TTRT_MESH_EXCHANGEPLAN_H

#include "Combine.h"
#include "ttrt/format/collectives.h"

#include <vector>

namespace ttrt::mesh {

/// Rows of bytes in an operand of a device.
struct Source {
  uint32_t device;
  collectives::Place place;
  uint64_t offset, pitch;
};

/// One pass: copies a source or combines several.
struct Pass {
  collectives::Place to;
  bool accumulates; ///< the first source is what is there already
  uint32_t firstSource, sources;
  uint64_t toOffset, toPitch, bytes, rows;
};

/// Moves of one round, or of several without a wait between them.
struct Round {
  uint32_t firstPass, passes;
  uint32_t firstWait, waits; ///< devices that this device takes from
};

/// A device that takes from this one, and the last round in which it does.
struct Taker {
  uint32_t device, round;
};

struct ExchangePlan {
  /// The plan of collective `collective` for `device`. May throw std::bad_alloc.
  ExchangePlan(const fb::Collective &collective, uint32_t device);

  bool takesPart = false;
  /// Inputs go through slots: there is one round, it reads inputs, and they are small.
  bool isSmall = false;
  bool sendsInput = false; ///< small: another device reads the input
  uint32_t rounds = 1;     ///< the same on all devices
  uint64_t inputBytes = 0;
  uint64_t slots = 0; ///< small: where its slots begin on a board
  CombineFunction *combine = nullptr;
  fb::DType dtype;
  fb::Reduction reduction;
  std::vector<Round> schedule;
  std::vector<Pass> passes;
  std::vector<Source> sources;
  std::vector<uint32_t> waits;
  std::vector<Taker> takers;

private:
  void add(const collectives::Move &move, const fb::DeviceGroup &group, uint32_t self);
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_EXCHANGEPLAN_H
