// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves of a collective, cut into messages. Giver and taker call the same function, so they
// agree on the messages without a word.

#ifndef TTRT_MPI_PIECES_H
#define TTRT_MPI_PIECES_H

#include "ttrt/format/collectives.h"

#include <vector>

namespace ttrt::mpi {

/// Sums arrive in pieces of this size: one is added while the next one arrives.
inline constexpr uint64_t kSumBytes = 256 * 1024;
/// A message of this size is sent without asking its receiver. Moves of up to kFewSmall of them are
/// cut into such messages: four cost less than one question and its answer.
inline constexpr uint64_t kSmallBytes = 2048;
inline constexpr uint64_t kFewSmall = 4;
/// MPI counts bytes with an int.
inline constexpr uint64_t kMostBytes = uint64_t(1) << 30;

/// The moves of device `self` of a group, in the order in which they are made, each at most a
/// message long. Pieces of sums are in the order of their place, then of the moves.
std::vector<collectives::Move> piecesOf(const collectives::Shape &shape, uint32_t self);

/// Whether the rows of one side follow each other without gaps.
inline bool isDense(const collectives::Move &move, uint64_t pitch) {
  return move.rows == 1 || pitch == move.bytes;
}

} // namespace ttrt::mpi

#endif // TTRT_MPI_PIECES_H
